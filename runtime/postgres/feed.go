package postgres

import (
	"context"
	"errors"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// ErrStandby is the error of the feed of a server that follows another one: it does not know which
// transactions are under way there.
var ErrStandby = errors.New("the feed of runs has to be read from the server that is written to, and this one is a standby")

// Ids of history are taken in an order, and committed in another one. Who writes holds, from
// before it takes an id, a shared advisory lock whose second key is the id that was taken last
// (see the migration). Each id up to the least of these, and up to the one that had been taken last
// before the locks were looked at, is committed by then or never will be: a statement after that sees it.
const (
	// selectSafe gives that id. The sum in the inner query makes the server look at the
	// sequence first. A key has the lower half of an id, which is near the last one.
	selectSafe = `
	SELECT pg_is_in_recovery(), least(taken, (
		SELECT min(taken + ((objid :: bigint - taken) & 4294967295) - 4294967296 * (((objid :: bigint - taken) & 4294967295) >> 31))
		FROM pg_locks
		WHERE locktype = 'advisory' AND objsubid = 2
			AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND classid = (hashtext('fsmc feed ' || '@history' :: regclass :: oid) :: bigint & 4294967295) :: oid))
	FROM (SELECT @feed_taken() AS taken OFFSET 0) AS last`

	selectLiveFeed = `
	SELECT id, coalesce((SELECT machine FROM @runs AS r WHERE r.run = h.run), ''), run, seq, at, kind, input, source, target, effect, record
	FROM @history AS h WHERE id > $1 AND id <= $2 ORDER BY id LIMIT $3`
)

var selectFeed = everywhere(selectLiveFeed)

// Feed implements store.Store. In a transaction of the program it is that of the database.
func (s *Store) Feed(ctx context.Context, after int64, limit int) ([]store.FeedRow, error) {
	if s.within != nil {
		return s.within.store.Feed(ctx, after, limit)
	}
	end, err := s.FeedEnd(ctx)
	if err != nil || end <= after {
		return nil, err
	}
	return readAll(ctx, s, sqlrow.Fed, selectFeed, after, end, atMost(limit))
}

func (s *Store) FeedEnd(ctx context.Context) (int64, error) {
	if s.within != nil {
		return s.within.store.FeedEnd(ctx)
	}
	type safe struct {
		standby bool
		id      int64
	}
	at, _, err := readFirst(ctx, s, func(found sqlrow.Row, a *safe) error { return found.Scan(&a.standby, &a.id) }, selectSafe)
	if err == nil && at.standby {
		err = ErrStandby
	}
	return at.id, err
}

func (s *Store) Changed(ctx context.Context) (int64, error) { return s.FeedEnd(ctx) }
