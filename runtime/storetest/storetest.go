// Package storetest is the conformance suite of store.Store: every store
// passes it, and what it does not test no engine may rely on.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Run tests the stores that open gives. Each test opens a new, empty one; Run
// closes it.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	for _, test := range []struct {
		name string
		run  func(*fixture)
	}{
		{"Definitions", testDefinitions},
		{"Load", testLoad},
		{"OtherBytes", testOtherBytes},
		{"CommitRefused", testCommitRefused},
		{"CommitOrderOfRefusals", testOrderOfRefusals},
		{"CommitAtomic", testAtomic},
		{"Elements", testElements},
		{"CommitMalformed", testMalformed},
		{"CommitWithoutRecords", testWithoutRecords},
		{"EventIDs", testEventIDs},
		{"RowsAreCopies", testCopies},
		{"History", testHistory},
		{"Runs", testRuns},
		{"RunsPaging", testRunsPaging},
		{"Tags", testTags},
		{"TagsInTrees", testTagsInTrees},
		{"TagsPruned", testTagsPruned},
		{"Claim", testClaim},
		{"ClaimFilters", testClaimFilters},
		{"ClaimOrder", testClaimOrder},
		{"ClaimAsleep", testClaimAsleep},
		{"EpochsRise", testEpochsRise},
		{"TaskEnds", testTaskEnds},
		{"CancelHoldsBack", testCancelHoldsBack},
		{"DueComesFirst", testDueComesFirst},
		{"CancelWaiting", testCancelWaiting},
		{"TaskReady", testReady},
		{"Rate", testRate},
		{"RateOfAnyWindow", testRateOfAnyWindow},
		{"RateCountsAll", testRateCountsAll},
		{"RateBackwards", testRateBackwards},
		{"RateRaces", testRateRaces},
		{"AtOnce", testAtOnce},
		{"AtOnceCancelledAndLost", testAtOnceCancelledAndLost},
		{"AtOnceHaltedAndLost", testAtOnceHaltedAndLost},
		{"LimitsOfVersions", testLimitsOfVersions},
		{"RateOfVersions", testRateOfVersions},
		{"LimitedBehind", testLimitedBehind},
		{"ConcurrentLimits", testConcurrentLimits},
		{"Renew", testRenew},
		{"RenewAll", testRenewAll},
		{"Checkpoints", testCheckpoints},
		{"ChildStarts", testChildStarts},
		{"ChildRefused", testChildRefused},
		{"ChildClaimed", testChildClaimed},
		{"ChildEnds", testChildEnds},
		{"ChildEndsAtOnce", testChildEndsAtOnce},
		{"ChildTimeout", testChildTimeout},
		{"ChildCancelled", testChildCancelled},
		{"ChildStops", testChildStops},
		{"ChildStopsAfter", testChildStopsAfter},
		{"ChildStopsReleased", testChildStopsReleased},
		{"ChildTakenOver", testChildTakenOver},
		{"Reports", testReports},
		{"RunsOfTree", testRunsOfTree},
		{"PruneTrees", testPruneTrees},
		{"Release", testRelease},
		{"Reclaim", testReclaim},
		{"Fencing", testFencing},
		{"Timers", testTimers},
		{"NextWake", testNextWake},
		{"Look", testLook},
		{"LookLeaves", testLookLeaves},
		{"LookAtRun", testLookAtRun},
		{"LookAgain", testLookAgain},
		{"LookLists", testLookLists},
		{"LookTogether", testLookTogether},
		{"Outbox", testOutbox},
		{"OutboxLease", testOutboxLease},
		{"Counts", testCounts},
		{"CountsOfMigration", testCountsOfMigration},
		{"CountsOfLost", testCountsOfLost},
		{"Costs", testCosts},
		{"Waiting", testWaiting},
		{"Wanted", testWanted},
		{"DefinitionsList", testDefinitionsList},
		{"VersionCounts", testVersionCounts},
		{"Prune", testPrune},
		{"PruneHeld", testPruneHeld},
		{"Feed", testFeed},
		{"FeedPruned", testFeedPruned},
		{"FeedConcurrent", testFeedConcurrent},
		{"ConcurrentCommits", testConcurrentCommits},
		{"ConcurrentRuns", testConcurrentRuns},
		{"ConcurrentClaims", testConcurrentClaims},
		{"GivenUp", testGivenUp},
		{"Closed", testClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			defer sayFailure(t)
			test.run(newFixture(t, open(t)))
		})
	}
}

