package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// running is an attempt that this process holds.
type running struct {
	*performing
	engine    *Engine
	worker    *worker
	task      store.TaskRow
	host      *host
	attempt   *machine.Task // as its machine has it; set before the activity begins
	begins    bool          // with a step of the run
	hasBegun  bool          // so, under this claim
	uncounted *sync.Once    // said of its costs
	started   time.Time     // of the run; set before the activity begins
	stderr    *stderrLog    // nil until the activity begins
	lease     time.Time     // until when the task is ours, by the clock; guarded by mu
}

func (w *worker) newRunning(ctx context.Context, task *store.TaskRow) *running {
	e := w.engine
	limits := AttemptLimits{Timeout: task.Timeout, Heartbeat: task.Heartbeat, Progress: task.Progress, Stopping: e.stopping}
	return &running{performing: newPerforming(ctx, e.own, e.logger, limits), engine: e, worker: w, task: *task, uncounted: new(sync.Once)}
}

// start runs a task that has been claimed, under a lease that was counted from before
// the claim.
func (w *worker) start(task *store.TaskRow, lease time.Time) {
	r := w.newRunning(context.Background(), task)
	r.lease = lease
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
func (w *worker) wakeUp() { wake(w.ended) }

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
	r.stderr = r.newStderr()
	a := NewAttempt(Attempt{
		Run: r.task.Run, Machine: r.task.Machine, Activity: r.task.Activity, Number: r.task.Attempt,
		Key: r.task.Key, Fence: r.task.Epoch, Args: args, Checkpoint: r.task.Checkpoint,
		Started: r.started, Visit: r.task.Visit,
	}, AttemptHooks{Beat: r.heartbeat, Checkpoint: r.checkpoint, Spend: r.meter.add, Stderr: r.stderr})
	a.TraceParent = r.engine.traceParent(a)
	returned := make(chan outcome, 1)
	go r.call(f, a, returned)
	r.worker.leases.keep(r)
	out := r.watch(returned)
	r.worker.leases.drop(r)
	r.stderr.over()
	if out.end == goesOn {
		r.engine.logger.Error("an activity does not stop and is left to itself", slog.String("run", r.task.Run),
			slog.String("activity", r.task.Activity), elementAttr(r.task.Do), slog.Int("attempt", r.task.Attempt), slog.Any("cause", r.stopCause()))
	}
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

// prepare finds the function and reads the arguments from the run as it is
// now. Where there is nothing to run the task has been dealt with.
func (r *running) prepare() (ActivityFunc, json.RawMessage, bool) {
	e, t := r.engine, &r.task
	row, h, s, err := e.read(r.ctx, t.Run)
	if err != nil {
		return nil, nil, r.notNow(e.poll, err.Error())
	}
	r.host, r.started = h, s.Started
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
		return nil, nil, r.notNow(longestRest, "this engine has no function for it")
	}
	r.attempt = of
	if !s.IsOpen(r.attempt) {
		r.confirm() // cancelled since it was claimed
		r.report(AttemptCancelled, "the run had moved on before it started", nil)
		return nil, nil, false
	}
	if s.Status != Running {
		return nil, nil, r.notNow(longestRest, "the run is "+string(s.Status))
	}
	if !s.PausedAt.IsZero() {
		return nil, nil, r.notNow(0, "the run is paused")
	}
	if r.begins = h.machine.Begins(s, of.Do); r.begins {
		var begun bool
		if s, begun = r.begin(s); !begun {
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
		return nil, nil, r.notNow(wait, a.unasked.Error())
	case err != nil:
		r.fail("unknown", err.Error(), nil)
		return nil, nil, false
	case len(row.Snapshot) <= maxRemembered:
		e.runs.remember(t.Run, h, s)
	}
	return f, args, true
}

// hasLease reports whether the task is still ours when the activity is to begin. Where
// the store was slow the lease may have run out since it was asked for.
func (r *running) hasLease() bool {
	if r.engine.own.Now().Before(r.leasedUntil()) {
		return true
	}
	err := r.renew(nil)
	if err != nil {
		r.report(AttemptFenced, "its lease had run out before it began: "+err.Error(), nil)
	}
	return err == nil
}

// checkpoint stores one; see Attempt.Progress.
func (r *running) checkpoint(data json.RawMessage) error {
	e := r.engine
	if err := checkCheckpoint(data, e.maxPayload); err != nil {
		return err
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
	err := r.worker.insist(r.ctx, func(err error) bool { return !errors.Is(err, ErrUnavailable) },
		func(context.Context) error { return r.renew(data) }, r.heartbeat)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.AfterCheckpoint)
	r.progressed()
	return nil
}

// renew lengthens the lease. Where the task is no longer ours, or has been
// cancelled, the activity is told to stop.
func (r *running) renew(checkpoint json.RawMessage) error {
	e := r.engine
	asked, now := e.own.Now(), e.now()
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
