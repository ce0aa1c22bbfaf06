package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	gort "runtime"
	"testing"
	"time"

	sdk "go.temporal.io/sdk/temporal"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/temporal"
)

const guarded = `machine M {
	event Go
	guard allowed()
	initial Waiting
	state Waiting {
		on Go when allowed() -> Passed
			else -> Held
		on cancel -> Held
	}
	terminal Passed success
	terminal Held failure
}
`

// TestGuards: what a host guard answers, and how it fails, is told in the words of the other engines.
func TestGuards(t *testing.T) {
	for what, f := range map[string]runtime.GuardFunc{
		"yes":       func(context.Context, json.RawMessage) (bool, error) { return true, nil },
		"no":        func(context.Context, json.RawMessage) (bool, error) { return false, nil },
		"error":     func(context.Context, json.RawMessage) (bool, error) { return false, errors.New("nobody knows") },
		"panic":     func(context.Context, json.RawMessage) (bool, error) { panic("no way") },
		"goroutine": func(context.Context, json.RawMessage) (bool, error) { gort.Goexit(); return true, nil },
		"silence":   func(ctx context.Context, _ json.RawMessage) (bool, error) { <-ctx.Done(); return true, nil },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := runtime.Handlers{Guards: map[string]runtime.GuardFunc{"allowed": f}}
			engine := runtime.NewEngine(memstore.New(), runtime.WithGuardLimit(5*time.Second))
			if err := engine.Register(compiled(guarded), guarded, h); err != nil {
				t.Fatal(err)
			}
			if _, err := engine.Start(t.Context(), "M", "r", nil); err != nil {
				t.Fatal(err)
			}
			v, want := engine.Send(t.Context(), "r", machine.ExternalEvent{Name: "Go"})
			env, in := environment(t, guarded, h)
			got := errors.New("it is not answered")
			env.RegisterDelayedCallback(func() {
				env.UpdateWorkflow(temporal.UpdateSend, "", &callback{func(_ any, err error) { got = err }}, machine.ExternalEvent{Name: "Go", Data: json.RawMessage("{}")})
			}, time.Second)
			env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
			env.ExecuteWorkflow(temporal.WorkflowType, in)
			text := fmt.Sprint(got)
			if refused := (*sdk.ApplicationError)(nil); errors.As(got, &refused) {
				text = refused.Message()
			}
			if text != fmt.Sprint(want) {
				t.Errorf("the sender is told %v, in memory %v", got, want)
			}
			now := viewOf(t, env, "r")
			if want == nil && now.State != v.State {
				t.Errorf("the run is in %s, in memory in %s", now.State, v.State)
			}
		})
	}
}
