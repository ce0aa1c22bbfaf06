package storetest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// countsOf reads the counts as maps, so that order does not matter, without
// those that are 0.
func countsOf(f *fixture, machine string, since time.Time) (runs, steps, stays map[string]int64) {
	c := sure(f.s.Counts(f.ctx, machine, since))
	runs, steps, stays = map[string]int64{}, map[string]int64{}, map[string]int64{}
	for _, r := range c.Runs {
		key := fmt.Sprintf("%s %s %s", r.Machine, r.State, r.Status)
		if r.Outcome != "" {
			key += " " + string(r.Outcome)
		}
		if r.Paused {
			key += " paused"
		}
		runs[key] += r.Runs
	}
	for _, s := range c.Steps {
		steps[fmt.Sprintf("%s %d %s %s %s>%s %s", s.Machine, s.Day, s.Kind, s.Input, s.From, s.To, s.Effect)] += s.Steps
	}
	for _, s := range c.Stays {
		stays[fmt.Sprintf("%s %s %d", s.Machine, s.State, s.Bucket)] += s.Visits
	}
	for _, m := range []map[string]int64{runs, steps, stays} {
		maps.DeleteFunc(m, func(_ string, n int64) bool { return n == 0 })
	}
	return runs, steps, stays
}

// move takes a run to a state.
func (f *fixture) move(run, to string, effect machine.Effect, status machine.Status, outcome machine.Outcome) {
	f.Helper()
	f.change(run, func(c *store.Commit) {
		c.History[0].To, c.History[0].Effect = to, effect
		c.Run.State, c.Run.Status, c.Run.Outcome = to, status, outcome
		if effect == machine.Moved {
			c.Run.Entered = f.now
		}
	})
}

func testCounts(f *fixture) {
	day := store.DayOf(f.now)
	runs, steps, stays := countsOf(f, "", time.Time{})
	equal(f, len(runs)+len(steps)+len(stays), 0)
	for _, run := range []string{"r1", "r2", "r3"} {
		f.commit(f.create(run))
	}
	f.pass(time.Minute)
	f.move("r1", "Idle", machine.Stayed, machine.Running, "")
	f.pass(time.Minute)
	f.move("r1", "Busy", machine.Moved, machine.Running, "")
	f.move("r2", "Busy", machine.Moved, machine.Running, "")
	f.pass(time.Second)
	f.move("r1", "Busy", machine.Moved, machine.Running, "") // entered again
	f.pass(23*time.Hour + 59*time.Minute)
	f.move("r1", "Done", machine.Moved, machine.Finished, machine.Success)
	f.move("r2", "Busy", machine.Stopped, machine.Finished, machine.Cancelled)
	c := f.next("r3")
	c.Run.Paused, c.History[0].Effect = true, machine.Stayed
	f.commit(c)
	// Several records in one commit, and one that is refused.
	c = f.next("r3")
	c.Run.Paused, c.Run.State, c.Run.Entered = false, "Busy", f.now
	c.History[0].To = "Passing"
	more := c.History[0]
	more.Seq, more.From, more.To, more.Kind, more.Input = more.Seq+1, "Passing", "Busy", machine.DoneInput, "done"
	c.History, c.Run.Seq = append(c.History, more), more.Seq
	bad := *c
	message := store.MessageRow{ID: "twice", Run: "r3", Seq: more.Seq, Machine: "Order", Event: "E", At: f.now}
	bad.Publish = []store.MessageRow{message, message}
	if err := f.s.Commit(f.ctx, &bad); err == nil {
		f.Fatal("a message was published twice")
	}
	f.commit(c)

	runs, steps, stays = countsOf(f, "", time.Time{})
	equal(f, runs, map[string]int64{
		"Order Done finished success": 1, "Order Busy finished cancelled": 1, "Order Busy running": 1,
	})
	equal(f, steps, map[string]int64{
		fmt.Sprintf("Order %d start Go >Idle moved", day):           3,
		fmt.Sprintf("Order %d event Go Idle>Idle stayed", day):      1,
		fmt.Sprintf("Order %d event Go Idle>Busy moved", day):       2,
		fmt.Sprintf("Order %d event Go Busy>Busy moved", day):       1,
		fmt.Sprintf("Order %d event Go Busy>Done moved", day+1):     1,
		fmt.Sprintf("Order %d event Go Busy>Busy cancelled", day+1): 1,
		fmt.Sprintf("Order %d event Go Idle>Idle stayed", day+1):    1,
		fmt.Sprintf("Order %d event Go Idle>Passing moved", day+1):  1,
		fmt.Sprintf("Order %d done done Passing>Busy moved", day+1): 1,
	})
	long := 23*time.Hour + 59*time.Minute
	stay := func(state string, d time.Duration) string {
		return fmt.Sprintf("Order %s %d", state, store.BucketOf(d))
	}
	want := map[string]int64{}
	for _, d := range []time.Duration{2 * time.Minute, 2 * time.Minute, long + 2*time.Minute + time.Second} {
		want[stay("Idle", d)]++
	}
	for _, d := range []time.Duration{time.Second, long, long + time.Second} {
		want[stay("Busy", d)]++
	}
	want[stay("Passing", 0)]++
	equal(f, stays, want)

	_, later, _ := countsOf(f, "Order", f.now)
	equal(f, len(later), 5)
	runs, steps, stays = countsOf(f, "Other", time.Time{})
	equal(f, len(runs)+len(steps)+len(stays), 0)
}

