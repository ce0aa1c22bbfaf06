//go:build cgo

package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// listed counts the tasks that are read in lists of those of a run.
type listed struct {
	store.Store
	rows atomic.Int64
}

func (l *listed) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	rows, err := l.Store.Tasks(ctx, run)
	l.rows.Add(int64(len(rows)))
	return rows, err
}

// wide runs a machine to its end that is held to a budget and calls another for each of n parts, all
// at once.
func wide(t testing.TB, db store.Store, n int) {
	t.Helper()
	job := Build(t, Named("Job"), WithParams("part string"), WithEvent("Found", "n int"), WithActivity("work", "part string", "Found", ""),
		WithCosts("work", "usd 0.0001"),
		WithState("Working", Doing("work", []string{"part"}), On("Found", GoTo("Fine")), On("failed", GoTo("Fine"))),
		WithTerminal("Fine", machine.Success))
	night := Build(t, Named("Night"), WithParams("parts [0..1000]string"), Calling(job), WithCosts("Job", "usd 0"), WithCosts("", "usd 1"),
		WithState("Going", Doing("Job", []string{"each.item"}, "for parts", "as j"),
			On("j.Fine, j.failed", Stay()), On("done", GoTo("Done")), On("over_budget", GoTo("Stopped"))),
		WithTerminal("Done", machine.Success), WithTerminal("Stopped", machine.Failed))
	e := NewEngine(db)
	register(t, e, job, Handlers{Activities: map[string]ActivityFunc{"work": usd("0.0001")}})
	register(t, e, night, Handlers{})
	w := run(t, e)
	defer w.stop()
	must(t, errOf(w.Start(t.Context(), "Night", "n", json.RawMessage(listOf(n)))))
	for { // who waits for its view reads its tasks
		row, err := db.Load(t.Context(), "n")
		must(t, err)
		if row.Status == machine.Finished {
			if row.State != "Done" {
				t.Errorf("it ended in %s", row.State)
			}
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// TestBelowFanOut: what begins below one element does not read the tasks of the others.
func TestBelowFanOut(t *testing.T) {
	const n = 60
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			db := &listed{Store: open(t)}
			wide(t, db, n)
			if rows := db.rows.Load(); rows > 10*n {
				t.Errorf("%d rows of tasks were read for %d elements", rows, n)
			}
		})
	}
}

// BenchmarkBelowFanOut is a fan-out over children, each with an attempt that is held to a budget above.
func BenchmarkBelowFanOut(b *testing.B) {
	for name, open := range stores {
		for _, n := range []int{100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				rows := int64(0)
				for b.Loop() {
					db := &listed{Store: open(b)}
					wide(b, db, n)
					rows += db.rows.Load()
				}
				b.ReportMetric(float64(rows)/float64(b.N*n), "rows/element")
			})
		}
	}
}
