package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// running is an attempt that this process holds.
type running struct {
	engine    *Engine
	worker    *worker
	task      store.TaskRow
	host      *host
	attempt   *machine.Task // as its machine has it; set before the activity begins
	begins    bool          // with a step of the run
	meter     meter
	uncounted sync.Once // said of its costs
	ctx       context.Context
	cancel    context.CancelCauseFunc
	nudge     chan struct{} // receives when something below has changed

	// These times are as Clock.Now gives them: with the system's clock their
	// differences do not follow its jumps.
	claimed  time.Time
	mu       sync.Mutex
	beat     time.Time // last sign of life
	progress time.Time // last checkpoint
	lease    time.Time // until when the task is ours
	cause    error     // why the activity is to stop; nil while it is not
	giveUp   time.Time // when it will be left to itself
	category string    // of the failure, where cause is ErrOverdue
	message  string
}

// start runs a task that has been claimed, under a lease that was counted from before
// the claim.
func (w *worker) start(task *store.TaskRow, lease time.Time) {
	ctx, cancel := context.WithCancelCause(context.Background())
	now := w.engine.clock.Now()
	r := &running{
		engine: w.engine, worker: w, task: *task, ctx: ctx, cancel: cancel, nudge: make(chan struct{}, 1),
		claimed: now, beat: now, progress: now, lease: lease,
	}
	w.mu.Lock()
	w.running[r] = struct{}{}
	w.mu.Unlock()
	w.engine.active.add(r)
	w.attempts.Go(r.run)
}

// free gives the room of an attempt back.
func (w *worker) free(r *running) {
	w.mu.Lock()
	delete(w.running, r)
	w.mu.Unlock()
	w.wakeUp()
}

// wakeUp ends the worker's rest: there may be room, or the next thing to do.
func (w *worker) wakeUp() {
	select {
	case w.ended <- struct{}{}:
	default:
	}
}

// run sees an attempt through: it calls the activity, watches it, and commits
// how it ended.
func (r *running) run() {
	defer r.cancel(nil)
	f, args, ok := r.prepare()
	if !ok || !r.hasLease() {
		r.engine.active.remove(r)
		r.worker.free(r)
		return
	}
	a := &Attempt{
		Run: r.task.Run, Machine: r.task.Machine, Activity: r.task.Activity, Number: r.task.Attempt,
		Key: r.task.Key, Fence: r.task.Epoch, Args: args, Checkpoint: r.task.Checkpoint,
		beat: r.heartbeat, progress: r.checkpoint, spend: r.meter.add,
	}
	returned := make(chan outcome, 1)
	go r.call(f, a, returned)
	r.worker.leases.keep(r)
	out := r.watch(returned)
	r.worker.leases.drop(r)
	failpoint.Hit(failpoint.Returned)
	r.conclude(&out)
	failpoint.Hit(failpoint.Concluded)
	r.engine.active.remove(r)
	if out.end != goesOn {
		r.worker.free(r)
		return
	}
	go func() { // its room stays taken for as long as it goes on
		out := <-returned
		if cost := r.used(&out); out.end == gaveResult || len(cost) > 0 {
			r.late(r.whatReturned(&out), cost)
		}
		if r.stopCause() == ErrMoved {
			r.confirm()
		}
		r.worker.free(r)
	}()
}

// call calls the activity. Whatever that and the values that it returns do, an
// outcome is sent.
func (r *running) call(f ActivityFunc, a *Attempt, returned chan<- outcome) {
	out := failed("the activity ended its goroutine without returning")
	defer func() { returned <- out }()
	defer func() {
		if p := recover(); p != nil {
			stack := debug.Stack()
			out = failed(panicText(p))
			r.engine.logger.Error("an activity panicked", slog.String("run", a.Run), slog.String("activity", a.Activity),
				slog.String("panic", out.message), slog.String("stack", string(stack)))
		}
	}()
	result, err := f(r.ctx, a)
	out = outcomeOf(&result, err)
}

// prepare finds the function and reads the arguments from the run as it is
// now. Where there is nothing to run the task has been dealt with.
func (r *running) prepare() (ActivityFunc, json.RawMessage, bool) {
	e, t := r.engine, &r.task
	h, s, err := e.snapshot(r.ctx, t.Run)
	if err != nil {
		r.release(e.poll, err.Error(), nil)
		return nil, nil, false
	}
	r.host = h
	d := h.machine.Definition()
	of, known := attemptOf(h.machine, t)
	if known { // the definition says which activity it is, whatever the row says
		t.Activity = d.Activities[d.Dos[of.Do].Activity].Name
	}
	f := h.handlers.Activities[t.Activity]
	if known && h.machine.Callee(of.Do) != "" {
		f = e.standIn(t.Activity)
	}
	if !known || f == nil {
		r.release(longestRest, "this engine has no function for it", nil)
		return nil, nil, false
	}
	r.attempt = of
	if !s.IsOpen(r.attempt) {
		r.confirm() // cancelled since it was claimed
		r.report(AttemptCancelled, "the run had moved on before it started", nil)
		return nil, nil, false
	}
	if s.Status != Running {
		r.release(longestRest, "the run is "+string(s.Status), nil)
		return nil, nil, false
	}
	if !s.PausedAt.IsZero() {
		r.release(0, "the run is paused", nil)
		return nil, nil, false
	}
	if r.begins = h.machine.Begins(s, of.Do); r.begins {
		var begun bool
		if s, begun = r.begin(); !begun {
			return nil, nil, false
		}
		failpoint.Hit(failpoint.AttemptBegun)
	}
	a := e.asker(r.ctx, h)
	args, err := h.machine.TaskArgs(s, r.attempt, e.now(), a.ask)
	switch {
	case a.unasked != nil:
		wait := longestRest
		if r.stopCause() != nil {
			wait = 0 // no one was asked because the engine stops
		}
		r.release(wait, a.unasked.Error(), nil)
		return nil, nil, false
	case err != nil:
		r.fail("unknown", err.Error(), nil)
		return nil, nil, false
	}
	return f, args, true
}

