package storetest

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func testRenew(f *fixture) {
	f.begin("r")
	row := f.claimOne()
	f.pass(10 * time.Second)
	f.renew(&row, false)
	want := row
	want.BeatAt, want.LeaseUntil = f.now, f.now.Add(ttl) // a heartbeat is no progress
	equal(f, f.tasks("r"), []store.TaskRow{want})

	f.pass(10 * time.Second)
	sure(f.s.Renew(f.ctx, row.Claim(), f.now, f.now.Add(ttl), json.RawMessage(`{"row":1}`)))
	want.BeatAt, want.ProgressAt, want.LeaseUntil = f.now, f.now, f.now.Add(ttl)
	want.Checkpoint, want.CheckpointAt = json.RawMessage(`{"row":1}`), f.now
	equal(f, f.tasks("r"), []store.TaskRow{want})

	f.pass(2 * ttl) // late, but no one has reclaimed it
	f.renew(&row, false)
	f.refused(f.s.Reclaim(f.ctx, row.Claim(), f.now), machine.ErrFenced)
}

// testRenewAll renews several leases at once, of which some are not what they were.
func testRenewAll(f *fixture) {
	rows := map[string]*store.TaskRow{}
	for _, run := range []string{"ended", "cancelled", "elsewhere", "kept", "lapsed", "stopped"} {
		f.begin(run)
		row := f.claimOne()
		rows[run] = &row
	}
	var claims []store.Claim
	for _, row := range rows {
		claims = append(claims, row.Claim())
	}
	stopped := rows["stopped"]
	f.end(rows["ended"])
	for _, run := range []string{"cancelled", "stopped"} {
		f.cancel(run, "a")
	}
	f.stopping("w1", rows["cancelled"].Claim(), stopped.Claim())
	f.must(f.s.Confirm(f.ctx, stopped.Claim(), f.now))
	f.stopping("w1", rows["cancelled"].Claim())
	f.stopping("w2")
	f.must(f.s.Release(f.ctx, rows["elsewhere"].Claim(), f.now, f.now))
	other := sure(f.s.Claim(f.ctx, f.query("w2", 1)))
	equal(f, runsOf(other), []string{"elsewhere"})

	renew := func(wantCancelled, wantFenced []string) {
		f.Helper()
		got := sure(f.s.RenewAll(f.ctx, claims, f.now, f.now.Add(ttl)))
		equal(f, runsOfClaims(got.Cancelled), wantCancelled)
		equal(f, runsOfClaims(got.Fenced), wantFenced)
	}
	f.pass(ttl - time.Second)
	renew([]string{"cancelled"}, []string{"elsewhere", "ended", "stopped"})
	for _, run := range []string{"cancelled", "kept", "lapsed"} {
		want := *rows[run]
		want.BeatAt, want.LeaseUntil, want.Cancelled = f.now, f.now.Add(ttl), run == "cancelled" // and no progress
		equal(f, f.tasks(run), []store.TaskRow{want})
	}
	equal(f, f.tasks("elsewhere")[0].Epoch, other[0].Epoch)
	equal(f, f.tasks("elsewhere")[0].BeatAt, other[0].BeatAt)
	f.pass(2 * ttl) // late, but no one has reclaimed them; of the cancelled one that was the end
	f.stopping("w1")
	renew([]string{}, []string{"cancelled", "elsewhere", "ended", "stopped"})
	f.pass(2 * ttl)
	f.must(f.s.Reclaim(f.ctx, rows["lapsed"].Claim(), f.now))
	renew([]string{}, []string{"cancelled", "elsewhere", "ended", "lapsed", "stopped"})
	equal(f, sure(f.s.RenewAll(f.ctx, nil, f.now, f.now.Add(ttl))), store.Renewed{})
	another := rows["kept"].Claim()
	another.Seq++ // of the same epoch
	equal(f, sure(f.s.RenewAll(f.ctx, []store.Claim{another}, f.now, f.now.Add(ttl))), store.Renewed{Fenced: []store.Claim{another}})
}

// runsOfClaims are the runs of claims, sorted.
func runsOfClaims(claims []store.Claim) []string {
	runs := textsOf(claims, func(c store.Claim) string { return c.Run })
	slices.Sort(runs)
	return runs
}

// stopping expects that a worker is told of some cancelled tasks, and of no others.
func (f *fixture) stopping(worker string, want ...store.Claim) {
	f.Helper()
	work := sure(f.s.Look(f.ctx, store.LookQuery{Worker: worker, Now: f.now}))
	equal(f, runsOfClaims(work.Stopping), runsOfClaims(want))
	for _, c := range want {
		if !slices.Contains(work.Stopping, c) {
			f.Errorf("%+v is not among %+v", c, work.Stopping)
		}
	}
}

