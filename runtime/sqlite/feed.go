//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// One connection writes at a time, to all processes, so that ids of history are given in the
// order in which they are committed.
const (
	selectFeed = `
	SELECT history.id, runs.machine, ` + historyColumns + `
	FROM history CROSS JOIN runs ON runs.run = history.run
	WHERE history.id > ? ORDER BY history.id LIMIT ? + 0`
)

func (s *Store) Feed(ctx context.Context, after int64, limit int) ([]store.FeedRow, error) {
	return readAll(ctx, s, sqlrow.Fed, selectFeed, after, atMost(limit))
}

func (s *Store) FeedEnd(ctx context.Context) (int64, error) {
	end, _, err := glanceFirst(ctx, s, sqlrow.One[int64], selectNewest)
	return end, err
}

// changes is a connection of its own, because the number that it reads says what others have
// committed since that connection read it before.
type changes struct {
	turn chan struct{} // holds a token while someone looks
	db   *sql.DB
	conn *sql.Conn // nil before the first look, and after one that has failed
	nth  int64     // how many there have been
}

func newChanges(file string, o options) *changes {
	return &changes{turn: make(chan struct{}, 1), db: connect(file, "ro", o)}
}

// Changed implements store.Store. What is written beside history changes the number, too.
func (s *Store) Changed(ctx context.Context) (int64, error) {
	n, err := heeding(ctx, s, func() (int64, error) { return s.changes.look(ctx) })
	return n, s.readError(err)
}

func (c *changes) look(ctx context.Context) (n int64, err error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	defer func() { <-c.turn }()
	if c.conn == nil {
		if c.conn, err = c.db.Conn(ctx); err != nil {
			return 0, err
		}
		c.nth++
	}
	if err := c.conn.QueryRowContext(ctx, selectVersion).Scan(&n); err != nil {
		err = errors.Join(err, c.conn.Close())
		c.conn = nil
		return 0, err
	}
	return c.nth<<32 | n, nil
}

func (c *changes) close() error {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	err := c.db.Close()
	if c.conn != nil {
		err = errors.Join(err, c.conn.Close())
	}
	return err
}
