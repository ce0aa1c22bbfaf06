package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/fsmc-dev/fsmc/runtime/storetest"
)

// TestExecMode: a store that prepares nothing, for a pooler that hands a connection to another client after each transaction, commits, looks,
// claims and reads as others do, alone and in batches.
func TestExecMode(t *testing.T) {
	withoutPrepared(t, pgtest.URL(t, "default_query_exec_mode=exec"))
}

// TestPgBouncer: so does one behind such a pooler, and a durable store is one there, too.
func TestPgBouncer(t *testing.T) {
	at := pgtest.Bouncer(t, pgtest.URL(t))
	t.Run("durable", func(t *testing.T) {
		storetest.Durable(t, func(t *testing.T, _ string) store.Store { return open(t, at) })
	})
	t.Run("in batches", func(t *testing.T) { withoutPrepared(t, at) })
	t.Run("prepared", func(t *testing.T) {
		var err error
		for range 10 {
			var s *postgres.Store
			if s, err = postgres.Open(t.Context(), strings.Replace(at, "default_query_exec_mode=exec", "default_query_exec_mode=cache_statement", 1)); err != nil {
				break
			}
			must(t, s.Close())
		}
		if !errors.Is(err, postgres.ErrPooler) {
			t.Errorf("without the setting: %v", err)
		}
	})
}

func withoutPrepared(t *testing.T, at string) {
	s := open(t, at)
	waiting(t, s, 6)
	if _, err := s.Look(t.Context(), store.LookQuery{Worker: "w", Now: noon, Limit: 10, Versions: true, Children: true}); err != nil {
		t.Error(err)
	}
	rows, err := claimSome(t.Context(), s, 4)
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d tasks, %v", len(rows), err)
	}
	errs := make(chan error)
	for i := range rows {
		c, claim := next(t, s, rows[i].Run), rows[i].Claim()
		c.Claim, c.End = &claim, []string{"a"}
		go func() { errs <- s.Commit(t.Context(), c) }()
	}
	for range rows {
		must(t, <-errs)
	}
	for i := range rows {
		if row, err := s.Load(t.Context(), rows[i].Run); err != nil || row.Seq != 3 {
			t.Errorf("%+v, %v", row, err)
		}
	}
}
