package storetest

import (
	"encoding/json"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func testRenew(f *fixture) {
	f.begin("r")
	row := f.claimOne()
	f.pass(10 * time.Second)
	cancelled, err := f.s.Renew(f.ctx, row.Claim(), f.now, f.now.Add(ttl), nil)
	f.must(err)
	equal(f, cancelled, false)
	want := row
	want.BeatAt, want.LeaseUntil = f.now, f.now.Add(ttl) // a heartbeat is no progress
	equal(f, f.tasks("r"), []store.TaskRow{want})

	f.pass(10 * time.Second)
	_, err = f.s.Renew(f.ctx, row.Claim(), f.now, f.now.Add(ttl), json.RawMessage(`{"row":1}`))
	f.must(err)
	want.BeatAt, want.ProgressAt, want.LeaseUntil = f.now, f.now, f.now.Add(ttl)
	want.Checkpoint, want.CheckpointAt = json.RawMessage(`{"row":1}`), f.now
	equal(f, f.tasks("r"), []store.TaskRow{want})

	f.pass(2 * ttl) // late, but no one has reclaimed it
	_, err = f.s.Renew(f.ctx, row.Claim(), f.now, f.now.Add(ttl), nil)
	f.must(err)
	f.refused(f.s.Reclaim(f.ctx, row.Claim(), f.now), machine.ErrFenced)
}

// testCheckpoints hands a checkpoint to every later attempt of the execution,
// and to no other.
func testCheckpoints(f *fixture) {
	f.begin("r")
	row := f.claimOne()
	renew := func(row store.TaskRow, checkpoint string) {
		f.Helper()
		_, err := f.s.Renew(f.ctx, row.Claim(), f.now, f.now.Add(ttl), json.RawMessage(checkpoint))
		f.must(err)
	}
	renew(row, `1`)
	renew(row, `2`)
	f.must(f.s.Release(f.ctx, row.Claim(), f.now, time.Time{}))
	row = f.claimOne()
	equal(f, string(row.Checkpoint), `2`) // the same attempt, passed on

	c := f.next("r") // a retry
	claim := row.Claim()
	c.Claim = &claim
	f.start(c, "a").Key = row.Key
	f.commit(c)
	again := f.claimOne()
	equal(f, string(again.Checkpoint), `2`)

	c = f.next("r") // the state is left; the last word comes while it is cancelled
	c.Cancel = []string{"a"}
	f.commit(c)
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
	c := f.next("cancelled")
	c.Cancel = []string{"a"}
	f.commit(c)
	expired := func(limit int) []string {
		f.Helper()
		rows, err := f.s.Expired(f.ctx, f.now, limit)
		f.must(err)
		runs := []string{}
		for _, row := range rows {
			runs = append(runs, row.Run)
		}
		return runs
	}
	f.refused(f.s.Reclaim(f.ctx, first.Claim(), f.now), machine.ErrFenced) // it runs
	f.now = first.LeaseUntil
	equal(f, expired(0), []string{"r1"})
	f.now = second.LeaseUntil
	equal(f, expired(0), []string{"r1", "r2"})
	equal(f, expired(1), []string{"r1"})

	c = f.next("r2")
	c.Run.Status = machine.Halted
	f.commit(c)
	equal(f, expired(0), []string{"r1"})

	f.must(f.s.Reclaim(f.ctx, first.Claim(), f.now))
	f.refused(f.s.Reclaim(f.ctx, first.Claim(), f.now), machine.ErrFenced) // counted once
	equal(f, expired(0), []string{})
	_, err := f.s.Renew(f.ctx, first.Claim(), f.now, f.now.Add(ttl), nil)
	f.refused(err, machine.ErrFenced)
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
	stale := old.Claim()
	result := f.next("r")
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
	current := now.Claim()
	result.Claim = &current
	f.commit(result)
}
