package storetest

import (
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// reports looks which reports there are.
func (f *fixture) reports(q store.ReportQuery, want ...store.Report) {
	f.Helper()
	got := sure(f.s.Reports(f.ctx, q))
	slices.SortFunc(got, func(a, b store.Report) int { return strings.Compare(a.Child, b.Child) })
	for i := range got {
		if tasks := f.tasks(got[i].Parent); got[i].Do != "" {
			t := tasks[slices.IndexFunc(tasks, func(t store.TaskRow) bool { return t.Child == got[i].Child })]
			equal(f, []any{got[i].Do, got[i].Key, got[i].Attempt, false}, []any{t.Do, t.Key, t.Attempt, t.Cancelled})
		}
		equal(f, got[i].Do == "", got[i].Child == f.left)
		got[i].Do, got[i].Key, got[i].Attempt = "", "", 0
	}
	equal(f, got, want)
}

// testReports: what a child has used is told once, whoever does it, whatever becomes of its
// task.
func testReports(f *fixture) {
	f.tree("x")
	uses := func(run, total string) {
		f.Helper()
		f.change(run, func(c *store.Commit) { c.Total = []byte(total) })
	}
	report := func(child, parent, total, told string) store.Report {
		r := store.Report{Child: child, Parent: parent, Total: []byte(total)}
		if told != "" {
			r.Told = []byte(told)
		}
		return r
	}
	hears := func(r store.Report) *store.Commit {
		c := f.next(r.Parent)
		c.Hears = &r
		return c
	}
	f.reports(store.ReportQuery{})
	uses("x", `["a root tells no one"]`)
	f.reports(store.ReportQuery{})
	uses("x/1", `[1]`)
	uses("x/2", `[2]`)
	uses("x/1/1", `[3]`)
	first, second, below := report("x/1", "x", `[1]`, ""), report("x/2", "x", `[2]`, ""), report("x/1/1", "x/1", `[3]`, "")
	f.reports(store.ReportQuery{}, first, below, second)
	f.reports(store.ReportQuery{Parent: "x"}, first, second)
	f.reports(store.ReportQuery{Child: "x/1/1"}, below)
	f.reports(store.ReportQuery{Parent: "x/1/1"})

	f.commit(hears(first))
	f.refused(f.s.Commit(f.ctx, hears(first)), machine.ErrFenced)
	f.refused(f.s.Commit(f.ctx, hears(report("none", "x", `[1]`, ""))), machine.ErrFenced)
	f.refused(f.s.Commit(f.ctx, hears(report("x/1/1", "x", `[3]`, ""))), machine.ErrFenced) // it is a child of another
	f.reports(store.ReportQuery{}, below, second)
	uses("x/1", `[1, 1]`)
	more := report("x/1", "x", `[1, 1]`, `[1]`)
	f.reports(store.ReportQuery{Child: "x/1"}, more)
	uses("x/1", `[1, 2]`) // which comes between
	f.commit(hears(more))
	f.refused(f.s.Commit(f.ctx, hears(more)), machine.ErrFenced)
	last := report("x/1", "x", `[1, 2]`, `[1, 1]`)
	f.reports(store.ReportQuery{Child: "x/1"}, last)

	f.left = "x/1"
	f.cancel("x", "x/1") // neither the end of a task nor that of the child ends what is to be told
	f.change("x/1", func(c *store.Commit) {
		c.Run.Status, c.Run.Outcome, c.Total = machine.Finished, machine.Success, []byte(`[1, 3]`)
	})
	last = report("x/1", "x", `[1, 3]`, `[1, 1]`)
	f.reports(store.ReportQuery{Child: "x/1"}, last)
	c := hears(last)
	c.Run.Status, c.Run.Outcome = machine.Finished, machine.Success
	c.EventID, c.Answer = "once", []byte(`{}`)
	f.commit(c)
	f.reports(store.ReportQuery{}, below, second)
	c = f.next("x/1")
	c.Hears = &second
	if err := f.s.Commit(f.ctx, c); err == nil {
		f.Error("a run is told of a child of another")
	}

	f.begin("e") // with the end of a child, under the claim
	f.call("e/c", time.Time{})
	uses("e/c", `[9]`)
	f.finish("e/c")
	task := f.claimOne()
	end := report("e/c", "e", `[9]`, "")
	c, claim := hears(end), task.Claim()
	claim.Epoch++
	c.Claim = &claim
	f.refused(f.s.Commit(f.ctx, c), machine.ErrFenced)
	f.reports(store.ReportQuery{Parent: "e"}) // which comes with the end
	f.reports(store.ReportQuery{Child: "e/c"}, end)
	claim.Epoch--
	wrong := report("e/c", "e", `[9]`, `[8]`)
	c.Hears = &wrong
	f.refused(f.s.Commit(f.ctx, c), machine.ErrFenced)
	equal(f, len(f.tasks("e")), 1)
	c.Hears = &end
	f.commit(c)
	f.reports(store.ReportQuery{Child: "e/c"})
	equal(f, len(f.tasks("e")), 0)
}
