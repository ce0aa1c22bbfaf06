package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// TestLimiterEnds: who keeps a limit ends an hour after nobody needs it, and no sooner than the last attempt that has begun
// counts no more. The definitions that it has seen are what it leaves.
func TestLimiterEnds(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for window, want := range map[time.Duration]time.Duration{time.Minute: time.Hour, 3 * time.Hour: 3 * time.Hour} {
		env := quiet()
		env.RegisterWorkflow(temporal.LimitWorkflow)
		env.SetStartTime(begin)
		env.SetWorkflowRunTimeout(1000 * time.Hour)
		env.ExecuteWorkflow(temporal.LimitWorkflow, temporal.Limiter{Definitions: []string{"1"}, Limit: machine.Limit{Rate: 1, Window: int64(window)},
			Begun: []temporal.Begun{{First: begin, Last: begin, N: 1}}})
		var left temporal.Limiter
		if err := env.GetWorkflowResult(&left); err != nil || env.Now().Sub(begin) != want || !slices.Equal(left.Definitions, []string{"1"}) || len(left.Begun) > 0 {
			t.Errorf("a window of %s: it ends after %s with %+v, %v", window, env.Now().Sub(begin), left, err)
		}
	}
}

// TestLimiterLeavesOut: a run that waits and is not there is left out when its turn comes.
func TestLimiterLeavesOut(t *testing.T) {
	env := quiet()
	env.RegisterWorkflow(temporal.LimitWorkflow)
	env.SetWorkflowRunTimeout(1000 * time.Hour)
	var asked []string
	env.OnSignalExternalWorkflow(mock.Anything, mock.Anything, "", temporal.SignalGrant, mock.Anything).Return(
		func(_, run, _, _ string, _ any) error {
			asked = append(asked, run)
			return errors.New("it is not there")
		})
	env.ExecuteWorkflow(temporal.LimitWorkflow, temporal.Limiter{Limit: machine.Limit{AtOnce: 1}, Places: []*temporal.Place{{Run: "gone", ID: "1"}, {Run: "gone, too", ID: "2"}}})
	if err := env.GetWorkflowError(); err != nil || !slices.Equal(asked, []string{"gone", "gone, too"}) {
		t.Errorf("%q were asked, %v", asked, err)
	}
}

// endedLimiter is a server on which the limiter has ended.
type endedLimiter struct {
	client.Client
	status  enums.WorkflowExecutionStatus
	started []string
}

func (e *endedLimiter) SignalWorkflow(context.Context, string, string, string, any) error {
	return serviceerror.NewNotFound("it has ended")
}

func (e *endedLimiter) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if e.status == 0 {
		return nil, serviceerror.NewNotFound("it was never there")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{
		Status: e.status, Execution: &common.WorkflowExecution{RunId: "last"}}}, nil
}

func (e *endedLimiter) GetWorkflow(_ context.Context, id, run string) client.WorkflowRun {
	return endedRun{id: id + " " + run}
}

func (e *endedLimiter) SignalWithStartWorkflow(_ context.Context, id, signal string, arg any, o client.StartWorkflowOptions, of any, args ...any) (client.WorkflowRun, error) {
	e.started = append(e.started, fmt.Sprint(id, " ", signal, " ", arg.(temporal.Request).Place, " ", o.ID, " ", of, " ", args[0].(temporal.Limiter).Definitions))
	return nil, nil
}

type endedRun struct {
	client.WorkflowRun
	id string
}

func (e endedRun) Get(_ context.Context, into any) error {
	*into.(*temporal.Limiter) = temporal.Limiter{Definitions: []string{e.id}}
	return nil
}

// TestLimiterAgain: who asks for a place where nobody keeps the limit starts that, with what the one that has ended has
// left; who leaves one does not.
func TestLimiterAgain(t *testing.T) {
	for status, want := range map[enums.WorkflowExecutionStatus]string{
		0: "l place p l fsmc.Limit []",
		enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:  "l place p l fsmc.Limit [l last]",
		enums.WORKFLOW_EXECUTION_STATUS_TERMINATED: "l place p l fsmc.Limit []",
	} {
		server := &endedLimiter{status: status}
		w := &temporal.Worker{Client: server}
		for _, kind := range []string{temporal.LeftPlace, temporal.AsksPlace} {
			env := silent().NewTestActivityEnvironment()
			if _, err := env.ExecuteLocalActivity(w.Tell, "l", temporal.Request{Kind: kind, Place: "p"}); err != nil {
				t.Error(err)
			}
		}
		if !slices.Equal(server.started, []string{want}) {
			t.Errorf("%s: it starts %q", status, server.started)
		}
	}
}
