package storetest

import (
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// testChildStops: a child that has ended holds up its run as long as a worker holds an attempt that the child has
// left: one that waits to be told, and one that waits for its cancelled task.
func testChildStops(f *fixture) {
	leaves := func(run string) (left []store.TaskRow) { // the child of a run ends while a worker holds what it does
		f.begin(run)
		f.call(run+"/c", time.Time{})
		c := f.next(run + "/c")
		f.start(c, "a")
		f.start(c, "b")
		f.commit(c)
		q := f.query("w2", 10)
		q.Run = run + "/c"
		left = sure(f.s.Claim(f.ctx, q))
		equal(f, len(left), 2)
		c = f.next(run + "/c")
		c.Cancel = []string{"a", "b"}
		c.Run.Status, c.Run.Outcome = machine.Finished, machine.Success
		f.commit(c)
		f.idle()
		return left
	}
	left := leaves("told")
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
		c := f.next(run + "/d")
		f.start(c, "a")
		f.commit(c)
		task := f.claimOne()
		c = f.next(run)
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
		q := f.query("w1", 1)
		q.Run = run
		equal(f, len(sure(f.s.Claim(f.ctx, q))), 0)
		f.pass(ttl / 2)
		until = f.now.Add(ttl)
		sure(f.s.Renew(f.ctx, task.Claim(), f.now, until, nil))
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
