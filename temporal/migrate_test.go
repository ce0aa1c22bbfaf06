package temporal_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	sdk "go.temporal.io/sdk/temporal"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// TestMigrateRefused: a run that does not fit stays as it is, with the reason. One that fits goes on in a new
// execution, which has the new definition.
func TestMigrateRefused(t *testing.T) {
	for _, test := range []struct {
		next string
		of   func(*temporal.Input)
		want string // why it does not fit; empty where it moves
	}{
		{next: strings.ReplaceAll(decided, "Asking", "Waiting"), want: `there is no state "Asking" any more`},
		{next: decided, want: "it has that definition already"},
		{next: strings.Replace(decided, "machine M", "machine N", 1), want: `a run of the machine "M", and not of "N"`},
		{next: strings.Replace(decided, "0..9 = 0", "0..9 = 1", 1), of: func(in *temporal.Input) { in.Parent = &temporal.Parent{Run: "above"} },
			want: `its parent "above" knows it by the definition that it has`},
		{next: strings.Replace(decided, "0..9 = 0", "0..9 = 1", 1)},
	} {
		env, in := environment(t, decided, runtime.Handlers{})
		if test.of != nil {
			test.of(&in)
		}
		next, failed := compiled(test.next), error(nil)
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(temporal.UpdateMigrate, "", &callback{func(_ any, err error) { failed = err }}, temporal.Migrate{Definition: next.Definition().Encode()})
		}, time.Second)
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(temporal.UpdateSteer, "", &callback{func(any, error) {}}, temporal.Steer{Kind: machine.CancelInput})
		}, time.Minute)
		env.ExecuteWorkflow(temporal.WorkflowType, in)
		following, moved := continued(t, env.GetWorkflowError())
		switch {
		case test.want == "":
			if !moved || failed != nil {
				t.Fatalf("it has not moved: %v, %v", env.GetWorkflowError(), failed)
			}
			d, err := machine.ParseDefinition(following.Definition)
			if err != nil || string(d.Encode()) != string(next.Definition().Encode()) {
				t.Errorf("the next execution has the definition %s, %v", following.Definition, err)
			}
		case moved || failed == nil || !strings.Contains(failed.Error(), test.want):
			t.Errorf("expected %q, got %v", test.want, failed)
		case !sdk.IsCanceledError(env.GetWorkflowError()):
			t.Errorf("%q: the run ends with %v", test.want, env.GetWorkflowError())
		}
	}
}

// TestElsewhere: an attempt that meets a worker without that version of its activity waits for another, and is not lost.
func TestElsewhere(t *testing.T) {
	calls := 0
	for name, other := range map[string]string{
		"another version":  strings.Replace(plain, "on failed -> Failed", "on failed -> Done", 1),
		"another activity": strings.ReplaceAll(plain, "work(", "labour("),
	} {
		env, in := environment(t, plain, runtime.Handlers{Activities: map[string]runtime.ActivityFunc{
			"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) { calls++; return runtime.Result{}, nil }}})
		in.Definition = compiled(other).Definition().Encode()
		var steps []json.RawMessage
		env.RegisterDelayedCallback(func() {
			steps, _ = (&player{env: env}).look(t, "")
			env.CancelWorkflow()
		}, time.Hour)
		env.ExecuteWorkflow(temporal.WorkflowType, in)
		if len(steps) != 1 || calls != 0 || !sdk.IsCanceledError(env.GetWorkflowError()) {
			t.Errorf("%s: %d calls, it ends with %v after %s", name, calls, env.GetWorkflowError(), steps)
		}
	}
}
