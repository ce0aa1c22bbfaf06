package temporal

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A run that has ended in failure can be retried: it continues in the state in which it failed, in a new execution
// of its workflow. What that starts with is what the one that ended would give to a next one, with the retry.

// QueryAgain gives that, of a run that has ended: an Input, whose Continued.Retry is yet to be set.
const QueryAgain = "again"

// Again is who retries a run that has ended.
type Again struct {
	Actor  string `json:"actor,omitempty"`
	Reason string `json:"reason,omitempty"`
}

func (a *Again) input() machine.Input {
	return machine.Input{Kind: machine.RetryInput, Actor: a.Actor, Reason: a.Reason}
}

// retry is in for a run that has left a state last: where it has ended in failure, it continues there, but not a
// child, whose parent has its end.
func retry(m *machine.Machine, in machine.Input, left string, parent *Parent) source {
	return func(s *machine.Snapshot) (machine.Input, error) {
		if s.Status != machine.Finished || s.Outcome != machine.Failed {
			return in, nil
		}
		if parent != nil {
			return in, m.Reject(s, &in, fmt.Sprintf("the run %q, which it is a child of, has its result", parent.Run), machine.ErrFinished)
		}
		in.State, _ = m.State(left)
		return in, nil
	}
}

// steering is what an operator wants, for the run as it stands.
func (r *run) steering(o *Steer) source {
	return func(s *machine.Snapshot) (machine.Input, error) {
		in, err := o.input(s)
		if err != nil || in.Kind != machine.RetryInput {
			return in, err
		}
		return retry(r.machine, in, r.left, r.in.Parent)(s)
	}
}

func (r *run) again(ctx workflow.Context) func() (Input, error) {
	return func() (Input, error) {
		if r.snapshot.Status != machine.Finished {
			return Input{}, errors.New("the run has not ended")
		}
		return r.following(ctx)
	}
}

// retryEnded retries a run that has ended, which the error says.
func (c *Client) retryEnded(ctx context.Context, run string, by machine.Operator, ended error) (v machine.View, err error) {
	m, s, err := c.snapshot(ctx, run)
	if err != nil {
		return v, err
	}
	if s.Outcome != machine.Failed {
		return v, ended
	}
	var in Input
	if err := c.query(ctx, run, "", &in, QueryAgain); err != nil {
		return v, err
	}
	in.Continued.Retry = &Again{by.Actor, by.Reason}
	as := retry(m, in.Continued.Retry.input(), in.Continued.Left, in.Parent)
	if err := reject(m, s, nil, func(_ *machine.Machine, s *machine.Snapshot) (machine.Input, error) { return as(s) }); err != nil && !errors.Is(err, errHost) {
		return v, err
	}
	about, err := c.Temporal.DescribeWorkflowExecution(ctx, run, "")
	if err != nil {
		return v, c.explain(ctx, run, err)
	}
	err = c.execute(ctx, run, about.ExecutionConfig.GetTaskQueue().GetName(), enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, in)
	if err != nil && !errors.Is(err, machine.ErrExists) { // of two who retry it at once one was faster
		return v, err
	}
	return c.Show(ctx, run)
}
