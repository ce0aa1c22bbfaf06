//go:build cgo

package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// spends is three machines: Job works on one part, Batch calls a Job for each of some, two at
// once, and Night calls a Batch. Each run of Night is held to 1 usd.
func spends(t testing.TB) []*machine.Machine {
	job := Build(t, Named("Job"), WithParams("part string"), WithEvent("Found", "n int"), WithActivity("work", "part string", "Found", ""),
		WithCosts("work", "usd 0.1"),
		WithState("Working", Doing("work", []string{"part"}), On("Found", GoTo("Fine")), On("failed", GoTo("Broken"))),
		WithTerminal("Fine", machine.Success), WithTerminal("Broken", machine.Failed))
	batch := Build(t, Named("Batch"), WithParams("parts [0..1000]string"), Calling(job), WithFields("failed int = 0"),
		WithState("All", Doing("Job", []string{"each.item"}, "for parts", "limit 2", "as j"),
			On("j.Fine", Stay()), On("j.Broken, j.failed", Stay(Set("failed", "failed + 1"))), On("done", GoTo("Ready"))),
		WithTerminal("Ready", machine.Success))
	night := Build(t, Named("Night"), WithParams("parts [0..1000]string"), Calling(batch), WithCosts("Batch", "usd 0"), WithCosts("", "usd 1"),
		WithState("Going", Doing("Batch", []string{"parts"}, "as b"),
			On("b.Ready", GoTo("Done")), On("b.failed", GoTo("Failed")), On("over_budget", GoTo("Stopped"))),
		WithTerminal("Done", machine.Success), WithTerminal("Failed", machine.Failed), WithTerminal("Stopped", machine.Failed))
	return []*machine.Machine{job, batch, night}
}

// nights is an engine that works on them.
func nights(t testing.TB, db store.Store, work ActivityFunc, opts ...Option) *working {
	t.Helper()
	e := NewEngine(db, opts...)
	machines := spends(t)
	register(t, e, machines[0], Handlers{Activities: map[string]ActivityFunc{"work": work}})
	register(t, e, machines[1], Handlers{})
	register(t, e, machines[2], Handlers{})
	return run(t, e)
}

// startNight starts the run n of ten parts.
func startNight(t testing.TB, e *Engine) {
	t.Helper()
	must(t, errOf(e.Start(t.Context(), "Night", "n", json.RawMessage(listOf(10)))))
}

// usd is what an attempt returns that has used so much.
func usd(amount string) ActivityFunc {
	return func(context.Context, *Attempt) (Result, error) {
		return Result{Event: "Found", Data: found.Data, Cost: map[string]json.Number{"usd": json.Number(amount)}}, nil
	}
}

