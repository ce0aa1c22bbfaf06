//go:build cgo

package sqlite

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestMigrateTasks: tasks of a database from before children are as they were, whoever holds
// them, and runs are their own roots.
func TestMigrateTasks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	fill(t, path, migrations()[:8])
	const columns = `INSERT INTO tasks (run, do, seq, machine, definition, activity, key, attempt, visit, awake, queued, not_before,
		epoch, worker, claimed, lease_until, beat, progress, lost, cancelled, timeout_ns, heartbeat_ns, progress_ns) VALUES `
	raw(t, path,
		`UPDATE epochs SET epoch = 9`,
		columns+`('r', 'waits', 2, 'Order', 'h', 'work', 'k1', 1, 1, 1, 6, NULL, 0, NULL, NULL, NULL, NULL, NULL, 0, 0, 1, 2, 3)`,
		columns+`('r', 'later', 2, 'Order', 'h', 'work', 'k2', 2, 1, 1, 6, 70, 4, NULL, NULL, NULL, NULL, NULL, 1, 0, 1, 2, 3)`,
		columns+`('r', 'held', 1, 'Order', 'h', 'work', 'k3', 1, 1, 1, 6, NULL, 8, 'w', 7, 90, 8, 9, 0, 0, 1, 2, 3)`,
		columns+`('r', 'stops', 1, 'Order', 'h', 'work', 'k4', 1, 1, 1, 6, NULL, 9, 'w', 7, 60, 8, 9, 0, 1, 1, 2, 3)`,
		`INSERT INTO checkpoints VALUES ('k3', 'r', 9, '7')`)
	s := openAt(t, path)
	at := func(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
	row := func(do string, seq int64, change func(*store.TaskRow)) store.TaskRow {
		r := store.TaskRow{Run: "r", Machine: "Order", Definition: "h", Do: do, Activity: "work", Attempt: 1, Visit: 1, Seq: seq,
			Timeout: 1, Heartbeat: 2, Progress: 3}
		change(&r)
		return r
	}
	held := func(r *store.TaskRow) {
		r.Worker, r.ClaimedAt, r.BeatAt, r.ProgressAt = "w", at(7), at(8), at(9)
	}
	want := []store.TaskRow{
		row("held", 1, func(r *store.TaskRow) {
			held(r)
			r.Key, r.Epoch, r.LeaseUntil, r.Checkpoint, r.CheckpointAt = "k3", 8, at(90), []byte("7"), at(9)
		}),
		row("stops", 1, func(r *store.TaskRow) {
			held(r)
			r.Key, r.Epoch, r.LeaseUntil, r.Cancelled = "k4", 9, at(60), true
		}),
		row("waits", 2, func(r *store.TaskRow) { r.Key = "k1" }),
		row("later", 2, func(r *store.TaskRow) { r.Key, r.Attempt, r.Epoch, r.Lost, r.NotBefore = "k2", 2, 4, 1, at(70) }),
	}
	if got, err := s.Tasks(t.Context(), "r"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, want)
	}
	if run := load(t, s, "r"); run.Root != "r" || run.Parent != "" {
		t.Errorf("the run is %+v", run)
	}
	q := store.ClaimQuery{Worker: "v", Now: at(59), Until: at(200), Limit: 9,
		Activities: []store.Claimable{{Definition: "h", Activity: "work"}}}
	for i, want := range []int{0, 2} { // what stops holds the others back
		q.Now = at([]int64{59, 70}[i])
		if rows, err := s.Claim(t.Context(), q); err != nil || len(rows) != want {
			t.Errorf("%v: %d tasks are claimed, %v", q.Now, len(rows), err)
		}
	}
	if rows, err := s.Expired(t.Context(), at(90), 0); err != nil || len(rows) != 1 || rows[0].Do != "held" {
		t.Errorf("expired are %+v, %v", rows, err)
	}
	if found := query[string](t, s, `PRAGMA integrity_check`); found != "ok" {
		t.Error(found)
	}
}

// TestOtherWriterEndsChild: what a writer knows of a run that it wrote last includes that the
// run is a child.
func TestOtherWriterEndsChild(t *testing.T) {
	path := made(t)
	s, other := openAt(t, path), openAt(t, path)
	c := nextStep(load(t, s, "r"))
	c.Start = []store.TaskRow{{Run: "r", Machine: "Order", Definition: "h", Do: "a", Activity: "work", Key: "k", Seq: c.Run.Seq}}
	commit(t, s, c)
	q := store.ClaimQuery{Worker: "v", Now: noon, Until: noon.Add(time.Minute), Limit: 9,
		Activities: []store.Claimable{{Definition: "h", Activity: "work"}}}
	rows, err := s.Claim(t.Context(), q)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d tasks are claimed, %v", len(rows), err)
	}
	claim := rows[0].Claim()
	child := firstStep("r/c")
	child.Run.Parent, child.Run.Root, child.Parent = "r", "r", &claim
	commit(t, s, child)
	commit(t, s, nextStep(load(t, s, "r/c")))     // by what this writer knows
	commit(t, other, nextStep(load(t, s, "r/c"))) // which is no longer so
	last := nextStep(load(t, s, "r/c"))
	last.Run.Parent, last.Run.Root = "", ""
	last.Run.Status, last.Run.Outcome = machine.Finished, machine.Success
	commit(t, other, last)
	if rows, err := s.Tasks(t.Context(), "r"); err != nil || len(rows) != 1 || !rows[0].ChildEnded {
		t.Errorf("the parent's tasks are %+v, %v", rows, err)
	}
}