// testCountsOfLost: attempts that were lost count apart where the next one begins with a checkpoint.
func testCountsOfLost(f *fixture) {
	f.commit(f.create("r1"))
	for _, record := range []string{`{"checkpoint":true}`, `{"checkpoint":true}`, `{}`} {
		for _, kind := range []machine.InputKind{machine.LostInput, machine.FailureInput, machine.EventInput} {
			f.change("r1", func(c *store.Commit) {
				h := &c.History[0]
				h.Kind, h.Input, h.Effect, h.Record = kind, "gone", machine.Stayed, []byte(record)
			})
		}
	}
	got := map[string]int64{}
	for _, s := range sure(f.s.Counts(f.ctx, "Order", time.Time{})).Steps {
		got[fmt.Sprintf("%s %s %t", s.Kind, s.Input, s.Checkpoint)] += s.Steps
	}
	equal(f, got, map[string]int64{"start Go false": 1, "event gone false": 3,
		"lost gone true": 2, "lost gone false": 1, "failure gone true": 2, "failure gone false": 1})
}

// testCountsOfMigration: a visit goes on where its state is given another name.
func testCountsOfMigration(f *fixture) {
	f.commit(f.create("r"))
	f.pass(time.Minute)
	f.change("r", func(c *store.Commit) {
		h := &c.History[0]
		h.Kind, h.Input, h.From, h.To, h.Effect = machine.MigrateInput, "migrate", "Idle", "Ready", machine.Moved
		c.Run.State = "Ready"
	})
	f.pass(time.Minute)
	f.move("r", "Done", machine.Moved, machine.Finished, machine.Success)
	runs, _, stays := countsOf(f, "", time.Time{})
	equal(f, runs, map[string]int64{"Order Done finished success": 1})
	equal(f, stays, map[string]int64{fmt.Sprintf("Order Ready %d", store.BucketOf(2*time.Minute)): 1})
}

// testCosts adds exactly what attempts have used, by day, and keeps what pruned
// runs used.
func testCosts(f *fixture) {
	began := f.now
	used := func(run, cost string) {
		f.Helper()
		f.change(run, func(c *store.Commit) {
			c.History[0].Record = []byte(`{"input":{` + cost + `}}`)
			c.History[0].Effect = machine.Stayed
		})
	}
	spent := func(name string, since time.Time) map[string]string {
		c := sure(f.s.Counts(f.ctx, name, since))
		sums := map[string]string{}
		for _, n := range c.Costs {
			key := fmt.Sprint(n.Machine, " ", n.Day-store.DayOf(began), " ", n.Name)
			sums[key] = machine.AddAmounts(cmp.Or(sums[key], "0"), n.Amount)
		}
		return sums
	}
	f.commit(f.create("r1"))
	f.commit(f.create("r2"))
	equal(f, spent("", time.Time{}), map[string]string{})
	used("r1", `"cost":[{"name":"tokens","amount":"9007199254740993"},{"name":"usd","amount":"0.1"}]`)
	used("r2", `"cost":[{"name":"tokens","amount":"1"},{"name":"usd","amount":"0.2"}]`)
	used("r2", `"data":{"cost":"of \"cost\": none"}`)
	f.pass(24 * time.Hour)
	used("r2", `"cost":[{"name":"usd","amount":"0.0000001"}]`)
	equal(f, spent("", time.Time{}), map[string]string{
		"Order 0 tokens": "9007199254740994", "Order 0 usd": "0.3", "Order 1 usd": "0.0000001",
	})
	equal(f, spent("Order", f.now), map[string]string{"Order 1 usd": "0.0000001"})
	equal(f, spent("Other", time.Time{}), map[string]string{})
	f.move("r2", "Done", machine.Moved, machine.Finished, machine.Success)
	sure(f.s.Prune(f.ctx, store.PruneQuery{Before: f.now.Add(time.Hour), Limit: 10, Now: f.now}))
	equal(f, len(spent("", time.Time{})), 3)
}

