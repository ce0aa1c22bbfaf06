package storetest

import (
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// waits starts a task in a run that can be claimed in an hour.
func (f *fixture) waits(run string) {
	c := f.create(run)
	f.start(c, "a").NotBefore = f.now.Add(time.Hour)
	f.commit(c)
}

// ready is a step that lets the task of a run wait no more.
func (f *fixture) ready(run string) {
	f.Helper()
	f.change(run, func(c *store.Commit) { c.Ready = []string{"a", "none"} })
}

// testReady: a task that waits can be claimed at once; one that a worker holds, or that has a
// child, stays as it is.
func testReady(f *fixture) {
	f.waits("r")
	f.idle()
	f.pass(time.Second)
	want := f.tasks("r")[0]
	f.ready("r")
	want.NotBefore = f.now
	equal(f, f.tasks("r"), []store.TaskRow{want})
	claimed := f.claimOne()
	f.ready("r")
	equal(f, f.tasks("r"), []store.TaskRow{claimed})
	f.must(f.s.Release(f.ctx, claimed.Claim(), f.now, f.now.Add(time.Hour)))
	f.idle()

	f.waits("p")
	f.pass(2 * time.Hour)
	f.cancel("r", "a")
	task := f.claimOne()
	f.commit(f.child("p/c", &task))
	before := f.tasks("p")
	f.ready("p")
	equal(f, f.tasks("p"), before)
	f.idle()

	// What goes with the same write waits no more, either way.
	f.change("p", func(c *store.Commit) { c.Ready, c.Cancel = []string{"a"}, []string{"a"} })
	f.held("p", true)
}
