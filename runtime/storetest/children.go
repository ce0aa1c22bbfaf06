package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// child is the commit that creates a child under the claim of a task.
func (f *fixture) child(run string, task *store.TaskRow) *store.Commit {
	c, claim := f.create(run), task.Claim()
	c.Run.Parent, c.Run.Root, c.Parent = task.Run, f.load(task.Run).Root, &claim
	return c
}

// call claims the one task that is ready, and has it held by a new child.
func (f *fixture) call(run string, due time.Time) store.TaskRow {
	f.Helper()
	task := f.claimOne()
	c := f.child(run, &task)
	c.ParentDue = due
	f.commit(c)
	return task
}

// finish ends a run.
func (f *fixture) finish(run string) {
	f.Helper()
	f.change(run, func(c *store.Commit) { c.Run.Status, c.Run.Outcome = machine.Finished, machine.Success })
}

// standing is a step of a run that changes how it stands.
func (f *fixture) standing(run string, status machine.Status, paused bool) {
	f.Helper()
	f.change(run, func(c *store.Commit) { c.Run.Status, c.Run.Paused = status, paused })
}

// held looks whether a cancelled task of a run is held.
func (f *fixture) held(run string, want bool) {
	f.Helper()
	equal(f, sure(f.s.Held(f.ctx, run, f.now)), want)
}

func (f *fixture) leftovers(want ...string) {
	f.Helper()
	got := textsOf(f.glimpse(store.LookQuery{Children: true}).Leftovers, func(t store.TaskRow) string { return t.Child })
	slices.Sort(got)
	equal(f, got, append([]string{}, want...))
}

// fenced expects that nothing can be done under a claim.
func (f *fixture) fenced(t *store.TaskRow) {
	f.Helper()
	claim := t.Claim()
	f.lapsed(t)
	f.refused(f.s.Release(f.ctx, claim, f.now, time.Time{}), machine.ErrFenced)
	f.refused(f.s.Confirm(f.ctx, claim, f.now), machine.ErrFenced)
	f.refused(f.s.Reclaim(f.ctx, claim, f.now), machine.ErrFenced)
	f.late(t)
	f.refused(f.s.Commit(f.ctx, f.child("more", t)), machine.ErrFenced)
	f.missing("more")
}

func testChildStarts(f *fixture) {
	c := f.create("r")
	f.start(c, "a")
	c.Run.Root = "" // the run itself
	f.commit(c)
	equal(f, f.load("r").Root, "r")
	f.pass(time.Second)
	task := f.call("r/c", time.Time{})
	child := f.load("r/c")
	equal(f, []string{child.Parent, child.Root}, []string{"r", "r"})

	want := task // it is as it was, and its child holds it
	want.Child, want.NotBefore = "r/c", store.Never
	want.Worker, want.ClaimedAt, want.LeaseUntil, want.BeatAt, want.ProgressAt = "", time.Time{}, time.Time{}, time.Time{}, time.Time{}
	equal(f, f.tasks("r"), []store.TaskRow{want})
	equal(f, want.ChildHolds(), true)
	f.fenced(&task)
	_, err := f.s.TaskOf(f.ctx, "r")
	f.refused(err, store.ErrNotFound)
	f.held("r", false)
	f.leftovers()
	equal(f, f.wake(), time.Time{})
	f.pass(1000 * time.Hour)
	f.idle()
	f.refused(f.s.Commit(f.ctx, f.child("r/c", &task)), machine.ErrExists) // before ErrFenced

	c = f.next("r/c") // a step says nothing of its parent
	c.Run.Parent, c.Run.Root = "", ""
	f.start(c, "a")
	f.commit(c)
	equal(f, f.load("r/c").Parent, "r")
	f.call("r/c/d", time.Time{})
	grandchild := f.load("r/c/d")
	equal(f, []string{grandchild.Parent, grandchild.Root}, []string{"r/c", "r"})
}

// testChildRefused: no child starts but under a claim that is current, of a run that goes on.
func testChildRefused(f *fixture) {
	f.begin("r")
	task := f.claimOne()
	wrong := task
	wrong.Epoch++
	f.fenced(&wrong)
	wrong = task
	wrong.Seq++
	f.fenced(&wrong)
	refused := func() {
		f.Helper()
		f.refused(f.s.Commit(f.ctx, f.child("r/c", &task)), machine.ErrFenced)
		f.missing("r/c")
		equal(f, f.tasks("r")[0].Child, "")
	}
	f.standing("r", machine.Running, true)
	refused()
	f.standing("r", machine.Halted, false)
	refused()
	f.standing("r", machine.Running, false)
	lost := f.child("r/c", &task)
	lost.Run.Definition = "never put"
	f.refused(f.s.Commit(f.ctx, lost), store.ErrNotFound)
	equal(f, f.tasks("r")[0], task)
	f.cancel("r", "a")
	refused()
	f.held("r", true) // by the worker, who confirms
	f.leftovers()
	f.must(f.s.Confirm(f.ctx, task.Claim(), f.now))
	f.held("r", false)
}