func testWaiting(f *fixture) {
	f.begin("r1")
	f.waits("r2")
	waiting := func(before time.Time) []string {
		runs := runsOf(sure(f.s.Waiting(f.ctx, before, 0)))
		slices.Sort(runs)
		return runs
	}
	equal(f, waiting(f.now), []string{})
	equal(f, waiting(f.now.Add(time.Second)), []string{"r1"})
	equal(f, waiting(f.now.Add(2*time.Hour)), []string{"r1", "r2"})
	f.claimOne()
	equal(f, waiting(f.now.Add(2*time.Hour)), []string{"r2"})
	f.standing("r2", machine.Running, true)
	equal(f, waiting(f.now.Add(2*time.Hour)), []string{})

	f.begin("r3")
	f.call("r3/c", f.now) // its time is over, and who left it behind waits for it
	equal(f, waiting(f.now.Add(time.Second)), []string{"r3"})
	f.cancel("r3", "a")
	f.leftovers("r3/c")
	equal(f, waiting(f.now.Add(time.Second)), []string{})
}

// testWanted: a version is wanted as long as one of its tasks waits, now or later.
func testWanted(f *fixture) {
	other := "hash-of-another"
	f.must(f.s.PutDefinition(f.ctx, store.DefinitionRow{Hash: other, Machine: "Apple", Definition: []byte(`{}`)}))
	wanted := func(want ...string) {
		f.Helper()
		equal(f, strings.Join(slices.Sorted(slices.Values(f.glimpse(store.LookQuery{Versions: true}).Wanted)), " "), strings.Join(want, " "))
	}
	wanted()
	f.begin("r1")
	f.begin("r2")
	wanted(definition)
	c := f.create("r3")
	c.Run.Definition = other
	later := f.start(c, "a")
	later.Definition, later.NotBefore = other, f.now.Add(time.Hour)
	f.commit(c)
	wanted(other, definition)
	equal(f, len(f.claim(10)), 2)
	wanted(other)
	f.standing("r3", machine.Running, true)
	wanted()
	f.standing("r3", machine.Running, false)
	wanted(other)
	f.change("r3", func(c *store.Commit) { c.End = []string{"a"} })
	wanted()
}

func testDefinitionsList(f *fixture) {
	f.must(f.s.PutDefinition(f.ctx, store.DefinitionRow{Hash: "h2", Machine: "Apple", Definition: []byte(`{}`)}))
	rows := sure(f.s.Definitions(f.ctx))
	equal(f, len(rows), 2)
	equal(f, rows[0], store.DefinitionRow{Hash: "h2", Machine: "Apple", Definition: []byte(`{}`)})
	equal(f, rows[1].Hash, definition)
}

// testVersionCounts: runs that have not ended are counted for each version, and the oldest is known.
func testVersionCounts(f *fixture) {
	counts := func(want ...store.VersionCount) {
		f.Helper()
		rows := sure(f.s.VersionCounts(f.ctx))
		slices.SortFunc(rows, func(a, b store.VersionCount) int { return strings.Compare(a.Hash, b.Hash) })
		equal(f, rows, want)
	}
	counts()
	f.must(f.s.PutDefinition(f.ctx, store.DefinitionRow{Hash: "other", Machine: "Apple", Definition: []byte(`{}`)}))
	first := f.now
	for _, run := range []string{"r1", "r2", "r3", "r4"} {
		f.begin(run)
		f.pass(time.Hour)
	}
	counts(store.VersionCount{Hash: definition, Runs: 4, First: first})
	f.move("r1", "Done", machine.Moved, machine.Finished, machine.Success)
	f.move("r2", "Idle", machine.Moved, machine.Halted, "")
	f.move("r3", "Done", machine.Moved, machine.Ending, machine.Success)
	c := f.create("r5")
	c.Run.Definition = "other"
	f.commit(c)
	counts(store.VersionCount{Hash: definition, Runs: 3, First: first}, store.VersionCount{Hash: "other", Runs: 1, First: f.now})
}

