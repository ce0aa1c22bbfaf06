package temporal_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/log"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

const decided = `machine M {
	event Accept
	event Refuse
	event Later { n int 0..9 }
	context { n int 0..9 = 0 }
	initial Asking
	state Asking {
		on Later { n = event.n }
		on Accept -> Accepted
		on Refuse -> Refused
		on cancel -> Stopped
	}
	terminal Accepted success
	terminal Refused failure
	terminal Stopped cancelled
}
`

// environment is one for a run of a machine.
func environment(t *testing.T, source string, h runtime.Handlers) (*testsuite.TestWorkflowEnvironment, temporal.Input) {
	return environmentOf(t, source, temporal.Worker{Handlers: h})
}

func environmentOf(t *testing.T, source string, w temporal.Worker) (*testsuite.TestWorkflowEnvironment, temporal.Input) {
	m := compiled(source)
	if m == nil {
		t.Fatal("the machine does not compile")
	}
	env := quiet()
	w.Name, w.Machine = "w", m
	if err := temporal.Register(env, w); err != nil {
		t.Fatal(err)
	}
	env.SetStartWorkflowOptions(startOptions)
	env.SetWorkflowRunTimeout(1000 * time.Hour)
	return env, temporal.Input{Definition: m.Definition().Encode()}
}

// silent is a suite that logs nothing.
func silent() *testsuite.WorkflowTestSuite {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	return &suite
}

// quiet is an environment that logs nothing, and knows that a busy host may stand still for more than a second: the SDK takes
// that for a deadlock, and ends the workflow.
func quiet() *testsuite.TestWorkflowEnvironment {
	env := silent().NewTestWorkflowEnvironment()
	env.SetTestTimeout(10 * time.Minute)
	return env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: 10 * time.Minute})
}

// send sends an event, and says what becomes of it.
func send(env *testsuite.TestWorkflowEnvironment, event machine.ExternalEvent, accepted *bool, failed *error) {
	env.UpdateWorkflow(temporal.UpdateSend, "", &testsuite.TestUpdateCallback{
		OnAccept:   func() { *accepted = true },
		OnReject:   func(err error) { *failed = err },
		OnComplete: func(_ any, err error) { *failed = err },
	}, event)
}

// TestStatus: how the run has ended is the status of the workflow, with the snapshot.
func TestStatus(t *testing.T) {
	for name, test := range map[string]struct {
		act  func(*testsuite.TestWorkflowEnvironment)
		want string
		read func(*testsuite.TestWorkflowEnvironment) (temporal.Output, error)
	}{
		"success": {func(env *testsuite.TestWorkflowEnvironment) {
			send(env, machine.ExternalEvent{Name: "Accept"}, new(bool), new(error))
		}, "Accepted", func(env *testsuite.TestWorkflowEnvironment) (out temporal.Output, err error) {
			return out, env.GetWorkflowResult(&out)
		}},
		"failure": {func(env *testsuite.TestWorkflowEnvironment) {
			send(env, machine.ExternalEvent{Name: "Refuse"}, new(bool), new(error))
		}, "Refused", func(env *testsuite.TestWorkflowEnvironment) (out temporal.Output, err error) {
			var failure *sdk.ApplicationError
			if !errors.As(env.GetWorkflowError(), &failure) || failure.Type() != "Refused" {
				return out, env.GetWorkflowError()
			}
			return out, failure.Details(&out)
		}},
		"cancelled": {func(env *testsuite.TestWorkflowEnvironment) { env.CancelWorkflow() }, "Stopped",
			func(env *testsuite.TestWorkflowEnvironment) (out temporal.Output, err error) {
				var cancelled *sdk.CanceledError
				if !errors.As(env.GetWorkflowError(), &cancelled) {
					return out, env.GetWorkflowError()
				}
				return out, cancelled.Details(&out)
			}},
	} {
		t.Run(name, func(t *testing.T) {
			env, in := environment(t, decided, runtime.Handlers{})
			env.RegisterDelayedCallback(func() { test.act(env) }, time.Hour)
			env.ExecuteWorkflow(temporal.WorkflowType, in)
			out, err := test.read(env)
			if err != nil || !strings.Contains(string(out.Snapshot), `"state":"`+test.want+`"`) {
				t.Errorf("it ends with %s, %v", out.Snapshot, err)
			}
		})
	}
}

// TestCancelled: Temporal's own cancel is a step of the run, which a handler of the machine takes.
func TestCancelled(t *testing.T) {
	env, in := environment(t, decided, runtime.Handlers{})
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Hour)
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	p := player{env: env}
	history, _ := p.look(t, "")
	if last := string(history[len(history)-1]); !strings.Contains(last, `"kind":"cancel"`) || !strings.Contains(last, `"actor":"temporal"`) {
		t.Errorf("the last record is %s", last)
	}
}

// TestCancelStopsAttempts: an attempt under way is told to stop, and the workflow ends when it has.
func TestCancelStopsAttempts(t *testing.T) {
	work := func(ctx context.Context, _ *runtime.Attempt) (runtime.Result, error) {
		<-ctx.Done()
		return runtime.Result{}, ctx.Err()
	}
	env, in := environment(t, plain, runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": work}})
	env.SetTestTimeout(20 * time.Second)
	env.RegisterDelayedCallback(env.CancelWorkflow, 0)
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	if !sdk.IsCanceledError(env.GetWorkflowError()) {
		t.Error(env.GetWorkflowError())
	}
}

// TestValidator: what the run would refuse is refused before it stands in Temporal's history, and by
// the words of the other engines.
func TestValidator(t *testing.T) {
	env, in := environment(t, decided, runtime.Handlers{})
	for at, test := range []struct {
		event machine.ExternalEvent
		want  string // of the refusal; empty where it is taken
	}{
		{event: machine.ExternalEvent{Name: "Later", Data: []byte(`{"n": 1}`), ID: "a"}},
		{event: machine.ExternalEvent{Name: "Later", Data: []byte(`{"n": 10}`)}, want: "out of range"},
		{event: machine.ExternalEvent{Name: "Nonsense"}, want: "Nonsense"},
		{event: machine.ExternalEvent{Name: "Later", Data: []byte(`{"n": 2}`), ID: "a"}, want: "a"}, // other data under a known id
		{event: machine.ExternalEvent{Name: "Later", Data: []byte(`{"n": 1}`), ID: "a"}},            // the first answer again
		{event: machine.ExternalEvent{Name: "Later", Data: []byte(`{"n": 2}`), IfSeq: 9}, want: "2 steps, not 9"},
		{event: machine.ExternalEvent{Name: "Later", Data: []byte(`{"n": 2}`), ID: " "}, want: "not blank"},
		{event: machine.ExternalEvent{Name: "Accept"}},
	} {
		env.RegisterDelayedCallback(func() {
			accepted, failed := false, error(nil)
			send(env, test.event, &accepted, &failed)
			env.RegisterDelayedCallback(func() {
				if accepted != (test.want == "") || (failed == nil) != (test.want == "") || failed != nil && !strings.Contains(failed.Error(), test.want) {
					t.Errorf("event %d: accepted %t, %v, expected %q", at, accepted, failed, test.want)
				}
			}, time.Second)
		}, time.Duration(1+at)*time.Minute)
	}
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	if err := env.GetWorkflowError(); err != nil {
		t.Error(err)
	}
}
