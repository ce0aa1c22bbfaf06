//go:build cgo

package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
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

// TestMain lets the tests start this binary as another process.
func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		os.Exit(child(os.Getenv(childRole), path))
	}
	os.Exit(m.Run())
}

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return openAt(t, filepath.Join(t.TempDir(), "runs.db"))
	})
}

func TestDurable(t *testing.T) {
	storetest.Durable(t, func(t *testing.T, dir string) store.Store {
		return openAt(t, filepath.Join(dir, "runs.db"))
	})
}

func openAt(t testing.TB, path string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, opts...)
	must(t, err)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// made gives the path of a database that a store has made and closed, with one
// run in it.
func made(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs.db")
	s := openAt(t, path)
	putDefinition(t, s)
	commit(t, s, firstStep("r"))
	must(t, s.Close())
	return path
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func putDefinition(t testing.TB, s *Store) {
	t.Helper()
	err := s.PutDefinition(context.Background(), store.DefinitionRow{
		Hash: "h", Machine: "Order", Definition: json.RawMessage(`{}`),
	})
	must(t, err)
}

func commit(t testing.TB, s *Store, c *store.Commit) {
	t.Helper()
	must(t, s.Commit(context.Background(), c))
}

func load(t testing.TB, s *Store, run string) store.RunRow {
	t.Helper()
	row, err := s.Load(t.Context(), run)
	must(t, err)
	return row
}

func firstStep(run string) *store.Commit {
	return nextStep(store.RunRow{
		Run: run, Machine: "Order", Definition: "h", State: "Idle", Status: machine.Running,
		Started: noon, Entered: noon,
	})
}

// nextStep takes a run one step on. The step leaves its number everywhere: in
// the snapshot, a timer, an event id and a message.
func nextStep(row store.RunRow) *store.Commit {
	c := &store.Commit{Run: row, Expect: row.Seq}
	seq := row.Seq + 1
	c.Run.Seq, c.Run.Updated = seq, noon.Add(time.Duration(seq)*time.Second)
	c.Run.Snapshot = json.RawMessage(fmt.Sprintf(`{"run":%q,"seq":%d,"data":{"n":%d}}`, row.Run, seq, seq))
	c.History = []store.HistoryRow{{
		Run: row.Run, Seq: seq, At: c.Run.Updated, Kind: machine.EventInput, Input: "Go", From: row.State,
		To: row.State, Effect: machine.Moved, Record: json.RawMessage(fmt.Sprintf(`{"seq":%d}`, seq)),
	}}
	c.Set = []store.TimerRow{{Run: row.Run, Name: "t", Due: c.Run.Updated}}
	c.EventID, c.Answer = fmt.Sprint(seq), json.RawMessage(fmt.Sprint(seq))
	c.Publish = []store.MessageRow{{
		ID: fmt.Sprintf("%s/%d/1", row.Run, seq), Run: row.Run, Seq: seq, N: 1, Event: "Gone", At: c.Run.Updated,
	}}
	return c
}

// query reads one value past the store.
func query[T any](t testing.TB, s *Store, text string, args ...any) (v T) {
	t.Helper()
	if err := s.readers.QueryRow(text, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
