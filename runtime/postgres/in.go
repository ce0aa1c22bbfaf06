package postgres

import (
	"sync"

	"github.com/jackc/pgx/v5"
)

// In gives the store as a part of a transaction that the program has begun, on a connection of
// its own to the same database: what is written through it is there when the program commits,
// and else has never been. Use it with runtime.Engine.Over:
//
//	tx, err := pool.Begin(ctx)
//	...
//	_, err = tx.Exec(ctx, "INSERT INTO orders ...")
//	_, err = engine.Over(store.In(tx)).Start(ctx, "Order", id, params)
//	...
//	err = tx.Commit(ctx)
//
// A step locks its run until the transaction ends. A call that fails leaves the transaction as
// it was before it, unless its connection is lost or its context has ended. The isolation of the transaction should be READ COMMITTED, as it
// is unless said: in any other a step may fail with a serialization error (SQLSTATE 40001), and
// the program begins its transaction again. Whether a commit was made whose reply is lost is the
// program's to find out. The store ends with the transaction, and need not be closed.
func (s *Store) In(tx pgx.Tx) *Store {
	return &Store{schema: s.schema, options: s.options, within: &within{tx: tx, store: s}, noTimeline: s.noTimeline}
}

// within is the transaction of a program, in which a store is.
type within struct {
	mu    sync.Mutex // one call has the connection
	tx    pgx.Tx
	store *Store // outside of it
}
