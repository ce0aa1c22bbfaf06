package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// paused lists children that are paused, though their parents are not: who pauses a run holds those above it,
// and may not know. A parent that is halted is listed itself.
func (x *examination) paused(ctx context.Context) error {
	var problems []Problem
	waiting := map[string]bool{} // parents
	looked, cut := 0, false
	err := store.EachRun(ctx, x.e.store, RunFilter{Status: Running, Paused: true}, 500, func(r *RunRow) error {
		if looked++; looked > mostRead {
			cut = true
			return errEnough
		}
		if r.Parent == "" {
			return nil
		}
		waits, known := waiting[r.Parent]
		if !known {
			parent, err := x.e.store.Load(ctx, r.Parent)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			waits = err == nil && !parent.Paused && (parent.Status == Running || parent.Status == Ending)
			waiting[r.Parent] = waits
		}
		if waits {
			pause := x.e.pauseOf(ctx, r)
			since := cmp.Or(pause.At, r.Updated)
			problems = append(problems, ofRun(r, since, fmt.Sprintf("paused%s; run %q waits for it", byWhom(&pause), r.Parent)))
		}
		if len(problems) > x.Limit {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	x.add(PausedRun, problems)
	x.cut(PausedRun, cut)
	return nil
}
