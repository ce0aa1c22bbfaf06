package temporal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Patience is how long a Client waits for a worker, unless its field says otherwise.
const Patience = 10 * time.Second

// Client starts runs on Temporal, sends them what comes from outside, and looks at them. All but Start and
// List need a worker on the task queue of the run.
type Client struct {
	Temporal  client.Client
	TaskQueue string             // of the machine whose runs it starts
	Callees   []*machine.Machine // the machines that those call whose runs it starts, and that these call
	Patience  time.Duration      // how long it waits for a worker; Patience if it is 0

	// Archive says that runs which are started give their history to a worker with an ArchiveFunc, and end no sooner.
	Archive bool
	// Searchable says that the namespace has the search attributes of Attributes: runs that are started say in
	// them where they stand.
	Searchable bool
	Namespace  string // in which they are looked for before the first run starts; client.DefaultNamespace if it is empty

	has      atomic.Bool // the namespace has them
	mu       sync.Mutex
	machines map[string]*machine.Machine // by their hashes
	turns    map[string]*turns           // by runs
}

// Start starts a run. It takes the start step beforehand, so that parameters that are refused start nothing.
// The run is durable when Start returns. The error is machine.ErrExists where the id was ever taken.
func (c *Client) Start(ctx context.Context, m *machine.Machine, id string, params json.RawMessage) error {
	if id == "" {
		return errors.New("the id of a run is empty")
	}
	if why := machine.BadID(id); why != "" {
		return fmt.Errorf("the id of a run %s", why)
	}
	if strings.Contains(id, "/") {
		return errors.New(`the id of a run has no "/"`)
	}
	below, err := tree(m.Definition(), c.Callees)
	if err != nil {
		return err
	}
	if err := oversized(machine.StartInput, "", params); err != nil {
		return err
	}
	in := Input{Params: params, Searchable: c.Searchable, MaxData: maxData, Archive: c.Archive}
	in.Definition, in.Callees, in.Named = carry(m, below)
	if err := tryStart(m, id, params, nil, time.Now().UTC()); err != nil {
		return err
	}
	if err := c.searchable(ctx); err != nil {
		return err
	}
	return c.execute(ctx, id, c.TaskQueue, enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE, in)
}

// execute starts an execution of a run.
func (c *Client) execute(ctx context.Context, id, queue string, reuse enums.WorkflowIdReusePolicy, in Input) error {
	_, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queue,
		WorkflowIDReusePolicy:                    reuse,
		WorkflowIDConflictPolicy:                 enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, WorkflowType, in)
	if _, taken := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); taken {
		return fmt.Errorf("run %q: %w", id, machine.ErrExists)
	}
	return c.explain(ctx, id, err)
}

// errHost is the answer of a host guard where there is no host.
var errHost = errors.New("the worker answers it")

// tryStart takes the start step, of a child if there is a parent, on a snapshot that is thrown away. What
// depends on a host guard is left to the worker.
func tryStart(m *machine.Machine, id string, params json.RawMessage, parent *Parent, now time.Time) error {
	in, err := m.StartInput(params, now, machine.MaxPayload)
	if err != nil {
		return err
	}
	return unasked(func(ask machine.Ask) error {
		_, _, _, err := m.Advance(m.NewSnapshot(id, machine.SeedOf(id)), parent.start(in), now, ask)
		return err
	})
}

// Send gives an event to a run. The error is a *machine.Rejected where it is refused.
func (c *Client) Send(ctx context.Context, run string, event machine.ExternalEvent) (machine.View, error) {
	if len(event.Data) == 0 { // which JSON cannot say of a json.RawMessage
		event.Data = json.RawMessage("{}")
	}
	if err := oversized(machine.EventInput, event.Name, event.Data); err != nil {
		return machine.View{}, err
	}
	id := ""
	if event.ID != "" { // other data under the id must meet the run, which refuses them
		sum := sha256.Sum256(fmt.Appendf(nil, "%q %s", event.Name, event.Data))
		id = event.ID + "-" + hex.EncodeToString(sum[:8])
	}
	return c.update(ctx, run, UpdateSend, id, event, event.Data, func(m *machine.Machine, s *machine.Snapshot) (machine.Input, error) {
		return m.EventInput(s, event, machine.MaxPayload)
	})
}

// Cancel cancels a run, and returns when what it stops has stopped.
func (c *Client) Cancel(ctx context.Context, run string, o runtime.CancelOptions) (machine.View, error) {
	return c.steer(ctx, run, Steer{Kind: machine.CancelInput, Force: o.Force, Actor: o.Actor, Reason: o.Reason})
}

