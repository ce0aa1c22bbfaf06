package temporal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/converter"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// large is a source with so many states on the way from the first to the last, whose names are long.
func large(states int, of string) string {
	var b strings.Builder
	name := func(i int) string { return fmt.Sprintf("Station_%s_%d", strings.Repeat("x", 500), i) }
	fmt.Fprintf(&b, "machine Large {\n\tcontext { n int 0..9 = 0 }\n\tevent Next\n\tevent Worked { n int 0..9 }\n\tactivity work() -> Worked\n\tinitial %s\n\ton failed -> Failed\n", name(0))
	for i := range states {
		next := name(i + 1)
		if i+1 == states {
			next = "Working"
		}
		fmt.Fprintf(&b, "\tstate %s { on Next -> %s }\n", name(i), next)
	}
	b.WriteString("\tstate Working {\n\t\tdo work()\n\t\ton Worked -> Done { n = " + of + " }\n\t}\n\tterminal Done success returns n\n\tterminal Failed failure\n}\n")
	return b.String()
}

// The definitions of largeOne and nextLarge have more than a run carries, and that of largest more than one payload takes.
var (
	largeOne  = sync.OnceValue(func() *machine.Machine { return compiled(large(600, "event.n")) })
	nextLarge = sync.OnceValue(func() *machine.Machine { return compiled(large(600, "9")) })
	largest   = sync.OnceValue(func() *machine.Machine { return compiled(large(4500, "event.n")) })
)

// working are the functions of them.
var working = runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
	return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n":7}`)}, nil
}}}

func named(m *machine.Machine) *temporal.Named {
	return &temporal.Named{Machine: m.Definition().Name, Hash: m.Hash()}
}

// registered is an environment with a worker.
func registered(t *testing.T, w temporal.Worker) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := quiet()
	w.Name = "w"
	if err := temporal.Register(env, w); err != nil {
		t.Fatal(err)
	}
	env.SetStartWorkflowOptions(startOptions)
	env.SetWorkflowRunTimeout(1000 * time.Hour)
	return env
}

// nexts sends the event so often.
func nexts(t *testing.T, env *testsuite.TestWorkflowEnvironment, times int) {
	for i := range times {
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(temporal.UpdateSend, "", &callback{func(_ any, err error) {
				if err != nil {
					t.Error(i, err)
				}
			}}, machine.ExternalEvent{Name: "Next"})
		}, time.Duration(1+i)*time.Second)
	}
}

// TestNamed: a run names a definition that is too large to carry. On a worker that does not have it the task fails, and not
// the run; on one that has it, as an earlier version too, the run goes on, also in a new execution.
func TestNamed(t *testing.T) {
	in := temporal.Input{Named: named(largeOne())}
	if size := len(largeOne().Definition().Encode()); size < 300_000 {
		t.Fatalf("the definition has %d bytes", size)
	}
	lacking := registered(t, temporal.Worker{Machine: nextLarge(), Handlers: working})
	lacking.ExecuteWorkflow(temporal.WorkflowType, in)
	var failed *sdk.PanicError
	if err := lacking.GetWorkflowError(); !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), "the worker does not have the definition "+largeOne().Hash()+` of the machine "Large", which is too large`) {
		t.Errorf("a worker that lacks it gives %v", err)
	}
	for what, w := range map[string]temporal.Worker{
		"current": {Machine: largeOne(), Handlers: working},
		"earlier": {Machine: nextLarge(), Handlers: working, Earlier: []*machine.Machine{largeOne()}},
	} {
		env := registered(t, w)
		env.RegisterDelayedCallback(func() { env.SetContinueAsNewSuggested(true) }, 400500*time.Millisecond)
		nexts(t, env, 400)
		env.ExecuteWorkflow(temporal.WorkflowType, in)
		following, ok := continued(t, env.GetWorkflowError())
		if !ok || following.Named == nil || *following.Named != *in.Named || len(following.Definition) > 0 {
			t.Fatalf("%s: it does not go on by name: %v", what, env.GetWorkflowError())
		}
		env = registered(t, w)
		nexts(t, env, 200)
		env.ExecuteWorkflow(temporal.WorkflowType, following)
		var out temporal.Output
		if err := env.GetWorkflowResult(&out); err != nil || !strings.Contains(string(out.Snapshot), `"n":7`) {
			t.Errorf("%s: the run ends with %s, %v", what, out.Snapshot, err)
		}
	}
}

