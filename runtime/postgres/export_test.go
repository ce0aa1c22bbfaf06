package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
)

// Statements are those that a store has sent, with @ for the schema.
func Statements(s *Store) (all []string) {
	s.texts.Range(func(text, _ any) bool {
		all = append(all, text.(string))
		return true
	})
	return all
}

// Channel is that of a store's hints.
func Channel(s *Store) string { return s.channel() }

// OfFormat opens a database as a version that knows no later format.
func OfFormat(n int) Option { return func(o *options) { o.steps = migrations()[:n] } }

// IdleLimit has the server take back transactions after another time.
func IdleLimit(limit string) (back func()) {
	was := idleLimit
	idleLimit = limit
	return func() { idleLimit = was }
}

// Write is a write of a store that runs a statement, and then does something else before it ends.
func Write(ctx context.Context, s *Store, statement string, then func()) error {
	return s.write(ctx, func(ctx context.Context, t *tx) error {
		if _, err := t.exec(ctx, statement); err != nil {
			return err
		}
		then()
		_, err := t.exec(ctx, statement)
		return err
	})
}

// OnConn shows one of the connections of a store.
func OnConn(ctx context.Context, s *Store, look func(*pgconn.PgConn)) error {
	return s.use(ctx, func(t *tx) error {
		look(t.conn.PgConn())
		return nil
	})
}
