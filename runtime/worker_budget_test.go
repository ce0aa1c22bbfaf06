package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// enforcedJob is a job that declares 0.4 usd an attempt and is held to 1; over_budget is what
// `Stop` is, where taken says so, and else halts the run.
func enforcedJob(t testing.TB, taken bool) *machine.Machine {
	t.Helper()
	plain := job(t, nil, On1("Found", "Working"), On1("failed", "Broken"))
	d, err := machine.ParseDefinition(plain.Definition().Encode())
	must(t, err)
	d.Budget = &machine.Budget{Costs: []machine.Cost{{Name: "usd", Amount: "1"}}}
	d.Activities[0].Costs = []machine.Cost{{Name: "usd", Amount: "0.4"}}
	for i := range d.States {
		s := &d.States[i]
		for _, h := range s.Handlers {
			if h.Kind == machine.EventInput && d.Events[h.Event].Name == "Stop" && (s.Path == "Working") == taken {
				h.Kind, h.Event, h.Cost = machine.OverBudgetInput, -1, "usd"
				s.Handlers = append(s.Handlers, h)
			}
		}
	}
	m, err := machine.Compile(d)
	must(t, err)
	return m
}

// TestOneAttemptWithinBudget: the step with which an attempt begins is not the one that
// RunOnce waits for, and an attempt past the budget is not made.
func TestOneAttemptWithinBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, calls := NewEngine(memstore.New()), 0
		register(t, e, enforcedJob(t, true), Handlers{Activities: map[string]ActivityFunc{"work": func(_ context.Context, a *Attempt) (Result, error) {
			calls++
			time.Sleep(time.Minute) // longer than a worker waits for it when it is to stop
			return Result{Event: "Found", Data: json.RawMessage(`{"n":1}`), Cost: map[string]json.Number{"usd": "0.35"}}, nil
		}}})
		begin(t, e, "r")
		for range 2 {
			if v, err := e.RunOnce(t.Context(), "r"); err != nil || v.State != "Working" {
				t.Fatal(v, err)
			}
		}
		v, err := e.RunOnce(t.Context(), "r") // 0.7 and 0.4 are more than 1
		if err != nil || v.State != "Stopped" || calls != 2 || v.Costs[0].Spent != "0.7" || !v.Costs[0].Passed {
			t.Errorf("%+v, %v, %d calls", v, err, calls)
		}
		wantLines(t, e, "r", "start>Idle Go>Working begin>Working Found>Working begin>Working Found>Working begin>Working over_budget(usd)>Stopped")
	})
}

// TestSpendingStopsAnAttempt: what is spent before a checkpoint counts with it, and stops the
// attempt that says so, whose late words count as well.
func TestSpendingStopsAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told error
		w := work(t, memstore.New(), enforcedJob(t, true), func(ctx context.Context, a *Attempt) (Result, error) {
			if err := errors.Join(a.Spend("usd", "0.5"), a.Progress(1), a.Spend("usd", "50")); err != nil {
				t.Error(err)
			}
			told = a.Progress(2)
			<-ctx.Done()
			return Result{Event: "Found", Data: json.RawMessage(`{"n":1}`), Cost: map[string]json.Number{"usd": "3"}}, nil
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		v := await(t, w.Engine, "r")
		synctest.Wait()
		if v = get(t, w.Engine, "r"); v.State != "Stopped" || v.Costs[0].Spent != "53.5" || !errors.Is(told, ErrMoved) {
			t.Errorf("%+v, %v", v, told)
		}
		wantLines(t, w.Engine, "r", "start>Idle Go>Working begin>Working spent>Working spent>Working over_budget(usd)>Stopped late Found>Stopped")
	})
}

// TestHaltedByBudget: where nothing takes over_budget the run halts; what its attempt says
// meanwhile is kept for later, and it goes on when an operator allows that.
func TestHaltedByBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		w := work(t, memstore.New(), enforcedJob(t, false), func(_ context.Context, a *Attempt) (Result, error) {
			if calls++; calls == 1 {
				return Result{}, errors.Join(a.Spend("usd", "2"), a.Progress(1), a.Spend("usd", "1"), a.Progress(2), Fail("flaky", ""))
			}
			return Result{}, Fail("flaky", "")
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		v := await(t, w.Engine, "r")
		synctest.Wait()
		if v.Halt == nil || v.Halt.Input != "over_budget(usd)" || !strings.Contains(problems(t, w.Engine, HealthQuery{}), "over_budget(usd)") {
			t.Fatalf("%+v", v)
		}
		must(t, errOf(w.RetryOverBudget(t.Context(), "r", Operator{Actor: "ada", Reason: "the client pays"})))
		steps, err := w.History(t.Context(), "r", 0, 0)
		must(t, err)
		for i := range steps {
			if steps[i].AllowOverBudget != (steps[i].Kind == machine.RetryInput) {
				t.Errorf("%+v", steps[i])
			}
		}
		v = await(t, w.Engine, "r")
		if v.State != "Broken" || v.Costs[0].Spent != "3.4" {
			t.Errorf("%+v, %d calls", v, calls)
		}
		if _, err := w.RetryOverBudget(t.Context(), "r", Operator{}); err == nil {
			t.Error("a run that nothing has halted is let go on")
		}
	})
}

