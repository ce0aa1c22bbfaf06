package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestTree: a run and its children make on a server the records that they make in memory.
func TestTree(t *testing.T) {
	// Without a budget what a child uses is told with its end alone: else it is told some moment before.
	source := strings.Replace(strings.Replace(tour, "budget { usd 5.00 }", "", 1), "on over_budget -> Failed", "", 1)
	machines, ctx := tabletest.Machines(t, source), t.Context()
	params := json.RawMessage(`{"item":"book","parts":[1]}`)
	runs := []string{"grove", "grove/Parting.part.3.1[0]", "grove/Holding.last.4.1"}

	c := dial(t, t.Name())
	c.Callees = machines[:1]
	serveTree(t, c, machines)
	must(t, c.Start(ctx, machines[1], "grove", params))

	var here effects
	engine := runtime.NewEngine(memstore.New(), runtime.WithWorker("worker"), runtime.WithOutbox(here.deliver))
	handlers := here.tourists()
	for _, m := range machines {
		must(t, engine.Register(m, source, handlers[m.Definition().Name]))
	}
	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- engine.Run(working) }()
	if _, err := engine.Start(ctx, "Tour", "grove", params); err != nil {
		t.Fatal(err)
	}

	both := func(what string, there, here func() error) {
		t.Helper()
		if err := there(); err != nil {
			t.Fatalf("%s on the server: %v", what, err)
		}
		if err := here(); err != nil {
			t.Fatalf("%s in memory: %v", what, err)
		}
	}
	send := func(run, event string) {
		t.Helper()
		e := machine.ExternalEvent{Name: event, Data: json.RawMessage("{}")}
		both(event, func() error { _, err := c.Send(ctx, run, e); return err }, func() error { _, err := engine.Send(ctx, run, e); return err })
	}
	wait := func(run, state string) {
		t.Helper()
		until(t, c, run, "in "+state, func(v machine.View) bool { return v.State == state })
		for range 600 {
			if v, err := engine.Get(ctx, run); err == nil && v.State == state {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("in memory run %q is not in %s", run, state)
	}
	send("grove", "Go")
	wait(runs[2], "Holding")
	by := machine.Operator{Actor: "op"}
	both("pause", func() error { _, err := c.Pause(ctx, "grove", by); return err }, func() error { _, err := engine.Pause(ctx, "grove", by); return err })
	until(t, c, runs[2], "paused", func(v machine.View) bool { return v.Paused })
	both("resume", func() error { _, err := c.Resume(ctx, "grove", by); return err }, func() error { _, err := engine.Resume(ctx, "grove", by); return err })
	until(t, c, runs[2], "resumed", func(v machine.View) bool { return !v.Paused })
	send("grove", "Leave")
	wait(runs[2], "Broken") // which the parent has left
	wait("grove", "Done")
	must(t, engine.WaitDelivered(ctx))
	for _, run := range runs {
		finished(t, c, run)
		steps, err := c.History(ctx, run, 0, 100)
		got := history(t, steps, err)
		steps, err = engine.History(ctx, run, 0, 100)
		if want := history(t, steps, err); len(steps) < 2 || got != want {
			t.Errorf("%s on the server:\n%s\nin memory:\n%s", run, got, want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
