package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func testHistory(f *fixture) {
	equal(f, len(f.history("r")), 0)
	c := f.create("r")
	more := c.History[0]
	more.Seq, more.Kind, more.From, more.Input = 2, machine.DoneInput, "Idle", "done"
	more.Effect, more.To = machine.Stayed, "Elsewhere"
	c.History, c.Run.Seq = append(c.History, more), 2
	f.commit(c)
	want := slices.Clone(c.History)
	f.commit(f.create("s")) // another run, in between
	for range 4 {
		f.pass(time.Second)
		f.change("r", func(c *store.Commit) { want = append(want, c.History...) })
	}
	equal(f, f.history("r"), want)
	page := func(after int64, limit int, want []store.HistoryRow) {
		f.Helper()
		got := sure(f.s.History(f.ctx, "r", after, limit))
		if len(got)+len(want) > 0 {
			equal(f, got, want)
		}
	}
	page(0, 2, want[:2])
	page(2, 3, want[2:5])
	page(5, 3, want[5:])
	page(6, 3, nil)
}

func testRuns(f *fixture) {
	f.must(f.s.PutDefinition(f.ctx, store.DefinitionRow{Hash: "h2", Machine: "Other", Definition: []byte(`{}`)}))
	start := f.now
	for i := range 6 {
		c := f.create(fmt.Sprintf("r%d", i))
		if i == 1 || i == 4 {
			c.Run.Machine, c.Run.Definition = "Other", "h2"
		}
		f.commit(c)
		f.pass(time.Hour)
	}
	f.move("r2", "Done", machine.Stopped, machine.Finished, machine.Success)
	f.move("r3", "Lost", machine.Stopped, machine.Finished, machine.Failed)
	f.move("r4", "Done", machine.Stopped, machine.Finished, machine.Success)
	f.move("r5", "Idle", machine.Stopped, machine.Halted, "")
	f.change("r1", func(c *store.Commit) { c.Run.Paused, c.Run.Entered = true, f.now }) // enters its state at the end
	for _, test := range []struct {
		filter store.RunFilter
		want   []string
	}{
		{store.RunFilter{}, []string{"r5", "r4", "r3", "r2", "r1", "r0"}},
		{store.RunFilter{Limit: 2}, []string{"r5", "r4"}},
		{store.RunFilter{Machine: "Other"}, []string{"r4", "r1"}},
		{store.RunFilter{Definition: definition, Limit: 1}, []string{"r5"}},
		{store.RunFilter{State: "Done"}, []string{"r4", "r2"}},
		{store.RunFilter{State: "Idle"}, []string{"r5", "r1", "r0"}},
		{store.RunFilter{State: "Idle", Limit: 2}, []string{"r5", "r1"}},
		{store.RunFilter{State: "Idle", After: "r5"}, []string{"r1", "r0"}},
		{store.RunFilter{Status: machine.Running}, []string{"r1", "r0"}},
		{store.RunFilter{Status: machine.Halted}, []string{"r5"}},
		{store.RunFilter{Outcome: machine.Failed}, []string{"r3"}},
		{store.RunFilter{Outcome: machine.Success, Machine: "Order"}, []string{"r2"}},
		{store.RunFilter{StartedFrom: start.Add(time.Hour), StartedTo: start.Add(3 * time.Hour)}, []string{"r2", "r1"}},
		{store.RunFilter{Paused: true}, []string{"r1"}},
		{store.RunFilter{Status: machine.Running, Paused: true}, []string{"r1"}},
		{store.RunFilter{EnteredTo: start.Add(2 * time.Hour)}, []string{"r0"}},
		{store.RunFilter{EnteredTo: f.now, StartedFrom: start.Add(time.Hour)}, []string{"r5", "r4", "r3", "r2"}},
		{store.RunFilter{UpdatedTo: start.Add(time.Hour)}, []string{"r0"}},
		{store.RunFilter{State: "Idle", Status: machine.Running, Machine: "Order"}, []string{"r0"}},
		{store.RunFilter{After: "r2"}, []string{"r1", "r0"}},
		{store.RunFilter{After: "r4", Machine: "Other"}, []string{"r1"}},
		{store.RunFilter{State: "Nowhere"}, []string{}},
	} {
		equal(f, runIDs(sure(f.s.Runs(f.ctx, test.filter))), test.want)
	}
	equal(f, sure(f.s.Runs(f.ctx, store.RunFilter{Limit: 1}))[0], f.load("r5"))
	_, err := f.s.Runs(f.ctx, store.RunFilter{After: "no such"})
	f.refused(err, store.ErrNotFound)
}

