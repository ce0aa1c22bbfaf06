package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// declineFor is how long a task is left alone that an activity declined.
const declineFor = time.Second

// endings says what becomes of an attempt, by why it was told to stop, if it was, and by
// how its call ended. Whoever has lost the task writes nothing of it but what came late.
var endings = map[error][goesOn + 1]func(*running, *outcome){
	// by a result, a failure, a decline, the loss of its worker process, or not yet
	nil:        {(*running).conclusive, (*running).conclusive, (*running).decline, (*running).lost, (*running).leave},
	ErrStopped: {(*running).conclusive, (*running).stopped, (*running).stopped, (*running).stopped, (*running).leave},
	ErrOverdue: {(*running).overdue, (*running).overdue, (*running).overdue, (*running).overdue, (*running).overdue},
	ErrMoved:   {(*running).moved, (*running).moved, (*running).moved, (*running).moved, (*running).leave},
	ErrFenced:  {(*running).newer, (*running).newer, (*running).newer, (*running).newer, (*running).fencedOff},
}

// conclude commits how an attempt ended.
func (r *running) conclude(out *outcome) { endings[r.stopCause()][out.end](r, out) }

// decline releases the task, as the activity wants it.
func (r *running) decline(out *outcome) { r.release(declineFor, out.message, r.used(out)) }

// stopped releases the task at once, because the engine stops.
func (r *running) stopped(out *outcome) { r.release(0, ErrStopped.Error(), r.used(out)) }

// overdue commits that a time limit has passed, whatever came after that.
func (r *running) overdue(out *outcome) {
	in := r.host.machine.FailureInput(r.attempt, r.category, r.message)
	in.Checkpoint = r.category != "timeout" && (r.task.Checkpoint != nil || r.hasProgressed())
	r.commit(in, r.used(out))
}

// moved says that the activity has stopped, as its run wants it, which has moved on.
func (r *running) moved(out *outcome) {
	if cost := r.used(out); out.end == gaveResult || len(cost) > 0 {
		r.late(r.whatReturned(out), cost)
	}
	r.confirm()
	r.report(AttemptCancelled, ErrMoved.Error(), nil)
}

// newer notes what came under a lease that another one has replaced.
func (r *running) newer(out *outcome) {
	r.late(r.whatReturned(out), r.used(out))
	r.fencedOff(out)
}

func (r *running) fencedOff(*outcome) {
	r.report(AttemptFenced, "the task is held under a newer lease", nil)
}

// leave leaves to itself what was told to stop and goes on.
func (r *running) leave(*outcome) { r.report(AttemptCancelled, "it does not stop", nil) }

// conclusive commits a result or a failure. A result that does not fit is a failure.
func (r *running) conclusive(out *outcome) {
	r.commit(out.input(r.host.machine, r.attempt, r.engine.maxPayload), r.used(out))
}

// fail commits a failure.
func (r *running) fail(category, message string, cost map[string]json.Number) {
	r.commit(r.host.machine.FailureInput(r.attempt, category, message), cost)
}

// attemptOf is the attempt that a task stands for, as its machine has it.
func attemptOf(m *Machine, t *store.TaskRow) (*machine.Task, bool) {
	of, ok := m.TaskOf(t.Do)
	of.Key, of.Attempt = t.Key, t.Attempt
	return &of, ok
}

// costs are what an attempt has used, as far as it can be counted for its run; the rest
// stands in history, too, and the log says it.
func (r *running) costs(in *machine.Input, reported map[string]json.Number, s *machine.Snapshot) {
	in.Cost, in.Uncounted = machine.CountedCosts(reported, s.Spent)
	if len(in.Uncounted) == 0 {
		return
	}
	r.uncounted.Do(func() {
		c := &in.Uncounted[0]
		r.engine.logger.Warn("a cost is left out", slog.String("run", r.task.Run), slog.String("activity", r.task.Activity), elementAttr(r.task.Do),
			slog.String("name", c.Name), slog.String("amount", c.Amount), slog.String("why", whyUncounted(c)), slog.Int("left_out", len(in.Uncounted)))
	})
}

// whyUncounted says why a reported cost does not count for its run.
func whyUncounted(c *machine.Cost) string {
	if err := machine.CheckCost(c.Name, json.Number(c.Amount)); err != nil {
		return err.Error()
	}
	return "the run has too many costs, or its sum is too long"
}

