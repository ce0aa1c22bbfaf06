package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// patience is how long a cancel waits for children before it says so.
const patience = 2 * time.Second

// sayChildren says for which runs below a run its cancel waits, if it does for long, until what
// it gives is called. It is said once: they may need a worker, and nobody else would tell.
func (s *streams) sayChildren(ctx context.Context, engine *runtime.Engine, run string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	said := make(chan struct{})
	go func() {
		defer close(said)
		select {
		case <-ctx.Done():
			return
		case <-time.After(patience):
		}
		rows, _ := engine.Tree(ctx, run) // what cannot be read the cancel itself reports
		for i := range rows {
			if row := &rows[i]; row.Run != run && row.Status != runtime.Finished {
				fmt.Fprintf(s.err, "waiting for %s to end, which is in %s: a worker (fsmc run) or an event may have to come, or --force\n", row.Run, row.State)
			}
		}
	}()
	return func() { cancel(); <-said }
}