// Pause pauses a run.
func (c *Client) Pause(ctx context.Context, run string, by machine.Operator) (machine.View, error) {
	return c.steer(ctx, run, Steer{Kind: machine.PauseInput, Actor: by.Actor, Reason: by.Reason})
}

// Resume resumes a paused run.
func (c *Client) Resume(ctx context.Context, run string, by machine.Operator) (machine.View, error) {
	return c.steer(ctx, run, Steer{Kind: machine.ResumeInput, Actor: by.Actor, Reason: by.Reason})
}

// Retry retries a run that is halted, or waits to try an activity again, or has ended in failure: that one continues in
// the state in which it failed.
func (c *Client) Retry(ctx context.Context, run string, by machine.Operator) (machine.View, error) {
	v, err := c.steer(ctx, run, Steer{Kind: machine.RetryInput, Actor: by.Actor, Reason: by.Reason})
	if errors.Is(err, machine.ErrFinished) {
		return c.retryEnded(ctx, run, by, err)
	}
	return v, err
}

func (c *Client) steer(ctx context.Context, run string, o Steer) (machine.View, error) {
	return c.update(ctx, run, UpdateSteer, "", o, nil, func(*machine.Machine, *machine.Snapshot) (machine.Input, error) {
		return machine.Input{Kind: o.Kind, Force: o.Force, Actor: o.Actor, Reason: o.Reason}, nil
	})
}

// Complete ends an open activity by hand.
func (c *Client) Complete(ctx context.Context, run string, of machine.Completion) (machine.View, error) {
	if len(of.Data) == 0 { // as with an event
		of.Data = json.RawMessage("{}")
	}
	if err := oversized(machine.CompleteRefused, "", of.Data); err != nil {
		return machine.View{}, err
	}
	return c.update(ctx, run, UpdateComplete, "", of, of.Data, func(m *machine.Machine, s *machine.Snapshot) (machine.Input, error) {
		return m.CompleteInput(s, &of, machine.MaxPayload)
	})
}

// Show looks at a run, which may have ended, and at its children that go on.
func (c *Client) Show(ctx context.Context, run string) (v machine.View, err error) {
	if err := c.query(ctx, run, "", &v, QueryView); err != nil {
		return v, err
	}
	for i := range v.Activities {
		c.showChild(ctx, v.Activities[i].Child)
		c.showLimit(ctx, v.Machine, &v.Activities[i])
	}
	for i := range v.Left {
		c.showChild(ctx, &v.Left[i])
	}
	return v, nil
}

// showChild says of a child how it stands. One that does not answer, because it is about to start, stays what
// its parent knows of it.
func (c *Client) showChild(ctx context.Context, of *machine.ChildView) {
	var v machine.View
	if of != nil && c.query(ctx, of.Run, "", &v, QueryView) == nil {
		of.State, of.Status, of.Paused, of.Halt = v.State, v.Status, v.Paused, v.Halt
	}
}

// History gives the steps after a Seq, and how many at most. They may stand in several executions of the
// workflow: a run with a long history goes on in a new one.
func (c *Client) History(ctx context.Context, run string, after int64, most int) ([]machine.StepView, error) {
	executions, err := c.chain(ctx, run, after)
	if err != nil {
		return nil, err
	}
	steps := []machine.StepView{}
	for i := len(executions) - 1; i >= 0 && len(steps) < most; {
		var part []json.RawMessage
		e := &executions[i]
		if err := c.query(ctx, run, e.id, &part, QueryHistory, after+int64(len(steps)), most-len(steps)); err != nil {
			return nil, err
		}
		decoded, err := c.decode(ctx, run, e.id, e.Versions, part)
		if err != nil {
			return nil, err
		}
		if len(decoded) == 0 {
			i--
		}
		steps = append(steps, decoded...)
	}
	return steps, nil
}

// execution is one of the workflow of a run.
type execution struct {
	id string // of Temporal; empty for the newest
	Chain
}

// chain are the executions of a run that have steps after a Seq, the newest first.
func (c *Client) chain(ctx context.Context, run string, after int64) (all []execution, err error) {
	for next := (execution{}); ; next = (execution{id: next.Previous}) {
		if err := c.query(ctx, run, next.id, &next.Chain, QueryChain); err != nil {
			return nil, err
		}
		if all = append(all, next); next.Base <= after || next.Previous == "" {
			return all, nil
		}
	}
}