// TestNamedParts: who asks a run for its definition is given a large one in parts.
func TestNamedParts(t *testing.T) {
	env := registered(t, temporal.Worker{Machine: largest(), Handlers: working})
	var whole []byte
	env.RegisterDelayedCallback(func() {
		for {
			value, err := env.QueryWorkflow(temporal.QueryDefinition, largest().Hash(), len(whole))
			var part []byte
			if err == nil {
				err = value.Get(&part)
			}
			if err != nil {
				t.Error(err)
			}
			if whole = append(whole, part...); len(part) == 0 {
				break
			}
		}
		env.CancelWorkflow()
	}, time.Second)
	env.ExecuteWorkflow(temporal.WorkflowType, temporal.Input{Named: named(largest())})
	if want := largest().Definition().Encode(); len(want) < 2<<20 || string(whole) != string(want) {
		t.Errorf("the definition has %d bytes, and %d in parts", len(want), len(whole))
	}
}

// TestNamedMigrate: a run moves to a definition that is too large to carry where the worker has it. Else that is refused.
func TestNamedMigrate(t *testing.T) {
	small := compiled(large(1, "event.n"))
	mapping := machine.Mapping{States: map[string]string{small.Definition().States[0].Path: largeOne().Definition().States[0].Path}}
	for has, want := range map[*machine.Machine]string{nextLarge(): "the worker does not have the definition", largeOne(): ""} {
		env := registered(t, temporal.Worker{Machine: has, Handlers: working})
		failed := errors.New("it is not answered")
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(temporal.UpdateMigrate, "", &callback{func(_ any, err error) { failed = err }}, temporal.Migrate{Named: named(largeOne()), Mapping: mapping})
		}, time.Second)
		env.RegisterDelayedCallback(env.CancelWorkflow, time.Minute)
		env.ExecuteWorkflow(temporal.WorkflowType, temporal.Input{Definition: small.Definition().Encode()})
		following, moved := continued(t, env.GetWorkflowError())
		switch {
		case want != "":
			if moved || failed == nil || !strings.Contains(failed.Error(), want) {
				t.Errorf("expected %q, got %v", want, failed)
			}
		case !moved || failed != nil || following.Named == nil || following.Named.Hash != has.Hash() || len(following.Definition) > 0:
			t.Errorf("it has not moved: %v, %v", failed, env.GetWorkflowError())
		}
	}
}

// largeTree is a machine that calls a large one.
const largeTree = `machine Top {
	context { n int 0..9 = 0 }
	initial Calling
	on failed -> Failed
	state Calling {
		do machine Large()
		on Large.Done -> Done { n = event.n }
		on Large.Failed -> Failed
	}
	terminal Done success
	terminal Failed failure
}
`

// TestNamedTree: what a large machine is called by names all definitions, and its child does, too.
func TestNamedTree(t *testing.T) {
	machines := tabletest.Machines(t, largeTree+large(600, "event.n"))
	if len(machines) != 2 {
		t.Fatal("the machines do not compile")
	}
	env := registered(t, temporal.Worker{Machine: machines[1], Callees: []temporal.Callee{{Machine: machines[0], Handlers: working}}})
	var child temporal.Input
	env.SetOnChildWorkflowStartedListener(func(_ *workflow.Info, _ workflow.Context, args converter.EncodedValues) {
		if err := args.Get(&child); err != nil {
			t.Error(err)
		}
	})
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Hour)
	env.ExecuteWorkflow(temporal.WorkflowType, temporal.Input{Named: named(machines[1])})
	if child.Named == nil || child.Named.Hash != machines[0].Hash() || len(child.Definition)+len(child.Callees) > 0 {
		t.Errorf("the child starts with %+v", child)
	}
	lacking := registered(t, temporal.Worker{Machine: nextLarge(), Handlers: working, Earlier: machines[1:]})
	lacking.ExecuteWorkflow(temporal.WorkflowType, temporal.Input{Named: named(machines[1])})
	if err := lacking.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "the worker does not have the definition "+machines[0].Hash()) {
		t.Errorf("a worker that lacks the machine that is called gives %v", err)
	}
}

// TestNamedArchive: an archive is given the definition itself.
func TestNamedArchive(t *testing.T) {
	var parts []*temporal.Archived
	env := registered(t, temporal.Worker{Machine: largeOne(), Handlers: working, Archive: func(_ context.Context, a *temporal.Archived) error {
		parts = append(parts, a)
		return nil
	}})
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Second)
	env.ExecuteWorkflow(temporal.WorkflowType, temporal.Input{Named: named(largeOne()), Archive: true})
	if len(parts) != 2 {
		t.Fatalf("%d parts", len(parts))
	}
	if steps, err := parts[0].Steps(); err != nil || len(steps) != 2 {
		t.Errorf("the history has %d steps, %v", len(steps), err)
	}
}
