//go:build cgo

package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// onEachStore runs a test with an engine that lives by a clock that stands
// still, over each kind of store.
func onEachStore(t *testing.T, test func(t *testing.T, store store.Store, e *Engine, clock *ManualClock)) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			clock := NewManualClock(time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC))
			test(t, store, NewEngine(store, WithClock(clock)), clock)
		})
	}
}

// claimWork takes the one task that is ready, as a worker in another process.
func claimWork(t *testing.T, store store.Store, m *machine.Machine, clock Clock) store.Claim {
	t.Helper()
	rows := claimable(t, store, m, clock)
	if len(rows) != 1 {
		t.Fatalf("%d tasks are ready", len(rows))
	}
	return rows[0].Claim()
}

func claimable(t *testing.T, db store.Store, m *machine.Machine, clock Clock) []store.TaskRow {
	t.Helper()
	rows, err := db.Claim(t.Context(), store.ClaimQuery{
		Worker: "elsewhere", Now: clock.Now(), Until: clock.Now().Add(24 * time.Hour), Limit: 10,
		Activities: []store.Claimable{{Definition: m.Hash(), Activity: "work"}},
	})
	must(t, err)
	return rows
}

func TestPauseAndResume(t *testing.T) {
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		m := job(t, nil, On("Found", GoTo("Done", Set("n", "event.n"))), On1("failed", "Broken"),
			After("1h", GoTo("Broken")))
		register(t, e, m, Handlers{})
		begin(t, e, "r")
		v, err := e.Pause(t.Context(), "r", ada)
		if err != nil || !v.Paused {
			t.Fatalf("%+v, %v", v, err)
		}
		if rows := claimable(t, store, m, clock); len(rows) != 0 {
			t.Errorf("a paused run hands out %+v", rows)
		}
		clock.Advance(2 * time.Hour)
		if rows, err := store.Due(t.Context(), clock.Now(), 0); err != nil || len(rows) != 0 {
			t.Errorf("timers of a paused run fire: %+v, %v", rows, err)
		}
		if v := send(t, e, "r", "Stop", ""); v.State != "Working" || fmt.Sprint(v.Queued) != "[Stop]" {
			t.Errorf("%+v", v)
		}
		if v, err = e.Resume(t.Context(), "r", ada); err != nil || v.State != "Stopped" || v.Paused {
			t.Errorf("%+v, %v", v, err)
		}
		wantLines(t, e, "r", "start>Idle Go>Working pause>Working Stop>Working resume>Working Stop>Stopped")
		steps, err := e.History(t.Context(), "r", 2, 1)
		if err != nil || steps[0].Actor != "ada" || steps[0].Reason != "because" || steps[0].Effect != machine.Paused {
			t.Errorf("%+v, %v", steps, err)
		}
		if _, err := e.Pause(t.Context(), "r", ada); !errors.Is(err, machine.ErrFinished) {
			t.Error(err)
		}

		begin(t, e, "s") // the timer goes on where it stood
		must(t, errOf(e.Pause(t.Context(), "s", ada)))
		clock.Advance(5 * time.Hour)
		if v, err = e.Resume(t.Context(), "s", ada); err != nil || !v.Timers[0].Due.Equal(clock.Now().Add(time.Hour)) {
			t.Errorf("%+v, %v", v, err)
		}
		claimWork(t, store, m, clock)
	})
}

// TestPauseLetsAttemptsGoOn pauses a run in the middle of an attempt: its result
// waits.
func TestPauseLetsAttemptsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, nil, On("Found", GoTo("Done", Set("n", "event.n"))), On1("failed", "Broken"))
		w := work(t, memstore.New(), m, func(ctx context.Context, _ *Attempt) (Result, error) {
			time.Sleep(time.Minute)
			return found, ctx.Err()
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		synctest.Wait()
		must(t, errOf(w.Pause(t.Context(), "r", ada)))
		time.Sleep(time.Hour)
		if v := get(t, w.Engine, "r"); v.State != "Working" || fmt.Sprint(v.Queued) != "[Found]" || w.seen.String() != "work#1 result" {
			t.Errorf("%+v, %s", v, w.seen)
		}
		if v, err := w.Resume(t.Context(), "r", ada); err != nil || v.State != "Done" {
			t.Errorf("%+v, %v", v, err)
		}
		wantLines(t, w.Engine, "r", "start>Idle Go>Working pause>Working Found>Working resume>Working Found>Done")
	})
}

