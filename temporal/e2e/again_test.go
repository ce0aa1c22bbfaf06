package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// failing fails the first time.
func failing() runtime.Handlers {
	var calls atomic.Int64
	return runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		if calls.Add(1) == 1 {
			return runtime.Result{}, errors.New("not today")
		}
		return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n":7}`)}, nil
	}}}
}

// TestRetryOfEnded: a run that has ended in failure continues in the state in which it failed, as in memory: with the
// ids of its events, and one history along both executions. One that has ended well is refused.
func TestRetryOfEnded(t *testing.T) {
	ctx := t.Context()
	deliver := func(context.Context, *runtime.Message) error { return nil }
	params := json.RawMessage(`{"item":"book"}`)
	event := machine.ExternalEvent{Name: "Approve", ID: "a-1", Data: json.RawMessage(`{"by":"ada"}`)}
	by := machine.Operator{Actor: "op", Reason: "the disk has room"}

	c := dial(t, t.Name())
	serve(t, c, order, failing(), deliver)
	engine := runtime.NewEngine(memstore.New(), runtime.WithWorker("worker"), runtime.WithOutbox(deliver))
	must(t, engine.Register(order, source, failing()))
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(running) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	await := func(state string) {
		t.Helper()
		if v := finished(t, c, "again"); v.State != state {
			t.Errorf("the run ends in %q, expected %q", v.State, state)
		}
		for v := (machine.View{}); v.Status != machine.Finished; time.Sleep(10 * time.Millisecond) {
			var err error
			if v, err = engine.Get(ctx, "again"); err != nil {
				t.Fatal(err)
			}
		}
	}
	both := func(there, here error) {
		t.Helper()
		if there != nil || here != nil {
			t.Fatal(there, here)
		}
	}
	_, here := engine.Start(ctx, "Order", "again", params)
	both(c.Start(ctx, order, "again", params), here)
	_, here = engine.Send(ctx, "again", event)
	_, there := c.Send(ctx, "again", event)
	both(there, here)
	await("Failed")
	_ = c.Temporal.GetWorkflow(ctx, "again", "").Get(ctx, nil) // which fails as the run does
	_, here = engine.Retry(ctx, "again", by)
	_, there = c.Retry(ctx, "again", by)
	both(there, here)
	await("Done")
	steps, err := c.History(ctx, "again", 0, 100)
	got := history(t, steps, err)
	steps, err = engine.History(ctx, "again", 0, 100)
	if want := history(t, steps, err); len(steps) != 6 || got != want {
		t.Errorf("on the server:\n%s\nin memory:\n%s", got, want)
	}
	if err := c.Temporal.GetWorkflow(ctx, "again", "").Get(ctx, nil); err != nil {
		t.Error(err)
	}
	_, here = engine.Retry(ctx, "again", by)
	_, there = c.Retry(ctx, "again", by)
	same(t, "a run that has ended well", [2]error{there, here})
	if err := c.Start(ctx, order, "again", params); !errors.Is(err, machine.ErrExists) {
		t.Errorf("the id of a run that was retried starts another: %v", err)
	}
	for try := 0; ; try++ { // the list is behind by a moment
		rows, err := c.List(ctx, 1000)
		must(t, err)
		status := []string{}
		for _, row := range rows {
			if row.Run == "again" {
				status = append(status, row.Status)
			}
		}
		if fmt.Sprint(status) == "[completed]" {
			break
		}
		if try == 100 {
			t.Fatalf("the list has the run as %v", status)
		}
		time.Sleep(100 * time.Millisecond)
	}
	if fmt.Sprint(steps[3].Kind) != "retry" {
		t.Errorf("history is %v", steps)
	}
}
