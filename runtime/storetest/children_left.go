package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// leaves has the child of a run end while a worker holds two attempts of it. At due the task of the run could be
// claimed all the same.
func (f *fixture) leaves(run string, due time.Time) (left []store.TaskRow) {
	f.Helper()
	f.begin(run)
	f.call(run+"/c", due)
	f.add(run+"/c", "a", "b")
	left = f.claimOf(run+"/c", 10)
	equal(f, len(left), 2)
	return left
}

// stops ends the child that leaves has made.
func (f *fixture) stops(run string) {
	f.Helper()
	c := f.next(run + "/c")
	c.Cancel = []string{"a", "b"}
	c.Run.Status, c.Run.Outcome = machine.Finished, machine.Success
	f.commit(c)
}

// testChildStops: a child that has ended holds up its run as long as a worker holds an attempt that the child has
// left: one that waits to be told, and one that waits for its cancelled task.
func testChildStops(f *fixture) {
	left := f.leaves("told", time.Time{})
	f.stops("told")
	f.idle()
	f.must(f.s.Confirm(f.ctx, left[0].Claim(), f.now))
	f.idle()
	equal(f, f.tasks("told")[0].NotBefore, left[1].LeaseUntil)
	f.pass(ttl / 2)
	until := f.now.Add(ttl)
	sure(f.s.RenewAll(f.ctx, []store.Claim{left[1].Claim()}, f.now, until))
	equal(f, f.tasks("told")[0].NotBefore, until)
	f.must(f.s.Release(f.ctx, left[1].Claim(), f.now, time.Time{}))
	equal(f, f.claimOne().ChildEnded, true)

	for _, lost := range []bool{false, true} {
		run := map[bool]string{false: "left", true: "lost"}[lost]
		f.begin(run)
		f.call(run+"/d", time.Time{})
		f.add(run+"/d", "a")
		task := f.claimOne()
		c := f.next(run)
		c.Cancel = []string{f.tasks(run)[0].Do}
		f.start(c, "next")
		f.commit(c)
		f.leftovers(run + "/d")
		c = f.next(run + "/d")
		c.Cancel = []string{"a"}
		c.Run.Status, c.Run.Outcome = machine.Finished, machine.Cancelled
		f.commit(c)
		f.leftovers()
		f.held(run, true)
		f.idle()
		equal(f, len(f.claimOf(run, 1)), 0)
		f.pass(ttl / 2)
		until = f.now.Add(ttl)
		f.renew(&task, true)
		f.pass(ttl - time.Microsecond)
		f.idle()
		waiting := f.tasks(run)[0]
		equal(f, []any{waiting.Worker, waiting.LeaseUntil, waiting.Stopped(f.now)}, []any{run + "/d", until, false})
		if lost {
			f.pass(time.Microsecond)
		} else {
			f.must(f.s.Confirm(f.ctx, task.Claim(), f.now))
			equal(f, len(f.tasks(run)), 1)
		}
		f.held(run, false)
		equal(f, f.claimOne().Do, "next")
		equal(f, len(f.tasks(run)), 1)
	}
}

// testChildStopsAfter: a run waits likewise for what a child has left that had ended before the run lost interest
// in it, or took it over.
func testChildStopsAfter(f *fixture) {
	cancel := func(c *store.Commit, task *store.TaskRow) { c.Cancel = []string{task.Do} }
	take := func(c *store.Commit, task *store.TaskRow) {
		cancel(c, task)
		c.Start[0].Child = task.Child
	}
	for _, test := range []struct {
		name  string
		late  bool // the task has been claimed, as its time was over, when the child ends
		leave func(c *store.Commit, task *store.TaskRow)
	}{
		{"cancelled", false, cancel},
		{"ended", false, func(c *store.Commit, task *store.TaskRow) { c.End = []string{task.Do} }},
		{"late", true, func(c *store.Commit, task *store.TaskRow) { c.Claim = new(task.Claim()) }},
		{"lateCancelled", true, cancel},
		{"taken", false, take},
		{"lateTaken", true, take},
	} {
		for _, lost := range []bool{false, true} {
			f.Run(fmt.Sprintf("%s,lost=%t", test.name, lost), func(*testing.T) {
				run := fmt.Sprintf("%s-%t", test.name, lost)
				left := f.leaves(run, f.now)
				task := f.tasks(run)[0]
				if test.late {
					task = f.claimOne()
				}
				f.stops(run)
				c := f.next(run)
				f.start(c, "next")
				test.leave(c, &task)
				f.commit(c)
				if test.late {
					f.refused(f.s.Confirm(f.ctx, task.Claim(), f.now), machine.ErrFenced)
				}
				f.leftovers()
				f.idle()
				f.must(f.s.Confirm(f.ctx, left[0].Claim(), f.now))
				f.idle()
				f.pass(ttl / 2)
				f.renew(&left[1], true)
				f.pass(ttl - time.Microsecond)
				f.idle()
				if lost {
					f.pass(time.Microsecond)
				} else {
					f.must(f.s.Confirm(f.ctx, left[1].Claim(), f.now))
				}
				f.held(run, false)
				next := f.claimOne()
				equal(f, []any{next.Run, next.Do, next.ChildEnded}, []any{run, "next", next.Child != ""})
				equal(f, len(f.tasks(run)), 1)
			})
		}
	}
}

// testChildStopsReleased: a task that is released after its child has ended waits, too.
func testChildStopsReleased(f *fixture) {
	for _, lost := range []bool{false, true} {
		run := map[bool]string{false: "released", true: "reclaimed"}[lost]
		left := f.leaves(run, f.now)
		task := f.claimOne()
		f.pass(ttl / 2)
		until := f.now.Add(ttl)
		f.renew(&left[0], false)
		f.renew(&left[1], false)
		f.stops(run)
		if lost {
			f.pass(ttl / 2)
			f.must(f.s.Reclaim(f.ctx, task.Claim(), f.now))
		} else {
			f.must(f.s.Release(f.ctx, task.Claim(), f.now, time.Time{}))
		}
		f.idle()
		equal(f, f.tasks(run)[0].NotBefore, until)
		for _, t := range left {
			f.must(f.s.Confirm(f.ctx, t.Claim(), f.now))
		}
		equal(f, f.claimOne().ChildEnded, true)
	}
}