// spent is what each run of a tree has used, by the id.
func spent(t testing.TB, e *Engine, db store.Store, root string) map[string]string {
	t.Helper()
	got := map[string]string{}
	for id := range whole(t, e, db, root) {
		got[id] = ""
		for _, c := range get(t, e, id).Costs {
			got[id] += c.Name + " " + c.Spent
		}
		if err := e.Replay(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if left, err := db.Reports(t.Context(), store.ReportQuery{}); err != nil || len(left) > 0 {
		t.Errorf("not told: %+v, %v", left, err)
	}
	return got
}

// TestCostsOfTrees: what a run below has used counts once for each run above it.
func TestCostsOfTrees(t *testing.T) {
	onEachStore(t, func(t *testing.T, db store.Store, _ *Engine, _ *ManualClock) {
		w := nights(t, db, usd("0.07"))
		defer w.stop()
		startNight(t, w.Engine)
		if v := await(t, w.Engine, "n"); v.State != "Done" || len(v.Costs) != 1 || v.Costs[0].Spent != "0.7" {
			t.Errorf("%s %+v", v.State, v.Costs)
		}
		got := spent(t, w.Engine, db, "n")
		if got["n/Going.b.1.1"] != "usd 0.7" || got["n/Going.b.1.1/All.j.1.1[3]"] != "usd 0.07" || len(got) != 12 {
			t.Error(slices.Sorted(maps.Keys(got)), got)
		}
		const job = "n/Going.b.1.1/All.j.1.1[3]"
		err := NewEngine(&tamper{db, func(row *RunRow) {
			if row.Run == job {
				row.Snapshot = json.RawMessage(strings.Replace(string(row.Snapshot), `"0.07"`, `"0.08"`, 1))
			}
		}}).Replay(t.Context(), "n/Going.b.1.1")
		if err == nil || !strings.Contains(err.Error(), `the run "`+job+`" has used 0.08 usd, and its parent was told 0.07`) {
			t.Error(err)
		}
		stats, err := w.Stats(t.Context(), StatsQuery{})
		if err != nil || len(stats.Costs) != 1 || stats.Costs[0].Machine != "Job" || stats.Costs[0].Spent != "0.7" {
			t.Errorf("%+v, %v: each cost is counted where it was spent", stats.Costs, err)
		}
	})
}

// TestCostsWithTheEnd: where no run above is held to a budget, a child costs no write more than its end.
func TestCostsWithTheEnd(t *testing.T) {
	onEachStore(t, func(t *testing.T, db store.Store, _ *Engine, _ *ManualClock) {
		w := nights(t, db, usd("0.07"))
		defer w.stop()
		must(t, errOf(w.Start(t.Context(), "Batch", "n", json.RawMessage(listOf(10)))))
		if v := await(t, w.Engine, "n"); v.State != "Ready" || len(v.Costs) != 1 || v.Costs[0].Spent != "0.7" || v.Seq != 12 {
			t.Errorf("%+v", v)
		}
		spent(t, w.Engine, db, "n")
	})
}

// TestTreeOverBudget: a run above is told on the way, and stops what is below it. What attempts
// have used that are stopped with that counts, too, whatever has ended by then.
func TestTreeOverBudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db := memstore.New()
		w := nights(t, db, func(ctx context.Context, a *Attempt) (Result, error) {
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
			return usd("0.3")(ctx, a)
		})
		defer w.stop()
		startNight(t, w.Engine)
		began := time.Now()
		inState(t, await(t, w.Engine, "n"), "Stopped")
		if took := time.Since(began); took != 2*time.Minute { // two a minute, so that 1.2 usd are used then
			t.Errorf("it took %s", took)
		}
		time.Sleep(time.Minute)
		got := spent(t, w.Engine, db, "n")
		sum := "0"
		for id, amount := range got {
			if below := id != "n" && id != "n/Going.b.1.1"; below && amount != "" {
				sum = machine.AddAmounts(sum, amount[len("usd "):])
			}
		}
		if got["n"] != "usd "+sum || got["n/Going.b.1.1"] != "usd "+sum || sum < "1.2" || sum > "1.8" {
			t.Error(got, sum)
		}
	})
}

// TestSilenceOfTrees: what an attempt declares that reports nothing counts for the runs above
// that are held to it, and so does that of one which is left behind when its run ends.
func TestSilenceOfTrees(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db := memstore.New()
		left := make(chan struct{})
		w := nights(t, db, func(ctx context.Context, a *Attempt) (Result, error) {
			if a.Run != "n/Going.b.1.1/All.j.1.1[1]" {
				return found, nil
			}
			<-ctx.Done() // and it takes its time
			<-left
			return usd("0.25")(ctx, a)
		})
		defer w.stop()
		startNight(t, w.Engine)
		synctest.Wait()
		cancelled, err := w.Cancel(t.Context(), "n/Going.b.1.1/All.j.1.1[1]", CancelOptions{})
		if err != nil || cancelled.Status != Finished || len(cancelled.Costs) != 1 || cancelled.Costs[0].Spent != "0.1" {
			t.Fatalf("%+v, %v", cancelled.Costs, err)
		}
		if v := await(t, w.Engine, "n"); v.State != "Done" || v.Costs[0].Spent != "1" {
			t.Errorf("%s %+v", v.State, v.Costs)
		}
		close(left)
		time.Sleep(time.Minute)
		got := spent(t, w.Engine, db, "n")
		if got["n"] != "usd 1.15" || got["n/Going.b.1.1"] != "usd 1.15" || got["n/Going.b.1.1/All.j.1.1[1]"] != "usd 0.25" {
			t.Error(got)
		}
	})
}