// testCheckpoints hands a checkpoint to every later attempt of the execution,
// and to no other.
func testCheckpoints(f *fixture) {
	f.begin("r")
	row := f.claimOne()
	renew := func(row store.TaskRow, checkpoint string) {
		sure(f.s.Renew(f.ctx, row.Claim(), f.now, f.now.Add(ttl), json.RawMessage(checkpoint)))
	}
	renew(row, `1`)
	renew(row, `2`)
	f.must(f.s.Release(f.ctx, row.Claim(), f.now, time.Time{}))
	row = f.claimOne()
	equal(f, string(row.Checkpoint), `2`) // the same attempt, passed on

	c := f.next("r") // a retry
	c.Claim = new(row.Claim())
	f.start(c, "a").Key = row.Key
	f.commit(c)
	again := f.claimOne()
	equal(f, string(again.Checkpoint), `2`)

	f.cancel("r", "a") // the state is left; the last word comes while it is cancelled
	renew(again, `3`)
	f.must(f.s.Confirm(f.ctx, again.Claim(), f.now))
	c = f.next("r") // a later visit goes on with the execution
	f.start(c, "a").Key = row.Key
	f.start(c, "b")
	f.commit(c)
	for _, got := range f.claim(10) {
		want := ""
		if got.Key == row.Key {
			want = `3`
		}
		equal(f, string(got.Checkpoint), want)
	}
	_, err := f.s.Renew(f.ctx, again.Claim(), f.now, f.now.Add(ttl), json.RawMessage(`"late"`))
	f.refused(err, machine.ErrFenced)
	equal(f, string(f.tasks("r")[0].Checkpoint), `3`)
}

func testRelease(f *fixture) {
	f.begin("r")
	row := f.claimOne()
	f.must(f.s.Release(f.ctx, row.Claim(), f.now, f.now.Add(time.Hour)))
	got := f.tasks("r")[0]
	equal(f, []any{got.Worker, got.Lost, got.Attempt, got.LeaseUntil.IsZero()}, []any{"", 0, 1, true})
	equal(f, got.NotBefore, f.now.Add(time.Hour))
	f.refused(f.s.Release(f.ctx, row.Claim(), f.now, f.now), machine.ErrFenced)
	f.idle()
	f.pass(time.Hour)
	f.claimOne()
}

func testReclaim(f *fixture) {
	f.begin("r1")
	first := f.claimOne()
	f.pass(time.Second)
	f.begin("r2")
	second := f.claimOne()
	f.begin("cancelled")
	f.claimOne()
	f.cancel("cancelled", "a")
	expired := func(limit int) []string {
		return runsOf(sure(f.s.Expired(f.ctx, f.now, limit)))
	}
	f.refused(f.s.Reclaim(f.ctx, first.Claim(), f.now), machine.ErrFenced) // it runs
	equal(f, runsOf(sure(f.s.Expired(f.ctx, store.Never, 0))), []string{"r1", "r2"})
	f.now = first.LeaseUntil
	equal(f, expired(0), []string{"r1"})
	f.now = second.LeaseUntil
	equal(f, expired(0), []string{"r1", "r2"})
	equal(f, expired(1), []string{"r1"})

	f.standing("r2", machine.Halted, false)
	equal(f, expired(0), []string{"r1"})

	f.must(f.s.Reclaim(f.ctx, first.Claim(), f.now))
	f.refused(f.s.Reclaim(f.ctx, first.Claim(), f.now), machine.ErrFenced) // counted once
	equal(f, expired(0), []string{})
	f.lapsed(&first)
	row := f.claimOne()
	equal(f, []any{row.Run, row.Lost, row.Attempt}, []any{"r1", 1, 1})
}

// testFencing has the same worker as its own successor: its name is no fence.
func testFencing(f *fixture) {
	f.begin("r")
	old := f.claimOne()
	f.pass(2 * ttl)
	f.must(f.s.Reclaim(f.ctx, old.Claim(), f.now))
	now := f.claimOne()
	equal(f, now.Worker, old.Worker)
	_, renew := f.s.Renew(f.ctx, old.Claim(), f.now, f.now.Add(ttl), json.RawMessage(`"old"`))
	result := f.next("r")
	stale := old.Claim()
	result.Claim = &stale
	for _, err := range []error{
		renew,
		f.s.Release(f.ctx, stale, f.now, f.now),
		f.s.Confirm(f.ctx, stale, f.now),
		f.s.Reclaim(f.ctx, stale, f.now.Add(2*ttl)),
		f.s.Commit(f.ctx, result),
	} {
		f.refused(err, machine.ErrFenced)
	}
	equal(f, f.tasks("r"), []store.TaskRow{now})
	elsewhere := now.Claim()
	elsewhere.Seq++
	f.refused(f.s.Release(f.ctx, elsewhere, f.now, f.now), machine.ErrFenced)
	f.end(&now)
}
