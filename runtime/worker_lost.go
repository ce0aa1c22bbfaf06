package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// takeOver deals with the claims of lost workers, and reports whether that changed
// anything. One that cannot be taken over, of a run that is damaged or needs a guard
// that this engine lacks, is not in the way of others.
func (w *worker) takeOver(ctx context.Context, lost []store.TaskRow, now time.Time) (taken bool) {
	for i := range lost {
		switch {
		case w.engine.active.holds(&lost[i]): // this process was held up itself, and will renew it
		case w.engine.takeOver(ctx, &lost[i]):
			taken = true
		default:
			w.untaken.failed(lost[i].Run, now, 0)
		}
	}
	return taken
}

// takeOver deals with a task whose worker has not renewed its lease, and
// reports whether that changed anything. With a heartbeat it has failed as
// `silent`, with progress as `stalled`; otherwise it is handed out again, up to
// the engine's limit, which a call of a machine does not have.
func (e *Engine) takeOver(ctx context.Context, t *store.TaskRow) bool {
	failpoint.Hit(failpoint.BeforeTakeOver)
	err := e.takeOverTask(ctx, t)
	if err != nil {
		if !errors.Is(err, ErrFenced) && !errors.Is(err, ErrUnavailable) && ctx.Err() == nil {
			e.logger.Warn("the task of a lost worker was not taken over", slog.String("run", t.Run),
				slog.String("activity", t.Activity), elementAttr(t.Do), slog.Any("error", err))
		}
		return false
	}
	e.logger.Warn("a worker was lost", slog.String("worker", t.Worker), slog.String("run", t.Run),
		slog.String("activity", t.Activity), elementAttr(t.Do), slog.Int("attempt", t.Attempt), slog.Int("times", t.Lost+1))
	return true
}

// lostAttempt is the attempt of a task whose worker is gone.
func (e *Engine) lostAttempt(t *store.TaskRow) AttemptInfo {
	return AttemptInfo{
		Run: t.Run, Machine: t.Machine, Activity: t.Activity, Do: t.Do, Key: t.Key, Attempt: t.Attempt,
		Worker: t.Worker, End: AttemptLost, Message: "its lease ran out", Duration: e.now().Sub(t.ClaimedAt),
		Visit: t.Visit, Fence: t.Epoch, At: e.now(),
	}
}

// errCall is that a task calls a machine: what a child does is the work of others, so that
// no number of lost workers is its fault.
var errCall = errors.New("the task calls a machine")

func (e *Engine) takeOverTask(ctx context.Context, t *store.TaskRow) error {
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
		return e.reissue(ctx, t)
	}
	claim, lost := t.Claim(), e.lostAttempt(t)
	_, err := e.apply(ctx, &request{run: t.Run, claim: &claim, attempt: &lost, input: func(m *Machine, _ *machine.Snapshot) (machine.Input, error) {
		of, ok := attemptOf(m, t)
		switch {
		case !ok:
			return machine.Input{}, fmt.Errorf("there is no do %q", t.Do)
		case m.Callee(of.Do) != "":
			return machine.Input{}, errCall
		}
		in := m.FailureInput(of, category, message)
		in.Checkpoint = t.Checkpoint != nil
		return in, nil
	}})
	if errors.Is(err, ErrHalted) || errors.Is(err, errCall) {
		return e.reissue(ctx, t)
	}
	return err
}

// reissue makes the task of a lost worker ready again, and notes in the run's
// history that it was lost. The note comes after, and where it fails the task is
// passed on all the same.
func (e *Engine) reissue(ctx context.Context, t *store.TaskRow) error {
	if err := e.store.Reclaim(ctx, t.Claim(), e.now()); err != nil {
		return err
	}
	lost := e.lostAttempt(t)
	_, err := e.apply(ctx, &request{run: t.Run, input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
		lost.Started = s.Started
		of, ok := attemptOf(m, t)
		if !ok {
			return machine.Input{}, ErrFenced
		}
		in := machine.NoteInput(machine.LostInput, of, "")
		in.Worker, in.Took, in.Checkpoint = t.Worker, max(e.now().Sub(t.ClaimedAt), 0), t.Checkpoint != nil
		return in, nil
	}})
	if err != nil && !errors.Is(err, ErrFenced) {
		e.logger.Warn("that a worker was lost could not be noted", slog.String("run", t.Run),
			slog.String("activity", t.Activity), elementAttr(t.Do), slog.Any("error", err))
	}
	e.observer.OnAttempt(lost)
	return nil
}
