package runtime_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// stopsAtFour runs a run that is held to 1 usd, and one below it between it and one whose attempts, which are counted
// in made, use 0.3 usd each.
func stopsAtFour(t *testing.T, db store.Store, made *atomic.Int64) {
	t.Helper()
	low := Build(t, Named("Low"), WithActivity("work", "", "", ""), WithCosts("work", "usd 0.1"),
		WithState("Working", Doing("work", nil), On("done", GoTo("Fine")),
			On("failed", Retry(9, WithBackoff("1ms", "1ms", 2, 0)), GoTo("Fine"))),
		WithTerminal("Fine", machine.Success))
	middle := Build(t, Named("Middle"), Calling(low),
		WithState("Going", Doing("Low", nil, "as l"), On("l.Fine", GoTo("Ready")), On("l.failed", GoTo("Ready"))),
		WithTerminal("Ready", machine.Success))
	top := Build(t, Named("Top"), Calling(middle), WithCosts("Middle", "usd 0"), WithCosts("", "usd 1"),
		WithState("Going", Doing("Middle", nil, "as m"), On("m.Ready", GoTo("Done")), On("m.failed", GoTo("Done")),
			On("over_budget", GoTo("Stopped"))),
		WithTerminal("Done", machine.Success), WithTerminal("Stopped", machine.Failed))
	e := NewEngine(db)
	register(t, e, low, Handlers{Activities: map[string]ActivityFunc{"work": func(_ context.Context, a *Attempt) (Result, error) {
		made.Add(1)
		a.Spend("usd", "0.3")
		return Result{}, errors.New("again")
	}}})
	register(t, e, middle, Handlers{})
	register(t, e, top, Handlers{})
	w := run(t, e)
	defer w.stop()
	must(t, errOf(w.Start(t.Context(), "Top", "n", nil)))
	inState(t, await(t, w.Engine, "n"), "Stopped")
	if n := made.Load(); n != 4 {
		t.Errorf("%d attempts were made", n)
	}
}

// stale is a store in which, before what is read of the lowest of three runs after its fourth attempt is used, the one
// above it has taken its cancel, and not earlier. Nobody cancels the lowest before a second more has passed.
type stale struct {
	store.Store
	made              *atomic.Int64
	waited, cancelled atomic.Bool
}

const between, lowest = "n/Going.m.1.1", "n/Going.m.1.1/Going.l.1.1"

func (s *stale) TaskOf(ctx context.Context, run string) (store.TaskRow, error) {
	task, err := s.Store.TaskOf(ctx, run)
	if run != lowest || s.made.Load() < 4 || s.waited.Swap(true) {
		return task, err
	}
	defer time.AfterFunc(time.Second, func() { s.cancelled.Store(true) })
	for {
		if row, err := s.Load(ctx, between); err != nil || row.Status != Running {
			return task, err
		}
		time.Sleep(time.Millisecond)
	}
}

func (s *stale) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	work, err := s.Store.Look(ctx, q)
	if !s.waited.Load() {
		work.Reports = nil
	}
	work.Leftovers = slices.DeleteFunc(work.Leftovers, func(t store.TaskRow) bool { return t.Child == lowest && !s.cancelled.Load() })
	return work, err
}

// TestCancelledMeanwhile: no attempt begins below a run that has moved on as the runs above the attempt were asked
// one after the other, so that the one between has been cancelled, and the lowest has not.
func TestCancelledMeanwhile(t *testing.T) {
	bubble(t, func(t *testing.T) {
		made := new(atomic.Int64)
		db := &stale{Store: memstore.New(), made: made}
		stopsAtFour(t, db, made)
		if !db.waited.Load() {
			t.Error("nobody has asked for the task of the lowest run: the test sees nothing")
		}
	})
}
