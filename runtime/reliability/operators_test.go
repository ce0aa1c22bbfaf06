//go:build unix && cgo

package reliability

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
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
	store, err := openIn(dir)
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
	spoil  string                                     // a statement, before it
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
	"repair": {hit: 5, do: repairClaims, closed: func(context.Context, *office) error { return nil },
		spoil: `UPDATE runs SET snapshot = replace(snapshot, '"state":"Waiting"', '"state":"Open"') WHERE state = 'Waiting'`},
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
func attend(says io.Writer, dir, name string) error {
	c := chores[name]
	o, err := openOffice(dir, c.moved)
	if err != nil {
		return err
	}
	fmt.Fprintln(says, "begun")
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
	all := filled(t, pattern)
	var total atomic.Int64
	for name, c := range chores {
		c.left = cmp.Or(c.left, all)
		t.Run(name, func(t *testing.T) {
			killed := 0
			for _, site := range failpoint.Sites() {
				dir := t.TempDir()
				must(t, os.CopyFS(dir, os.DirFS(pattern)))
				if killedAt(t, dir, name, &c, fmt.Sprintf("%s:%d", site, c.hit)) {
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

// TestKillPostgresOperators is that of runs on PostgreSQL, at any moment. FSMC_RANDOM_KILLS is how many processes do each.
func TestKillPostgresOperators(t *testing.T) {
	kills, killed := count(t, "FSMC_RANDOM_KILLS", 1), 0
	for name, c := range chores {
		for range kills {
			dir, c := onPostgres.dir(t), c
			c.left = cmp.Or(c.left, filled(t, dir))
			if killedAt(t, dir, name, &c, "") {
				killed++
			}
		}
	}
	t.Logf("figure: kills of operators on PostgreSQL = %d", killed)
}

// filled gives how many runs there are.
func filled(t *testing.T, dir string) int {
	t.Helper()
	must(t, fill(dir))
	all, err := runsIn(t.Context(), dir)
	if err != nil || all < 3*claims+2*8 {
		t.Fatalf("there are %d runs: %v", all, err)
	}
	return all
}

// killedAt reports whether the process was killed: at the failpoint, if it has reached it, or without one within the moments
// that the chore takes.
func killedAt(t *testing.T, dir, name string, c *chore, at string) bool {
	t.Helper()
	if c.spoil != "" {
		db, _ := connectTo(t, dir)
		must(t, errOf(db.Exec(c.spoil)))
		must(t, db.Close())
	}
	p := spawn(t, "attend", dir, name, at)
	if at == "" {
		time.Sleep(rand.N(1 + rand.N(100*time.Millisecond)))
		_ = p.cmd.Process.Kill()
	}
	killed := p.ended(t)
	deserted(t, dir)
	if err := afterChore(t, dir, c, !killed); err != nil {
		t.Errorf("%s, killed at %s: %v", name, at, err)
	}
	if killed {
		if err := attend(io.Discard, dir, name); err != nil {
			t.Errorf("%s again after %s: %v", name, at, err)
		}
		if err := afterChore(t, dir, c, true); err != nil {
			t.Errorf("%s done again after %s: %v", name, at, err)
		}
	}
	return killed
}

// afterChore looks at all runs, and where the chore is done at what it was for.
func afterChore(t *testing.T, dir string, c *chore, done bool) error {
	ctx := t.Context()
	o, err := openOffice(dir, c.moved)
	if err != nil {
		return err
	}
	defer o.store.Close()
	runs := 0
	err = o.ReplayAll(ctx, runtime.RunFilter{}, func(row *runtime.RunRow, err error) error {
		runs++
		if c.spoil != "" && !done {
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
	return errors.Join(err, soundIn(t, dir), wholeTrees(ctx, o.store))
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
func wholeTrees(ctx context.Context, db store.Store) (err error) {
	if s, ok := db.(*sqlite.Store); ok {
		found, failed := s.Integrity(ctx)
		if err = failed; err == nil && len(found) > 0 {
			err = errors.New(found[0])
		}
	}
	for _, root := range []string{"one", "two"} {
		rows, failed := db.Runs(ctx, runtime.RunFilter{Root: root})
		if n := len(rows); failed != nil || n > 0 && n < 8 {
			err = errors.Join(err, failed, fmt.Errorf("%d runs are left of the tree %q", n, root))
		}
	}
	return err
}
