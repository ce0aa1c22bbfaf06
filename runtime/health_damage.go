package runtime

import (
	"context"
	"errors"
)

// damaged lists the running runs that cannot be moved as they should, because they
// cannot be read or tasks or timers of theirs are gone.
func (x *examination) damaged(ctx context.Context) (problems []Problem, cut bool, err error) {
	cut, err = x.each(ctx, RunFilter{Status: Running}, &problems, func(r *RunRow) (Problem, error) {
		why, err := x.damage(ctx, r)
		return ofRun(r, r.Updated, why), err
	})
	return problems, cut, err
}

// damage says why a run cannot be moved as it should, or nothing.
func (x *examination) damage(ctx context.Context, r *RunRow) (string, error) {
	h, err := x.e.host(ctx, r.Definition)
	if err != nil {
		if _, failed := x.e.store.Definition(ctx, r.Definition); failed != nil && !errors.Is(failed, ErrNotFound) {
			return "", failed // not of this run
		}
		return "its machine cannot be read: " + err.Error(), nil
	}
	s, err := h.machine.DecodeSnapshot(r.Snapshot)
	if err != nil {
		return "nothing moves it until it is repaired: " + err.Error(), nil
	}
	fault, err := x.e.missingWork(ctx, h.machine, r, s)
	if err != nil || fault == "" {
		return "", err
	}
	return "what should move it is not all there until it is repaired: " + fault, nil
}
