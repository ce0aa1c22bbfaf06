//go:build cgo

package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// inTheMiddle makes a SQLite database with runs that have ended, that are paused, and that are in the
// middle of their work: with children, of which one has ended, with timers, an attempt that has left a
// checkpoint, an event id and messages.
func inTheMiddle(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "runs.db")
	db, err := sqlite.Open(t.Context(), path)
	must(t, err)
	defer db.Close()
	e := runtime.NewEngine(db)
	register(t, e, review, reviewer(new(string)))
	for _, id := range []string{"live", "ended", "paused"} {
		must(t, errOf(e.Start(t.Context(), "Review", id, json.RawMessage(`{"pr":"`+id+`"}`))))
		must(t, errOf(e.RunUntilIdle(t.Context(), id)))
	}
	must(t, errOf(e.Cancel(t.Context(), "ended", runtime.CancelOptions{Actor: "ada"})))
	must(t, errOf(e.RunUntilDone(t.Context(), "ended")))
	must(t, errOf(e.Pause(t.Context(), "paused", runtime.Operator{Actor: "ada"})))
	children := childrenOf(t, db, "live")
	send(t, e, children[0])
	must(t, errOf(e.RunUntilIdle(t.Context(), "live")))
	leaveCheckpoint(t, e, db, childrenOf(t, db, "live"))
	return path
}

// replayed is the check of a move.
func replayed(ctx context.Context, s *postgres.Store) error {
	return runtime.NewEngine(s).ReplayAll(ctx, runtime.RunFilter{}, func(_ *runtime.RunRow, err error) error { return err })
}

