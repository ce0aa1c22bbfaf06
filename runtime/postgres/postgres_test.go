package postgres_test

import (
	"os"
	"sync"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/fsmc-dev/fsmc/runtime/storetest"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errOf is the error of a call, for must, where nothing else of it is wanted.
func errOf[T any](_ T, err error) error { return err }

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestDurable(t *testing.T) {
	url := pgtest.URL(t)
	storetest.Durable(t, func(t *testing.T, _ string) store.Store { return open(t, url) })
}

// opened are the stores that tests have opened.
var opened sync.Map

// open opens a database, and closes it after the test.
func open(t testing.TB, url string, opts ...postgres.Option) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, opts...)
	must(t, err)
	opened.Store(s, nil)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}
