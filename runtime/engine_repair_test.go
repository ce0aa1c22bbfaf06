//go:build cgo

package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// tamper is a store whose Load gives runs otherwise than they are stored.
type tamper struct {
	store.Store
	change func(*store.RunRow)
}

func (s *tamper) Load(ctx context.Context, run string) (store.RunRow, error) {
	row, err := s.Store.Load(ctx, run)
	if err == nil {
		s.change(&row)
	}
	return row, err
}

func repairRun(t *testing.T, e *Engine, apply bool) Repair {
	t.Helper()
	r, err := e.Repair(t.Context(), "r", RepairOptions{Apply: apply, Operator: ada})
	must(t, err)
	return r
}

// TestRepairOfSnapshot damages what is stored of a run in ways that a hand in
// the database could.
func TestRepairOfSnapshot(t *testing.T) {
	for name, change := range map[string]func(*store.RunRow){
		"data": func(r *store.RunRow) {
			r.Snapshot = json.RawMessage(strings.Replace(string(r.Snapshot), `"n":7`, `"n":8`, 1))
		},
		"no JSON":   func(r *store.RunRow) { r.Snapshot = json.RawMessage(`{"run":`) },
		"the state": func(r *store.RunRow) { r.State = "Idle" },
	} {
		t.Run(name, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
				m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"), After("1h", GoTo("Broken")))
				register(t, e, m, Handlers{})
				begin(t, e, "r")
				if got := repairRun(t, e, true); len(got.Faults) != 0 || got.Applied {
					t.Errorf("a sound run is repaired: %+v", got)
				}
				seen := knowing(t, &tamper{store, change}, m, WithClock(clock))
				shown := repairRun(t, seen, false)
				if len(shown.Faults) == 0 || shown.Applied || shown.State != "Working" || shown.To != "Working" {
					t.Errorf("%+v", shown)
				}
				if v := get(t, e, "r"); v.Seq != 2 {
					t.Error("a dry run has written something")
				}
				if done := repairRun(t, seen, true); !done.Applied || fmt.Sprint(done.Faults) != fmt.Sprint(shown.Faults) {
					t.Errorf("%+v, shown was %+v", done, shown)
				}
				wantLines(t, e, "r", "start>Idle Go>Working repair>Working")
				if rows, err := store.Due(t.Context(), clock.Now().Add(time.Hour), 0); err != nil || len(rows) != 1 {
					t.Errorf("timers %+v, %v", rows, err)
				}
				claimWork(t, store, m, clock)
			})
		})
	}
}

// TestRepairOfRequire finds a run in a state whose require has become false.
func TestRepairOfRequire(t *testing.T) {
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		m := Build(t, WithFields("n int 0..9 = 1"), WithEvent("Spoil", ""), WithEvent("Mend", ""),
			WithState("Good", WithRequire("n > 0", "Bad"), On("Spoil", Stay(Set("n", "0"))), After("1h", GoTo("Done"))),
			WithState("Bad", On("Mend", GoTo("Done"))), WithTerminal("Done", machine.Success))
		register(t, e, m, Handlers{})
		start(t, e, "r", "")
		send(t, e, "r", "Spoil", "")
		want := "[the require of Good is false]"
		if got := repairRun(t, e, false); fmt.Sprint(got.Faults) != want || got.State != "Good" || got.To != "Bad" || got.Applied {
			t.Errorf("%+v", got)
		}
		if got := repairRun(t, e, true); fmt.Sprint(got.Faults) != want || !got.Applied {
			t.Errorf("%+v", got)
		}
		wantLines(t, e, "r", "start>Good Spoil>Good repair>Bad")
		if rows, err := store.Due(t.Context(), clock.Now().Add(time.Hour), 0); err != nil || len(rows) != 0 {
			t.Errorf("timers %+v, %v", rows, err)
		}
		send(t, e, "r", "Mend", "")
	})
}

// otherTimers is a store whose Timers gives those of runs otherwise than they are
// stored.
type otherTimers struct {
	store.Store
	change func([]store.TimerRow) []store.TimerRow
}

func (s *otherTimers) Timers(ctx context.Context, run string) ([]store.TimerRow, error) {
	rows, err := s.Store.Timers(ctx, run)
	return s.change(rows), err
}

// TestRepairOfTimers sees timers that are gone, others, or too many; a repair
// writes all of them.
func TestRepairOfTimers(t *testing.T) {
	for want, change := range map[string]func([]store.TimerRow) []store.TimerRow{
		`no timer stands for "Working/after 1h #0"`: func([]store.TimerRow) []store.TimerRow { return nil },
		`the timer "Working/after 1h #0" is set for 2026-05-06T08:08:10Z, not 2026-05-06T08:08:09Z`: func(r []store.TimerRow) []store.TimerRow {
			r[0].Due = r[0].Due.Add(time.Second)
			return r
		},
		`a timer stands for "Idle after 2h", which is not running`: func(r []store.TimerRow) []store.TimerRow {
			return append(r, store.TimerRow{Run: "r", Name: "Idle after 2h"})
		},
	} {
		t.Run(want, func(t *testing.T) {
			onEachStore(t, func(t *testing.T, store store.Store, _ *Engine, clock *ManualClock) {
				m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"), After("1h", GoTo("Broken")))
				e := knowing(t, &otherTimers{store, change}, m, WithClock(clock))
				begin(t, e, "r")
				if got := repairRun(t, e, true); len(got.Faults) != 1 || got.Faults[0] != want || !got.Applied {
					t.Errorf("got %+v", got)
				}
				due, err := store.Timers(t.Context(), "r")
				if err != nil || len(due) != 1 || !due[0].Due.Equal(clock.Now().Add(time.Hour)) {
					t.Errorf("timers %+v, %v", due, err)
				}
			})
		})
	}
}