// TestImportLostReply: of an import whose COMMIT has no reply the server says what has become of it.
func TestImportLostReply(t *testing.T) {
	path := inTheMiddle(t)
	url := pgtest.URL(t)
	p := newProxy(t, url, ofCommit)
	db := open(t, p.url)
	move := func(cut *atomic.Int64) error {
		return errOf(sqlite.Move(t.Context(), path, func(ctx context.Context, from store.Exporter) error {
			return db.Import(ctx, from, func(context.Context, *postgres.Store) error {
				cut.Store(1)
				return nil
			})
		}))
	}
	if err := move(&p.before); !errors.Is(err, postgres.ErrServer) || errors.Is(err, store.ErrUnknown) {
		t.Errorf("a COMMIT that has not arrived: %v", err)
	}
	if err := move(&p.after); err != nil {
		t.Errorf("a COMMIT that was made: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	if _, err := db.Load(t.Context(), "live"); err != nil {
		t.Error(err)
	}
}

// TestImport: all that a SQLite database has is moved, and goes on where it was.
func TestImport(t *testing.T) {
	path := inTheMiddle(t)
	db := open(t, pgtest.URL(t))
	aside, err := sqlite.Move(t.Context(), path, func(ctx context.Context, from store.Exporter) error {
		return db.Import(ctx, from, replayed)
	})
	must(t, err)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	before, err := sqlite.Open(t.Context(), aside, sqlite.ReadOnly())
	must(t, err)
	defer before.Close()
	if was, is := contents(t, before), contents(t, db); was != is {
		t.Errorf("it was\n%s\nand is\n%s", was, is)
	}

	checkpoint, delivered := "", []string{}
	e := runtime.NewEngine(db, runtime.WithOutbox(func(_ context.Context, m *runtime.Message) error {
		delivered = append(delivered, string(m.Data))
		return nil
	}))
	register(t, e, review, reviewer(&checkpoint))
	must(t, errOf(e.Resume(t.Context(), "paused", runtime.Operator{Actor: "ada"})))
	for _, run := range []string{"live", "paused"} {
		for state := ""; state != "Done"; {
			for _, child := range childrenOf(t, db, run) {
				send(t, e, child) // one that has it already is sent it a second time
			}
			v, err := e.RunUntilIdle(t.Context(), run)
			if err != nil || v.Status == runtime.Halted {
				t.Fatalf("%s: %+v, %v", run, v, err)
			}
			state = v.State
		}
	}
	if checkpoint != `{"page":3}` {
		t.Errorf("the attempt was handed checkpoint %s", checkpoint)
	}
	if slices.Sort(delivered); !slices.Equal(delivered, []string{`{"pr":"live"}`, `{"pr":"paused"}`}) {
		t.Errorf("delivered: %s", delivered)
	}
	if err := replayed(t.Context(), db); err != nil {
		t.Error(err)
	}
	if health, err := e.Health(t.Context(), runtime.HealthQuery{Limit: 10}); err != nil || len(health.Problems) > 0 {
		t.Errorf("%+v, %v", health.Problems, err)
	}
}

// slow is a source that takes its time between two tables.
type slow struct{ store.Exporter }

func (s slow) Epoch(ctx context.Context) (int64, error) {
	time.Sleep(time.Second)
	return s.Exporter.Epoch(ctx)
}

// TestImportSlowly: a source, or a check, may take longer than a transaction may hear nothing.
func TestImportSlowly(t *testing.T) {
	path := inTheMiddle(t)
	db := open(t, pgtest.URL(t))
	t.Cleanup(postgres.IdleLimit("'200ms'"))
	_, err := sqlite.Move(t.Context(), path, func(ctx context.Context, from store.Exporter) error {
		return db.Import(ctx, slow{from}, func(ctx context.Context, s *postgres.Store) error {
			time.Sleep(time.Second)
			return replayed(ctx, s)
		})
	})
	must(t, err)
}

// withLosses is a source whose attempts have lost their workers.
type withLosses struct {
	store.Exporter
	losses []store.StepCount
}

func (w withLosses) Counts(ctx context.Context, name string, since time.Time) (store.Counts, error) {
	c, err := w.Exporter.Counts(ctx, name, since)
	c.Steps = append(c.Steps, w.losses...)
	return c, err
}

// TestImportOfLosses: the counts say as before of how many attempts the next one began with a checkpoint.
func TestImportOfLosses(t *testing.T) {
	losses := []store.StepCount{
		{Machine: "M", Day: 1, Kind: machine.LostInput, Input: "r lost", From: "S", To: "S", Effect: machine.Stayed, Steps: 3, Checkpoint: true},
		{Machine: "M", Day: 1, Kind: machine.LostInput, Input: "r lost", From: "S", To: "S", Effect: machine.Stayed, Steps: 2},
		{Machine: "M", Day: 1, Kind: machine.FailureInput, Input: "failed(silent)", From: "S", To: "S", Effect: machine.Retried, Steps: 1, Checkpoint: true},
	}
	db := open(t, pgtest.URL(t))
	_, err := sqlite.Move(t.Context(), inTheMiddle(t), func(ctx context.Context, from store.Exporter) error {
		return db.Import(ctx, withLosses{from, losses}, replayed)
	})
	must(t, err)
	counts, err := db.Counts(t.Context(), "M", time.Time{})
	must(t, err)
	for _, want := range losses {
		if !slices.Contains(counts.Steps, want) {
			t.Errorf("%+v is not in %+v", want, counts.Steps)
		}
	}
}

// TestImportRefused: what stands in the way of a move is said, and leaves both as they were.
func TestImportRefused(t *testing.T) {
	path := inTheMiddle(t)
	empty, full := open(t, pgtest.URL(t)), open(t, pgtest.URL(t))
	begin(t, full, "r")
	failed := errors.New("a run is not as it was")
	for name, test := range map[string]struct {
		into  *postgres.Store
		check func(context.Context, *postgres.Store) error
		want  error
	}{
		"a database with runs": {full, replayed, postgres.ErrNotEmpty},
		"a check that fails":   {empty, func(context.Context, *postgres.Store) error { return failed }, failed},
		"a check with a broken one": {empty, func(ctx context.Context, s *postgres.Store) error {
			return s.PutDefinition(ctx, store.DefinitionRow{Hash: "h", Machine: "nul\x00", Definition: []byte("{}")})
		}, nil},
	} {
		aside, err := sqlite.Move(t.Context(), path, func(ctx context.Context, from store.Exporter) error {
			return test.into.Import(ctx, from, test.check)
		})
		if err == nil || aside != "" || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %q, %v", name, aside, err)
		}
	}
	if rows, err := empty.Runs(t.Context(), store.RunFilter{}); err != nil || len(rows) > 0 {
		t.Errorf("it has left %d runs, %v", len(rows), err)
	}
	if definitions, err := empty.Definitions(t.Context()); err != nil || len(definitions) > 0 {
		t.Errorf("it has left %d definitions, %v", len(definitions), err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

// TestMoveHeld: while a worker holds an attempt nothing is moved.
func TestMoveHeld(t *testing.T) {
	path := inTheMiddle(t)
	db, err := sqlite.Open(t.Context(), path)
	must(t, err)
	live := childrenOf(t, db, "live")
	row, err := db.Load(t.Context(), live[0])
	must(t, err)
	now := time.Now()
	claimed, err := db.Claim(t.Context(), store.ClaimQuery{Worker: "w", Now: now, Until: now.Add(time.Hour), Limit: 1,
		Activities: []store.Claimable{{Definition: row.Definition, Activity: "read"}}})
	if err := errors.Join(err, db.Close()); err != nil || len(claimed) != 1 {
		t.Fatalf("%v, %v", claimed, err)
	}
	_, err = sqlite.Move(t.Context(), path, func(context.Context, store.Exporter) error {
		t.Error("it begins")
		return nil
	})
	var held *sqlite.HeldError
	if !errors.As(err, &held) || held.Attempts != 1 || !strings.Contains(err.Error(), "a worker holds an attempt until") {
		t.Errorf("got %v", err)
	}
}

// TestTables: all columns of the tables are moved, but those that are made here or are of no run.
func TestTables(t *testing.T) {
	other := map[string]string{
		"runs.ended": "of the status", "runs.final": "of the state", "history.token": "of a commit under way", "inbox.token": "the same",
		"tasks.id": "made by the table, in the same order", "counts": "through Counts", "count_log": "the same",
		"tasks.handed": "of a look under way", "tasks.handed_to": "the same", "timers.handed": "the same", "timers.handed_to": "the same",
		"history.id": "of the feed, which begins here", "meta": "of the tables themselves", "settings": "the same", "hosts": "of processes", "runs_v": "a view", "history_v": "a view",
	}
	for _, table := range store.Tables {
		for _, c := range table.Columns {
			other[table.Name+"."+c.Name] = "moved"
		}
	}
	url := pgtest.URL(t)
	open(t, url)
	left := "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = '" + pgtest.SchemaOf(t, url) + "'"
	rows, err := query(t, url, left)
	if err != nil || len(rows) < 50 {
		t.Fatalf("%d columns, %v", len(rows), err)
	}
	for _, row := range rows {
		if strings.HasPrefix(row[0], "archived_") || strings.HasPrefix(row[0], "all_") {
			continue // empty then, or a view
		}
		if other[row[0]] == "" && other[row[0]+"."+row[1]] == "" {
			t.Errorf("column %s of %s is not moved", row[1], row[0])
		}
	}
}
