package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

// declineFor is how long a task is left alone that an activity declined.
const declineFor = time.Second

// conclude commits how an attempt ended. Ended is false where the activity was
// told to stop and goes on.
func (r *running) conclude(out outcome, ended bool) {
	var declined *declined
	switch cause := r.stopCause(); {
	case cause == ErrFenced:
		r.report(AttemptFenced, "", "", "the task is held under a newer lease")
	case cause == ErrMoved && ended:
		r.confirm()
		r.report(AttemptCancelled, "", "", cause.Error())
	case cause == ErrMoved || cause == ErrStopped && !ended:
		r.report(AttemptCancelled, "", "", "it does not stop")
	case cause == ErrOverdue:
		r.fail(r.category, r.message, costOf(out))
	case out.err == nil:
		r.succeed(&out.result)
	case cause == ErrStopped:
		r.giveBack(0, cause.Error())
	case errors.As(out.err, &declined):
		r.giveBack(declineFor, declined.Error())
	default:
		r.failWith(out.err)
	}
}

// succeed commits a result. One that does not fit is a failure.
func (r *running) succeed(result *Result) {
	in, err := r.resultInput(result)
	if err != nil {
		r.fail("unknown", "the result does not fit: "+err.Error(), result.Cost)
		return
	}
	r.commit(in, AttemptInfo{End: AttemptResult, Event: result.Event, Cost: result.Cost})
}

// resultInput reads what an activity returned against what it declares.
func (r *running) resultInput(result *Result) (Input, error) {
	m := r.host.machine
	activity := &m.def.Activities[m.def.Dos[r.do].Activity]
	in := Input{Kind: ResultInput, Event: -1, Do: r.do, Key: r.task.Key, Attempt: r.task.Attempt}
	var names []string
	for _, e := range activity.Results {
		names = append(names, m.def.Events[e].Name)
		if m.def.Events[e].Name == result.Event {
			in.Event = e
		}
	}
	switch {
	case result.Event == "" && len(names) == 0:
		return in, nil
	case result.Event == "":
		return in, fmt.Errorf("it names no event, expected one of %v", names)
	case len(names) == 0:
		return in, fmt.Errorf("activity %q has nothing to say, found event %q", activity.Name, result.Event)
	case in.Event < 0:
		return in, fmt.Errorf("activity %q does not raise %q, expected one of %v%s",
			activity.Name, result.Event, names, didYouMean(result.Event, names))
	}
	data, err := rawJSON(result.Data)
	if err != nil {
		return in, fmt.Errorf("event %q: its data has no JSON form: %w", result.Event, err)
	}
	if why := r.engine.oversized(data); why != "" {
		return in, fmt.Errorf("event %q: %s", result.Event, why)
	}
	if in.Data, err = m.DecodePayload(in.Event, data); err != nil {
		return in, fmt.Errorf("event %q: %w", result.Event, err)
	}
	return in, nil
}

func rawJSON(data any) (json.RawMessage, error) {
	switch data := data.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return data, nil
	}
	return EncodeJSON(data)
}

// failWith commits the failure that an error of the activity means.
func (r *running) failWith(err error) {
	var failure *Failure
	if !errors.As(err, &failure) {
		r.fail("unknown", err.Error(), nil)
		return
	}
	category, message := failure.Category, failure.Message
	m := r.host.machine
	if c, ok := m.index.categories[category]; !ok || !m.canFail(&m.def.Dos[r.do], c) {
		message = fmt.Sprintf("the activity cannot fail with category %q: %s", category, message)
		category = "unknown"
	}
	r.fail(category, message, failure.Cost)
}

// fail commits a failure of a category that the machine has.
func (r *running) fail(category, message string, cost map[string]json.Number) {
	in := failureInput(r.host.machine, r.do, &r.task, category, message)
	r.commit(in, AttemptInfo{End: AttemptFailed, Category: category, Message: message, Cost: cost})
}

func failureInput(m *Machine, do int, t *TaskRow, category, message string) Input {
	return Input{
		Kind: FailureInput, Do: do, Key: t.Key, Attempt: t.Attempt,
		Category: m.index.categories[category], Message: message,
	}
}

func costOf(out outcome) map[string]json.Number {
	var failure *Failure
	if errors.As(out.err, &failure) {
		return failure.Cost
	}
	return out.result.Cost
}

// commitTries is how often the end of an attempt is committed where the store
// fails; the lease then runs out, and the task is handed out again.
const commitTries = 4

// commit takes the input under the attempt's claim.
func (r *running) commit(in Input, info AttemptInfo) {
	e, claim := r.engine, r.task.Claim()
	c := &request{run: r.task.Run, claim: &claim, input: func(*Machine, *Snapshot) (Input, error) { return in, nil }}
	for try := 1; ; try++ {
		_, err := e.apply(context.Background(), c)
		switch {
		case err == nil:
			r.report(info.End, info.Event, info.Category, info.Message, info.Cost)
		case errors.Is(err, ErrFenced):
			r.refused()
		case errors.Is(err, ErrHalted), errors.Is(err, ErrNoGuard):
			r.giveBack(skipFor, err.Error())
		case try < commitTries:
			_ = e.sleep(context.Background(), time.Duration(try)*e.poll)
			continue
		default:
			e.logger.Error("the end of an attempt could not be stored; it will be made again",
				slog.String("run", r.task.Run), slog.String("activity", r.task.Activity), slog.Any("error", err))
		}
		return
	}
}

