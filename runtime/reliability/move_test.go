//go:build unix && cgo

package reliability

import (
	"context"
	"errors"
	"maps"
	"os"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestMove kills a process on SQLite, moves its runs to PostgreSQL, and brings them to their end there: their histories are
// the same there, and all that holds of runs that were never moved holds of these, before and after.
func TestMove(t *testing.T) {
	for role, w := range map[string]*work{"trade on": orders, "haul on": convoys} {
		t.Run(role, func(t *testing.T) {
			from, to := onSQLite.dir(t), onPostgres.dir(t)
			p := spawn(t, role, from, "killed", "")
			const enough = 10
			for deadline := time.Now().Add(time.Minute); len(historiesIn(t, from)) < enough; time.Sleep(100 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("no work for a minute")
				}
			}
			must(t, p.cmd.Process.Kill())
			p.ended(t)
			before := historiesIn(t, from)
			seen, err := os.ReadFile(ledgerIn(from))
			must(t, err)
			must(t, os.WriteFile(ledgerIn(to), seen, 0o600))
			err = move(t.Context(), from, to)
			if held, ok := errors.AsType[*sqlite.HeldError](err); ok { // wait, as it says where a worker was killed
				time.Sleep(time.Until(held.Until))
				err = move(t.Context(), from, to)
			}
			must(t, err)
			if after := historiesIn(t, to); len(after) < enough || !maps.Equal(before, after) {
				t.Errorf("%d runs with other histories than the %d that were moved", len(after), len(before))
			}
			inspectDir(t, w, to, false)
			finishDir(t, w, to)
		})
	}
}

func move(ctx context.Context, from, to string) error {
	db, err := openIn(to)
	if err != nil {
		return err
	}
	_, err = sqlite.Move(ctx, databaseIn(from), func(ctx context.Context, runs store.Exporter) error {
		return db.(*postgres.Store).Import(ctx, runs, func(context.Context, *postgres.Store) error { return nil })
	})
	return errors.Join(err, db.Close())
}

// historiesIn gives the records and the snapshot of each run of a directory, as one text.
func historiesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	db, err := openIn(dir)
	must(t, err)
	all := map[string]string{}
	must(t, store.EachRun(t.Context(), db, runtime.RunFilter{}, 100, func(row *runtime.RunRow) error {
		text := string(row.Snapshot)
		lines, err := db.History(t.Context(), row.Run, 0, 0)
		for i := range lines {
			text += "\n" + string(lines[i].Record)
		}
		all[row.Run] = text
		return err
	}))
	must(t, db.Close())
	return all
}
