//go:build unix && cgo

package reliability

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// claims is how many runs stand in each of the states Open, Waiting and Done.
const claims = 12

// office is an engine at the claims of a directory.
type office struct {
	*runtime.Engine
	store runtime.Store
}

// openOffice knows both versions of the machine, and the second one as the newer
// where moved is set.
func openOffice(dir string, moved bool) (*office, error) {
	store, err := sqlite.Open(context.Background(), databaseIn(dir))
	if err != nil {
		return nil, err
	}
	o := &office{runtime.NewEngine(store, runtime.WithGrace(0)), store}
	versions := []*model{claimOld(), claimNew()}
	if !moved {
		versions = versions[:1]
	}
	for _, m := range versions {
		if err := o.Register(m.Machine, m.source, runtime.Handlers{}); err != nil {
			return nil, errors.Join(err, store.Close())
		}
	}
	return o, nil
}

// fill starts the claims, and brings each to its state. Beside them are two trees of runs,
// which have ended.
func fill(dir string) error {
	s, err := convoys.open(dir, "driver", 0)
	if err != nil {
		return err
	}
	for _, run := range []string{"one", "two"} {
		if _, err := s.Start(context.Background(), "Convoy", run, []byte(`{"trucks": [1, 2], "crates": [3]}`)); err != nil {
			return errors.Join(err, s.close())
		}
	}
	if err := errors.Join(s.finish(context.Background()), s.close()); err != nil {
		return err
	}
	o, err := openOffice(dir, false)
	if err != nil {
		return err
	}
	defer o.store.Close()
	for n := range 3 * claims {
		run := fmt.Sprintf("c%03d", n)
		if _, err := o.Start(context.Background(), "Claim", run, fmt.Appendf(nil, `{"n": %d}`, n)); err != nil {
			return err
		}
		for range n / claims {
			if _, err := o.Send(context.Background(), run, runtime.ExternalEvent{Name: "Go"}); err != nil {
				return err
			}
		}
	}
	for {
		messages, err := o.store.Outbox(context.Background(), "", 0)
		if err != nil || len(messages) == 0 {
			return err
		}
		for i := range messages { // nothing waits to be delivered, so that all may be pruned
			if err := o.store.Delivered(context.Background(), messages[i].ID, messages[i].Attempt, time.Now()); err != nil {
				return err
			}
		}
	}
}

// chore is what an operator does to many runs at once.
type chore struct {
	hit    int                                        // at which a process dies
	moved  bool                                       // it knows the second version
	spoil  func(db *sql.DB) error                     // before it
	do     func(ctx context.Context, o *office) error // may be killed at any moment, and done again
	left   int                                        // runs, when it has been done; 0 for all
	closed func(ctx context.Context, o *office) error // what must then hold
}

var chores = map[string]chore{
	"migrate": {hit: 5, moved: true, do: migrateClaims, closed: func(ctx context.Context, o *office) error {
		return eachUnfinished(ctx, o, func(row *runtime.RunRow) error {
			if row.Definition != claimNew().Hash() || row.State == "Waiting" {
				return fmt.Errorf("run %q was left behind in %s", row.Run, row.State)
			}
			return nil
		})
	}},
	"prune": {hit: 1, left: 2 * claims, do: pruneClaims, closed: func(ctx context.Context, o *office) error {
		rows, err := o.List(ctx, runtime.RunFilter{Status: runtime.Finished})
		if err == nil && len(rows) > 0 {
			err = fmt.Errorf("%d finished runs are left", len(rows))
		}
		return err
	}},
	"repair": {hit: 5, do: repairClaims, spoil: func(db *sql.DB) error {
		_, err := db.Exec(`UPDATE runs SET snapshot = replace(snapshot, '"state":"Waiting"', '"state":"Open"') WHERE state = 'Waiting'`)
		return err
	}, closed: func(context.Context, *office) error { return nil }},
}

func migrateClaims(ctx context.Context, o *office) error {
	mapping := runtime.Mapping{States: map[string]string{"Waiting": "Held"}}
	return o.Migrate(ctx, "Claim", runtime.MigrateOptions{Mapping: mapping, Apply: true}, func(m runtime.MigratedRun) error {
		if m.Why != "" {
			return fmt.Errorf("run %q does not fit: %s", m.Run, m.Why)
		}
		return nil
	})
}

func pruneClaims(ctx context.Context, o *office) error {
	_, err := o.Prune(ctx, runtime.PruneQuery{Before: time.Now().Add(time.Hour)})
	return err
}

