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
		f.add(parent, run)
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
		f.listed(test.filter, strings.Fields(test.want)...)
	}
	equal(f, sure(f.s.Runs(f.ctx, store.RunFilter{Parent: "y/1"}))[0], f.load("y/1/1"))
}

// testPruneTrees: a tree goes by the age and the outcome of its root, and only as a whole.
func testPruneTrees(f *fixture) {
	prune := func(outcome machine.Outcome, limit int, runs, kept int64, left string) {
		f.Helper()
		q := store.PruneQuery{Before: f.now, Outcome: outcome, Limit: limit, Now: f.now, DryRun: true}
		if done := sure(f.s.Prune(f.ctx, q)); limit > 1 {
			equal(f, done, store.Pruned{Runs: runs, Kept: kept})
		}
		q.DryRun = false
		equal(f, sure(f.s.Prune(f.ctx, q)).Runs, runs)
		f.listed(store.RunFilter{}, strings.Fields(left)...)
	}
	// tell ends the parent's tasks of children that have ended.
	tell := func() {
		f.Helper()
		for _, task := range f.claim(100) {
			f.end(&task)
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
	f.change("x", func(c *store.Commit) { c.Run.Status, c.Run.Outcome = machine.Finished, machine.Failed })
	f.finish("y")
	f.standing("z", machine.Ending, false)
	prune("", 10, 0, 0, all) // a root that has just ended is not old, whatever its children are
	f.pass(time.Hour)
	f.change("x/1/1", func(c *store.Commit) {
		c.Publish = []store.MessageRow{{ID: "m", Run: "x/1/1", Seq: 2, N: 1, Machine: "Order", Event: "Shipped", At: f.now}}
	})
	prune(machine.Cancelled, 10, 0, 0, all)
	prune("", 10, 4, 4, "z/1/1 z/2 z/1 z x/1/1 x/2 x/1 x") // a message of x waits
	equal(f, len(f.history("y/1/1")), 0)
	f.deliver("x/1/1")
	f.finish("z")
	f.pass(time.Hour)
	for _, run := range []string{"z/1", "z/1/1"} { // no child goes alone, also if it is named
		equal(f, sure(f.s.Prune(f.ctx, store.PruneQuery{Before: f.now, Run: run, Limit: 10, Now: f.now})), store.Pruned{})
	}
	equal(f, sure(f.s.Prune(f.ctx, store.PruneQuery{Before: f.now, Run: "z", Limit: 10, Now: f.now, DryRun: true})).Runs, int64(4))
	prune(machine.Success, 10, 4, 0, "x/1/1 x/2 x/1 x") // the root's outcome counts
	prune(machine.Failed, 1, 4, 0, "")
}

// testPruneHeld: a run of which a worker may still hold an attempt is not pruned.
func testPruneHeld(f *fixture) {
	f.begin("r")
	f.claimOne()
	f.change("r", func(c *store.Commit) {
		c.Run.Status, c.Run.Outcome, c.Cancel = machine.Finished, machine.Success, []string{"a"}
	})
	ended := f.now
	for _, want := range []store.Pruned{{Kept: 1}, {Runs: 1}} {
		q := store.PruneQuery{Before: ended.Add(time.Second), Limit: 10, Now: f.now, DryRun: true}
		equal(f, sure(f.s.Prune(f.ctx, q)), want)
		q.DryRun = false
		equal(f, sure(f.s.Prune(f.ctx, q)).Runs, want.Runs)
		f.pass(2 * ttl)
	}
}
