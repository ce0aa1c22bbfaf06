package temporal

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A do that calls a machine is a child workflow, of the same type. What its parent wants of it are
// signals, and not Temporal's cancel, which knows no force, no pause, and not who asks for it.

// Names of the signals between a run and its children.
const (
	SignalSteer = "steer" // takes a Steer, from the parent
	SignalTold  = "told"  // takes a Told, from a child
)

// Told is what a child and those below it have used so far. It is told on the way where a run above is
// held to a budget, and else with the end alone.
type Told struct {
	Child string         `json:"child"`
	Total []machine.Cost `json:"total"`
}

// Parent is the run that another is a child of.
type Parent struct {
	Run   string   `json:"run"`
	Above []string `json:"above,omitempty"` // the costs to whose budgets it, or one above it, is held
}

// child is an attempt that is a run of its own. All of it but the id comes once it has started.
type child struct {
	*attempt
	run    string
	callee *machine.Machine
	future workflow.ChildWorkflowFuture
	done   bool
	late   bool // its time is over
	left   bool // its parent does not wait for it
	out    Output
	failed error
	told   []machine.Cost // what its parent knows that it has used
}

// callChild runs the attempt as a child until it has ended and the run knows it. It is called with the turn.
func (r *run) callChild(ctx workflow.Context, a *attempt) {
	c := &child{attempt: a, run: r.machine.ChildID(r.snapshot, &a.task), callee: r.callees[r.machine.Callee(a.task.Do)]}
	in, fault := r.childInput(ctx, c)
	r.turn.Unlock()
	ctx, _ = workflow.NewDisconnectedContext(ctx) // what ends the attempt asks the child to end, and does not leave it
	if a.ended {
		return
	}
	if fault != "" {
		r.tell(ctx, c, func(*machine.Snapshot) machine.Input { return r.machine.FailureInput(&a.task, "unknown", fault) })
		return
	}
	c.future = workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: c.run,
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
		ParentClosePolicy:     enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL, // of a parent that is terminated; else it waits
		WaitForCancellation:   true}), WorkflowType, in)
	a.called, r.children = true, append(r.children, c)
	watching, stop := workflow.WithCancel(ctx)
	r.watch(watching, c)
	r.hearEnd(ctx, c)
	stop()
	r.leave(ctx, c)
	r.children = slices.DeleteFunc(r.children, func(of *child) bool { return of == c })
}

// childInput is what a child starts with, or why it cannot start. What its start step would refuse starts
// nothing; what a host guard decides is left to it.
func (r *run) childInput(ctx workflow.Context, c *child) (in Input, fault string) {
	if len(c.run) > machine.MaxChildID {
		return in, fmt.Sprintf("the id of the child would have %d bytes, more than the %d that are allowed", len(c.run), machine.MaxChildID)
	}
	now := workflow.Now(ctx)
	args, err := r.machine.TaskArgs(r.snapshot, &c.task, now, r.ask(ctx))
	if err == nil {
		err = r.overlong(args)
	}
	if err != nil {
		return in, err.Error()
	}
	in = Input{Params: args, Semantics: r.in.Semantics, Searchable: r.in.Searchable, MaxData: r.in.MaxData, Archive: r.in.Archive,
		Parent: &Parent{Run: r.snapshot.Run, Above: r.machine.HeldBelow(r.snapshot)}}
	switch d := c.callee.Definition(); {
	case r.in.Named != nil:
		in.Named = &Named{d.Name, c.callee.Hash()}
	case c.callee.Calls():
		in.Definition, in.Callees = d.Encode(), r.in.Callees
	default:
		in.Definition = d.Encode()
	}
	if refused, ok := errors.AsType[*machine.Rejected](tryStart(c.callee, c.run, in.Params, in.Parent, now)); ok {
		return in, misfit + refused.Why
	}
	return in, ""
}

// misfit is what arguments are that a child refuses.
const misfit = "its arguments do not fit: "

// start is the input that starts a run with the parameters; parent is nil for none.
func (p *Parent) start(in machine.Input) machine.Input {
	if p != nil {
		in.Actor, in.Above = p.Run, p.Above
	}
	return in
}

// watch notes when a child ends, and when its time is over, which counts from its start.
func (r *run) watch(ctx workflow.Context, c *child) {
	free, _ := workflow.NewDisconnectedContext(ctx)
	workflow.Go(free, func(ctx workflow.Context) {
		c.failed = c.future.Get(ctx, &c.out)
		c.done, r.changed = true, true
	})
	timeout := machine.LimitOf(r.machine.Definition().Dos[c.task.Do].Timeout)
	if timeout == 0 {
		return
	}
	workflow.Go(ctx, func(ctx workflow.Context) {
		if c.future.GetChildWorkflowExecution().Get(ctx, nil) == nil && workflow.Sleep(ctx, timeout) == nil {
			c.late, r.changed = true, true
		}
	})
}