func repairClaims(ctx context.Context, o *office) error {
	return eachUnfinished(ctx, o, func(row *runtime.RunRow) error {
		_, err := o.Repair(ctx, row.Run, runtime.RepairOptions{Apply: true})
		return err
	})
}

func eachUnfinished(ctx context.Context, o *office, each func(*runtime.RunRow) error) error {
	return store.EachRun(ctx, o.store, runtime.RunFilter{Status: runtime.Running}, 100, each)
}

// attend is a child that does a chore.
func attend(dir, name string) error {
	c := chores[name]
	o, err := openOffice(dir, c.moved)
	if err != nil {
		return err
	}
	return errors.Join(c.do(context.Background(), o), o.store.Close())
}

// TestKillOperators kills a process in the middle of what an operator does to
// many runs, at every place that it reaches. Each run is then as before it, or
// as after it; done again it is whole.
func TestKillOperators(t *testing.T) {
	if !failpoint.Enabled {
		t.Skip("built without the tag failpoint")
	}
	pattern := t.TempDir()
	must(t, fill(pattern))
	all, err := runsIn(t.Context(), pattern)
	if err != nil || all < 3*claims+2*8 {
		t.Fatalf("there are %d runs: %v", all, err)
	}
	var total atomic.Int64
	for name, c := range chores {
		c.left = cmp.Or(c.left, all)
		t.Run(name, func(t *testing.T) {
			killed := 0
			for _, site := range failpoint.Sites() {
				if killedAt(t, pattern, name, &c, fmt.Sprintf("%s:%d", site, c.hit)) {
					killed++
				}
			}
			if killed < 4 {
				t.Errorf("%d processes were killed", killed)
			}
			total.Add(int64(killed))
		})
	}
	t.Logf("figure: kills of operators = %d", total.Load())
}

// killedAt reports whether the process reached the failpoint.
func killedAt(t *testing.T, pattern, name string, c *chore, at string) bool {
	t.Helper()
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(pattern)))
	if c.spoil != nil {
		db, err := sql.Open("sqlite3", "file:"+databaseIn(dir))
		if err == nil {
			err = errors.Join(c.spoil(db), db.Close())
		}
		must(t, err)
	}
	killed := spawn(t, "attend", dir, name, at).ended(t)
	if err := afterChore(t.Context(), dir, c, !killed); err != nil {
		t.Errorf("killed at %s: %v", at, err)
	}
	if killed {
		if err := attend(dir, name); err != nil {
			t.Errorf("again after %s: %v", at, err)
		}
		if err := afterChore(t.Context(), dir, c, true); err != nil {
			t.Errorf("done again after %s: %v", at, err)
		}
	}
	return killed
}

// afterChore looks at all runs, and where the chore is done at what it was for.
func afterChore(ctx context.Context, dir string, c *chore, done bool) error {
	o, err := openOffice(dir, c.moved)
	if err != nil {
		return err
	}
	defer o.store.Close()
	runs := 0
	err = o.ReplayAll(ctx, runtime.RunFilter{}, func(row *runtime.RunRow, err error) error {
		runs++
		if c.spoil != nil && !done {
			return nil // some are still as they were spoiled
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case runs < c.left || done && runs != c.left:
		return fmt.Errorf("%d runs are left", runs)
	case done:
		err = c.closed(ctx, o)
	}
	return errors.Join(err, orphans(databaseIn(dir)), integrity(databaseIn(dir)), wholeTrees(ctx, o.store.(*sqlite.Store)))
}

// runsIn counts the runs of dir.
func runsIn(ctx context.Context, dir string) (int, error) {
	o, err := openOffice(dir, false)
	if err != nil {
		return 0, err
	}
	rows, err := o.List(ctx, runtime.RunFilter{})
	return len(rows), errors.Join(err, o.store.Close())
}

// wholeTrees looks for a child without its parent, and for a root without its children.
func wholeTrees(ctx context.Context, s *sqlite.Store) error {
	found, err := s.Integrity(ctx)
	if err == nil && len(found) > 0 {
		err = errors.New(found[0])
	}
	for _, root := range []string{"one", "two"} {
		rows, failed := s.Runs(ctx, runtime.RunFilter{Root: root})
		if n := len(rows); failed != nil || n > 0 && n < 8 {
			err = errors.Join(err, failed, fmt.Errorf("%d runs are left of the tree %q", n, root))
		}
	}
	return err
}

// orphans finds what belongs to a run that is not there.
func orphans(path string) error {
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, table := range strings.Fields("history inbox outbox timers tasks checkpoints pruning") {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM " + table + " WHERE run NOT IN (SELECT run FROM runs)").Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			return fmt.Errorf("%d rows of %s belong to no run", n, table)
		}
	}
	return nil
}