// commit takes the input under the attempt's claim. That tells the observer.
func (r *running) commit(in machine.Input, cost map[string]json.Number) {
	e, claim := r.engine, r.task.Claim()
	info := r.named(endOf(r.host.machine, &in))
	info.Cost = cost
	in.Worker, in.Took = e.worker, info.Duration
	if r.stderr != nil {
		in.Stderr = r.stderr.text()
	}
	_, err := r.apply(judgedEnd, &request{run: r.task.Run, claim: &claim, attempt: &info, input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
		if m.Hash() != r.host.machine.Hash() { // it may have been registered again
			return in, fmt.Errorf("%w: the run has another definition by now", ErrFenced)
		}
		r.costs(&in, info.Cost, s)
		return in, nil
	}})
	switch {
	case err == nil:
	case errors.Is(err, ErrFenced):
		r.fenced(&in, &info)
	case errors.Is(err, ErrHalted): // nothing of it is claimed until it goes on
		r.release(0, err.Error(), info.Cost)
	case errors.Is(err, ErrNoGuard):
		r.release(longestRest, err.Error(), info.Cost)
	default:
		e.logger.Error("the end of an attempt could not be stored; it will be made again",
			slog.String("run", r.task.Run), slog.String("activity", r.task.Activity), elementAttr(r.task.Do), slog.Any("error", err))
	}
}

// endOf is what an observer is told of the input with which an attempt ends.
func endOf(m *Machine, in *machine.Input) AttemptInfo {
	switch d := m.Definition(); {
	case in.Kind == machine.FailureInput:
		return AttemptInfo{End: AttemptFailed, Category: d.Categories[in.Category], Message: in.Message}
	case in.Event >= 0:
		return AttemptInfo{End: AttemptResult, Event: d.Events[in.Event].Name}
	}
	return AttemptInfo{End: AttemptResult}
}

// refused deals with an attempt whose result came too late: the run has moved
// on, or the task is another's.
func (r *running) refused() {
	if r.confirm() {
		r.report(AttemptCancelled, "what it returned came after the run had moved on", nil)
		return
	}
	r.report(AttemptFenced, "what it returned was refused", nil)
}

// fenced deals with an end of the attempt that was refused. Where that is so
// because it stands in history already, it is none that came late; where history
// cannot be read nothing is noted, rather than something that is not true.
func (r *running) fenced(in *machine.Input, info *AttemptInfo) {
	taken, err := r.taken(in)
	if taken {
		r.engine.observer.OnAttempt(*info)
		return
	}
	if err == nil {
		r.late(r.host.machine.DescribeEnd(in), info.Cost)
	}
	r.refused()
}

// taken reports whether an earlier try has been written, although the store
// said that it failed: the record then is of the same kind, and has the same worker
// and the same time.
func (r *running) taken(in *machine.Input) (bool, error) {
	ctx := r.worker.ctx
	row, err := r.engine.store.Load(ctx, r.task.Run)
	if err != nil {
		return false, err
	}
	steps, err := r.engine.History(ctx, r.task.Run, max(0, row.Seq-recentSteps), recentSteps)
	took := ""
	if in.Took > 0 {
		took = in.Took.String()
	}
	return slices.ContainsFunc(steps, func(s StepView) bool {
		return s.Key == in.Key && s.Attempt == in.Attempt && s.Worker == in.Worker && s.Took == took && s.Kind == in.Kind
	}), err
}

// whatReturned is an outcome in the words of history.
func (r *running) whatReturned(out *outcome) string {
	m := r.host.machine
	_, category := m.Category(out.category)
	_, event := m.Event(out.event)
	switch {
	case out.end != gaveResult && category:
		return "failed(" + out.category + ")"
	case out.end != gaveResult:
		return "failed(unknown)"
	case out.event == "":
		return "ended"
	case !event:
		return "what is no event"
	}
	return out.event
}

// late notes in the run's history that an attempt returned which is not current
// any more, with what it has used.
func (r *running) late(returned string, cost map[string]json.Number) {
	r.note(machine.LateInput, returned, cost)
}