func TestCheckpointsKeepARunBusy(t *testing.T) {
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"), After("10m", "idle", GoTo("Broken")))
		register(t, e, m, Handlers{})
		begin(t, e, "r")
		claim := claimWork(t, store, m, clock)
		progress := func() {
			t.Helper()
			must(t, errOf(store.Renew(t.Context(), claim, clock.Now(), clock.Now().Add(24*time.Hour), json.RawMessage(`{"row":1}`))))
		}
		for range 20 { // many checkpoints, and few lines
			clock.Advance(time.Minute)
			progress()
		}
		if v := get(t, e, "r"); !v.Timers[0].Due.Equal(clock.Now().Add(10 * time.Minute)) {
			t.Errorf("the timer is shown as due at %s", v.Timers[0].Due)
		}
		must(t, errOf(e.RunOnce(t.Context(), "r")))
		wantLines(t, e, "r", "start>Idle Go>Working progress>Working")
		clock.Advance(10*time.Minute - 1)
		soon, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		if v, err := e.RunUntilIdle(soon, "r"); !errors.Is(err, context.DeadlineExceeded) || v.State != "Working" {
			t.Errorf("%+v, %v", v, err)
		}
		clock.Advance(time.Microsecond)
		if v, err := e.RunOnce(t.Context(), "r"); err != nil || v.State != "Broken" {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

func TestComplete(t *testing.T) {
	onEachStore(t, func(t *testing.T, db store.Store, e *Engine, clock *ManualClock) {
		m := job(t, nil, On("Found", GoTo("Done", Set("n", "event.n"))), On1("failed", "Broken"))
		register(t, e, m, Handlers{})
		begin(t, e, "r")
		claim := claimWork(t, db, m, clock)
		complete := func(activity, event, data string) (machine.View, error) {
			return e.Complete(t.Context(), "r", machine.Completion{Activity: activity, Event: event, Data: json.RawMessage(data), Operator: ada})
		}
		for _, c := range []struct{ activity, event, data, want string }{
			{"wrok", "Found", `{"n":1}`, `activity "wrok" is not open there, expected "work" (did you mean "work"?)`},
			{"work", "", "", "it names no event, expected \"Found\""},
			{"work", "Go", "", `does not raise "Go"`},
			{"work", "Found", `{"n":"x"}`, `field "n": expected int`},
		} {
			_, err := complete(c.activity, c.event, c.data)
			if !errors.As(err, new(*machine.Rejected)) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "complete is refused") {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if v, err := complete("work", "Found", `{"n":9}`); err != nil || v.State != "Done" || string(v.Data) != `{"n":9}` {
			t.Errorf("%+v, %v", v, err)
		}
		if cancelled, err := db.Renew(t.Context(), claim, clock.Now(), clock.Now().Add(time.Minute), nil); err != nil || !cancelled {
			t.Errorf("its worker is not told to stop: %t, %v", cancelled, err)
		}
		row, err := db.Load(t.Context(), "r")
		must(t, err)
		if err := db.Commit(t.Context(), &store.Commit{Run: row, Expect: row.Seq, Claim: &claim}); !errors.Is(err, machine.ErrFenced) {
			t.Errorf("its worker is not fenced off: %v", err)
		}
		steps, err := e.History(t.Context(), "r", 2, 1)
		if err != nil || steps[0].Actor != "ada" || steps[0].Reason != "because" || steps[0].Input != "Found" {
			t.Errorf("%+v, %v", steps, err)
		}
		if _, err := complete("work", "Found", `{"n":9}`); !errors.Is(err, machine.ErrFinished) {
			t.Error(err)
		}
		lines(t, e, "r")
	})
}

func TestRetryOfFailedRun(t *testing.T) {
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"), After("1h", GoTo("Broken")))
		register(t, e, m, Handlers{})
		begin(t, e, "r")
		claimWork(t, store, m, clock)
		clock.Advance(time.Hour)
		v, err := e.Retry(t.Context(), "r", ada)
		if err != nil || v.State != "Working" || v.Status != machine.Running || len(v.Timers) != 1 || len(v.Activities) != 1 {
			t.Fatalf("%+v, %v", v, err)
		}
		wantLines(t, e, "r", "start>Idle Go>Working after 1h>Broken retry>Working")
		if rows := claimable(t, store, m, clock); len(rows) != 0 {
			t.Errorf("the attempt of before has not stopped, and %+v starts", rows)
		}
		clock.Advance(24 * time.Hour) // its lease runs out, and so does the timer
		if _, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Stop"}); !errors.Is(err, machine.ErrFinished) {
			t.Error(err)
		}
		if v, err = e.Retry(t.Context(), "r", ada); err != nil || v.State != "Working" {
			t.Errorf("%+v, %v", v, err)
		}
		claimWork(t, store, m, clock)
	})
}

