package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// paused lists children that are paused, though their parents are not: who pauses a run holds those above it,
// and may not know. A parent that is halted is listed itself.
func (x *examination) paused(ctx context.Context) (problems []Problem, cut bool, err error) {
	waiting := map[string]bool{} // parents
	cut, err = x.each(ctx, RunFilter{Status: Running, Paused: true}, &problems, func(r *RunRow) (p Problem, err error) {
		if r.Parent == "" {
			return p, nil
		}
		waits, known := waiting[r.Parent]
		if !known {
			parent, err := x.e.store.Load(ctx, r.Parent)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return p, err
			}
			waits = err == nil && !parent.Paused && (parent.Status == Running || parent.Status == Ending)
			waiting[r.Parent] = waits
		}
		if waits {
			pause := x.e.pauseOf(ctx, r)
			p = ofRun(r, cmp.Or(pause.At, r.Updated), fmt.Sprintf("paused%s; run %q waits for it", byWhom(&pause), r.Parent))
		}
		return p, nil
	})
	return problems, cut, err
}
