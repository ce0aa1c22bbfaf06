package runtime

import (
	"context"
	"errors"
	"slices"
)

// mostRead is the most runs whose snapshots are read in one look, those that were
// started last: of a machine version for its budget, of all for damage.
const mostRead = 10_000

// errEnough ends a look at runs.
var errEnough = errors.New("no more runs are looked at")

// damaged lists the running runs that cannot be moved as they should, because they
// cannot be read or tasks or timers of theirs are gone.
func (x *examination) damaged(ctx context.Context) error {
	var problems []Problem
	looked, cut := 0, false
	err := EachRun(ctx, x.e.store, RunFilter{Status: Running}, 500, func(r *RunRow) error {
		if looked++; looked > mostRead {
			cut = true
			return errEnough
		}
		why, err := x.damage(ctx, r)
		if why != "" {
			problems = append(problems, ofRun(r, r.Updated, why))
		}
		if err == nil && len(problems) > x.Limit {
			err = errEnough
		}
		return err
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	x.add(DamagedRun, problems)
	x.cut(DamagedRun, cut)
	return nil
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

// cut notes that not all runs were looked at.
func (x *examination) cut(kind ProblemKind, cut bool) {
	if cut && !slices.Contains(x.found.More, kind) {
		x.found.More = append(x.found.More, kind)
	}
}
