package runtime_test

import (
	"context"
	"testing"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// emptied is a store from which a hand has taken tasks or timers.
type emptied struct {
	store.Store
	tasks, timers bool
	moves         bool // another process takes a step whenever someone has looked
	e             *Engine
}

func (s *emptied) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	rows, err := s.Store.Tasks(ctx, run)
	if s.tasks {
		rows = nil
	}
	if s.moves {
		if _, err := s.e.Send(ctx, run, machine.ExternalEvent{Name: "Stay"}); err != nil {
			return nil, err
		}
	}
	return rows, err
}

func (s *emptied) Timers(ctx context.Context, run string) ([]store.TimerRow, error) {
	rows, err := s.Store.Timers(ctx, run)
	if s.timers {
		rows = nil
	}
	return rows, err
}

// TestMissingWork: a run whose tasks or timers are gone is found by replay and by
// health, and not where it has only moved on meanwhile.
func TestMissingWork(t *testing.T) {
	m := Build(t, WithEvent("Go", ""), WithEvent("Stay", ""), WithActivity("work", "n int", "", ""),
		WithState("Idle", On("Go", GoTo("Working"))),
		WithState("Working", Doing("work", []string{"1"}), On("Stay", Stay()), On("done", GoTo("Done")), On("failed", GoTo("Done")),
			After("1h", GoTo("Done"))),
		WithTerminal("Done", machine.Success))
	for name, c := range map[string]struct {
		store emptied
		want  string
	}{
		"sound":    {},
		"no task":  {emptied{tasks: true}, `no task stands for attempt 1 of "Working/work"`},
		"no timer": {emptied{timers: true}, `no timer stands for "Working/after 1h #0"`},
		"moved on": {store: emptied{tasks: true, timers: true, moves: true}},
	} {
		t.Run(name, func(t *testing.T) {
			store := &c.store
			store.Store = memstore.New()
			store.e = NewEngine(store.Store)
			register(t, store.e, m, Handlers{})
			begin(t, store.e, "r")
			e := NewEngine(store)
			replayed, health := "", problems(t, e, HealthQuery{})
			if err := e.Replay(t.Context(), "r"); err != nil {
				replayed = err.Error()
			}
			if c.want == "" {
				if replayed != "" || health != "" {
					t.Errorf("%s; %s", replayed, health)
				}
				return
			}
			if replayed != `run "r" replays, and has other tasks or timers: `+c.want || health != "damaged r Working: what should move it is not all there until it is repaired: "+c.want {
				t.Errorf("%s; %s", replayed, health)
			}
		})
	}
}