// TestTreeHalts: where nothing takes over_budget the run above is halted, and counts what is used
// meanwhile; an operator lets it go on without.
func TestTreeHalts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db := memstore.New()
		machines := spends(t)
		machines[2] = Build(t, Named("Night"), WithParams("parts [0..1000]string"), Calling(machines[1]), WithCosts("Batch", "usd 0"), WithCosts("", "usd 1"),
			WithState("Going", Doing("Batch", []string{"parts"}, "as b"), On("b.Ready", GoTo("Closing")), On("b.failed", GoTo("Failed"))),
			WithState("Closing", On("over_budget", GoTo("Failed")), On("done", GoTo("Done"))),
			WithTerminal("Done", machine.Success), WithTerminal("Failed", machine.Failed))
		e := NewEngine(db)
		register(t, e, machines[0], Handlers{Activities: map[string]ActivityFunc{"work": func(ctx context.Context, a *Attempt) (Result, error) {
			time.Sleep(time.Minute)
			return usd("0.3")(ctx, a)
		}}})
		register(t, e, machines[1], Handlers{})
		register(t, e, machines[2], Handlers{})
		w := run(t, e)
		defer w.stop()
		startNight(t, w.Engine)
		time.Sleep(150 * time.Second)
		v := get(t, w.Engine, "n")
		if v.Status != Halted || v.Costs[0].Spent != "1.2" {
			t.Fatalf("%s in %s, %+v", v.Status, v.State, v.Costs)
		}
		time.Sleep(10 * time.Minute)
		if v = get(t, w.Engine, "n"); v.Status != Halted || v.Costs[0].Spent < "2.4" { // the rest comes with the child's end
			t.Fatalf("%s in %s, %+v", v.Status, v.State, v.Costs)
		}
		must(t, errOf(w.RetryOverBudget(t.Context(), "n", Operator{})))
		if v := await(t, w.Engine, "n"); v.State != "Done" || v.Costs[0].Spent != "3" {
			t.Errorf("%s %+v", v.State, v.Costs)
		}
		spent(t, w.Engine, db, "n")
	})
}

// TestTreePaused: what comes while a tree is paused counts at once, and over_budget comes when it
// resumes.
func TestTreePaused(t *testing.T) {
	onEachStore(t, func(t *testing.T, db store.Store, _ *Engine, _ *ManualClock) {
		begun, goOn := make(chan struct{}, 20), make(chan struct{})
		w := nights(t, db, func(ctx context.Context, a *Attempt) (Result, error) {
			begun <- struct{}{}
			<-goOn
			return usd("0.6")(ctx, a)
		})
		defer w.stop()
		startNight(t, w.Engine)
		<-begun
		<-begun
		must(t, errOf(w.Pause(t.Context(), "n", Operator{})))
		close(goOn)
		for v := get(t, w.Engine, "n"); len(v.Costs) == 0 || v.Costs[0].Spent != "1.2"; v = get(t, w.Engine, "n") {
			if v.State != "Going" {
				t.Fatal(v.State)
			}
			time.Sleep(time.Millisecond)
		}
		must(t, errOf(w.Resume(t.Context(), "n", Operator{})))
		inState(t, await(t, w.Engine, "n"), "Stopped")
	})
}

// deaf is a store whose keepers hear of nothing that children have used.
type deaf struct{ store.Store }

func (d deaf) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	work, err := d.Store.Look(ctx, q)
	work.Reports = nil
	return work, err
}

// TestNoAttemptBelowPastBudget: what a run has used is known to all runs above it before its next
// attempt begins, whether a keeper has told it or not. So below a run that is held to 1 usd no attempt
// begins when four have used 0.3 each, and none before is kept from it.
func TestNoAttemptBelowPastBudget(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			var made atomic.Int64
			stopsAtFour(t, deaf{open(t)}, &made)
		})
	}
}