// TestCostsAreSummed counts what attempts report, whatever became of them.
func TestCostsAreSummed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, nil, On1("Found", "Done"), On("failed", Retry(5, WithBackoff("1s", "1s", 1, 0)), GoTo("Broken")))
		w := work(t, memstore.New(), m, func(ctx context.Context, a *Attempt) (Result, error) {
			cost := map[string]json.Number{"tokens": "1000", "usd": "0.1"}
			switch {
			case a.Run == "late":
				<-ctx.Done()
			case a.Number < 3:
				return Result{}, &Failure{Category: "flaky", Message: "no", Cost: cost}
			}
			return Result{Event: "Found", Data: found.Data, Cost: cost}, nil
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		v := await(t, w.Engine, "r")
		if got := fmt.Sprint(v.Costs); v.State != "Done" || got != "[{tokens 3000  false  false} {usd 0.3  false  false}]" {
			t.Errorf("%s in %s", got, v.State)
		}
		steps, err := w.History(t.Context(), "r", 2, 0)
		must(t, err)
		for _, s := range steps {
			if fmt.Sprint(s.Costs) != "[{tokens 1000  false  false} {usd 0.1  false  false}]" || s.Worker == "" {
				t.Errorf("%+v", s)
			}
		}
		begin(t, w.Engine, "late")
		synctest.Wait()
		must(t, errOf(w.Cancel(t.Context(), "late", CancelOptions{})))
		if v := get(t, w.Engine, "late"); fmt.Sprint(v.Costs) != "[{tokens 1000  false  false} {usd 0.1  false  false}]" {
			t.Errorf("%+v", v.Costs)
		}
		wantLines(t, w.Engine, "late", "start>Idle Go>Working cancel>Working late Found>Working")
	})
}

// TestSpend counts what an attempt notes on its way, however it ends, and nothing of it
// twice.
func TestSpend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, []string{"timeout 1m"}, On1("Found", "Done"), On("failed(unknown), failed(timeout), failed(flaky)", Retry(5, WithBackoff("1s", "1s", 1, 0)), GoTo("Broken")))
		w := work(t, memstore.New(), m, func(ctx context.Context, a *Attempt) (Result, error) {
			for _, amount := range []json.Number{"0.1", "0.2"} {
				if err := a.Spend("usd", amount); err != nil {
					t.Error(err)
				}
			}
			if a.Spend("usd", "-1") == nil || a.Spend("usd", "much") == nil || a.Spend("not a name", "1") == nil {
				t.Error("noted")
			}
			switch a.Number {
			case 1:
				return Result{}, errors.New("a plain error")
			case 2:
				return Result{}, &Failure{Category: "flaky", Cost: map[string]json.Number{"usd": "1", "tokens": "7"}}
			case 3:
				<-ctx.Done() // out of time; what comes after that is late
				_ = a.Spend("usd", "10")
				return Result{}, ctx.Err()
			}
			return Result{Event: "Found", Data: found.Data, Cost: map[string]json.Number{"usd": "1"}}, nil
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		v := await(t, w.Engine, "r")
		if got := fmt.Sprint(v.Costs); v.State != "Done" || got != "[{tokens 7  false  false} {usd 13.2  false  false}]" {
			t.Errorf("%s in %s", got, v.State)
		}
	})
}

