package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// looking is a store that counts how often an engine looks what there is to do.
type looking struct {
	*postgres.Store
	looks *atomic.Int64
}

// Clock implements store.Clocked. It gives the store that an engine then asks.
func (l looking) Clock() (store.Clock, store.Store) {
	clock, s := l.Store.Clock()
	return clock, looked{s, l.looks}
}

type looked struct {
	store.Store
	looks *atomic.Int64
}

func (l looked) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	l.looks.Add(1)
	return l.Store.Look(ctx, q)
}

// host works on the runs of a database until the benchmark is over, as another process would.
func host(b *testing.B, url string, work runtime.ActivityFunc) looking {
	s := looking{open(b, url), new(atomic.Int64)}
	e := runtime.NewEngine(s)
	register(b, e, order, map[string]runtime.ActivityFunc{"pay": work})
	ctx, leave := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := e.Run(ctx); ctx.Err() == nil {
			b.Error(err)
		}
	})
	b.Cleanup(func() {
		leave()
		ended.Wait()
	})
	return s
}

// BenchmarkWake: a host has nothing to do until another one has committed a task. What is measured goes
// from there to the moment when the activity begins.
func BenchmarkWake(b *testing.B) {
	url := pgtest.URL(b)
	began := make(chan time.Time)
	host(b, url, func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		began <- time.Now()
		return runtime.Result{Event: "Paid"}, nil
	})
	other := runtime.NewEngine(open(b, url))
	register(b, other, order, nil)
	var waits []float64
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		run := fmt.Sprint("r", n)
		must(b, errOf(other.Start(b.Context(), "Order", run, []byte(`{"sku":"a"}`))))
		time.Sleep(20 * time.Millisecond) // the host has seen that there is nothing yet
		b.StartTimer()
		must(b, errOf(other.Send(b.Context(), run, runtime.ExternalEvent{Name: "Approve"})))
		sent := time.Now()
		waits = append(waits, max(0, (<-began).Sub(sent).Seconds()*1000))
	}
	slices.Sort(waits)
	b.ReportMetric(median(waits), "median-ms")
	b.ReportMetric(waits[len(waits)*99/100], "p99-ms")
}

// BenchmarkIdle: what a host costs that has nothing to do. An iteration is a second.
func BenchmarkIdle(b *testing.B) {
	url := pgtest.URL(b)
	s := host(b, url, func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{Event: "Paid"}, nil
	})
	time.Sleep(3 * time.Second) // it has started
	server := newServer(b, url)
	looks, used := s.looks.Load(), server.cpu()
	b.ResetTimer()
	for range b.N {
		time.Sleep(time.Second)
	}
	looks, used = s.looks.Load()-looks, server.cpu()-used
	b.ReportMetric(float64(looks)/b.Elapsed().Seconds(), "looks/s")
	b.ReportMetric(float64(used.Microseconds())/b.Elapsed().Seconds(), "server-µs/s")
}

// BenchmarkMillion: steps with a million ended runs in the database, in turns with those of an empty one.
func BenchmarkMillion(b *testing.B) {
	if testing.Short() {
		b.Skip("it writes a gigabyte")
	}
	full, empty := pgtest.URL(b), pgtest.URL(b)
	among, alone := open(b, full), open(b, empty)
	for _, script := range []string{endedScript, "VACUUM ANALYZE", "CHECKPOINT"} {
		must(b, pgtest.Exec(b.Context(), full, strings.ReplaceAll(script, "@", pgtest.SchemaOf(b, full)+".")))
	}
	for _, callers := range []int{1, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			inTurns(b, full, callers, "empty", steps(b, alone, callers), steps(b, among, callers))
		})
	}
}

// endedScript makes a million runs that have ended, in 30 days, with the history of each.
const endedScript = `
	INSERT INTO @definitions SELECT 'h', 'Order', '', '{}';
	INSERT INTO @runs (run, machine, definition, state, status, outcome, paused, seq, started, entered, updated, ended, final, snapshot)
	SELECT 'r' || i, 'Order', 'h', 'Done', 'finished', 'success', false, 4, at, at, at, at, 'Done',
		jsonb_build_object('run', 'r' || i, 'data', repeat('x', 300))
	FROM (SELECT i, timestamptz '2026-03-01' + i * interval '2.6 seconds' AS at FROM generate_series(1, 1000000) AS i) AS rows;
	INSERT INTO @history SELECT run, n, started, 'event', 'Go', 'A', 'B', 'moved', 1, jsonb_build_object('data', repeat('x', 100))
	FROM @runs, generate_series(1, 4) AS n;
	INSERT INTO @inbox SELECT run, 'e', 1, 1, '{}' FROM @runs;`