// moves reports whether a run takes the end of a child: else that waits.
func (r *run) moves() bool {
	return r.snapshot.Status == machine.Running && r.snapshot.PausedAt.IsZero()
}

// hearEnd waits until a child has ended, or its time is over, and gives the run that; or until a step has
// left the child behind.
func (r *run) hearEnd(ctx workflow.Context, c *child) {
	for told := false; !told; {
		if workflow.Await(ctx, func() bool { return c.ended || r.moves() && (c.done || c.late) }) != nil || c.ended || r.turn.Lock(ctx) != nil {
			return
		}
		if !c.ended && r.moves() {
			told = r.tellEnd(ctx, c)
		}
		r.turn.Unlock()
	}
}

// tellEnd is hearEnd for who has the turn. It reports false where the run was halted before it took that.
func (r *run) tellEnd(ctx workflow.Context, c *child) bool {
	if !c.done {
		timeout := machine.LimitOf(r.machine.Definition().Dos[c.task.Do].Timeout)
		return !errors.Is(r.telling(ctx, c, func(*machine.Snapshot) machine.Input {
			return r.machine.FailureInput(&c.task, "timeout", fmt.Sprintf("the run %q has not ended within %s", c.run, machine.DurationText(timeout)))
		}), machine.ErrHalted)
	}
	c.called = false
	end, of := r.childEnd(c)
	err := r.telling(ctx, c, func(s *machine.Snapshot) machine.Input {
		in := end
		if of != nil {
			in.AddBelow(s, of.Spent, c.told)
		}
		return in
	})
	if of != nil && err == nil { // else the run has moved on, and leave notes it
		c.told = of.Spent
	}
	return !errors.Is(err, machine.ErrHalted)
}

// tell is telling for who has not the turn.
func (r *run) tell(ctx workflow.Context, c *child, input func(*machine.Snapshot) machine.Input) {
	if r.turn.Lock(ctx) == nil {
		_ = r.telling(ctx, c, input) // what refuses it is that the run has moved on
		r.turn.Unlock()
	}
}

// telling gives the run the end of an attempt that is a child.
func (r *run) telling(ctx workflow.Context, c *child, input func(*machine.Snapshot) machine.Input) error {
	_, err := r.step(ctx, 0, func(s *machine.Snapshot) (machine.Input, error) {
		if c.machine != r.machine { // it was to start when the run moved
			return machine.Input{}, errMoved
		}
		in := input(s)
		in.Worker = beginner
		if c.future != nil {
			in.Actor = c.run
		}
		return in, nil
	})
	return err
}

// childEnd is what a child that has ended tells its parent, and the snapshot with which it has; nil for one
// that never began, or that Temporal has terminated.
func (r *run) childEnd(c *child) (machine.Input, *machine.Snapshot) {
	fail := func(message string) (machine.Input, *machine.Snapshot) {
		return r.machine.FailureInput(&c.task, "unknown", message), nil
	}
	var taken *temporal.ChildWorkflowExecutionAlreadyStartedError
	var failure *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	var err error
	switch {
	case c.failed == nil:
	case errors.As(c.failed, &taken):
		return fail("there is a run " + strconv.Quote(c.run) + " already")
	case errors.As(c.failed, &failure) && failure.Type() == refusedType:
		why := ""
		if !failure.HasDetails() || failure.Details(&why) != nil {
			return fail(failure.Message())
		}
		return fail(misfit + why)
	case errors.As(c.failed, &failure):
		err = failure.Details(&c.out)
	case errors.As(c.failed, &cancelled):
		err = cancelled.Details(&c.out)
	default:
		err = c.failed
	}
	var s *machine.Snapshot
	if err == nil {
		s, err = c.callee.DecodeSnapshot(c.out.Snapshot)
	}
	if err != nil {
		return fail(fmt.Sprintf("the workflow of the run %q has ended without a result: %s", c.run, err))
	}
	s.Run = c.run
	in := r.machine.EndedInput(&c.task, c.callee, s, machine.MaxPayload)
	in.Took = s.Now.Sub(s.Started)
	return in, s
}

// leave asks a child to end that a step has left behind, or whose time is over, waits until it has, and notes
// what it has used.
func (r *run) leave(ctx workflow.Context, c *child) {
	c.left = c.ended || !c.done
	for !c.done {
		force := r.snapshot.Forced
		// The child refuses it, or cannot be reached, where it has ended: that is all that is waited for.
		_ = c.future.SignalChildWorkflow(ctx, SignalSteer, Steer{Kind: machine.CancelInput, Force: force, Actor: r.snapshot.Run,
			Reason: "its parent does not wait for " + r.machine.TaskName(&c.task) + " any more"}).Get(ctx, nil)
		_ = workflow.Await(ctx, func() bool { return c.done || r.snapshot.Forced && !force })
	}
	if _, s := r.childEnd(c); s != nil {
		r.hear(ctx, c, s.Spent, true)
	}
	if c.called && c.ended {
		r.stopping--
		r.changed = true
	}
	c.called = false
}

