package temporal

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// attempt is a task of the run. Temporal makes it once: retries are the machine's.
type attempt struct {
	task      machine.Task
	machine   *machine.Machine // by which it was begun
	visit     int64
	ready     time.Time // when it may begin
	lost      int       // how often its worker was lost
	elsewhere int       // how often a worker had it that knows it not
	ended     bool      // by a step
	called    bool      // its activity or child is under way
	place     place     // where its activity has a limit
	cancel    workflow.CancelFunc
}

const (
	declineFor = time.Second // how long an attempt is left alone that an activity declined

	elsewhereMost = time.Minute // the same of one that its worker has not, each time twice as long until that
	lostLimit     = 5           // how often an attempt whose worker was lost is made again
	// backstop is behind the limits that Perform holds an attempt to.
	backstop = 365 * 24 * time.Hour
)

func (r *run) begin(ctx workflow.Context, task machine.Task) {
	r.launch(ctx, &attempt{task: task, visit: r.snapshot.Visit, ready: task.NotBefore})
}

func (r *run) launch(ctx workflow.Context, a *attempt) {
	ctx, a.cancel = workflow.NewDisconnectedContext(ctx) // a step of another attempt, that is cancelled, may begin it
	r.attempts[a.task.Key], a.machine = a, r.machine
	r.open++
	workflow.Go(ctx, func(ctx workflow.Context) {
		r.see(ctx, a)
		if r.attempts[a.task.Key] == a {
			delete(r.attempts, a.task.Key)
		}
		r.open--
		r.changed = true
	})
}

// end tells an attempt to stop that a step has ended.
func (r *run) end(c *machine.Command) {
	a := r.attempts[c.Task.Key]
	if a == nil || a.task.Attempt != c.Task.Attempt {
		return
	}
	delete(r.attempts, c.Task.Key)
	a.ended = true
	if a.called {
		r.stopping++
	}
	a.cancel() // a child, which has a way of its own, is asked
}

// see makes an attempt, again where it was declined or its worker lost, until it is over.
func (r *run) see(ctx workflow.Context, a *attempt) {
	for over := false; !over; {
		if wait := a.ready.Sub(workflow.Now(ctx)); wait > 0 && workflow.Sleep(ctx, wait) != nil {
			return
		}
		if !r.admit(ctx, a) {
			r.leavePlace(ctx, a)
			return
		}
		r.busy++
		over = r.try(ctx, a)
		r.leavePlace(ctx, a)
		r.busy--
	}
}

// try makes the attempt, and reports whether it is over with that.
func (r *run) try(ctx workflow.Context, a *attempt) bool {
	if r.machine.Callee(a.task.Do) != "" {
		r.callChild(ctx, a)
		return true
	}
	answer, made := r.call(ctx, a)
	free, _ := workflow.NewDisconnectedContext(ctx)
	switch {
	case !made:
	case a.ended:
		r.late(free, a, &answer)
	case answer.End == endDeclined:
		r.note(free, machine.ReturnInput, a, &answer, answer.Message)
		a.ready = workflow.Now(ctx).Add(declineFor)
		return false
	case answer.End == endElsewhere:
		a.ready = workflow.Now(ctx).Add(min(declineFor<<min(a.elsewhere, 6), elsewhereMost))
		a.elsewhere++
		return false
	case answer.End == endLost && !r.lost(free, a, &answer, a.lost):
		a.lost++
		return false
	case answer.End == endLost:
	default:
		r.conclude(free, a, &answer)
	}
	return true
}

// admit waits until the attempt may begin, and takes the turn for it. It reports false where a step has
// ended the attempt before that.
func (r *run) admit(ctx workflow.Context, a *attempt) bool {
	for {
		if workflow.Await(ctx, func() bool { return a.ended || r.mayBegin() }) != nil || a.ended {
			return false
		}
		if !r.takePlace(ctx, a) {
			r.leavePlace(ctx, a)
			continue
		}
		if r.turn.Lock(ctx) != nil {
			return false
		}
		if !a.ended && r.mayBegin() && r.start(ctx, a) { // a step may have been taken while it waited for its turn
			return true
		}
		r.turn.Unlock()
		r.leavePlace(ctx, a)
	}
}

// beginner is who begins the attempts of runs that are held to a budget: which worker will make one is not
// known by then.
const beginner = "worker"

