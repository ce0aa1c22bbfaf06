package runtime

import (
	"context"
	"time"
)

// Feed gives the steps of all runs behind a position, in the order in which they were written, at
// most limit of them; 0 for all. Who goes on behind the ID of the last one is given each
// step once. Steps of runs that have been pruned are left out. It keeps no worker waiting.
func (e *Engine) Feed(ctx context.Context, after int64, limit int) ([]FeedRow, error) {
	return e.store.Feed(ctx, after, limit)
}

// FeedEnd is the position behind which Feed gives what happens from now on. It never falls: a
// position beyond it is of another database, or of this one before a backup took its place.
func (e *Engine) FeedEnd(ctx context.Context) (int64, error) { return e.store.FeedEnd(ctx) }

// Changed is a number that is another one when Feed has more than before: cheap enough to be
// asked for ten times a second. It may also change for no such reason.
func (e *Engine) Changed(ctx context.Context) (int64, error) { return e.store.Changed(ctx) }

// FeedSince is the position behind which Feed gives the steps taken at a time or later. Where the
// clocks of several hosts differ some earlier ones may be among them, or some later ones missing, as
// far as the clocks differ.
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