// hasLease reports whether the task is still ours when the activity is to begin. Where
// the store was slow the lease may have run out since it was asked for.
func (r *running) hasLease() bool {
	if r.engine.clock.Now().Before(r.leasedUntil()) {
		return true
	}
	err := r.renew(nil)
	if err != nil {
		r.report(AttemptFenced, "its lease had run out before it began: "+err.Error(), nil)
	}
	return err == nil
}

// heartbeat notes a sign of life.
func (r *running) heartbeat() {
	r.mu.Lock()
	r.beat = r.engine.clock.Now()
	r.mu.Unlock()
}

// checkpoint stores one; see Attempt.Progress.
func (r *running) checkpoint(data json.RawMessage) error {
	e := r.engine
	if why := machine.Oversized(data, e.maxPayload); why != "" {
		return fmt.Errorf("the checkpoint is too large: %s", why)
	}
	if err := machine.CheckJSON(data); err != nil {
		return fmt.Errorf("the checkpoint is not valid JSON: %w", err)
	}
	if cause := r.stopCause(); cause != nil {
		return cause
	}
	if err := r.tell(); err != nil {
		return err
	}
	if cause := r.stopCause(); cause != nil {
		return cause
	}
	failpoint.Hit(failpoint.BeforeCheckpoint)
	if err := r.renew(data); err != nil {
		return err
	}
	failpoint.Hit(failpoint.AfterCheckpoint)
	now := e.clock.Now()
	r.mu.Lock()
	r.beat, r.progress = now, now
	r.mu.Unlock()
	return nil
}

// renew lengthens the lease. Where the task is no longer ours, or has been
// cancelled, the activity is told to stop.
func (r *running) renew(checkpoint json.RawMessage) error {
	e := r.engine
	asked, now := e.clock.Now(), e.now()
	cancelled, err := e.store.Renew(r.worker.ctx, r.task.Claim(), now, now.Add(e.lease), checkpoint)
	switch {
	case errors.Is(err, ErrFenced):
		r.stop(ErrFenced)
		return err
	case err != nil:
		return fmt.Errorf("renewing the lease: %w", err)
	}
	r.leaseTo(asked.Add(e.lease))
	if cancelled {
		r.stop(ErrMoved)
	}
	return nil
}

// stop cancels the activity's context. That the run has moved on, or the task
// is another's, counts more than what was said before.
func (r *running) stop(cause error) {
	r.mu.Lock()
	if r.cause == nil {
		r.giveUp = r.engine.clock.Now().Add(r.engine.stopping)
	}
	if r.cause == nil || cause == ErrMoved || cause == ErrFenced {
		r.cause = cause
	}
	r.cancel(cause) // before anyone is told the cause: Progress tells the activity
	r.mu.Unlock()
	select {
	case r.nudge <- struct{}{}:
	default:
	}
}

func (r *running) stopCause() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cause
}

// attemptID tells attempts apart within a store.
type attemptID struct {
	run, key string
	attempt  int
}

func (r *running) id() attemptID { return attemptID{r.task.Run, r.task.Key, r.task.Attempt} }

// activeAttempts are the attempts that run in this process.
type activeAttempts struct {
	mu   sync.Mutex
	byID map[attemptID]*running
}

func (a *activeAttempts) add(r *running) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byID == nil {
		a.byID = map[attemptID]*running{}
	}
	a.byID[r.id()] = r
}

func (a *activeAttempts) remove(r *running) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byID[r.id()] == r {
		delete(a.byID, r.id())
	}
}

// holds reports whether the claim of t is that of an attempt running here.
func (a *activeAttempts) holds(t *store.TaskRow) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r := a.byID[attemptID{t.Run, t.Key, t.Attempt}]
	return r != nil && r.task.Epoch == t.Epoch
}

// release tells the attempts that a step has ended to stop.
func (a *activeAttempts) release(run string, commands []machine.Command) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range commands {
		if kind := commands[i].Kind; kind != machine.CancelTask && kind != machine.EndTask {
			continue
		}
		t := &commands[i].Task
		if r := a.byID[attemptID{run, t.Key, t.Attempt}]; r != nil {
			r.stop(ErrMoved)
		}
	}
}
