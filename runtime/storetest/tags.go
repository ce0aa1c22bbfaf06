package storetest

import (
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// tagged creates a run with tags, a minute after the one before.
func (f *fixture) tagged(run string, tags map[string]string) {
	f.Helper()
	f.pass(time.Minute)
	c := f.create(run)
	c.Run.Tags = tags
	f.commit(c)
}

// listed expects the runs that a filter lets through.
func (f *fixture) listed(filter store.RunFilter, want ...string) {
	f.Helper()
	if got := runIDs(sure(f.s.Runs(f.ctx, filter))); fmt.Sprint(got) != fmt.Sprint(want) {
		f.Errorf("%+v lets through %v, want %v", filter, got, want)
	}
}

func testTags(f *fixture) {
	pay, ship := map[string]string{"team": "pay"}, map[string]string{"team": "ship", "order": `a "b" ü`}
	f.tagged("pr-1", pay)
	f.tagged("pr-2", nil)
	f.tagged("pr-10", ship)
	f.tagged("pr-11", map[string]string{"team": "pay", "order": "7"})
	f.tagged("none", map[string]string{})

	equal(f, f.load("pr-10").Tags, ship)
	equal(f, len(f.load("pr-2").Tags), 0)
	equal(f, f.load("none").Tags == nil, true)
	ship["team"] = "changed after the commit"
	f.load("pr-1").Tags["team"] = "changed by a reader"
	equal(f, f.load("pr-10").Tags["team"], "ship")

	f.change("pr-1", func(c *store.Commit) { // only the commit that creates a run says its tags
		c.Run.Tags, c.Run.State = map[string]string{"team": "ship"}, "Done"
	})
	equal(f, f.load("pr-1").Tags, pay)

	f.listed(store.RunFilter{Tags: pay}, "pr-11", "pr-1")
	f.listed(store.RunFilter{Tags: pay, Limit: 1}, "pr-11")
	f.listed(store.RunFilter{Tags: pay, After: "pr-11"}, "pr-1")
	f.listed(store.RunFilter{Tags: pay, After: "pr-10"}, "pr-1")
	f.listed(store.RunFilter{Tags: map[string]string{"team": "pay", "order": "7"}}, "pr-11")
	f.listed(store.RunFilter{Tags: map[string]string{"order": `a "b" ü`}}, "pr-10")
	f.listed(store.RunFilter{Tags: map[string]string{"team": "Pay"}})
	f.listed(store.RunFilter{Tags: map[string]string{"other": "pay"}})
	f.listed(store.RunFilter{Tags: pay, State: "Done"}, "pr-1")
	f.listed(store.RunFilter{Tags: pay, Status: machine.Running, Machine: "Order", Definition: definition}, "pr-11", "pr-1")
	f.listed(store.RunFilter{Tags: pay, StartedTo: f.load("pr-2").Started}, "pr-1")
	f.listed(store.RunFilter{Tags: pay, StartedFrom: f.load("pr-2").Started}, "pr-11")
	f.listed(store.RunFilter{Tags: pay, RunPrefix: "pr-1"}, "pr-11", "pr-1")
	f.listed(store.RunFilter{Tags: pay, Run: "pr-1"}, "pr-1")

	f.listed(store.RunFilter{Run: "pr-2"}, "pr-2")
	f.listed(store.RunFilter{Run: "pr"})
	f.listed(store.RunFilter{RunPrefix: "pr-1"}, "pr-11", "pr-10", "pr-1")
	f.listed(store.RunFilter{RunPrefix: "pr-1", State: "Idle"}, "pr-11", "pr-10")
	f.listed(store.RunFilter{RunPrefix: "r-1"})
	f.listed(store.RunFilter{RunPrefix: "pr_1"})
	f.listed(store.RunFilter{RunPrefix: "%"})

	equal(f, sure(f.s.Runs(f.ctx, store.RunFilter{Run: "pr-11"}))[0], f.load("pr-11"))

	again := f.create("pr-2") // refused, and leaves nothing
	again.Run.Tags = pay
	f.refused(f.s.Commit(f.ctx, again), machine.ErrExists)
	f.listed(store.RunFilter{Tags: pay}, "pr-11", "pr-1")

	repair, before := f.next("pr-1"), f.load("pr-1")
	repair.Run.Started, repair.Repairs = f.now, &before
	f.commit(repair)
	f.listed(store.RunFilter{Tags: pay}, "pr-1", "pr-11")
	equal(f, f.load("pr-1").Tags, pay)
}

// testTagsInTrees has children with tags of their own, which the engine has given them.
func testTagsInTrees(f *fixture) {
	f.tree("x")
	f.tree("y")
	pay := map[string]string{"team": "pay"}
	f.add("y", "y/3")
	f.pass(time.Minute)
	task := f.claimOne()
	child := f.child("y/3", &task)
	child.Run.Tags = pay
	f.commit(child)
	equal(f, f.load("y/3").Tags, pay)
	f.listed(store.RunFilter{Tags: pay}, "y/3")
	f.listed(store.RunFilter{Tags: pay, Parent: "y"}, "y/3")
	f.listed(store.RunFilter{Tags: pay, Root: "y"}, "y/3")
	f.listed(store.RunFilter{Tags: pay, Root: "x"})
}

func testTagsPruned(f *fixture) {
	pay := map[string]string{"team": "pay", "order": "7"}
	f.tagged("old", pay)
	f.tagged("new", pay)
	f.finish("old")
	f.pass(time.Hour)
	equal(f, sure(f.s.Prune(f.ctx, store.PruneQuery{Before: f.now, Limit: 10, Actor: "a", Now: f.now})).Runs, int64(1))
	f.listed(store.RunFilter{Tags: pay}, "new")
	f.tagged("old", map[string]string{"team": "ship"}) // the id is free, and has nothing of what was there
	f.listed(store.RunFilter{Tags: pay}, "new")
	equal(f, f.load("old").Tags, map[string]string{"team": "ship"})
}