// deliver takes and delivers the next message of a run.
func (f *fixture) deliver(run string) {
	f.Helper()
	rows := sure(f.s.TakeMessages(f.ctx, store.MessageQuery{Worker: "w", Now: f.now, Until: f.now.Add(ttl), Limit: 1, Run: run}))
	if len(rows) != 1 {
		f.Fatalf("%d messages of %q wait", len(rows), run)
	}
	f.must(f.s.Delivered(f.ctx, rows[0].ID, rows[0].Attempt, f.now))
}

// testPrune: finished runs go with all that belongs to them, others stay.
func testPrune(f *fixture) {
	finish := func(run string, outcome machine.Outcome) {
		f.Helper()
		f.change(run, func(c *store.Commit) {
			c.Run.State, c.Run.Status, c.Run.Outcome = "Done", machine.Finished, outcome
			c.EventID, c.Answer = "id", []byte(`{}`)
		})
	}
	for i, outcome := range []machine.Outcome{machine.Success, machine.Failed, machine.Cancelled, machine.Success, machine.Success} {
		run := fmt.Sprintf("r%d", i)
		f.begin(run)
		row := f.claimOne()
		sure(f.s.Renew(f.ctx, row.Claim(), f.now, f.now.Add(ttl), []byte(`{"at":1}`)))
		c := f.next(run)
		c.Claim = new(row.Claim())
		c.Set = []store.TimerRow{{Run: run, Name: "t", Due: f.now.Add(time.Hour)}}
		c.Publish = []store.MessageRow{{ID: run + "/1", Run: run, Seq: c.Run.Seq, N: 1, Machine: "Order", Event: "E", At: f.now}}
		f.commit(c)
		if run != "r2" {
			f.deliver(run)
		}
		finish(run, outcome)
		f.pass(time.Hour)
	}
	f.begin("live")
	f.claimOne()
	_, steps, stays := countsOf(f, "", time.Time{})
	q := store.PruneQuery{Before: f.now.Add(-30 * time.Minute), Limit: 10, Now: f.now, Actor: "ada", Reason: "old"}
	prune := func(change func(*store.PruneQuery), want store.Pruned) {
		f.Helper()
		q := q
		change(&q)
		equal(f, sure(f.s.Prune(f.ctx, q)), want)
	}
	prune(func(q *store.PruneQuery) { q.Before = f.now.Add(-100 * time.Hour) }, store.Pruned{})
	prune(func(q *store.PruneQuery) { q.Machine = "Other" }, store.Pruned{})
	prune(func(q *store.PruneQuery) { q.Limit = 0 }, store.Pruned{})
	prune(func(q *store.PruneQuery) { q.DryRun = true }, store.Pruned{Runs: 4, Kept: 1})
	prune(func(q *store.PruneQuery) { q.Run, q.DryRun = "r3", true }, store.Pruned{Runs: 1})
	prune(func(q *store.PruneQuery) { q.Run, q.DryRun = "r2", true }, store.Pruned{Kept: 1})
	for _, run := range []string{"r2", "live", "r"} { // of which one has a message to deliver, one has not ended, and one is none
		prune(func(q *store.PruneQuery) { q.Run = run }, store.Pruned{})
	}
	prune(func(q *store.PruneQuery) { q.Run, q.Outcome = "r3", machine.Failed }, store.Pruned{})
	prune(func(q *store.PruneQuery) { q.Run = "r3" }, store.Pruned{Runs: 1})
	f.missing("r3")
	prune(func(q *store.PruneQuery) { q.Outcome, q.DryRun = machine.Failed, true }, store.Pruned{Runs: 1})
	equal(f, len(f.history("r1")), 3)
	prune(func(q *store.PruneQuery) { q.Outcome = machine.Failed }, store.Pruned{Runs: 1})
	f.missing("r1")
	equal(f, len(f.history("r1")), 0)
	f.accepted("r1", "id", "", false)
	prune(func(q *store.PruneQuery) { q.Limit = 1 }, store.Pruned{Runs: 1})
	prune(func(*store.PruneQuery) {}, store.Pruned{Runs: 1})
	prune(func(*store.PruneQuery) {}, store.Pruned{}) // r2 has a message to deliver
	f.deliver("r2")
	prune(func(*store.PruneQuery) {}, store.Pruned{Runs: 1})
	f.listed(store.RunFilter{}, "live")

	// What they did counts, what they were does not.
	left, after, visits := countsOf(f, "", time.Time{})
	equal(f, left, map[string]int64{"Order Idle running": 1})
	equal(f, after, steps)
	equal(f, visits, stays)

	// A new run of the same id begins with nothing.
	f.begin("r1")
	if row := f.claimOne(); row.Run != "r1" || row.Checkpoint != nil {
		f.Errorf("%+v", row)
	}
}
