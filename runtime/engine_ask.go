package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// asker puts a machine's guards to the functions of this process, outside of
// any transaction.
type asker struct {
	ctx  context.Context // of the caller on whose behalf is asked
	host *host
	// unasked says why a guard could not be asked here and now: there is no
	// function for it, or the caller gave up. What was computed with its answer
	// must not be used.
	unasked error
}

func (a *asker) ask(guard int, args []Value) (bool, error) {
	d := a.host.machine.Definition()
	g := &d.Guards[guard]
	f := a.host.handlers.Guards[g.Name]
	if f == nil {
		a.unasked = fmt.Errorf("guard %q of machine %q: %w", g.Name, d.Name, ErrNoGuard)
		return false, a.unasked
	}
	encoded, err := d.encodeObject(g.Params, args)
	if err != nil {
		return false, fmt.Errorf("the arguments of guard %q: %w", g.Name, err)
	}
	answer, err := callGuard(a.ctx, f, encoded)
	switch {
	case err != nil && a.ctx.Err() != nil:
		a.unasked = a.ctx.Err()
	case errors.Is(err, ErrNoGuard): // the function has no one to ask
		a.unasked = fmt.Errorf("guard %q of machine %q: %w", g.Name, d.Name, err)
	}
	return answer, err
}

func callGuard(ctx context.Context, f GuardFunc, args json.RawMessage) (answer bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			answer, err = false, fmt.Errorf("panic: %v", r)
		}
	}()
	return f(ctx, args)
}