// TestReleasedIsSpent: what an attempt has used before it is released, or before
// its worker stops, is a line of history and counts.
func TestReleasedIsSpent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"))
		calls := 0
		activity := func(ctx context.Context, a *Attempt) (Result, error) {
			if err := a.Spend("usd", "0.5"); err != nil || a.Number != 1 {
				t.Error(err, a.Number)
			}
			switch calls++; calls {
			case 1:
				return Result{}, Decline("busy")
			case 2:
				<-ctx.Done()
				return Result{}, ctx.Err()
			case 3:
				return Result{}, ErrWorkerLost
			}
			return found, nil
		}
		first := work(t, store, m, activity)
		begin(t, first.Engine, "r")
		time.Sleep(2 * time.Second) // it has been released, and taken again
		first.stop()
		second := work(t, store, m, activity)
		defer second.stop()
		if v := await(t, second.Engine, "r"); v.State != "Done" || fmt.Sprint(v.Costs) != "[{usd 2  false  false}]" {
			t.Errorf("%+v", v)
		}
		wantLines(t, second.Engine, "r", "start>Idle Go>Working released>Working released>Working late lost>Working lost>Working Found>Done")
		steps, err := second.History(t.Context(), "r", 2, 1)
		if err != nil || len(steps) != 1 || steps[0].Kind != machine.ReturnInput || steps[0].Effect != machine.Reissued || steps[0].Message != "declined: busy" {
			t.Errorf("%+v, %v", steps, err)
		}
		if err := second.Replay(t.Context(), "r"); err != nil {
			t.Error(err)
		}
	})
}

// TestSteerElsewhere pauses, resumes and cancels a run that another engine has
// changed since this one last saw it: what it remembers must not make it believe
// that nothing is to be done.
func TestSteerElsewhere(t *testing.T) {
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		m := job(t, nil, On("Found", GoTo("Done", Set("n", "event.n"))), On1("failed", "Broken"))
		register(t, e, m, Handlers{})
		other := NewEngine(store, WithClock(clock))
		begin(t, e, "r")
		for _, do := range []struct {
			e     *Engine
			steer func(*Engine, context.Context, string, machine.Operator) (machine.View, error)
			want  bool
		}{
			{e, (*Engine).Pause, true}, {other, (*Engine).Resume, false},
			{e, (*Engine).Pause, true}, {other, (*Engine).Resume, false}, {other, (*Engine).Pause, true},
			{e, (*Engine).Resume, false},
		} {
			must(t, errOf(do.steer(do.e, t.Context(), "r", ada)))
			if v, err := e.Get(t.Context(), "r"); err != nil || v.Paused != do.want {
				t.Fatalf("paused is %t, not %t: %v", v.Paused, do.want, err)
			}
		}
	})
}

// TestRefusal holds what a run would refuse, as it is listed, against what it does.
func TestRefusal(t *testing.T) {
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"))
		register(t, e, m, Handlers{})
		steer := map[machine.InputKind]func(*Engine, context.Context, string, machine.Operator) (machine.View, error){
			machine.PauseInput: (*Engine).Pause, machine.ResumeInput: (*Engine).Resume, machine.RetryInput: (*Engine).Retry, machine.CancelInput: cancel,
		}
		for _, c := range []struct {
			name   string
			before []machine.InputKind
			kind   machine.InputKind
			want   string
		}{
			{"runs", nil, machine.PauseInput, ""},
			{"runs", nil, machine.ResumeInput, ""},
			{"runs", nil, machine.CancelInput, ""},
			{"runs", nil, machine.RetryInput, "no activity waits to be tried again"},
			{"is paused", []machine.InputKind{machine.PauseInput}, machine.PauseInput, ""},
			{"is paused", []machine.InputKind{machine.PauseInput}, machine.ResumeInput, ""},
			{"is cancelled", []machine.InputKind{machine.CancelInput}, machine.CancelInput, ""},
			{"is cancelled", []machine.InputKind{machine.CancelInput}, machine.PauseInput, "the run has ended"},
			{"is cancelled", []machine.InputKind{machine.CancelInput}, machine.ResumeInput, "the run has ended"},
			{"is cancelled", []machine.InputKind{machine.CancelInput}, machine.RetryInput, "the run ended as cancelled"},
		} {
			id := fmt.Sprintf("%s, %s", c.name, c.kind)
			begin(t, e, id)
			for _, kind := range c.before {
				must(t, errOf(steer[kind](e, t.Context(), id, ada)))
			}
			row, err := store.Load(t.Context(), id)
			must(t, err)
			would := e.Refusal(t.Context(), &row, c.kind)
			_, does := steer[c.kind](e, t.Context(), id, ada)
			if fmt.Sprint(would) != fmt.Sprint(does) || (c.want == "") != (would == nil) || would != nil && !strings.Contains(would.Error(), c.want) {
				t.Errorf("%s: it would say %v, and says %v", id, would, does)
			}
		}
	})
}

