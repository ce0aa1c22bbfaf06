package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// pruneBatch is the most runs that Prune deletes in one write.
const pruneBatch = 100

// Prune deletes all finished runs that q means. It writes at most 100 runs at a time, and then
// rests for as long as the write took, so that others can send. Each write is atomic. If ctx
// ends, or the store fails, the runs deleted so far are gone; they are counted in the result that
// comes with the error. A dry run only counts. The runs that stay are counted at the end. Prune
// sets Limit and Now of q.
func (e *Engine) Prune(ctx context.Context, q PruneQuery) (Pruned, error) {
	if why := machine.BadNote(q.Actor, q.Reason); why != "" {
		return Pruned{}, fmt.Errorf("cannot prune: %s", why)
	}
	q.Limit, q.Now = pruneBatch, e.now()
	var total Pruned
	for {
		began := time.Now()
		done, err := e.store.Prune(ctx, q)
		total.Runs, total.Kept = total.Runs+done.Runs, done.Kept
		switch {
		case err != nil || q.DryRun:
			return total, err
		case done.Runs == 0:
			q.DryRun = true // which counts what has stayed
			left, err := e.store.Prune(ctx, q)
			total.Kept = left.Kept
			return total, err
		}
		if err := giveWay(ctx, max(time.Since(began), time.Millisecond)); err != nil {
			return total, err
		}
	}
}