// start has a run that is held to a budget let the attempt begin, by a step of its own. It reports false
// where the run has taken over_budget in its place. Before a child starts the run takes what is due: it may
// leave it.
func (r *run) start(ctx workflow.Context, a *attempt) bool {
	if r.machine.Callee(a.task.Do) != "" {
		if _, err := r.step(ctx, 0, nil); err == nil && (a.ended || !r.mayBegin()) {
			return false
		}
	}
	if !r.machine.Begins(r.snapshot, a.task.Do) {
		return true
	}
	_, err := r.step(ctx, 0, func(*machine.Snapshot) (machine.Input, error) {
		in := machine.NoteInput(machine.BeginInput, &a.task, "")
		in.Worker = beginner
		return in, nil
	})
	return err == nil && !a.ended && r.mayBegin() && slices.ContainsFunc(r.snapshot.Tasks, func(t machine.Task) bool {
		return t.Key == a.task.Key && t.Attempt == a.task.Attempt && t.Begun == beginner
	})
}

// mayBegin: attempts wait for those of the state before, which have been told to stop.
func (r *run) mayBegin() bool {
	return r.stopping == 0 && r.snapshot.Status == machine.Running && r.snapshot.PausedAt.IsZero()
}

// call ends the turn, schedules the activity and waits for its answer.
func (r *run) call(ctx workflow.Context, a *attempt) (answer Answer, made bool) {
	args, err := r.machine.TaskArgs(r.snapshot, &a.task, workflow.Now(ctx), r.ask(ctx))
	r.turn.Unlock()
	if err == nil {
		err = r.overlong(args)
	}
	if err != nil {
		return Answer{End: endFailed, Category: "unknown", Message: err.Error()}, !a.ended
	}
	d := r.machine.Definition()
	do := &d.Dos[a.task.Do]
	activity := d.Activities[do.Activity].Name
	call := Call{Run: r.snapshot.Run, Machine: d.Name, Activity: activity, IdempotencyKey: a.task.Key, Definition: r.machine.Hash(), Do: r.machine.TaskName(&a.task), Key: a.task.Key, Attempt: a.task.Attempt,
		Args: args, Started: r.snapshot.Started, Visit: a.visit, Timeout: machine.LimitOf(do.Timeout), Heartbeat: machine.LimitOf(do.Heartbeat), Progress: machine.LimitOf(do.Progress), Checkpoint: r.checkpoints[a.task.Key]}
	options := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: behind(call.Timeout), HeartbeatTimeout: lease, WaitForCancellation: true, RetryPolicy: once})
	if a.place.tell {
		call.Limiter, call.Place = a.limiter(), a.place.id
	}
	began := workflow.Now(ctx)
	a.called, a.place.used = true, true
	err = workflow.ExecuteActivity(options, activity, call).Get(ctx, &answer)
	answer.complete()
	if err != nil {
		answer = Answer{End: endLost, Message: err.Error(), Took: workflow.Now(ctx).Sub(began)}
		var told *temporal.ApplicationError
		switch is := errors.As(err, &told); {
		case is && told.Type() == unregistered:
			answer.End = endElsewhere
		case is && r.version >= 2: // of a worker in another language
			answer.End, answer.Message = endFailed, told.Message()
		}
		var timeout *temporal.TimeoutError
		if errors.As(err, &timeout) && timeout.TimeoutType() == enums.TIMEOUT_TYPE_START_TO_CLOSE {
			answer.End, answer.Category = endFailed, "timeout"
		}
		if errors.As(err, &timeout) && timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&answer.Checkpoint, &answer.Mark) != nil {
			answer.Checkpoint = nil
		}
		answer.Mark.Age += lease // in which nothing was heard
	}
	if checkpoint := answer.Checkpoint; len(checkpoint) > 0 && string(checkpoint) != "null" {
		r.checkpoints[a.task.Key] = checkpoint
	}
	r.hears(a.task.Key, answer.Mark, workflow.Now(ctx))
	a.called = false
	if a.ended {
		r.stopping--
		r.changed = true
	}
	return answer, true
}

// behind is when Temporal ends an attempt that its worker has not ended by then.
func behind(timeout time.Duration) time.Duration {
	if timeout == 0 || timeout > backstop {
		return backstop
	}
	return timeout + stopping + lease
}

// unregistered is the type of the error with which Temporal's SDK answers for an activity that a worker has not.
const unregistered = "ActivityNotRegisteredError"