// TestRepairOfTasks starts a task that is gone from the store.
func TestRepairOfTasks(t *testing.T) {
	onEachStore(t, func(t *testing.T, db store.Store, e *Engine, clock *ManualClock) {
		m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"))
		register(t, e, m, Handlers{})
		begin(t, e, "r")
		claim := claimWork(t, db, m, clock)
		row, err := db.Load(t.Context(), "r")
		must(t, err)
		must(t, db.Commit(t.Context(), &store.Commit{Run: row, Expect: row.Seq, Claim: &claim}))
		if got := repairRun(t, e, true); len(got.Faults) != 1 || !strings.Contains(got.Faults[0], `no task stands for attempt 1 of "Working/work"`) {
			t.Errorf("%+v", got)
		}
		claimWork(t, db, m, clock)
		lines(t, e, "r")
	})
}

func TestMigrate(t *testing.T) {
	onEachStore(t, func(t *testing.T, store store.Store, e *Engine, clock *ManualClock) {
		before := Build(t, WithFields("n int = 7, gone string = \"x\""), WithEvent("Go", ""), WithEvent("Found", ""),
			WithActivity("work", "", "Found", ""),
			WithState("Idle", On("Go", GoTo("Working", Set("n", "n + 1")))),
			WithState("Working", Doing("work", nil), On("Found", GoTo("Done")), On("failed", Retry(3, WithBackoff("1s", "1s", 1, 0)), GoTo("Done")), After("1h", GoTo("Done"))),
			WithState("Odd", On("Go", GoTo("Done"))), WithTerminal("Done", machine.Success))
		after := Build(t, WithFields("count int = 7, extra int = 42"), WithEvent("Go", ""), WithEvent("Found", ""), WithEvent("Skip", ""),
			WithActivity("work", "", "Found", ""),
			WithState("Idle", On("Go", GoTo("Busy"))),
			WithState("Busy", Doing("work", nil), On("Found", GoTo("Done")), On("failed", Retry(3, WithBackoff("1s", "1s", 1, 0)), GoTo("Done")),
				After("1h", GoTo("Done")), On("Skip", GoTo("Done", Set("count", "count + extra")))),
			After("5h", GoTo("Done")), WithTerminal("Done", machine.Success))
		register(t, e, before, Handlers{})
		begin(t, e, "busy")
		start(t, e, "idle", "")
		begin(t, e, "ended")
		clock.Advance(30 * time.Minute)
		must(t, errOf(e.Cancel(t.Context(), "ended", CancelOptions{})))
		claim := claimWork(t, store, before, clock)
		register(t, e, after, Handlers{})
		migrate := func(p machine.Mapping, apply bool) string {
			t.Helper()
			var told []string
			err := e.Migrate(t.Context(), "M", MigrateOptions{Mapping: p, Apply: apply, Operator: ada}, func(r MigratedRun) error {
				told = append(told, fmt.Sprintf("%s:%s>%s%s", r.Run, r.State, r.To, r.Why))
				return nil
			})
			must(t, err)
			return strings.Join(told, "; ")
		}
		if got := migrate(machine.Mapping{}, true); !strings.Contains(got, `busy:Working>there is no state "Working" any more`) ||
			!strings.Contains(got, `idle:Idle>there is no field "gone" any more, and it is set`) {
			t.Error(got)
		}
		fits := machine.Mapping{States: map[string]string{"Working": "Busy"}, Fields: map[string]string{"n": "count", "gone": ""}}
		want := "idle:Idle>Idle; busy:Working>Busy"
		for _, apply := range []bool{false, true} {
			if got := migrate(fits, apply); got != want && got != "busy:Working>Busy; idle:Idle>Idle" {
				t.Error(got)
			}
			if v := get(t, e, "busy"); (v.Definition == after.Hash()) != apply {
				t.Errorf("applied %v: %+v", apply, v)
			}
		}
		if got := migrate(fits, true); got != "" {
			t.Errorf("it moves again: %s", got)
		}
		v := get(t, e, "busy")
		if v.State != "Busy" || string(v.Data) != `{"count":8,"extra":42}` || untold(v.Activities[0].Key) != "busy/Working/work/2" || len(v.Timers) != 2 {
			t.Errorf("%+v", v)
		}
		for _, timer := range v.Timers {
			if left := timer.Due.Sub(clock.Now()); left != 30*time.Minute && left != 5*time.Hour {
				t.Errorf("%s is due in %s", timer.Name, left)
			}
		}
		if rows := claimable(t, store, after, clock); len(rows) != 0 {
			t.Errorf("%+v starts before the attempt of the old definition has stopped", rows)
		}
		if cancelled, err := store.Renew(t.Context(), claim, clock.Now(), clock.Now().Add(time.Minute), nil); err != nil || !cancelled {
			t.Errorf("the old attempt is not cancelled: %v", err)
		}
		if err := store.Confirm(t.Context(), claim, clock.Now()); err != nil {
			t.Error(err)
		}
		claimWork(t, store, after, clock)
		if v := send(t, e, "busy", "Skip", ""); v.State != "Done" || string(v.Data) != `{"count":50,"extra":42}` {
			t.Errorf("%+v", v)
		}
		wantLines(t, e, "busy", "start>Idle Go>Working migrate>Busy Skip>Done")
		other := NewEngine(store) // which has to find both definitions in the store
		if err := other.Replay(t.Context(), "busy"); err != nil {
			t.Error(err)
		}
		if _, err := e.Send(t.Context(), "idle", machine.ExternalEvent{Name: "Skip"}); !errors.As(err, new(*machine.Rejected)) {
			t.Error(err)
		}
		lines(t, e, "idle")
	})
}
