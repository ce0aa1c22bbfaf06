package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// request is one input for one run.
type request struct {
	run string
	// input is made for the run as it stands: payloads are decoded against the
	// definition that it has. Nil takes only what is due.
	input func(m *Machine, s *machine.Snapshot) (machine.Input, error)

	start   *host    // the run is created, of this version
	child   *childOf // and is a child
	tags    map[string]string
	ifSeq   int64         // the Seq that the sender expects; 0 for any
	eventID string        // under which the event is accepted once
	claim   *store.Claim  // under which a result or failure comes
	hears   *store.Report // of a child, which comes with the input
	attempt *AttemptInfo  // that ends with it
	resumes bool          // the run's time goes on after a pause
}

// applied is what became of a request.
type applied struct {
	host     *host
	snapshot *machine.Snapshot
	steps    int             // that were made
	answer   json.RawMessage // stored with an event id that was accepted before
}

func (a *applied) view() View { return a.host.machine.View(a.snapshot) }

// ErrNoGuard says that a step needs a host guard for which this engine has no function. Nothing
// has changed, and an engine that has the function can take the input.
var ErrNoGuard = errors.New("no function is registered for it")

// maxTries is how often a request is judged again because other processes were
// faster, with a growing wait in between.
const maxTries = 12

// apply takes a request and all that follows from it, in one durable write. Within a process the requests of a run
// take turns; where another process was faster the store says ErrConflict, and
// the request is judged against the run as it then is.
//
// Of an error nothing has been written but what was due before the input came.
func (e *Engine) apply(ctx context.Context, c *request) (applied, error) {
	live, err := e.turn(ctx, c.run)
	if err != nil {
		return applied{}, err
	}
	defer e.runs.unlock(live)
	var moved *store.Conflict // with the run as the store has shown it
	for try := 1; ; try++ {
		remembered := live.snapshot != nil
		if !remembered && moved != nil && moved.Run.Run != "" {
			live.host, live.snapshot, _ = e.decode(ctx, &moved.Run) // or it is loaded
		}
		out, err := e.applyOnce(ctx, c, live)
		// That there is nothing to do was not put to the store by a commit.
		if err == nil && (!remembered || out.steps > 0 || out.answer != nil) {
			return e.applyEnd(ctx, c, out, live), nil
		}
		moved, _ = errors.AsType[*store.Conflict](err)
		_, refused := errors.AsType[*Rejected](err) // by what is stored, perhaps because of the Seq that the sender expects
		switch {
		case remembered && judged(err):
			live.forget() // by what is no longer so, perhaps
		case !errors.Is(err, ErrConflict), refused, try >= maxTries:
			return applied{}, err
		default:
			if err := giveWay(ctx, backOff(try)); err != nil {
				return applied{}, err
			}
		}
	}
}

var errNoTurn = store.Unavailable("other inputs of the run take too long")

// turn waits for the turn with a run: for a call of the store and a guard, which may be
// all that someone else waits for. The caller unlocks it.
func (e *Engine) turn(ctx context.Context, run string) (*liveRun, error) {
	live, err := e.runs.lock(ctx, run, e.storeLimit+e.guardLimit)
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", run, err)
	}
	return live, nil
}

// judged reports whether an error, or its absence, is about the run as it was remembered.
// Any other one is the store's, which may have written all the same: nothing is tried
// again then that could be done twice.
func judged(err error) bool {
	return answers(err, ErrConflict, ErrFenced, ErrHalted, ErrNotFound, ErrExists, ErrDuplicate, ErrNoGuard)
}

// answers reports whether err, or its absence, is a verdict on a run, or one of others.
func answers(err error, others ...error) bool {
	_, refused := errors.AsType[*Rejected](err)
	return err == nil || refused || slices.ContainsFunc(others, func(other error) bool { return errors.Is(err, other) })
}

// giveWay waits for d, or until ctx is done: by the time that passes for all processes
// alike, whatever clock the engine lives by, which may stand still.
func giveWay(ctx context.Context, d time.Duration) error {
	return waitUntil(ctx, SystemClock(), time.Now().Add(d), nil, nil)
}

// backOff is a wait between 0 and 1, 2, 4 … 256 ms, so that those who compete
// come back at different times ("full jitter").
func backOff(try int) time.Duration {
	return rand.N(time.Millisecond << min(try-1, 8))
}