// testChildClaimed: a claim of a task that a child holds past its time is told from others by its number and epoch.
func testChildClaimed(f *fixture) {
	f.begin("r")
	f.call("r/c", f.now.Add(time.Hour))
	f.pass(2 * time.Hour)
	task := f.claimOne()
	equal(f, task.Child, "r/c")
	for _, change := range []func(*store.TaskRow){func(t *store.TaskRow) { t.Seq++ }, func(t *store.TaskRow) { t.Epoch++ }} {
		wrong := task
		change(&wrong)
		f.late(&wrong)
		equal(f, f.tasks("r"), []store.TaskRow{task})
	}
	f.end(&task)
	f.leftovers("r/c")
}

func testChildEnds(f *fixture) {
	f.begin("r")
	f.call("r/c", time.Time{})
	f.pass(time.Hour)
	f.standing("r/c", machine.Halted, false)
	f.standing("r/c", machine.Ending, false)
	f.idle()
	f.finish("r/c")
	ended := f.now
	f.commit(f.next("r/c")) // a step of a run that has ended ends it no second time
	f.pass(time.Second)
	task := f.claimOne()
	equal(f, []any{task.Child, task.ChildEnded, task.NotBefore}, []any{"r/c", true, ended})
	f.refused(f.s.Commit(f.ctx, f.child("more", &task)), machine.ErrFenced)
	f.pass(2 * ttl) // who was to tell the parent is lost, and another does
	f.must(f.s.Reclaim(f.ctx, task.Claim(), f.now))
	again := f.claimOne()
	equal(f, []any{again.Child, again.ChildEnded}, []any{"r/c", true})
	for _, claim := range []store.Claim{task.Claim(), again.Claim(), again.Claim()} {
		c := f.next("r")
		c.Claim = &claim
		err := f.s.Commit(f.ctx, c)
		if told := claim == again.Claim() && len(f.tasks("r")) == 0; !told || err != nil {
			f.refused(err, machine.ErrFenced)
		}
	}
	equal(f, len(f.history("r")), 2)

	f.begin("p") // a parent that is paused is told when it goes on
	f.call("p/c", time.Time{})
	f.standing("p", machine.Running, true)
	f.finish("p/c")
	f.idle()
	f.standing("p", machine.Running, false)
	equal(f, f.claimOne().ChildEnded, true)
}

// testChildEndsAtOnce: a child that ends in its first step has ended, whatever is due.
func testChildEndsAtOnce(f *fixture) {
	f.begin("r")
	task := f.claimOne()
	c := f.child("r/c", &task)
	c.ParentDue = f.now.Add(time.Hour)
	c.Run.Status, c.Run.Outcome = machine.Finished, machine.Success
	f.commit(c)
	ended := f.now
	told := f.claimOne()
	equal(f, []any{told.Child, told.ChildEnded, told.NotBefore}, []any{"r/c", true, ended})
	f.leftovers()
}

// testChildTimeout: at its due a task can be claimed although the child has not ended. If it
// then ends, the run takes no other until the child has.
func testChildTimeout(f *fixture) {
	f.begin("r")
	due := f.now.Add(time.Hour)
	f.call("r/c", due)
	equal(f, f.wake(), due)
	f.pass(time.Hour - time.Microsecond)
	f.idle()
	f.pass(time.Microsecond)
	task := f.claimOne()
	equal(f, []any{task.Child, task.ChildEnded}, []any{"r/c", false})

	c := f.next("r")
	c.Claim = new(task.Claim())
	f.start(c, "a").Attempt = 2
	f.commit(c)
	old := f.tasks("r")[0]
	equal(f, []any{old.Child, old.Cancelled, old.Worker, len(f.tasks("r"))}, []any{"r/c", true, "", 2})
	f.fenced(&task)
	f.pass(2 * ttl)
	f.held("r", true)
	f.leftovers("r/c")
	f.idle()
	equal(f, len(f.claimOf("r", 1)), 0)
	f.finish("r/c")
	f.held("r", false)
	f.leftovers()
	equal(f, f.claimOne().Attempt, 2)
	equal(f, len(f.tasks("r")), 1)

	f.begin("s") // and where the child ends while its task is claimed, nothing is left
	f.call("s/c", f.now)
	task = f.claimOne()
	f.finish("s/c")
	f.end(&task)
	equal(f, len(f.tasks("s")), 0)
	f.held("s", false)
}

