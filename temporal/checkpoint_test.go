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

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/temporal"
)

// server is what a worker has of one: it keeps what it is told of attempts.
type server struct {
	client.Client
	mu     sync.Mutex
	said   []string
	cancel bool // it says that the attempt is cancelled
}

func (s *server) RecordActivityHeartbeat(_ context.Context, token []byte, details ...any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(token) == 0 || len(details) != 2 {
		return fmt.Errorf("it is told %v of %q", details, token)
	}
	s.said = append(s.said, fmt.Sprintf("%s", details[0]))
	if s.cancel {
		return sdk.NewCanceledError()
	}
	return nil
}

// DescribeWorkflowExecution knows of no activity under way: in the test environment no time passes meanwhile.
func (s *server) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return &workflowservice.DescribeWorkflowExecutionResponse{}, nil
}

// TestCheckpoint: a checkpoint is with the server before Progress returns, and the attempt that follows gets it.
func TestCheckpoint(t *testing.T) {
	s, calls := &server{}, []string{}
	work := func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		calls = append(calls, fmt.Sprintf("%d %s", a.Number, a.Checkpoint))
		if len(calls) == 3 {
			return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n": 1}`)}, nil
		}
		if err := a.Progress(strings.Repeat("x", 600_000)); err == nil || !strings.Contains(err.Error(), "more than the 524288") {
			t.Errorf("a large checkpoint gives %v", err)
		}
		if err := a.Progress(len(calls)); err != nil {
			return runtime.Result{}, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if last := s.said[len(s.said)-1]; last != fmt.Sprint(len(calls)) {
			t.Errorf("the server knows %s after %d calls", last, len(calls))
		}
		return runtime.Result{}, runtime.ErrWorkerLost
	}
	env, in := environmentOf(t, plain, temporal.Worker{Client: s,
		Handlers: runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": work}}})
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	if err := env.GetWorkflowError(); err != nil {
		t.Error(err)
	}
	if got := strings.Join(calls, ", "); got != "1 , 1 1, 1 2" {
		t.Errorf("attempts and their checkpoints: %s", got)
	}
}

// TestTold: an attempt stops when the server says, to a checkpoint, that it is cancelled.
func TestTold(t *testing.T) {
	s, stopped := &server{cancel: true}, false
	work := func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		if err := a.Progress(1); err != nil {
			t.Error(err)
		}
		select {
		case <-ctx.Done():
			stopped = true
		case <-time.After(10 * time.Second):
		}
		return runtime.Result{}, ctx.Err()
	}
	env, in := environmentOf(t, plain, temporal.Worker{Client: s,
		Handlers: runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": work}}})
	env.ExecuteWorkflow(temporal.WorkflowType, in)
	if !stopped {
		t.Error("it goes on")
	}
}

const limited = `machine M {
	event Worked
	activity work() -> Worked
	initial Working
	state Working {
		do work() LIMIT
		on Worked -> Done
		on failed(silent) -> Silent
		on failed(stalled) -> Stalled
		on failed -> Failed
	}
	terminal Done success
	terminal Silent failure
	terminal Stalled failure
	terminal Failed failure
}
`

// TestLost: what becomes of an attempt whose worker is gone: silent, stalled, or the same attempt again with
// the last checkpoint, five times.
func TestLost(t *testing.T) {
	for limit, want := range map[string]string{"heartbeat 1m": "Silent after 1: null", "progress 1m": "Stalled after 1: null",
		"timeout 1h": "Failed after 6: null, 1, 2, 3, 4, 5"} {
		source := strings.Replace(limited, "LIMIT", limit, 1)
		m := compiled(source)
		if m == nil {
			t.Fatal("the machine does not compile")
		}
		_, in := environmentOf(t, source, temporal.Worker{Client: &server{}, Handlers: runtime.Handlers{Activities: map[string]runtime.ActivityFunc{
			"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) { return runtime.Result{}, nil }}}})
		env := quiet()
		env.SetStartWorkflowOptions(startOptions)
		env.RegisterWorkflowWithOptions(temporal.RunWorkflow, workflow.RegisterOptions{Name: temporal.WorkflowType})
		var checkpoints []string
		env.RegisterActivityWithOptions(func(_ context.Context, c temporal.Call) (temporal.Answer, error) {
			checkpoint := "null"
			if c.Checkpoint != nil {
				checkpoint = string(c.Checkpoint)
			}
			checkpoints = append(checkpoints, checkpoint)
			return temporal.Answer{}, sdk.NewHeartbeatTimeoutError(len(checkpoints))
		}, activity.RegisterOptions{Name: "work"})
		env.ExecuteWorkflow(temporal.WorkflowType, in)
		var end *sdk.ApplicationError
		if !errors.As(env.GetWorkflowError(), &end) {
			t.Fatal(env.GetWorkflowError())
		}
		if got := fmt.Sprintf("%s after %d: %s", end.Type(), len(checkpoints), strings.Join(checkpoints, ", ")); got != want {
			t.Errorf("%s: %s, expected %s", limit, got, want)
		}
	}
}

// TestNoClient: a limit between checkpoints asks for what records them.
func TestNoClient(t *testing.T) {
	m := compiled(strings.Replace(limited, "LIMIT", "progress 1m", 1))
	err := temporal.Register(quiet(), temporal.Worker{Machine: m, Handlers: runtime.Handlers{
		Activities: map[string]runtime.ActivityFunc{"work": nil}}})
	if err == nil || !strings.Contains(err.Error(), "no Client is brought") {
		t.Error(err)
	}
}
