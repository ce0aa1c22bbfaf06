package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// renamed is the next version of source: a state has another name, and there is one more field and state.
var renamed = strings.NewReplacer("Working", "Busy", "context { n int = 0 }", "context { n int = 0\nparcels int = 1 }",
	"terminal Done", "state Idle { on Approve -> Busy }\nterminal Done").Replace(source)

// slow are functions of which each attempt but the last waits until it is told to stop.
type slow struct {
	effects
	mu    sync.Mutex
	calls int
	begun chan string
}

func (s *slow) handlers() runtime.Handlers {
	h := s.effects.handlers()
	work := h.Activities["work"]
	h.Activities["work"] = func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		s.mu.Lock()
		s.calls++
		first := s.calls == 1
		s.mu.Unlock()
		if !first {
			return work(ctx, a)
		}
		s.begun <- a.Key
		select {
		case <-ctx.Done():
		case <-time.After(time.Second): // a worker of Temporal learns of a cancel with its next beat
		}
		return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n":1}`)}, nil
	}
	return h
}

// TestMigrates: a run moves to another definition while an attempt is under way. What that returns does
// not count; the new definition makes it again, with its key. The records are those that the run makes in memory.
func TestMigrates(t *testing.T) {
	ctx, next := t.Context(), compiled(renamed)
	mapping := machine.Mapping{States: map[string]string{"Working": "Busy"}}
	options := func(apply bool, m machine.Mapping) runtime.MigrateOptions {
		return runtime.MigrateOptions{Mapping: m, Apply: apply, Operator: machine.Operator{Actor: "op", Reason: "version 2"}}
	}
	params, approve := json.RawMessage(`{"item":"book"}`), machine.ExternalEvent{Name: "Approve", ID: "a", Data: json.RawMessage(`{"by":"ada"}`)}

	c := dial(t, t.Name())
	there := &slow{begun: make(chan string, 1)}
	serve(t, c, next, there.handlers(), there.deliver) // it serves runs of the version before, too
	for _, run := range []string{"moving", "waiting"} {
		must(t, c.Start(ctx, order, run, params))
	}
	if _, err := c.Send(ctx, "moving", approve); err != nil {
		t.Fatal(err)
	}
	key := <-there.begun
	moves := func(apply bool, m machine.Mapping) map[string]runtime.MigratedRun {
		t.Helper()
		runs := map[string]runtime.MigratedRun{}
		for range 300 { // the list is behind by a moment
			err := c.Migrate(ctx, next, options(apply, m), func(r runtime.MigratedRun) error {
				runs[r.Run] = r
				return nil
			})
			must(t, err)
			if len(runs) == 2 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		return runs
	}
	if runs := moves(false, machine.Mapping{}); !strings.Contains(runs["moving"].Why, `there is no state "Working" any more`) || runs["waiting"].To != "Waiting" {
		t.Errorf("without a mapping: %+v", runs)
	}
	if v, err := c.Show(ctx, "waiting"); err != nil || v.Definition != order.Hash() {
		t.Errorf("a run has moved that was to be looked at: %v, %v", v, err)
	}
	if runs := moves(true, mapping); runs["moving"].To != "Busy" || runs["waiting"].To != "Waiting" {
		t.Errorf("with a mapping: %+v", runs)
	}
	if v := finished(t, c, "moving"); v.State != "Done" || v.Definition != next.Hash() || string(v.Data) != `{"n":7,"parcels":1}` {
		t.Errorf("the run ends in %s with %s", v.State, v.Data)
	}
	if there.calls != 2 || there.seen[key] != 1 {
		t.Errorf("the attempt %s was made %d times: %v", key, there.calls, there.seen)
	}
	steps, err := c.History(ctx, "moving", 0, 100)
	got := history(t, steps, err)

	here := &slow{begun: make(chan string, 1)}
	engine := runtime.NewEngine(memstore.New(), runtime.WithWorker("worker"), runtime.WithOutbox(here.deliver))
	must(t, engine.Register(order, source, here.handlers()))
	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(working) }()
	if _, err := engine.Start(ctx, "Order", "moving", params); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Send(ctx, "moving", approve); err != nil {
		t.Fatal(err)
	}
	<-here.begun
	must(t, engine.Register(next, renamed, here.handlers()))
	must(t, engine.Migrate(ctx, "Order", options(true, mapping), func(runtime.MigratedRun) error { return nil }))
	for {
		v, err := engine.Get(ctx, "moving")
		must(t, err)
		if v.Status == machine.Finished {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	steps, err = engine.History(ctx, "moving", 0, 100)
	want := history(t, steps, err)
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(steps) != 5 || got != want {
		t.Errorf("on the server:\n%s\nin memory:\n%s", got, want)
	}

	// The run that was quiet goes on by the new definition in a new execution, and takes no event twice.
	if _, err := c.Send(ctx, "waiting", approve); err != nil {
		t.Fatal(err)
	}
	if v := finished(t, c, "waiting"); v.State != "Done" || v.Definition != next.Hash() {
		t.Errorf("the run ends in %s by %s", v.State, v.Definition)
	}
	steps, err = c.History(ctx, "waiting", 0, 100)
	kinds := ""
	for i, step := range steps {
		kinds += fmt.Sprint(step.Kind, " ")
		if step.Seq != int64(i+1) {
			t.Errorf("step %d has the number %d", i+1, step.Seq)
		}
	}
	if err != nil || kinds != "start migrate event result timer " {
		t.Errorf("the history is %s, %v", kinds, err)
	}
	again, err := c.Send(ctx, "waiting", approve)
	if err != nil || again.State != "Busy" {
		t.Errorf("sent again, the event gives %q, %v", again.State, err)
	}
}