// endOf is the input with which an attempt ends.
func (r *run) endOf(a *attempt, answer *Answer) machine.Input {
	if answer.End == endFailed {
		return a.machine.FailureInput(&a.task, answer.Category, answer.Message)
	}
	return a.machine.EndInput(&a.task, answer.Event, answer.Data, machine.MaxPayload)
}

func (r *run) conclude(ctx workflow.Context, a *attempt, answer *Answer) {
	// What refuses it is that the run has moved on meanwhile: nothing is lost then.
	err := r.apply(ctx, func(s *machine.Snapshot) (machine.Input, error) {
		if a.machine != r.machine {
			return machine.Input{}, errMoved
		}
		in := r.endOf(a, answer)
		fill(&in, answer, s)
		in.Stderr = answer.Stderr
		return in, nil
	})
	if errors.Is(err, errMoved) {
		r.late(ctx, a, answer)
	}
}

// fill says who made an attempt, how long it took and what it has used.
func fill(in *machine.Input, answer *Answer, s *machine.Snapshot) {
	in.Worker, in.Took = answer.Worker, answer.Took
	in.Cost, in.Uncounted = machine.CountedCosts(answer.Cost, s.Spent)
}

// late notes what an attempt returned that is not current any more.
func (r *run) late(ctx workflow.Context, a *attempt, answer *Answer) {
	if answer.End != endResult && len(answer.Cost) == 0 {
		return
	}
	in := r.endOf(a, answer)
	r.note(ctx, machine.LateInput, a, answer, a.machine.DescribeEnd(&in))
}

// note writes a line about an attempt that decides nothing: of a release only where it has cost something, or
// has begun by a step: then it is over with that.
func (r *run) note(ctx workflow.Context, kind machine.InputKind, a *attempt, answer *Answer, message string) {
	begun := r.version >= 3 && r.machine.Begins(r.snapshot, a.task.Do)
	if kind == machine.ReturnInput && len(answer.Cost) == 0 && !begun {
		return
	}
	_ = r.apply(ctx, func(s *machine.Snapshot) (machine.Input, error) { // refused above a hundred of them
		task, ok := r.taskNow(a)
		if !ok {
			return machine.Input{}, errMoved
		}
		in := machine.NoteInput(kind, task, message)
		fill(&in, answer, s)
		return in, nil
	})
}

// lost deals with an attempt whose worker is gone, and reports whether it is over with that.
func (r *run) lost(ctx workflow.Context, a *attempt, answer *Answer, times int) bool {
	if len(answer.Cost) > 0 {
		r.note(ctx, machine.LateInput, a, answer, "lost")
	}
	category, message := "", fmt.Sprintf("worker %q was lost", answer.Worker)
	switch do := &a.machine.Definition().Dos[a.task.Do]; {
	case do.Heartbeat != nil:
		category = "silent"
	case do.Progress != nil:
		category = "stalled"
	case times >= lostLimit:
		category = "unknown"
		message = fmt.Sprintf("its worker was lost %d times, the last was %q", times+1, answer.Worker)
	default:
		r.note(ctx, machine.LostInput, a, &Answer{Worker: answer.Worker, Took: answer.Took}, "")
		return false
	}
	_ = r.apply(ctx, func(*machine.Snapshot) (machine.Input, error) {
		if a.machine != r.machine {
			return machine.Input{}, errMoved
		}
		return r.machine.FailureInput(&a.task, category, message), nil
	})
	return true
}

// Message is what a step has published, on its way out.
type Message = runtime.Message

// deliver hands messages out, one after the other, as often as it takes.
func (r *run) deliver(ctx workflow.Context) {
	for {
		if workflow.Await(ctx, func() bool { return len(r.outbox) > 0 }) != nil {
			return
		}
		if wait := r.deliverAt.Sub(workflow.Now(ctx)); wait > 0 && workflow.Sleep(ctx, wait) != nil {
			return
		}
		m := &r.outbox[0]
		m.Attempt++
		options := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: lease, RetryPolicy: once})
		r.delivering = true
		if workflow.ExecuteActivity(options, deliverType, *m).Get(ctx, nil) == nil {
			r.outbox, r.deliverAt = r.outbox[1:], time.Time{}
		} else {
			r.deliverAt = workflow.Now(ctx).Add(machine.RedeliverAfter(m.ID, int64(m.Attempt)))
		}
		r.delivering, r.changed = false, true
	}
}