// TestCompleteHeld waits with the activities of the next state for a worker
// elsewhere that still does what an operator has completed: it is told to stop,
// as one is whose state is left.
func TestCompleteHeld(t *testing.T) {
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		m := job(t, nil, On("Found", GoTo("Working", Set("n", "event.n"))), On1("failed", "Broken"))
		register(t, e, m, Handlers{})
		begin(t, e, "r")
		claim := claimWork(t, store, m, clock)
		must(t, errOf(e.Complete(t.Context(), "r", machine.Completion{Activity: "work", Event: "Found", Data: json.RawMessage(`{"n": 1}`), Operator: ada})))
		if cancelled, err := store.Renew(t.Context(), claim, clock.Now(), clock.Now().Add(time.Hour), nil); err != nil || !cancelled {
			t.Errorf("its worker is not told to stop: %t, %v", cancelled, err)
		}
		if rows := claimable(t, store, m, clock); len(rows) != 0 {
			t.Errorf("handed out beside what has not stopped: %+v", rows)
		}
		must(t, store.Confirm(t.Context(), claim, clock.Now()))
		claimWork(t, store, m, clock)
	})
}

// TestEachRunBesidePrune: runs that are pruned while others are read end no walk over
// them, and none comes twice.
func TestEachRunBesidePrune(t *testing.T) {
	for limit, want := range map[int]string{0: "jihfdb", 4: "jihf"} {
		onEachStore(t, func(t *testing.T, db store.Store, e *Engine, clock *ManualClock) {
			register(t, e, door(t), Handlers{})
			for i, run := range strings.Split("abcdefghij", "") {
				if start(t, e, run, `{"owner":"me"}`); i%2 == 0 {
					send(t, e, run, "Seal", "")
				}
				if i == 4 {
					clock.Advance(time.Minute) // the others start together
				}
			}
			clock.Advance(time.Hour)
			got := ""
			err := store.EachRun(t.Context(), db, store.RunFilter{Limit: limit}, 2, func(r *store.RunRow) error {
				if got += r.Run; len(got) != 2 {
					return nil
				}
				_, err := db.Prune(t.Context(), store.PruneQuery{Before: clock.Now(), Now: clock.Now(), Limit: 100})
				return err
			})
			if err != nil || got != want {
				t.Errorf("limit %d: %s, not %s: %v", limit, got, want, err)
			}
		})
	}
}

// contested is a store in which others are faster, a few times.
type contested struct {
	store.Store
	times *int
}

func (s contested) Commit(ctx context.Context, c *store.Commit) error {
	if *s.times--; *s.times >= 0 {
		return store.ErrConflict
	}
	return s.Store.Commit(ctx, c)
}

// TestRestsByAClockThatStandsStill: what makes way for other processes does not wait
// for the clock of this one.
func TestRestsByAClockThatStandsStill(t *testing.T) {
	onEachStore(t, func(t *testing.T, db store.Store, _ *Engine, clock *ManualClock) {
		times := 0
		e := knowing(t, contested{db, &times}, door(t), WithClock(clock))
		start(t, e, "r", `{"owner":"me"}`)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		times = 5
		if _, err := e.Send(ctx, "r", machine.ExternalEvent{Name: "Seal"}); err != nil {
			t.Error(err)
		}
		clock.Advance(time.Hour)
		if done, err := e.Prune(ctx, store.PruneQuery{Before: clock.Now()}); err != nil || done.Runs != 1 {
			t.Error(done, err)
		}
	})
}