// testChildCancelled: a cancelled task goes, unless its child has not ended.
func testChildCancelled(f *fixture) {
	for _, test := range []struct {
		name  string
		leave func(c *store.Commit, do string)
	}{
		{"cancelled", func(c *store.Commit, do string) { c.Cancel = append(c.Cancel, do) }},
		{"ended", func(c *store.Commit, do string) { c.End = append(c.End, do) }},
	} {
		f.Run(test.name, func(*testing.T) {
			r := test.name
			f.commit(f.create(r))
			only := func(rows []store.TaskRow, do string) (task store.TaskRow) { // the others are released
				for _, row := range rows {
					if row.Do == do {
						task = row
					} else {
						f.must(f.s.Release(f.ctx, row.Claim(), f.now, time.Time{}))
					}
				}
				return task
			}
			for _, do := range []string{"waits", "runs", "due", "ended"} {
				f.add(r, do)
				if do != "waits" {
					task := only(f.claimOf(r, 10), do)
					start := f.child(r+"/"+do, &task)
					if do == "due" {
						start.ParentDue = f.now.Add(time.Second)
					}
					f.commit(start)
				}
			}
			f.finish(r + "/ended")
			f.pass(time.Second)
			keeper := f.claim(10)
			equal(f, len(keeper), 3) // but not the one that runs
			due := only(keeper, "due")
			c := f.next(r)
			for _, do := range []string{"waits", "runs", "due", "ended", "none"} {
				test.leave(c, do)
			}
			f.start(c, "runs")
			f.commit(c)
			f.leftovers(r+"/due", r+"/runs")
			equal(f, len(f.tasks(r)), 3)
			f.fenced(&due)
			f.idle()
			f.standing(r+"/due", machine.Ending, false)
			f.standing(r, machine.Running, true) // which changes nothing for children
			f.pass(2 * ttl)
			f.finish(r + "/due")
			f.held(r, true)
			f.leftovers(r + "/runs")
			f.finish(r + "/runs")
			f.held(r, false)
			f.leftovers()
			f.standing(r, machine.Running, false)
			equal(f, f.claimOne().Child, "")
			equal(f, len(f.tasks(r)), 1)
		})
	}
}

// testChildTakenOver puts other tasks in the place of those of children, one of which
// has ended since.
func testChildTakenOver(f *fixture) {
	f.commit(f.create("other"))
	f.begin("r")
	f.call("r/live", time.Time{})
	f.add("r", "b")
	f.call("r/ended", time.Time{})
	f.finish("r/ended")
	f.pass(time.Second)
	f.must(f.s.PutDefinition(f.ctx, store.DefinitionRow{Hash: "h2", Machine: "Order", Definition: []byte(`{}`)}))
	move := func(live, ended string) *store.Commit {
		c := f.next("r")
		c.Run.Definition, c.Cancel, c.End = "h2", []string{"a"}, []string{"b"}
		for _, child := range []string{live, ended} {
			t := f.start(c, "new "+child)
			t.Definition, t.Child, t.NotBefore = "h2", child, store.Never
		}
		return c
	}
	for _, child := range []string{"other", "none"} {
		if err := f.s.Commit(f.ctx, move("r/live", child)); err == nil {
			f.Fatalf("the run %q has become a child", child)
		}
		equal(f, len(f.tasks("r")), 2)
		f.leftovers()
	}
	f.commit(move("r/live", "r/ended"))
	tasks := f.tasks("r")
	equal(f, len(tasks), 2)
	for i, want := range []bool{false, true} {
		equal(f, []any{tasks[i].ChildEnded, tasks[i].Cancelled, tasks[i].Definition}, []any{want, false, "h2"})
	}
	f.leftovers()
	q := f.query("w1", 10)
	q.Activities[0].Definition = "h2"
	ready := func(child string) {
		f.Helper()
		rows := sure(f.s.Claim(f.ctx, q))
		equal(f, len(rows), 1)
		equal(f, rows[0].Child, child)
	}
	ready("r/ended")
	f.finish("r/live")
	ready("r/live")
}