// note writes a line of the run's history that says what became of an attempt
// and what it has used. It changes nothing else. A run notes MaxLate of them, so
// that a worker that was cut off does not make its history grow without end.
func (r *running) note(kind InputKind, message string, cost map[string]json.Number) {
	e := r.engine
	_, err := e.apply(r.worker.ctx, &request{run: r.task.Run, input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
		of, ok := attemptOf(m, &r.task)
		if !ok {
			return machine.Input{}, ErrFenced
		}
		in := machine.NoteInput(kind, of, message)
		in.Worker, in.Took = e.worker, r.took()
		r.costs(&in, cost, s)
		return in, nil
	}})
	if err != nil && !errors.Is(err, ErrFenced) {
		e.logger.Warn("what became of an attempt could not be noted", slog.String("run", r.task.Run),
			slog.String("activity", r.task.Activity), elementAttr(r.task.Do), slog.String("what", string(kind)+" "+message), slog.Any("error", err))
	}
}

// confirm says that a cancelled task has stopped, and reports whether it was
// still held by this attempt.
func (r *running) confirm() bool {
	e := r.engine
	failpoint.Hit(failpoint.BeforeConfirm)
	err := r.insist(func(ctx context.Context) error { return e.store.Confirm(ctx, r.task.Claim(), e.now()) })
	if err != nil && !errors.Is(err, ErrFenced) {
		e.logger.Warn("that an activity has stopped could not be stored; its lease runs out",
			slog.String("run", r.task.Run), slog.String("activity", r.task.Activity), elementAttr(r.task.Do), slog.Any("error", err))
	}
	e.letGo(r.task.Run)
	return err == nil
}

// release releases the task uncounted, to be claimed again after wait. What the
// attempt has used until then is noted: it is spent.
func (r *running) release(wait time.Duration, why string, cost map[string]json.Number) {
	e := r.engine
	failpoint.Hit(failpoint.BeforeRelease)
	err := r.insist(func(ctx context.Context) error {
		return e.store.Release(ctx, r.task.Claim(), e.now(), e.now().Add(wait))
	})
	switch {
	case errors.Is(err, ErrFenced):
		if len(cost) > 0 {
			r.late("released", cost)
		}
		r.refused()
		return
	case err != nil:
		e.logger.Warn("a task could not be released; its lease runs out", slog.String("run", r.task.Run),
			slog.String("activity", r.task.Activity), elementAttr(r.task.Do), slog.Any("error", err))
	}
	if len(cost) > 0 || r.hasBegun {
		r.note(machine.ReturnInput, why, cost)
	}
	e.letGo(r.task.Run)
	r.report(AttemptReturned, why, cost)
}

// notNow releases the task of an attempt that is not to begin, and is false.
func (r *running) notNow(wait time.Duration, why string) bool {
	r.release(wait, why, nil)
	return false
}

// took is how long the attempt has been held.
func (r *running) took() time.Duration { return r.engine.own.Now().Sub(r.began) }

// lost ends the lease at once, so that the attempt is taken over like one whose
// worker has not renewed it.
func (r *running) lost(out *outcome) {
	e := r.engine
	if cost := r.used(out); len(cost) > 0 {
		r.late("lost", cost)
	}
	err := r.insist(func(ctx context.Context) error {
		_, err := e.store.Renew(ctx, r.task.Claim(), e.now(), e.now(), nil)
		return err
	})
	if errors.Is(err, ErrFenced) {
		r.refused()
		return
	}
	// Where that failed otherwise, it runs out by itself.
	e.letGo(r.task.Run)
}

// report tells the observer how the attempt ended without a step.
func (r *running) report(end AttemptEnd, message string, cost map[string]json.Number) {
	r.engine.observer.OnAttempt(r.named(AttemptInfo{End: end, Message: message, Cost: cost}))
}

// named says of an end which attempt it is of.
func (r *running) named(info AttemptInfo) AttemptInfo {
	t := &r.task
	info.Run, info.Machine, info.Activity, info.Do = t.Run, t.Machine, t.Activity, t.Do
	info.Key, info.Attempt, info.Worker, info.Duration = t.Key, t.Attempt, r.engine.worker, r.took()
	info.Started, info.Visit, info.Fence, info.At = r.started, t.Visit, t.Epoch, r.engine.now()
	return info
}
