package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	sdk "go.temporal.io/sdk/temporal"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// TestPayloads: what has more than 512 KiB is refused before Temporal is asked, and as the result of an activity it is
// a failure; what has less is taken.
func TestPayloads(t *testing.T) {
	const much = "it has 600002 bytes, more than the 524288 that are allowed"
	large := json.RawMessage(`"` + strings.Repeat("x", 600_000) + `"`)
	c := temporal.Client{} // which would ask nobody
	_, sent := c.Send(t.Context(), "r", machine.ExternalEvent{Name: "Later", Data: large})
	_, completed := c.Complete(t.Context(), "r", machine.Completion{Activity: "work", Data: large})
	for about, err := range map[string]error{"start": c.Start(t.Context(), compiled(decided), "r", large), "event": sent, "complete": completed} {
		var refused *machine.Rejected
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), about) || !strings.Contains(err.Error(), much) {
			t.Errorf("%s: %v", about, err)
		}
	}
	const texts = `machine M {
	event Worked { text string }
	activity work() -> Worked
	initial Working
	state Working {
		do work()
		on Worked -> Done
		on failed -> Failed
	}
	terminal Done success
	terminal Failed failure
}
`
	for size, fits := range map[int]bool{500_000: true, 600_000: false} {
		env, in := environment(t, texts, runtime.Handlers{Activities: map[string]runtime.ActivityFunc{
			"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
				return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"text":"` + strings.Repeat("x", size) + `"}`)}, nil
			}}})
		env.ExecuteWorkflow(temporal.WorkflowType, in)
		var failure *sdk.ApplicationError
		if err := env.GetWorkflowError(); (err == nil) != fits || err != nil && (!errors.As(err, &failure) || failure.Type() != "Failed") {
			t.Errorf("a result of %d bytes: %v", size, err)
		}
	}
}

// TestArguments: an attempt whose arguments Temporal would not take fails, and its workflow goes on.
func TestArguments(t *testing.T) {
	const copies = `machine M(text string) {
	event Worked
	activity work(a string, b string, c string) -> Worked
	initial Working
	on failed -> Failed
	state Working {
		do work(text, text, text)
		on Worked -> Done
	}
	terminal Done success
	terminal Failed failure
}
`
	for size, fits := range map[int]bool{300_000: true, 400_000: false} {
		env, in := environment(t, copies, runtime.Handlers{Activities: map[string]runtime.ActivityFunc{
			"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
				return runtime.Result{Event: "Worked"}, nil
			}}})
		in.Params, in.MaxData = json.RawMessage(`{"text":"`+strings.Repeat("x", size)+`"}`), 1<<20
		env.ExecuteWorkflow(temporal.WorkflowType, in)
		var failure *sdk.ApplicationError
		if err := env.GetWorkflowError(); (err == nil) != fits || err != nil && (!errors.As(err, &failure) || failure.Type() != "Failed") {
			t.Errorf("three arguments of %d bytes: %v", size, err)
		}
	}
}
