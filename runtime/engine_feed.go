package runtime

import (
	"context"
	"time"
)

// Feed gives the steps of all runs behind a position, in the order in which they were written, at
// most limit of them; 0 is without a limit. Call it again with the ID of the last step, and it
// gives each step once. It leaves out the steps of runs that have been pruned. No worker waits
// for it.
func (e *Engine) Feed(ctx context.Context, after int64, limit int) ([]FeedRow, error) {
	return e.store.Feed(ctx, after, limit)
}

// FeedEnd is the position behind which Feed gives what happens from now on. It never falls: a
// position beyond it comes from another database, or from this one before a backup replaced it.
func (e *Engine) FeedEnd(ctx context.Context) (int64, error) { return e.store.FeedEnd(ctx) }

// Changed is a number that differs from before if Feed has more steps than before. It is cheap
// enough to be asked for ten times a second. It may also change for other reasons.
func (e *Engine) Changed(ctx context.Context) (int64, error) { return e.store.Changed(ctx) }

// FeedSince is the position behind which Feed gives the steps taken at a time or later. If the
// clocks of several hosts differ, some earlier steps may be among them, or some later ones
// missing, by as much as the clocks differ.
func (e *Engine) FeedSince(ctx context.Context, since time.Time) (int64, error) {
	end, err := e.store.FeedEnd(ctx)
	if err != nil {
		return 0, err
	}
	from, to := int64(0), end // behind from may stand an earlier step, behind to none does
	for from < to {
		middle := from + (to-from)/2
		rows, err := e.store.Feed(ctx, middle, 1)
		switch {
		case err != nil:
			return 0, err
		case len(rows) > 0 && rows[0].At.Before(since):
			from = rows[0].ID
		default:
			to = middle
		}
	}
	return to, nil
}
