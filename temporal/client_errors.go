package temporal

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

func noNamespace(namespace string, err error) error {
	if _, missing := errors.AsType[*serviceerror.NamespaceNotFound](err); missing {
		return fmt.Errorf("the Temporal server has no namespace %q: create it with temporal operator namespace create, or name another", namespace)
	}
	if isDenied(err) {
		return denied(err)
	}
	return err
}

func (c *Client) patience() time.Duration {
	if c.Patience == 0 {
		return Patience
	}
	return c.Patience
}

// update waits for the answer of an update. Where the run has ended, or the payload is no JSON, which could not even be
// sent, or null, which the workflow takes for none, the step says what it makes of it.
func (c *Client) update(ctx context.Context, run, name, id string, arg any, payload json.RawMessage,
	input func(*machine.Machine, *machine.Snapshot) (machine.Input, error)) (v machine.View, err error) {
	if len(payload) > 0 && !json.Valid(payload) || string(bytes.TrimSpace(payload)) == "null" {
		m, s, err := c.snapshot(ctx, run)
		if err == nil {
			err = cmp.Or(reject(m, s, arg, input), errors.New("the payload is no JSON, or null"))
		}
		return v, err
	}
	err = c.ask(ctx, client.UpdateWorkflowOptions{WorkflowID: run, UpdateID: cmp.Or(id, rand.Text()), UpdateName: name, Args: []any{arg},
		WaitForStage: client.WorkflowUpdateStageCompleted}, &v)
	refused, missing := refusalIn(err), isMissing(err)
	switch {
	case err == nil:
		return v, nil
	case refused == nil && !missing:
		return machine.View{}, c.unanswered(ctx, run, err)
	}
	// The step itself says why, in the words of all engines: of what it refuses nothing has changed.
	m, s, lost := c.snapshot(ctx, run)
	if lost != nil {
		return machine.View{}, lost
	}
	if event, ok := arg.(machine.ExternalEvent); ok && missing && event.ID != "" {
		var stored json.RawMessage // by an execution before, whose updates Temporal does not remember for the last one
		if err := c.query(ctx, run, "", &stored, QueryAnswer, event.ID); err == nil && len(stored) > 0 && string(stored) != "null" {
			return m.DecodeAnswer(s, &event, stored)
		}
	}
	rejected := reject(m, s, arg, input)
	switch {
	case rejected != nil && (missing || rejected.Error() == refused.Message()):
		return machine.View{}, rejected
	case refused != nil:
		return machine.View{}, readRefusal(refused.Message(), arg)
	case !s.Status.Over():
		in, _ := input(m, s) // which the step would take
		return machine.View{}, m.Reject(s, &in, "its workflow was terminated, or the Temporal server has failed it", machine.ErrFinished)
	}
	return m.View(s), nil // it was cancelled before
}

// ask waits for the answer of an update: for a worker to take it as long as its patience lasts, and then as long as it takes. A
// cancel is over when what it stops has stopped.
func (c *Client) ask(ctx context.Context, o client.UpdateWorkflowOptions, answer any) error {
	defer c.turn(ctx, o.WorkflowID)()
	try := func(patience time.Duration) (handle client.WorkflowUpdateHandle, late bool, err error) {
		waiting, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		handle, err = c.Temporal.UpdateWorkflow(waiting, o)
		if err == nil && o.WaitForStage == client.WorkflowUpdateStageCompleted {
			err = handle.Get(waiting, answer)
		}
		late = err != nil && waiting.Err() != nil || isLate(err) // the server may see the deadline first
		return handle, late && ctx.Err() == nil, err
	}
	_, late, err := try(c.patience())
	if !late {
		return err
	}
	o.WaitForStage = client.WorkflowUpdateStageAccepted
	handle, late, again := try(max(c.patience()/5, time.Second))
	switch {
	case late:
		return err
	case again != nil:
		return again
	}
	return handle.Get(ctx, answer)
}

// refusalIn is the error of an update that was refused; nil for another one.
func refusalIn(err error) *temporal.ApplicationError {
	if refused, ok := errors.AsType[*temporal.ApplicationError](err); ok && refused.Type() == refusedType {
		return refused
	}
	return nil
}

// isMissing reports whether there is no such workflow, or it has ended.
func isMissing(err error) bool {
	_, missing := errors.AsType[*serviceerror.NotFound](err)
	return missing
}

// isLate reports whether nobody has answered.
func isLate(err error) bool {
	var update *client.WorkflowUpdateServiceTimeoutOrCanceledError
	var late *serviceerror.DeadlineExceeded
	var away *serviceerror.FailedPrecondition // of a query, where no worker has asked for work for a while
	return errors.As(err, &update) || errors.As(err, &late) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &away) && strings.Contains(err.Error(), "no poller seen")
}

// readRefusal makes of the words of a refused event what they were made of.
func readRefusal(message string, arg any) error {
	event, ok := arg.(machine.ExternalEvent)
	rest, is := strings.CutPrefix(message, fmt.Sprintf("event %q is refused in state ", event.Name))
	quoted, err := strconv.QuotedPrefix(rest)
	if !ok || !is || err != nil {
		return errors.New(message)
	}
	state, _ := strconv.Unquote(quoted)
	why, allowed, _ := strings.Cut(strings.TrimPrefix(rest[len(quoted):], ": "), "; allowed there: ")
	r := &machine.Rejected{Input: machine.EventInput, Event: event.Name, State: state, Why: why}
	if allowed != "" {
		r.Allowed = strings.Split(allowed, ", ")
	}
	if strings.Contains(why, " was taken with another ") {
		r.Err = machine.ErrDuplicate
	}
	return r
}

