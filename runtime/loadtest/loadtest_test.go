//go:build cgo

package loadtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// engine is one on the database at path, with the ticket's activity.
func engine(t testing.TB, path string, opts ...runtime.Option) *runtime.Engine {
	t.Helper()
	return engineOf(t, "ticket.fsm", path, opts...)
}

// engineOf is one with the machines of a file in testdata, all whose activities do nothing.
func engineOf(t testing.TB, file, path string, opts ...runtime.Option) *runtime.Engine {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path)
	must(t, err)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return engineOn(t, store, file, opts...)
}

// engineOn is the same on a store.
func engineOn(t testing.TB, store runtime.Store, file string, opts ...runtime.Option) *runtime.Engine {
	t.Helper()
	e := runtime.NewEngine(store, opts...)
	source, err := os.ReadFile(filepath.Join("testdata", file))
	must(t, err)
	for _, m := range tabletest.Machines(t, string(source)) {
		activities := map[string]runtime.ActivityFunc{}
		for _, a := range m.Definition().Activities {
			if a.Callee == "" {
				activities[a.Name] = func(context.Context, *runtime.Attempt) (runtime.Result, error) {
					return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n":1}`)}, nil
				}
			}
		}
		must(t, e.Register(m, string(source), runtime.Handlers{Activities: activities}))
	}
	return e
}

func start(t testing.TB, e *runtime.Engine, run string) {
	t.Helper()
	if _, err := e.Start(context.Background(), "Ticket", run, json.RawMessage(`{"owner":"ada"}`)); err != nil {
		t.Fatal(err)
	}
}

// sender moves one run to and fro, a step with each call.
type sender struct {
	engine *runtime.Engine
	run    string
	sent   int
}

func (s *sender) send(ctx context.Context, t testing.TB) {
	event := runtime.ExternalEvent{Name: "Return"}
	if s.sent++; s.sent%2 == 1 {
		event = runtime.ExternalEvent{Name: "Take", Data: json.RawMessage(`{"by":3}`)}
	}
	if _, err := s.engine.Send(ctx, s.run, event); err != nil {
		t.Error(err)
	}
}

// disk overwrites one block of 4 KiB and syncs it.
type disk struct {
	file  *os.File
	block [4096]byte
}

func newDisk(b *testing.B) *disk {
	f, err := os.Create(filepath.Join(b.TempDir(), "block"))
	must(b, err)
	b.Cleanup(func() { f.Close() })
	return &disk{file: f}
}

func (d *disk) write(b *testing.B) {
	d.block[0]++
	if _, err := d.file.WriteAt(d.block[:], 0); err != nil {
		b.Fatal(err)
	}
	must(b, d.file.Sync())
}

// turns is how many operations of a kind are measured before it is the turn of
// the other kind with which they are compared.
const turns = 100

// BenchmarkSend: callers that each send to a run of their own, and send again
// when the step is durable. Their contexts have no end, or can be cancelled, which costs
// a lone caller two switches for a step. In memory nothing is durable: what is left is what the engine costs.
func BenchmarkSend(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.Run("callers=1", func(b *testing.B) { sendAlone(context.Background(), b) })
	b.Run("callers=64", func(b *testing.B) { sendFromMany(context.Background(), b, onDisk(b), 64) })
	b.Run("cancellable=1", func(b *testing.B) { sendAlone(ctx, b) })
	b.Run("cancellable=64", func(b *testing.B) { sendFromMany(ctx, b, onDisk(b), 64) })
	b.Run("memory=1", func(b *testing.B) { sendFromMany(context.Background(), b, inMemory(b), 1) })
	b.Run("memory=64", func(b *testing.B) { sendFromMany(context.Background(), b, inMemory(b), 64) })
}

func onDisk(b *testing.B) *runtime.Engine { return engine(b, filepath.Join(b.TempDir(), "runs.db")) }

func inMemory(b *testing.B) *runtime.Engine { return engineOn(b, memstore.New(), "ticket.fsm") }

// sendAlone compares one caller with the disk itself, in turns.
func sendAlone(ctx context.Context, b *testing.B) {
	e := onDisk(b)
	start(b, e, "r")
	s, d := sender{engine: e, run: "r"}, newDisk(b)
	var ours, theirs time.Duration
	n := 0
	for b.Loop() {
		began := time.Now()
		s.send(ctx, b)
		ours += time.Since(began)
		if n++; n%turns == 0 {
			b.StopTimer()
			began = time.Now()
			for range turns {
				d.write(b)
			}
			theirs += time.Since(began)
			b.StartTimer()
		}
	}
	perSecond := float64(n) / ours.Seconds()
	b.ReportMetric(perSecond, "steps/s")
	if theirs > 0 {
		syncs := float64(n/turns*turns) / theirs.Seconds()
		b.ReportMetric(syncs, "syncs/s")
		b.ReportMetric(perSecond/syncs, "of-disk")
	}
}

func sendFromMany(ctx context.Context, b *testing.B, e *runtime.Engine, callers int) {
	for i := range callers {
		start(b, e, fmt.Sprint("r", i))
	}
	share := max(b.N/callers, 1)
	took := make([]time.Duration, callers*share)
	var group sync.WaitGroup
	b.ResetTimer()
	for i := range callers {
		group.Go(func() {
			s := sender{engine: e, run: fmt.Sprint("r", i)}
			for k := range share {
				began := time.Now()
				s.send(ctx, b)
				took[i*share+k] = time.Since(began)
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "steps/s")
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// BenchmarkActivities: durable executions of activities in one process. Each is
// three steps of its run: the event that starts it, the claim, the result.
func BenchmarkActivities(b *testing.B) {
	const runs = 64
	e := engine(b, filepath.Join(b.TempDir(), "runs.db"), runtime.WithConcurrency(runs))
	for i := range runs {
		start(b, e, fmt.Sprint("r", i))
	}
	stop := work(b, e)
	share := max(b.N/runs, 1)
	var group sync.WaitGroup
	b.ResetTimer()
	for i := range runs {
		group.Go(func() {
			for range share {
				run := fmt.Sprint("r", i)
				if _, err := e.Send(b.Context(), run, runtime.ExternalEvent{Name: "Work"}); err != nil {
					b.Error(err)
				}
				if v, err := e.Wait(b.Context(), run); err != nil || v.State != "Open" {
					b.Error(v, err)
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64(runs*share)/b.Elapsed().Seconds(), "activities/s")
	stop()
}

// work lets e work in the background until stop is called.
func work(t testing.TB, e *runtime.Engine) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- e.Run(ctx) }()
	return func() {
		cancel()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	}
}