// dying is the store of a worker that claims one task, and loses the notes of one kind, as its death
// would.
type dying struct {
	store.Store
	loses   InputKind
	claimed bool
}

func (d *dying) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	if d.claimed {
		return nil, nil
	}
	rows, err := d.Store.Claim(ctx, q)
	d.claimed = len(rows) > 0
	return rows, err
}

func (d *dying) Commit(ctx context.Context, c *store.Commit) error {
	if slices.ContainsFunc(c.History, func(h store.HistoryRow) bool { return h.Kind == d.loses }) {
		return ErrFenced
	}
	return d.Store.Commit(ctx, c)
}

// TestLostAttemptCounts: what an attempt declares whose worker is lost counts before the next one begins,
// also where who had found it lost has died with the note. So two attempts of 0.4 usd are made of 1, not three.
// One that is released without having used anything counts nothing.
func TestLostAttemptCounts(t *testing.T) {
	for name, c := range map[string]struct {
		first error
		spent string
		calls int
	}{
		"lost":     {ErrWorkerLost, "0.8", 2},
		"declined": {Decline("later"), "0.8", 3},
	} {
		for _, worker := range []string{"a", "b"} { // who makes the first attempt, and who the others
			t.Run(name+" "+worker, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					db, calls := memstore.New(), 0
					open := func(s store.Store, worker string) *Engine {
						e := NewEngine(s, WithWorker(worker))
						register(t, e, enforcedJob(t, true), Handlers{Activities: map[string]ActivityFunc{"work": func(_ context.Context, _ *Attempt) (Result, error) {
							if calls++; calls == 1 {
								return Result{}, c.first
							}
							return Result{Event: "Found", Data: json.RawMessage(`{"n":1}`)}, nil
						}}})
						return e
					}
					first := run(t, open(&dying{Store: db, loses: machine.LostInput}, "a"))
					begin(t, first.Engine, "r")
					synctest.Wait()
					first.stop()
					w := run(t, open(db, worker))
					defer w.stop()
					if v := await(t, w.Engine, "r"); v.State != "Stopped" || calls != c.calls || v.Costs[0].Spent != c.spent {
						t.Errorf("%s, %d calls, %+v", v.State, calls, v.Costs)
					}
				})
			})
		}
	}
}

// preceded is the store of a worker whose first commit of a kind another process is before.
type preceded struct {
	store.Store
	kind   InputKind
	before func()
}

func (o *preceded) Commit(ctx context.Context, c *store.Commit) error {
	if before := o.before; before != nil && slices.ContainsFunc(c.History, func(h store.HistoryRow) bool { return h.Kind == o.kind }) {
		o.before = nil
		before()
	}
	return o.Store.Commit(ctx, c)
}

// TestPausedBeforeItBegins: an attempt that was to begin when another process paused its run is released, and
// begins when another process has resumed it.
func TestPausedBeforeItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, m := memstore.New(), enforcedJob(t, true)
		other := NewEngine(db)
		register(t, other, m, Handlers{})
		o := &preceded{Store: db, kind: machine.BeginInput, before: func() { must(t, errOf(other.Pause(t.Context(), "r", ada))) }}
		w := work(t, o, m, func(context.Context, *Attempt) (Result, error) { return Result{}, Fail("flaky", "") })
		defer w.stop()
		begin(t, w.Engine, "r")
		time.Sleep(time.Minute)
		if tasks, err := db.Tasks(t.Context(), "r"); err != nil || len(tasks) != 1 || tasks[0].Worker != "" {
			t.Errorf("%+v, %v", tasks, err)
		}
		must(t, errOf(other.Resume(t.Context(), "r", ada)))
		time.Sleep(time.Minute)
		inState(t, get(t, w.Engine, "r"), "Broken")
	})
}