// reject is the refusal of an input by the run as it stands; nil where it is taken.
func reject(m *machine.Machine, s *machine.Snapshot, arg any, input func(*machine.Machine, *machine.Snapshot) (machine.Input, error)) error {
	in, err := input(m, s)
	if event, ok := arg.(machine.ExternalEvent); ok && err == nil {
		err = m.Expected(s, &in, event.IfSeq)
	}
	if err == nil {
		_, _, _, err = m.Advance(s, in, time.Now().UTC(), func(int, []machine.Value) (bool, error) { return false, errHost })
	}
	return err
}

func (c *Client) snapshot(ctx context.Context, run string) (*machine.Machine, *machine.Snapshot, error) {
	var encoded json.RawMessage
	if err := c.query(ctx, run, "", &encoded, QuerySnapshot); err != nil {
		return nil, nil, err
	}
	m, err := c.current(ctx, run)
	if err != nil {
		return nil, nil, err
	}
	s, err := m.DecodeSnapshot(encoded)
	if err == nil {
		s.Run = run
	}
	return m, s, err
}

func (c *Client) query(ctx context.Context, run, execution string, into any, name string, args ...any) error {
	waiting, cancel := context.WithTimeout(ctx, c.patience())
	defer cancel()
	for {
		once, done := context.WithTimeout(waiting, c.patience()/4)
		value, err := c.Temporal.QueryWorkflow(once, run, execution, name, args...)
		late, _ := errors.AsType[*serviceerror.DeadlineExceeded](err) // the server may see it first
		unheard := err != nil && (once.Err() != nil || late != nil) && waiting.Err() == nil
		done()
		switch {
		case unheard: // by a worker that has gone meanwhile: a query is given to one alone, and changes nothing
			continue
		case err != nil:
			return c.explain(ctx, run, err)
		}
		return value.Get(into)
	}
}

// errUnserved says that no worker answers for a run.
type errUnserved struct {
	run   string
	after time.Duration
}

func (e errUnserved) Error() string {
	return fmt.Sprintf("no worker answers for run %q within %s: start a worker on its task queue", e.run, e.after)
}

// unanswered is explain for an update: Temporal keeps one for the worker to come.
func (c *Client) unanswered(ctx context.Context, run string, err error) error {
	err = c.explain(ctx, run, err)
	if errors.As(err, &errUnserved{}) {
		return fmt.Errorf("%w; it may take then what was asked for: look at the run before you ask again, or send an event with an id, which is taken once", err)
	}
	return err
}

// explain says of an error of Temporal what is wrong, and what to do.
func (c *Client) explain(ctx context.Context, run string, err error) error {
	namespace, _ := errors.AsType[*serviceerror.NamespaceNotFound](err)
	_, away := errors.AsType[*serviceerror.Unavailable](err)
	_, unready := errors.AsType[*serviceerror.WorkflowNotReady](err)
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case namespace != nil:
		return noNamespace(namespace.Namespace, err)
	case isMissing(err):
		return fmt.Errorf("run %q: %w", run, runtime.ErrNotFound)
	case isDenied(err):
		return denied(err)
	case away:
		return fmt.Errorf("the Temporal server does not answer: %w", err)
	}
	if why := c.stuck(ctx, run); why != "" {
		return fmt.Errorf("run %q waits, since the last worker that tried its next step could not take it: %s", run, why)
	}
	switch {
	case unready:
		return fmt.Errorf("run %q has not begun, since no worker had it: %w", run, err)
	case isLate(err), !c.served(ctx, run):
		return errUnserved{run, c.patience()}
	}
	return err
}

// stuck says why no worker can take the next step of a run, as the last that tried has said it; empty if none has tried and failed.
func (c *Client) stuck(ctx context.Context, run string) string {
	if run == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, c.patience())
	defer cancel()
	about, err := c.Temporal.DescribeWorkflowExecution(ctx, run, "")
	if err != nil || about.GetPendingWorkflowTask().GetAttempt() < 2 {
		return ""
	}
	page, err := c.Temporal.WorkflowService().GetWorkflowExecutionHistoryReverse(ctx, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: cmp.Or(c.Namespace, client.DefaultNamespace), Execution: about.GetWorkflowExecutionInfo().GetExecution(), MaximumPageSize: 20})
	if err != nil {
		return ""
	}
	for _, e := range page.GetHistory().GetEvents() {
		if failed := e.GetWorkflowTaskFailedEventAttributes(); failed != nil {
			return failed.GetFailure().GetMessage()
		}
	}
	return ""
}

// served reports whether a worker has asked for work on the task queue of a run in the last seconds.
func (c *Client) served(ctx context.Context, run string) bool {
	ctx, cancel := context.WithTimeout(ctx, c.patience())
	defer cancel()
	queue := c.TaskQueue
	if about, err := c.Temporal.DescribeWorkflowExecution(ctx, run, ""); err == nil {
		queue = about.ExecutionConfig.GetTaskQueue().GetName()
	}
	about, err := c.Temporal.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
	return err != nil || len(about.Pollers) > 0
}