// hear notes what a child has used, as far as the run does not know it: in all, or until now.
func (r *run) hear(ctx workflow.Context, c *child, total []machine.Cost, ended bool) {
	if slices.Equal(total, c.told) {
		return
	}
	err := r.apply(ctx, func(s *machine.Snapshot) (machine.Input, error) {
		task := &c.task
		if c.left || !s.IsOpen(task) {
			task = nil
		}
		if c.done && !ended { // meanwhile: its end says more
			return machine.Input{}, errKnown
		}
		return r.machine.ToldInput(s, task, c.run, total, c.told), nil
	})
	if err == nil {
		c.told = total
	}
}

// errKnown refuses to note what the end of a child says, too.
var errKnown = errors.New("the child has ended")

// listenToTree takes what the parent wants, and what children tell.
func (r *run) listenToTree(ctx workflow.Context) {
	steers, costs := workflow.GetSignalChannel(ctx, SignalSteer), workflow.GetSignalChannel(ctx, SignalTold)
	r.unread = func() bool { return steers.Len() > 0 || costs.Len() > 0 || r.hearing }
	take(ctx, steers, func(ctx workflow.Context, o Steer) {
		r.hearing = true
		_ = r.applySteer(ctx, &o) // refused where it has ended, or is halted; those below it may not be
		r.steerBelow(ctx, o)
		r.hearing = false
	})
	take(ctx, costs, func(ctx workflow.Context, told Told) {
		if i := slices.IndexFunc(r.children, func(c *child) bool { return c.run == told.Child && !c.done }); i >= 0 {
			r.hear(ctx, r.children[i], told.Total, false)
		}
	})
	if r.in.Parent != nil {
		workflow.Go(ctx, r.tellCosts)
	}
}

// take gives f what comes from a channel, one after the other.
func take[T any](ctx workflow.Context, from workflow.ReceiveChannel, f func(workflow.Context, T)) {
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var v T
			if !from.Receive(ctx, &v) {
				return
			}
			f(ctx, v)
		}
	})
}

// steerBelow brings a pause or resume to the children of the run, which bring it to theirs. A cancel reaches
// those that it leaves behind.
func (r *run) steerBelow(ctx workflow.Context, o Steer) {
	if o.Kind != machine.PauseInput && o.Kind != machine.ResumeInput {
		return
	}
	var sent []workflow.Future
	for _, c := range r.children {
		if !c.done {
			sent = append(sent, c.future.SignalChildWorkflow(ctx, SignalSteer, o))
		}
	}
	for _, f := range sent {
		_ = f.Get(ctx, nil) // of one that has ended meanwhile
	}
}

// view is how the run stands, with the ids of the children that go on.
func (r *run) view() machine.View {
	v := r.machine.View(r.snapshot)
	r.showLimits(&v)
	for _, c := range r.children {
		if c.left {
			v.Left = append(v.Left, machine.ChildView{Run: c.run, Status: machine.Running})
			continue
		}
		for i := range v.Activities {
			if v.Activities[i].Do == r.machine.TaskName(&c.task) {
				v.Activities[i].Child = &machine.ChildView{Run: c.run, Status: machine.Running}
			}
		}
	}
	return v
}

// owes reports whether the parent is to know by now what the run has used.
func (r *run) owes() bool {
	return len(r.snapshot.Above) > 0 && r.snapshot.Status != machine.Finished && !slices.Equal(r.snapshot.Spent, r.toldSpent)
}

// tellCosts tells the parent what the run has used, where a run above is held to a budget. A total says all
// that was said before, so that one that does not arrive is made good by the next, or by the end.
func (r *run) tellCosts(ctx workflow.Context) {
	for workflow.Await(ctx, r.owes) == nil {
		total := r.snapshot.Spent
		r.toldSpent = total
		_ = workflow.SignalExternalWorkflow(ctx, r.in.Parent.Run, "", SignalTold, Told{r.snapshot.Run, total}).Get(ctx, nil)
	}
}

// stops reports whether the run is over, and nothing of it goes on: a run that has left children behind
// finishes then.
func (r *run) stops() bool {
	return r.snapshot.Status == machine.Ending && r.open == 0 && !r.turn.IsLocked()
}

// stop finishes such a run.
func (r *run) stop(ctx workflow.Context) error {
	err := r.apply(ctx, r.machine.StoppedInput)
	if _, refused := errors.AsType[*machine.Rejected](err); refused {
		return nil
	}
	return err
}