// fixture is a store with one definition, and a clock.
type fixture struct {
	*testing.T
	s   store.Store
	ctx context.Context
	now time.Time

	left string // the child that its parent has left behind
}

const (
	definition = "hash-of-order"
	activity   = "work"
	ttl        = time.Minute
)

func newFixture(t *testing.T, s store.Store) *fixture {
	t.Helper()
	f := &fixture{T: t, s: s, ctx: t.Context(), now: time.Date(2026, 3, 1, 12, 0, 0, 123_000, time.UTC)}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	f.must(s.PutDefinition(f.ctx, store.DefinitionRow{
		Hash: definition, Machine: "Order", Source: "machine Order {}", Definition: json.RawMessage(`{"format":1}`),
	}))
	return f
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// failure is an error that no test expects.
type failure string

// sure is v; an error ends the test, and names the line that calls sure.
func sure[T any](v T, err error) T {
	if err != nil {
		_, file, line, _ := runtime.Caller(1)
		panic(failure(fmt.Sprintf("%s:%d: %v", filepath.Base(file), line, err)))
	}
	return v
}

// sayFailure ends t where sure has ended what it tests.
func sayFailure(t *testing.T) {
	switch of := recover().(type) {
	case nil:
	case failure:
		t.Fatal(of)
	default:
		panic(of)
	}
}

// refused expects an error.
func (f *fixture) refused(err, want error) {
	f.Helper()
	if !errors.Is(err, want) {
		f.Fatalf("got error %v, want %v", err, want)
	}
}

func (f *fixture) pass(d time.Duration) { f.now = f.now.Add(d) }

// create is the commit that creates a run.
func (f *fixture) create(run string) *store.Commit {
	row := store.RunRow{
		Run: run, Machine: "Order", Definition: definition, State: "Idle", Status: machine.Running,
		Started: f.now, Entered: f.now, Root: run,
	}
	return f.step(row, machine.StartInput)
}

// next is a commit that takes a run one step on.
func (f *fixture) next(run string) *store.Commit {
	return f.step(f.load(run), machine.EventInput)
}

func (f *fixture) step(row store.RunRow, kind machine.InputKind) *store.Commit {
	c := &store.Commit{Run: row, Expect: row.Seq}
	c.Run.Seq++
	c.Run.Updated = f.now
	c.Run.Snapshot = json.RawMessage(fmt.Sprintf(`{"run":%q,"seq":%d}`, row.Run, c.Run.Seq))
	h := store.HistoryRow{
		Run: row.Run, Seq: c.Run.Seq, At: f.now, Kind: kind, Input: "Go", To: row.State, Effect: machine.Moved,
		Record: json.RawMessage(fmt.Sprintf(`{"seq":%d}`, c.Run.Seq)),
	}
	if row.Seq > 0 {
		h.From = row.State
	}
	c.History = []store.HistoryRow{h}
	return c
}

func (f *fixture) commit(c *store.Commit) {
	f.Helper()
	f.must(f.s.Commit(f.ctx, c))
}

// change takes a step that does something more.
func (f *fixture) change(run string, more func(c *store.Commit)) {
	f.Helper()
	c := f.next(run)
	more(c)
	f.commit(c)
}

// cancel takes a step that cancels the attempts of dos.
func (f *fixture) cancel(run string, dos ...string) {
	f.Helper()
	f.change(run, func(c *store.Commit) { c.Cancel = dos })
}

// end takes a step under the claim of a task, which ends it.
func (f *fixture) end(task *store.TaskRow) {
	f.Helper()
	f.change(task.Run, func(c *store.Commit) { c.Claim = new(task.Claim()) })
}

// late expects that no step is taken under the claim of a task.
func (f *fixture) late(task *store.TaskRow) {
	f.Helper()
	c := f.next(task.Run)
	c.Claim = new(task.Claim())
	f.refused(f.s.Commit(f.ctx, c), machine.ErrFenced)
}

// set takes a step that sets a timer.
func (f *fixture) set(run, name string, due time.Time) {
	f.Helper()
	f.change(run, func(c *store.Commit) { c.Set = []store.TimerRow{{Run: run, Name: name, Due: due}} })
}

// add takes a step that starts attempts of dos, ready at once.
func (f *fixture) add(run string, dos ...string) {
	f.Helper()
	f.change(run, func(c *store.Commit) {
		for _, do := range dos {
			f.start(c, do)
		}
	})
}

// start adds a new attempt of a do to c, ready at once.
func (f *fixture) start(c *store.Commit, do string) *store.TaskRow {
	c.Start = append(c.Start, store.TaskRow{
		Run: c.Run.Run, Machine: "Order", Definition: definition, Do: do, Activity: activity,
		Key: fmt.Sprintf("%s/%s/%d", c.Run.Run, do, c.Run.Seq), Attempt: 1, Visit: 1, Seq: c.Run.Seq,
		Timeout: time.Minute, Heartbeat: time.Second, Progress: 1500 * time.Nanosecond,
	})
	return &c.Start[len(c.Start)-1]
}

// begin creates a run with a task that is ready.
func (f *fixture) begin(run string) {
	f.Helper()
	c := f.create(run)
	f.start(c, "a")
	f.commit(c)
}

func (f *fixture) query(worker string, limit int) store.ClaimQuery {
	return store.ClaimQuery{
		Worker: worker, Now: f.now, Until: f.now.Add(ttl), Limit: limit,
		Activities: []store.Claimable{{Definition: definition, Activity: activity}},
	}
}

func (f *fixture) claim(limit int) []store.TaskRow {
	return f.claimOf("", limit)
}

// claimOf claims tasks of a run and those below it.
func (f *fixture) claimOf(run string, limit int) []store.TaskRow {
	q := f.query("w1", limit)
	q.Run = run
	return sure(f.s.Claim(f.ctx, q))
}

// claimOne expects that exactly one task is ready.
func (f *fixture) claimOne() store.TaskRow {
	f.Helper()
	rows := f.claim(10)
	if len(rows) != 1 {
		f.Fatalf("%d tasks are ready, want 1: %+v", len(rows), rows)
	}
	return rows[0]
}

// idle expects that no task is ready.
func (f *fixture) idle() {
	f.Helper()
	if rows := f.claim(10); len(rows) != 0 {
		f.Fatalf("a task is ready, want none: %+v", rows)
	}
}

func (f *fixture) load(run string) store.RunRow {
	return sure(f.s.Load(f.ctx, run))
}

// missing expects that there is no such run.
func (f *fixture) missing(run string) {
	f.Helper()
	_, err := f.s.Load(f.ctx, run)
	f.refused(err, store.ErrNotFound)
}

// accepted expects what is known of an event id: the answer to it, and whether it was accepted.
func (f *fixture) accepted(run, id, want string, known bool) {
	f.Helper()
	answer, ok, err := f.s.Accepted(f.ctx, run, id)
	f.must(err)
	equal(f, []any{string(answer), ok}, []any{want, known})
}

// renew renews the lease of a task, and expects whether that has been cancelled.
func (f *fixture) renew(task *store.TaskRow, cancelled bool) {
	f.Helper()
	equal(f, sure(f.s.Renew(f.ctx, task.Claim(), f.now, f.now.Add(ttl), nil)), cancelled)
}

// lapsed expects that the lease of a task cannot be renewed.
func (f *fixture) lapsed(task *store.TaskRow) {
	f.Helper()
	_, err := f.s.Renew(f.ctx, task.Claim(), f.now, f.now.Add(ttl), nil)
	f.refused(err, machine.ErrFenced)
}

func (f *fixture) tasks(run string) []store.TaskRow {
	f.Helper()
	rows := sure(f.s.Tasks(f.ctx, run))
	for _, row := range rows {
		if row.Child != "" {
			equal(f, sure(f.s.TaskOf(f.ctx, row.Child)), row)
		}
	}
	return rows
}

func (f *fixture) history(run string) []store.HistoryRow {
	return sure(f.s.History(f.ctx, run, 0, 0))
}