// refused deals with an attempt whose result came too late: the run has moved
// on, or the task is another's.
func (r *running) refused() {
	if r.confirm() {
		r.report(AttemptCancelled, "", "", "what it returned came after the run had moved on")
		return
	}
	r.report(AttemptFenced, "", "", "what it returned was refused")
}

// confirm says that a cancelled task has stopped, and reports whether it was
// still held by this attempt.
func (r *running) confirm() bool {
	e := r.engine
	err := e.store.Confirm(context.Background(), r.task.Claim(), e.now())
	if err != nil && !errors.Is(err, ErrFenced) {
		e.logger.Warn("that an activity has stopped could not be stored; its lease runs out",
			slog.String("run", r.task.Run), slog.String("activity", r.task.Activity), slog.Any("error", err))
	}
	e.changes.notify(r.task.Run)
	return err == nil
}

// giveBack releases the task uncounted, to be claimed again after wait.
func (r *running) giveBack(wait time.Duration, why string) {
	e := r.engine
	now := e.now()
	err := e.store.Release(context.Background(), r.task.Claim(), now, now.Add(wait))
	switch {
	case errors.Is(err, ErrFenced):
		r.refused()
		return
	case err != nil:
		e.logger.Warn("a task could not be given back; its lease runs out", slog.String("run", r.task.Run),
			slog.String("activity", r.task.Activity), slog.Any("error", err))
	}
	e.changes.notify(r.task.Run)
	r.report(AttemptReturned, "", "", why)
}

// report tells the observer how the attempt ended.
func (r *running) report(end AttemptEnd, event, category, message string, cost ...map[string]json.Number) {
	info := AttemptInfo{
		Run: r.task.Run, Machine: r.task.Machine, Activity: r.task.Activity, Do: r.task.Do, Key: r.task.Key,
		Attempt: r.task.Attempt, Worker: r.engine.worker, End: end, Event: event, Category: category,
		Message: message, Duration: r.engine.clock.Now().Sub(r.claimed),
	}
	if len(cost) > 0 {
		info.Cost = cost[0]
	}
	r.engine.observer.OnAttempt(info)
}

// takeOver deals with a task whose worker has not renewed its lease, and
// reports whether that changed anything. With a heartbeat it has failed as
// `silent`, with progress as `stalled`; otherwise it is handed out again, up to
// the engine's limit.
func (e *Engine) takeOver(ctx context.Context, t *TaskRow) bool {
	if e.active.holds(t) {
		return false // this process was held up itself, and will renew it
	}
	err := e.takeOverTask(ctx, t)
	if err != nil {
		if !errors.Is(err, ErrFenced) && ctx.Err() == nil {
			e.logger.Warn("the task of a lost worker was not taken over", slog.String("run", t.Run),
				slog.String("activity", t.Activity), slog.Any("error", err))
		}
		return false
	}
	e.logger.Warn("a worker was lost", slog.String("worker", t.Worker), slog.String("run", t.Run),
		slog.String("activity", t.Activity), slog.Int("attempt", t.Attempt), slog.Int("times", t.Lost+1))
	e.observer.OnAttempt(AttemptInfo{
		Run: t.Run, Machine: t.Machine, Activity: t.Activity, Do: t.Do, Key: t.Key, Attempt: t.Attempt,
		Worker: t.Worker, End: AttemptLost, Message: "its lease ran out", Duration: e.now().Sub(t.ClaimedAt),
	})
	return true
}

func (e *Engine) takeOverTask(ctx context.Context, t *TaskRow) error {
	category, message := "", fmt.Sprintf("worker %q was lost", t.Worker)
	switch {
	case t.Heartbeat > 0:
		category = "silent"
	case t.Progress > 0:
		category = "stalled"
	case t.Lost >= e.lostLimit:
		category = "unknown"
		message = fmt.Sprintf("its worker was lost %d times, the last was %q", t.Lost+1, t.Worker)
	default:
		return e.store.Reclaim(ctx, t.Claim(), e.now())
	}
	claim := t.Claim()
	_, err := e.apply(ctx, &request{run: t.Run, claim: &claim, input: func(m *Machine, _ *Snapshot) (Input, error) {
		do, ok := m.index.dos[t.Do]
		if !ok {
			return Input{}, fmt.Errorf("there is no do %q", t.Do)
		}
		return failureInput(m, do, t, category, message), nil
	}})
	if errors.Is(err, ErrHalted) {
		return e.store.Reclaim(ctx, claim, e.now())
	}
	return err
}
