package storetest

import (
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func testClaim(f *fixture) {
	c := f.create("r")
	want := *f.start(c, "a")
	f.commit(c)
	equal(f, f.tasks("r"), []store.TaskRow{want})
	f.pass(time.Second)
	if rows := f.claim(0); len(rows) != 0 {
		f.Fatalf("a limit of 0 gave %d tasks", len(rows))
	}
	got := f.claimOne()
	if got.Epoch < 1 {
		f.Fatalf("epoch %d", got.Epoch)
	}
	want.Epoch, want.Worker, want.LeaseUntil = got.Epoch, "w1", f.now.Add(ttl)
	want.ClaimedAt, want.BeatAt, want.ProgressAt = f.now, f.now, f.now
	equal(f, got, want)
	equal(f, f.tasks("r"), []store.TaskRow{want})
	f.idle() // it is held
	f.pass(2 * ttl)
	f.idle() // until it is reclaimed
}

func testClaimFilters(f *fixture) {
	for _, run := range []string{"r1", "r2"} {
		c := f.create(run)
		f.start(c, "a")
		f.start(c, "b").Activity = "other"
		f.commit(c)
	}
	q := f.query("w", 10)
	q.Activities = nil
	expect := func(what string, want ...string) {
		f.Helper()
		got := textsOf(sure(f.s.Claim(f.ctx, q)), func(r store.TaskRow) string { return r.Run + "/" + r.Do })
		if fmt.Sprint(got) != fmt.Sprint(want) {
			f.Fatalf("%s: got %v, want %v", what, got, want)
		}
	}
	expect("no activities")
	q.Activities = []store.Claimable{{Definition: "another", Activity: activity}}
	expect("another definition")
	q.Activities = []store.Claimable{{Definition: definition, Activity: "other"}}
	q.Run = "r2"
	expect("one run", "r2/b")
	q.Run = ""
	expect("one activity", "r1/b")
	q.Activities = append(q.Activities,
		store.Claimable{Definition: definition, Activity: activity},
		store.Claimable{Definition: definition, Activity: activity})
	q.Limit = 1
	expect("the limit", "r1/a")
	q.Limit = 10
	expect("the rest", "r2/a")
	for _, run := range []string{"r", "r/1", "r/1/1", "r-", "r0", "r/"} {
		f.begin(run)
	}
	q.Run = "r/1"
	expect("a run within a tree", "r/1/a", "r/1/1/a")
	q.Run = "r"
	expect("the tree", "r/a", "r//a")
	q.Run = ""
	expect("the others", "r-/a", "r0/a")
}

func testClaimOrder(f *fixture) {
	add := func(run string, notBefore time.Duration) {
		c := f.create(run)
		if task := f.start(c, "a"); notBefore > 0 {
			task.NotBefore = f.now.Add(notBefore)
		}
		f.commit(c)
		f.pass(time.Second)
	}
	add("third", 30*time.Second)
	add("first", 0)
	add("second", 10*time.Second)
	add("never", time.Hour)
	f.pass(time.Minute)
	add("fourth", 0)
	var order []string
	for range 2 { // by halves: the limit takes the oldest
		order = append(order, runsOf(f.claim(2))...)
	}
	equal(f, order, []string{"first", "second", "third", "fourth"})
	f.idle()
	f.pass(time.Hour)
	equal(f, f.claimOne().Run, "never")
}

func testClaimAsleep(f *fixture) {
	f.begin("r")
	f.standing("r", machine.Running, true)
	f.idle()
	f.add("r", "b") // a step of a paused run wakes nothing
	f.idle()
	f.standing("r", machine.Halted, true)
	f.standing("r", machine.Halted, false)
	f.idle()
	f.standing("r", machine.Running, false)
	equal(f, len(f.claim(10)), 2)
}

// testEpochsRise takes the same do through all that can happen to it.
func testEpochsRise(f *fixture) {
	f.begin("r")
	last := int64(0)
	claim := func(what string) store.TaskRow {
		f.Helper()
		row := f.claimOne()
		if row.Epoch <= last {
			f.Fatalf("%s: epoch %d after %d", what, row.Epoch, last)
		}
		last = row.Epoch
		return row
	}
	row := claim("first")
	f.must(f.s.Release(f.ctx, row.Claim(), f.now, time.Time{}))
	claim("released")
	f.pass(2 * ttl)
	row = f.tasks("r")[0]
	f.must(f.s.Reclaim(f.ctx, row.Claim(), f.now))
	row = claim("reclaimed")
	retry := f.next("r")
	retry.Claim = new(row.Claim())
	f.start(retry, "a")
	f.commit(retry)
	row = claim("retried")
	f.cancel("r", "a")
	f.must(f.s.Confirm(f.ctx, row.Claim(), f.now))
	f.add("r", "a")
	claim("started again")
	f.begin("r2")
	f.begin("r3")
	for _, row := range f.claim(2) {
		if row.Epoch <= last {
			f.Fatalf("epoch %d after %d", row.Epoch, last)
		}
	}
}

func testTaskEnds(f *fixture) {
	c := f.create("r")
	f.start(c, "a")
	f.start(c, "b")
	f.start(c, "c")
	f.commit(c)
	first := f.claim(1)[0]
	equal(f, first.Do, "a")

	done := f.next("r")
	done.Claim = new(first.Claim())
	done.End = []string{"a", "b", "none"} // a is named twice, b is not held, none does not exist
	f.commit(done)
	equal(f, len(f.tasks("r")), 1)
	f.late(&first)

	held := f.claimOne() // c, ended by hand while a worker holds it
	f.change("r", func(c *store.Commit) { c.End = []string{"c"} })
	f.lapsed(&held)

	f.add("r", "d") // a claim may end without a record
	held = f.claimOne()
	nothing := f.next("r")
	nothing.Run.Seq, nothing.History, nothing.Claim = nothing.Expect, nil, new(held.Claim())
	f.commit(nothing)
	equal(f, len(f.tasks("r")), 0)
}

// testCancelHoldsBack: the tasks of the new state wait for those of the old.
func testCancelHoldsBack(f *fixture) {
	f.begin("r")
	old := f.claimOne()
	c := f.next("r")
	c.Cancel = []string{"a"}
	f.start(c, "a") // the same do again
	f.start(c, "b")
	f.commit(c)
	f.begin("free")
	equal(f, f.claimOne().Run, "free") // another run is not held back
	f.held("r", true)
	equal(f, len(f.tasks("r")), 3)
	f.late(&old)

	f.pass(ttl / 2) // its worker still cleans up
	f.renew(&old, true)
	f.pass(ttl - time.Second)
	f.idle()
	f.must(f.s.Confirm(f.ctx, old.Claim(), f.now))
	f.held("r", false)
	f.refused(f.s.Confirm(f.ctx, old.Claim(), f.now), machine.ErrFenced)
	rows := f.claim(10)
	equal(f, len(rows), 2)

	c = f.next("r") // and where no one confirms, the lease ends it
	c.Cancel = []string{"a", "b"}
	f.start(c, "a")
	f.commit(c)
	f.idle()
	f.pass(ttl)
	f.held("r", false)
	f.lapsed(&rows[0])
	f.refused(f.s.Confirm(f.ctx, rows[0].Claim(), f.now), machine.ErrFenced)
	equal(f, f.claimOne().Do, "a")
	equal(f, len(f.tasks("r")), 1)
}

// testDueComesFirst: while a timer of a run is due, no task of the run is handed
// out, however long that has been ready.
func testDueComesFirst(f *fixture) {
	f.begin("r")
	c := f.next("r")
	f.start(c, "b")
	f.start(c, "c").NotBefore = f.now.Add(time.Minute)
	c.Set = []store.TimerRow{{Run: "r", Name: "late", Due: f.now.Add(time.Hour)}}
	f.commit(c)
	f.pass(time.Hour - time.Microsecond)
	equal(f, len(f.claim(1)), 1)
	f.pass(time.Microsecond)
	f.idle()
	equal(f, len(f.claimOf("r", 1)), 0)
	f.begin("free")
	equal(f, f.claimOne().Run, "free") // another run is not held back
	f.change("r", func(c *store.Commit) { c.Drop = []string{"late"} })
	equal(f, len(f.claim(10)), 2)
}

func testCancelWaiting(f *fixture) {
	f.begin("r")
	c := f.next("r")
	c.Cancel = []string{"a", "none"}
	f.start(c, "b")
	f.commit(c)
	equal(f, len(f.tasks("r")), 1)
	row := f.claimOne()
	equal(f, row.Do, "b")
	f.refused(f.s.Confirm(f.ctx, row.Claim(), f.now), machine.ErrFenced) // not cancelled
	f.cancel("r", "b")
	f.must(f.s.Release(f.ctx, row.Claim(), f.now, time.Time{})) // released: it has stopped
	equal(f, len(f.tasks("r")), 0)
}