// applyOnce judges a request against the run as remembered or loaded.
func (e *Engine) applyOnce(ctx context.Context, c *request, live *liveRun) (applied, error) {
	if err := e.load(ctx, c, live); err != nil {
		return applied{}, err
	}
	w := e.newWrite(ctx, c, live)
	if err := e.takeProgress(ctx, &w); err != nil {
		return applied{}, err
	}
	refusal := w.take()
	if refusal != nil || w.asker.unasked != nil || len(w.records) == 0 { // what would say it is not written
		if answer, err := e.accepted(ctx, c); err != nil || answer != nil {
			return applied{host: live.host, snapshot: live.snapshot, answer: answer}, err
		}
	}
	if w.asker.unasked != nil {
		live.forget()
		return applied{}, w.asker.unasked
	}
	if err := e.commit(ctx, &w, live, refusal == nil); err != nil {
		known := applied{host: live.host, snapshot: live.snapshot}
		live.forget()
		if duplicate, ok := errors.AsType[*store.Duplicate](err); ok {
			known.answer = duplicate.Answer
			return known, nil
		}
		return applied{}, err
	}
	if refusal != nil {
		if c.start != nil {
			live.forget()
		}
		return applied{}, refusal
	}
	return applied{host: w.host, snapshot: w.after, steps: len(w.records)}, nil
}

// accepted is the answer to an event that has been accepted before, or nil.
func (e *Engine) accepted(ctx context.Context, c *request) (json.RawMessage, error) {
	if c.eventID == "" {
		return nil, nil
	}
	answer, _, err := e.store.Accepted(ctx, c.run, c.eventID)
	if err != nil {
		return nil, fmt.Errorf("looking for event id %q: %w", c.eventID, err)
	}
	return answer, nil
}

// load makes sure that live holds the run.
func (e *Engine) load(ctx context.Context, c *request, live *liveRun) error {
	switch {
	case c.start != nil:
		live.host, live.snapshot = c.start, c.start.machine.NewSnapshot(c.run, machine.SeedOf(c.run))
		return nil
	case live.snapshot != nil:
		return nil
	}
	var err error
	live.host, live.snapshot, err = e.snapshot(ctx, c.run)
	return err
}

// decode gives the version and the snapshot of a stored run.
func (e *Engine) decode(ctx context.Context, row *RunRow) (*host, *machine.Snapshot, error) {
	h, err := e.host(ctx, row.Definition)
	if err != nil {
		return nil, nil, fmt.Errorf("run %q: %w", row.Run, err)
	}
	if s := e.runs.known(row); s != nil {
		return h, s, nil
	}
	s, err := h.machine.DecodeSnapshot(row.Snapshot)
	switch {
	case errors.Is(err, machine.ErrNewer):
		return nil, nil, fmt.Errorf("run %q: %w", row.Run, err)
	case err != nil:
		return nil, nil, fmt.Errorf("run %q: its snapshot is damaged: %w", row.Run, err)
	}
	return h, s, nil
}

// commit makes a write durable, remembers the run as it now stands, and tells
// those who wait for it. Every step of every run is written here.
func (e *Engine) commit(ctx context.Context, w *write, live *liveRun, taken bool) error {
	if len(w.records) == 0 {
		return nil // a second cancel, or kept events that are deferred again
	}
	row, err := w.commit(taken)
	if err != nil {
		return fmt.Errorf("run %q: %w", live.id, err)
	}
	if w.amend != nil {
		w.amend(row)
	}
	w.hitBefore(row)
	if err := e.store.Commit(ctx, row); err != nil {
		return fmt.Errorf("run %q: %w", live.id, err)
	}
	w.hitAfter()
	live.host, live.snapshot = w.host, w.after
	read := decoded{row.Run.Definition, row.Run.Snapshot, w.after}
	if w.after.Status == Finished || len(row.Run.Snapshot) > maxRemembered {
		live.forget()
		if len(w.after.Lists) == 0 {
			read = decoded{}
		}
	}
	e.runs.note(live, read)
	if w.after.Left || w.after.Halt != nil || store.MayBeChild(live.id) { // the timeout of a child may have halted it
		e.trees.Add(1)
	}
	e.active.release(w.after.Run, w.commands)
	e.active.release(w.after.Run, w.stops)
	e.changes.notify(w.after.Run)
	e.report(w)
	return nil
}

// maxRemembered is the size in bytes of the largest snapshot that is kept in
// memory.
const maxRemembered = 64 << 10

// report tells the observer of the steps of a write, and of the attempt that one of
// them has ended before those that follow from it.
func (e *Engine) report(w *write) {
	took := e.own.Now().Sub(w.began)
	for _, r := range w.records {
		if e.observer == (silent{}) && r.Effect != machine.HaltedBy {
			continue
		}
		info := w.host.machine.StepInfo(w.after, r)
		info.Took = took
		if r.Effect == machine.HaltedBy {
			e.logger.Error("run halted", slog.String("run", info.Run), slog.String("machine", info.Machine),
				slog.String("state", info.To), slog.String("code", string(r.Cause.Code)), slog.String("reason", info.Reason))
		}
		e.observer.OnStep(info)
		if w.attempt.endsBy(&r.Input) {
			w.attempt.Started, w.attempt.At = info.Started, info.At
			e.observer.OnAttempt(*w.attempt)
		}
	}
}
