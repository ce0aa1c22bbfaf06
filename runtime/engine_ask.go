package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// asker puts a machine's guards to the functions of this process, outside of
// any transaction.
type asker struct {
	ctx   context.Context // of the caller on whose behalf is asked
	host  *host
	limit time.Duration // of one answer
	// unasked says why a guard could not be asked here and now: there is no
	// function for it, or the caller gave up. What was computed with its answer
	// must not be used.
	unasked error
}

func (e *Engine) asker(ctx context.Context, h *host) *asker {
	return &asker{ctx: ctx, host: h, limit: e.guardLimit}
}

func (a *asker) ask(guard int, args []machine.Value) (bool, error) {
	d := a.host.machine.Definition()
	g := &d.Guards[guard]
	f := a.host.handlers.Guards[g.Name]
	if f == nil {
		a.unasked = fmt.Errorf("guard %q of machine %q: %w", g.Name, d.Name, ErrNoGuard)
		return false, a.unasked
	}
	encoded, err := a.host.machine.GuardArgs(guard, args)
	if err != nil {
		return false, fmt.Errorf("the arguments of guard %q: %w", g.Name, err)
	}
	answer, err := f.Ask(a.ctx, encoded, a.limit)
	switch {
	case err != nil && a.ctx.Err() != nil:
		a.unasked = a.ctx.Err()
	case errors.Is(err, ErrNoGuard): // the function has no one to ask
		a.unasked = fmt.Errorf("guard %q of machine %q: %w", g.Name, d.Name, err)
	}
	return answer, err
}

// Ask waits for the function until the limit has passed or the caller gives up. One
// that goes on then is left to itself: a step waits for it, and with that its run. A panic is an error.
// It is for who runs machines without an Engine.
func (f GuardFunc) Ask(ctx context.Context, args json.RawMessage, limit time.Duration) (bool, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", machine.DurationText(limit)))
	defer cancel()
	failed := func(fault string) verdict { return verdict{err: errors.New(fault)} }
	select {
	case v := <-called("it", func() verdict { return verdictOf(f(ctx, args)) }, failed):
		return v.answer, v.err
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// verdict is what a guard answers. Its error is a plain one.
type verdict struct {
	answer bool
	err    error
}

func verdictOf(answer bool, err error) verdict {
	switch {
	case err == nil:
		return verdict{answer: answer}
	case errors.Is(err, ErrNoGuard):
		return verdict{err: noGuard(errorText(err))}
	}
	return verdict{err: plain(err)}
}

// noGuard is an ErrNoGuard that says why.
type noGuard string

func (e noGuard) Error() string        { return string(e) }
func (e noGuard) Is(target error) bool { return target == ErrNoGuard }
