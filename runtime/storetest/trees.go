package storetest

import (
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// tree starts a root with two children, of which the first has one, each at a time
// of its own.
func (f *fixture) tree(root string) {
	f.Helper()
	start := func(run, parent string) {
		f.Helper()
		f.pass(time.Minute)
		c := f.next(parent)
		f.start(c, run)
		f.commit(c)
		f.call(run, time.Time{})
	}
	f.pass(time.Minute)
	f.commit(f.create(root))
	start(root+"/1", root)
	start(root+"/2", root)
	start(root+"/1/1", root+"/1")
}

func testRunsOfTree(f *fixture) {
	f.tree("x")
	f.tree("y")
	f.finish("y/1/1")
	f.standing("y/1", machine.Ending, false)
	f.standing("y/2", machine.Halted, false)
	for _, test := range []struct {
		filter store.RunFilter
		want   string
	}{
		{store.RunFilter{}, "y/1/1 y/2 y/1 y x/1/1 x/2 x/1 x"},
		{store.RunFilter{Parent: "x"}, "x/2 x/1"},
		{store.RunFilter{Parent: "x", Limit: 1}, "x/2"},
		{store.RunFilter{Parent: "x", Limit: 1, After: "x/2"}, "x/1"},
		{store.RunFilter{Parent: "y/1"}, "y/1/1"},
		{store.RunFilter{Parent: "y/2"}, ""},
		{store.RunFilter{Parent: "none"}, ""},
		{store.RunFilter{Root: "y"}, "y/1/1 y/2 y/1 y"},
		{store.RunFilter{Root: "y", Limit: 2}, "y/1/1 y/2"},
		{store.RunFilter{Root: "y", After: "y/2"}, "y/1 y"},
		{store.RunFilter{Root: "y/1"}, ""},
		{store.RunFilter{Root: "y", Parent: "y"}, "y/2 y/1"},
		{store.RunFilter{Root: "x", Parent: "y"}, ""},
		{store.RunFilter{Root: "y", Status: machine.Running}, "y"},
		{store.RunFilter{Root: "y", Status: machine.Ending}, "y/1"},
		{store.RunFilter{Parent: "y", Status: machine.Halted, Machine: "Order"}, "y/2"},
		{store.RunFilter{Root: "y", Outcome: machine.Success}, "y/1/1"},
		{store.RunFilter{Root: "y", State: "Idle", Definition: definition, StartedTo: f.load("y/2").Started}, "y/1 y"},
		{store.RunFilter{Status: machine.Ending}, "y/1"},
		{store.RunFilter{State: "Idle", Limit: 3}, "y/1/1 y/2 y/1"},
	} {
		rows := sure(f.s.Runs(f.ctx, test.filter))
		if got := strings.Join(runIDs(rows), " "); got != test.want {
			f.Errorf("%+v: got %s, want %s", test.filter, got, test.want)
		}
	}
	rows := sure(f.s.Runs(f.ctx, store.RunFilter{Parent: "y/1"}))
	equal(f, rows[0], f.load("y/1/1"))
}

// testPruneTrees: a tree goes by the age and the outcome of its root, and only as a whole.
func testPruneTrees(f *fixture) {
	prune := func(outcome machine.Outcome, limit int, runs, kept int64, left string) {
		f.Helper()
		q := store.PruneQuery{Before: f.now, Outcome: outcome, Limit: limit, Now: f.now, DryRun: true}
		done := sure(f.s.Prune(f.ctx, q))
		if limit > 1 {
			equal(f, done, store.Pruned{Runs: runs, Kept: kept})
		}
		q.DryRun = false
		done = sure(f.s.Prune(f.ctx, q))
		equal(f, done.Runs, runs)
		equal(f, strings.Join(runIDs(sure(f.s.Runs(f.ctx, store.RunFilter{}))), " "), left)
	}
	// tell ends the parent's tasks of children that have ended.
	tell := func() {
		f.Helper()
		for _, task := range f.claim(100) {
			c, claim := f.next(task.Run), task.Claim()
			c.Claim = &claim
			f.commit(c)
		}
	}
	for _, root := range []string{"x", "y", "z"} {
		f.tree(root)
		f.finish(root + "/1/1")
		f.finish(root + "/2")
		tell()
		f.finish(root + "/1")
		tell()
	}
	f.pass(time.Hour)
	const all = "z/1/1 z/2 z/1 z y/1/1 y/2 y/1 y x/1/1 x/2 x/1 x"
	prune("", 10, 0, 0, all) // no child goes alone
	c := f.next("x")
	c.Run.Status, c.Run.Outcome = machine.Finished, machine.Failed
	f.commit(c)
	f.finish("y")
	f.standing("z", machine.Ending, false)
	prune("", 10, 0, 0, all) // a root that has just ended is not old, whatever its children are
	f.pass(time.Hour)
	c = f.next("x/1/1")
	c.Publish = []store.MessageRow{{ID: "m", Run: "x/1/1", Seq: 2, N: 1, Machine: "Order", Event: "Shipped", At: f.now}}
	f.commit(c)
	prune(machine.Cancelled, 10, 0, 0, all)
	prune("", 10, 4, 4, "z/1/1 z/2 z/1 z x/1/1 x/2 x/1 x") // a message of x waits
	equal(f, len(f.history("y/1/1")), 0)
	taken := sure(f.s.TakeMessages(f.ctx, store.MessageQuery{Worker: "w1", Now: f.now, Until: f.now.Add(ttl), Limit: 1}))
	f.must(f.s.Delivered(f.ctx, "m", taken[0].Attempt, f.now))
	f.finish("z")
	f.pass(time.Hour)
	prune(machine.Success, 10, 4, 0, "x/1/1 x/2 x/1 x") // the root's outcome counts
	prune(machine.Failed, 1, 4, 0, "")
}

// testPruneHeld: a run of which a worker may still hold an attempt is not pruned.
func testPruneHeld(f *fixture) {
	f.begin("r")
	f.claimOne()
	c := f.next("r")
	c.Run.State, c.Run.Status, c.Run.Outcome = "Done", machine.Finished, machine.Success
	c.Cancel = []string{"a"}
	f.commit(c)
	ended := f.now
	for _, want := range []store.Pruned{{Kept: 1}, {Runs: 1}} {
		q := store.PruneQuery{Before: ended.Add(time.Second), Limit: 10, Now: f.now, DryRun: true}
		got, err := f.s.Prune(f.ctx, q)
		f.must(err)
		equal(f, got, want)
		q.DryRun = false
		got, err = f.s.Prune(f.ctx, q)
		f.must(err)
		equal(f, got.Runs, want.Runs)
		f.pass(2 * ttl)
	}
}
