//go:build cgo

package sqlite

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// finishedRuns is how many there are in BenchmarkMillion.
const finishedRuns = 1_000_000

// makeFinished writes runs that have ended, with two records each, straight into
// a database of format 1; the first Open counts them.
const makeFinished = `
	INSERT INTO definitions VALUES ('h', 'Order', '', '{}');
	WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < %d)
	INSERT INTO runs SELECT printf('run-%%07d', i), 'Order', 'h', iif(i %% 10, 'Completed', 'Failed'), 'finished',
		iif(i %% 10, 'success', 'failure'), 0, 2, 1767225600000000 + i * 1000000, 1767225660000000 + i * 1000000,
		1767225660000000 + i * 1000000, json_object('run', i, 'data', json_object('diff', printf('%%.200c', 'x'))) FROM n;
	INSERT INTO history SELECT run, 1, started, 'start', 'start', '', 'Working', 'moved', '{"seq":1}' FROM runs;
	INSERT INTO history SELECT run, 2, updated, 'result', 'Ready', 'Working', state, 'moved', '{"seq":2}' FROM runs;`

// millionRuns gives a store with as many finished runs, made once for all
// benchmarks of a process.
func millionRuns(b *testing.B) *Store {
	path := filepath.Join(b.TempDir(), "runs.db")
	must(b, os.WriteFile(path, nil, 0o600))
	db := connect(path, "rw", newOptions([]Option{Relaxed()}))
	text := migrations()[0] + fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1;", applicationID) +
		"BEGIN;" + fmt.Sprintf(makeFinished, finishedRuns) + "COMMIT;"
	must(b, errOf(db.Exec(text)))
	must(b, db.Close())
	began := time.Now()
	s := openAt(b, path)
	b.Logf("counted by the migration in %s", time.Since(began))
	return s
}

// BenchmarkMillion: what an operator asks for, and a send, with a million
// finished runs in the database.
func BenchmarkMillion(b *testing.B) {
	if testing.Short() {
		b.Skip("it writes a gigabyte")
	}
	s := millionRuns(b)
	for name, f := range map[string]store.RunFilter{
		"list/all":                {},
		"list/page in the middle": {After: fmt.Sprintf("run-%07d", finishedRuns/2)},
		"list/machine and state":  {Machine: "Order", State: "Failed"},
		"list/running":            {Status: machine.Running, Machine: "Order"},
		"list/outcome":            {Outcome: machine.Failed, Machine: "Order"},
		"list/old":                {StartedTo: time.UnixMicro(1767225600000000 + 1000*1000000)},
	} {
		f.Limit = 100
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if rows, err := s.Runs(b.Context(), f); err != nil || len(rows) != 100 && !strings.HasSuffix(name, "running") {
					b.Fatal(len(rows), err)
				}
			}
		})
	}
	b.Run("stats", func(b *testing.B) {
		for b.Loop() {
			if c, err := s.Counts(b.Context(), "", time.Time{}); err != nil || len(c.Runs) != 2 {
				b.Fatal(c, err)
			}
		}
	})
	b.Run("prune dry run", func(b *testing.B) {
		q := store.PruneQuery{Before: time.UnixMicro(1767225600000000 + finishedRuns/2*1000000), DryRun: true, Now: time.Now()}
		for b.Loop() {
			if done, err := s.Prune(b.Context(), q); err != nil || done.Runs == 0 {
				b.Fatal(done, err)
			}
		}
	})
	b.Run("prune 100", func(b *testing.B) {
		q := store.PruneQuery{Before: time.Now(), Limit: 100, Now: time.Now()}
		for b.Loop() {
			if done, err := s.Prune(b.Context(), q); err != nil || done.Runs != 100 {
				b.Fatal(done, err)
			}
		}
	})
}
