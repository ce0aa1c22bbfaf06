//go:build cgo

package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// listed counts the tasks that are read in lists of those of a run.
type listed struct {
	store.Store
	rows  atomic.Int64
	loads atomic.Int64 // of the run n
}

func (l *listed) Load(ctx context.Context, run string) (RunRow, error) {
	if run == "n" {
		l.loads.Add(1)
	}
	return l.Store.Load(ctx, run)
}

func (l *listed) Tasks(ctx context.Context, run string) ([]store.TaskRow, error) {
	rows, err := l.Store.Tasks(ctx, run)
	l.rows.Add(int64(len(rows)))
	return rows, err
}

// wide runs a machine to its end, for which await waits, that is held to a budget and calls another for each of n
// parts, all at once.
func wide(t testing.TB, db store.Store, n int, await func(*Engine)) {
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
	await(w.Engine)
	inState(t, get(t, w.Engine, "n"), "Done")
}

// TestWaitReadsNoTasks: who waits for a run reads its tasks again when what it waited for has ended, and not at
// whatever happens below it.
func TestWaitReadsNoTasks(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const n, looks = 40, 100
		job := Build(t, Named("Job"), WithParams("part string"), WithEvent("Poke", ""), WithActivity("work", "part string", "", ""),
			WithState("Working", Doing("work", []string{"part"}), On("Poke", Stay()), On("done", GoTo("Fine")), On("failed", GoTo("Fine"))),
			WithTerminal("Fine", machine.Success))
		night := Build(t, Named("Night"), WithParams("parts [0..1000]string"), Calling(job),
			WithState("Going", Doing("Job", []string{"each.item"}, "for parts", "as j"), On("j.Fine, j.failed", Stay()), On("done", GoTo("Done"))),
			WithTerminal("Done", machine.Success))
		db, goOn := &listed{Store: memstore.New()}, make(chan struct{})
		e := NewEngine(db)
		register(t, e, job, Handlers{Activities: map[string]ActivityFunc{"work": func(context.Context, *Attempt) (Result, error) {
			<-goOn
			return Result{}, nil
		}}})
		register(t, e, night, Handlers{})
		w := run(t, e)
		defer w.stop()
		must(t, errOf(w.Start(t.Context(), "Night", "n", json.RawMessage(listOf(n)))))
		synctest.Wait()
		waited := make(chan View)
		go func() {
			v, err := w.Wait(t.Context(), "n")
			if err != nil {
				t.Error(err)
			}
			waited <- v
		}()
		synctest.Wait()
		before := db.loads.Load()
		for i := range looks {
			send(t, w.Engine, fmt.Sprintf("n/Going.j.1.1[%d]", i%n), "Poke", "")
			synctest.Wait()
		}
		if loads, rows := db.loads.Load()-before, db.rows.Load(); loads < looks || rows > 2*n {
			t.Errorf("at %d looks %d rows of tasks were read", loads, rows)
		}
		close(goOn)
		inState(t, <-waited, "Done")
	})
}

// TestBelowFanOut: what begins below one element does not read the tasks of the others.
func TestBelowFanOut(t *testing.T) {
	const n = 60
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			db := &listed{Store: open(t)}
			wide(t, db, n, func(*Engine) { // who waits for its view reads its tasks
				for row := (RunRow{}); row.Status != machine.Finished; time.Sleep(time.Millisecond) {
					var err error
					row, err = db.Load(t.Context(), "n")
					must(t, err)
				}
			})
			if rows := db.rows.Load(); rows > 10*n {
				t.Errorf("%d rows of tasks were read for %d elements", rows, n)
			}
		})
	}
}

// BenchmarkBelowFanOut is a fan-out over children, each with an attempt that is held to a budget above, for whose end
// one waits.
func BenchmarkBelowFanOut(b *testing.B) {
	for name, open := range stores {
		for _, n := range []int{100, 1000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				rows := int64(0)
				for b.Loop() {
					db := &listed{Store: open(b)}
					wide(b, db, n, func(e *Engine) { must(b, errOf(e.Wait(b.Context(), "n"))) })
					rows += db.rows.Load()
				}
				b.ReportMetric(float64(rows)/float64(b.N*n), "rows/element")
			})
		}
	}
}