// TestCleansUpPastBudget: a run that is cancelled, since the one above it has passed its budget, makes the attempts of
// its cleaning up.
func TestCleansUpPastBudget(t *testing.T) {
	low := Build(t, Named("Low"), WithActivity("work", "", "", ""), WithActivity("refund", "", "", ""), WithCosts("work", "usd 0.1"), WithCosts("refund", "usd 0.1"),
		WithState("Working", Doing("work", nil), On("done", GoTo("Fine")), On("cancel", GoTo("Refunding")),
			On("failed", Retry(9, WithBackoff("1ms", "1ms", 2, 0)), GoTo("Fine"))),
		WithState("Refunding", Doing("refund", nil), On("done", GoTo("Fine")), On("failed", GoTo("Fine"))),
		WithTerminal("Fine", machine.Success))
	top := Build(t, Named("Top"), Calling(low), WithCosts("Low", "usd 0"), WithCosts("", "usd 1"),
		WithState("Going", Doing("Low", nil, "as l"), On("l.Fine", GoTo("Done")), On("l.failed", GoTo("Done")), On("over_budget", GoTo("Stopped"))),
		WithTerminal("Done", machine.Success), WithTerminal("Stopped", machine.Failed))
	var refunds atomic.Int64
	e := NewEngine(stores["memory"](t))
	register(t, e, low, Handlers{Activities: map[string]ActivityFunc{
		"work": func(_ context.Context, a *Attempt) (Result, error) {
			a.Spend("usd", "0.6")
			return Result{}, errors.New("again")
		},
		"refund": func(context.Context, *Attempt) (Result, error) { refunds.Add(1); return Result{}, nil },
	}})
	register(t, e, top, Handlers{})
	w := run(t, e)
	defer w.stop()
	must(t, errOf(w.Start(t.Context(), "Top", "n", nil)))
	inState(t, await(t, w.Engine, "n"), "Stopped")
	if n := refunds.Load(); n != 1 {
		t.Errorf("%d refunds were made", n)
	}
}

// TestGrandchildCleansUpPastBudget: where the grandchild has been cancelled with the run between at the moment at which
// the top passes its budget, what it does to clean up is done, and counts, and the runs end from below.
func TestGrandchildCleansUpPastBudget(t *testing.T) {
	bubble(t, func(t *testing.T) {
		low := Build(t, Named("Low"), WithActivity("work", "", "", ""), WithActivity("refund", "", "", ""), WithCosts("work", "usd 0.1"), WithCosts("refund", "usd 0.1"),
			WithState("Working", Doing("work", nil), On("done", GoTo("Fine")), On("failed", GoTo("Fine")), On("cancel", GoTo("Refunding"))),
			WithState("Refunding", Doing("refund", nil), On("done", GoTo("Fine")),
				On("failed", Retry(9, WithBackoff("1s", "1s", 2, 0)), GoTo("Fine"))),
			WithTerminal("Fine", machine.Success))
		middle := Build(t, Named("Middle"), Calling(low),
			WithState("Going", Doing("Low", nil, "as l"), On("l.Fine", GoTo("Ready")), On("l.failed", GoTo("Ready"))),
			WithTerminal("Ready", machine.Success))
		top := Build(t, Named("Top"), Calling(middle), WithCosts("Middle", "usd 0"), WithCosts("", "usd 1"),
			WithState("Going", Doing("Middle", nil, "as m"), On("m.Ready", GoTo("Done")), On("m.failed", GoTo("Done")), On("over_budget", GoTo("Stopped"))),
			WithTerminal("Done", machine.Success), WithTerminal("Stopped", machine.Failed))
		db, refunds := memstore.New(), 0
		e := NewEngine(db)
		register(t, e, low, Handlers{Activities: map[string]ActivityFunc{
			"work": func(ctx context.Context, a *Attempt) (Result, error) {
				a.Spend("usd", "0.2")
				<-ctx.Done()
				return Result{}, context.Cause(ctx)
			},
			"refund": func(_ context.Context, a *Attempt) (Result, error) {
				refunds++
				a.Spend("usd", "0.6")
				time.Sleep(time.Second)
				if refunds < 3 {
					return Result{}, errors.New("again") // with the second the top has passed its budget
				}
				return Result{}, nil
			},
		}})
		register(t, e, middle, Handlers{})
		register(t, e, top, Handlers{})
		w := run(t, e)
		defer w.stop()
		must(t, errOf(w.Start(t.Context(), "Top", "n", nil)))
		time.Sleep(time.Second)
		const below = lowest
		must(t, errOf(w.Cancel(t.Context(), below, CancelOptions{})))
		time.Sleep(time.Minute)
		for run, state := range map[string]string{"n": "Stopped", below: "Fine"} {
			v := get(t, w.Engine, run)
			if inState(t, v, state); v.Status != Finished {
				t.Errorf("%s is %s", run, v.Status)
			}
		}
		if v := get(t, w.Engine, between); v.Status != Finished {
			t.Errorf("the run between is %s in %s", v.Status, v.State)
		}
		got := spent(t, w.Engine, db, "n")
		if refunds != 3 || got["n"] != "usd 2" || got[between] != "usd 2" || got[below] != "usd 2" {
			t.Errorf("after %d refunds: %v", refunds, got)
		}
	})
}
