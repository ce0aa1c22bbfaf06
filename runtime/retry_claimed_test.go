package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// late is a store that an operator's retry reaches only after some time.
type late struct {
	store.Store
	by time.Duration
}

func (s *late) Commit(ctx context.Context, c *store.Commit) error {
	if len(c.History) > 0 && c.History[0].Kind == machine.RetryInput {
		time.Sleep(s.by)
	}
	return s.Store.Commit(ctx, c)
}

// ada is an operator.
var ada = machine.Operator{Actor: "ada", Reason: "because"}

// retryLate asks for a retry that is written when a worker of another process has claimed
// the attempt, since its wait is over.
func retryLate(t *testing.T, db store.Store, by time.Duration, run string, machines ...*machine.Machine) {
	t.Helper()
	e := NewEngine(&late{db, by})
	for _, m := range machines {
		register(t, e, m, Handlers{})
	}
	must(t, errOf(e.Retry(t.Context(), run, ada)))
}

// TestRetryOfClaimed: who holds an attempt keeps it, although a retry is written that would have
// spared it its wait.
func TestRetryOfClaimed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, m := memstore.New(), job(t, nil, retrying()...)
		var calls atomic.Int32
		w := work(t, db, m, func(ctx context.Context, _ *Attempt) (Result, error) {
			if calls.Add(1) == 1 {
				return Result{}, Fail("flaky", "not yet")
			}
			select {
			case <-ctx.Done():
				t.Error("it is told to stop:", context.Cause(ctx))
				return Result{}, ctx.Err()
			case <-time.After(time.Hour):
				return found, nil
			}
		})
		defer w.stop()
		start(t, w.Engine, "r", "")
		send(t, w.Engine, "r", "Go", "")
		time.Sleep(500 * time.Millisecond)
		retryLate(t, db, time.Minute, "r", m)
		if v := await(t, w.Engine, "r"); v.State != "Done" || calls.Load() != 2 {
			t.Errorf("%s after %d attempts: %s", v.State, calls.Load(), lines(t, w.Engine, "r"))
		}
	})
}

// TestRetryOfStartedChild: the same of a child, which holds its task.
func TestRetryOfStartedChild(t *testing.T) {
	bubble(t, func(t *testing.T) {
		db, child := memstore.New(), review(t)
		m := Build(t, WithFields("n int = 0, why string = \"\""), Calling(child),
			WithState("One", Doing("Review", []string{`"first"`}, "as one"),
				On("one.Completed", GoTo("Done", Set("n", "event.n"))),
				On("one.Failed", Retry(1, WithBackoff("1s", "1s", 1, 0)), GoTo("Broken")),
				On("one.failed", GoTo("Broken", Set("why", "event.message")))),
			WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
		var calls atomic.Int32
		w := tree(t, db, m, child, func(ctx context.Context, a *Attempt) (Result, error) {
			if calls.Add(1) == 1 {
				return Result{}, Fail("flaky", "not yet")
			}
			select {
			case <-ctx.Done():
				t.Error("it is told to stop:", context.Cause(ctx))
			case <-time.After(time.Hour):
			}
			return findsN(2)(ctx, a)
		})
		defer w.stop()
		start(t, w.Engine, "r", "")
		time.Sleep(500 * time.Millisecond)
		retryLate(t, db, time.Minute, "r", m, child)
		if v := await(t, w.Engine, "r"); v.State != "Done" || calls.Load() != 2 {
			t.Errorf("%s with %s after %d attempts: %s", v.State, v.Data, calls.Load(), lines(t, w.Engine, "r"))
		}
		if runs := whole(t, w.Engine, db, "r"); len(runs) != 3 {
			t.Errorf("%d runs", len(runs))
		}
	})
}