// testRunsPaging has runs that started at one time, and some that come while
// the pages are read: each old one is listed exactly once.
func testRunsPaging(f *fixture) {
	var want []string
	for i := range 25 {
		id := fmt.Sprintf("r%02d", i)
		f.commit(f.create(id))
		if i%5 == 4 {
			f.pass(time.Second)
		}
		want = append(want, id)
	}
	slices.Reverse(want)
	var got []string
	for after := ""; ; {
		rows := sure(f.s.Runs(f.ctx, store.RunFilter{Limit: 7, After: after}))
		if len(rows) == 0 {
			break
		}
		got = append(got, runIDs(rows)...)
		after = got[len(got)-1]
		f.commit(f.create("new" + after))
	}
	equal(f, got, want)
}

func runIDs(rows []store.RunRow) []string {
	return textsOf(rows, func(r store.RunRow) string { return r.Run })
}

func testTimers(f *fixture) {
	due := func(limit int, want ...string) {
		f.Helper()
		got := textsOf(sure(f.s.Due(f.ctx, f.now, limit)), func(r store.TimerRow) string { return r.Run + "/" + r.Name })
		equal(f, got, append([]string{}, want...))
	}
	f.commit(f.create("r1"))
	f.commit(f.create("r2"))
	f.set("r1", "slow", f.now.Add(3*time.Minute))
	f.set("r1", "fast", f.now.Add(time.Minute))
	f.set("r2", "fast", f.now.Add(2*time.Minute))
	f.pass(time.Minute - time.Microsecond)
	due(0)
	f.pass(time.Microsecond)
	due(0, "r1/fast")
	f.pass(time.Hour)
	due(0, "r1/fast", "r2/fast", "r1/slow")
	due(2, "r1/fast", "r2/fast")
	f.set("r1", "fast", f.now.Add(time.Hour)) // set again: it has one due time
	due(0, "r2/fast", "r1/slow")

	c := f.next("r1")
	c.Drop = []string{"slow", "none"}
	c.Set = []store.TimerRow{{Run: "r1", Name: "fast", Due: f.now}}
	f.commit(c)
	due(0, "r2/fast", "r1/fast")
	c = f.next("r1") // dropped and set in one commit: set
	c.Drop = []string{"fast"}
	c.Set = []store.TimerRow{{Run: "r1", Name: "fast", Due: f.now}}
	f.commit(c)
	due(0, "r2/fast", "r1/fast")

	f.standing("r2", machine.Running, true)
	due(0, "r1/fast")
	f.set("r2", "more", f.now) // while it is paused
	due(0, "r1/fast")
	f.standing("r2", machine.Halted, false)
	due(0, "r1/fast")
	f.standing("r2", machine.Running, false)
	due(0, "r2/fast", "r1/fast", "r2/more")
}

func testNextWake(f *fixture) {
	wake := func(want time.Time) {
		f.Helper()
		equal(f, f.wake(), want)
	}
	wake(time.Time{})
	base := f.now
	at := func(minutes time.Duration) time.Time { return base.Add(minutes * time.Minute) }
	f.begin("held")
	wake(time.Time{}) // it is ready: whoever can take it need not wait
	row := f.claimOne()
	wake(row.LeaseUntil)
	sure(f.s.Renew(f.ctx, row.Claim(), f.now, at(30), nil))
	wake(at(30))
	c := f.create("r")
	c.Set = []store.TimerRow{{Run: "r", Name: "t", Due: at(20)}}
	f.commit(c)
	wake(at(20))
	c = f.next("r")
	f.start(c, "a").NotBefore = at(10)
	f.commit(c)
	wake(at(10))
	f.now = at(10)
	wake(at(20)) // what is due now is not later than now
	f.standing("r", machine.Running, true)
	wake(at(30))
	f.now = at(30)
	wake(time.Time{})
}
