package runtime_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// versionOfJob is a job that differs from its other versions in an event.
func versionOfJob(t testing.TB, event string) *Machine {
	return Build(t, WithFields("n int = 7"), WithEvent("Found", "n int"), WithEvent("Go", ""), WithEvent(event, ""),
		WithActivity("work", "n int", "Found", "flaky"),
		WithState("Idle", On("Go", GoTo("Working")), On(event, GoTo("Done"))),
		WithState("Working", Doing("work", []string{"n"}), On("Found", GoTo("Done")), On("failed", GoTo("Broken"))),
		WithTerminal("Done", Success), WithTerminal("Broken", Failed))
}

// beginElsewhere starts a run by an engine that works on nothing.
func beginElsewhere(t testing.TB, store Store, m *Machine, run string) *Engine {
	t.Helper()
	e := NewEngine(store)
	register(t, e, m, Handlers{})
	begin(t, e, run)
	return e
}

// within waits for a run, and fails the test where that takes too long.
func within(t testing.TB, e *Engine, run string, d time.Duration) View {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	v, err := e.Wait(ctx, run)
	if err != nil {
		t.Errorf("run %q: %v", run, err)
	}
	return v
}

func finds(context.Context, *Attempt) (Result, error) { return found, nil }

// TestRegisterWhileRunning: runs of an older version that the engine has met go on
// being worked on when a newer one is registered, also where it knew no function
// for them before.
func TestRegisterWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		old := beginElsewhere(t, store, versionOfJob(t, "A"), "r")
		e := NewEngine(store)
		ctx, cancel := context.WithCancel(context.Background())
		stopped := make(chan error, 1)
		go func() { stopped <- e.Run(ctx) }()
		synctest.Wait()
		began := time.Now()
		for _, version := range []string{"B", "C"} {
			register(t, e, versionOfJob(t, version), Handlers{Activities: map[string]ActivityFunc{"work": finds}})
			if v := within(t, old, "r", time.Hour); v.State != "Done" || time.Since(began) > time.Second {
				t.Errorf("beside version %s, after %s: %s", version, time.Since(began), v.State)
			}
			began = time.Now()
			begin(t, old, "r"+version)
			if v := within(t, old, "r"+version, time.Hour); v.State != "Done" || time.Since(began) > time.Second {
				t.Errorf("after version %s, after %s: %s", version, time.Since(began), v.State)
			}
		}
		cancel()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

// TestRegisterDuringAttempt: what an attempt returns counts, also where its version
// of the machine, or another, has been registered meanwhile.
func TestRegisterDuringAttempt(t *testing.T) {
	for _, during := range []string{"A", "C"} {
		synctest.Test(t, func(t *testing.T) {
			store := memstore.New()
			beginElsewhere(t, store, versionOfJob(t, "A"), "r")
			w := work(t, store, versionOfJob(t, "B"), func(context.Context, *Attempt) (Result, error) {
				time.Sleep(time.Hour)
				return found, nil
			})
			time.Sleep(time.Minute)
			register(t, w.Engine, versionOfJob(t, during), Handlers{Activities: map[string]ActivityFunc{"work": finds}})
			v := within(t, w.Engine, "r", 24*time.Hour)
			w.stop() // the observer hears of an end after those who wait for the run
			if v.State != "Done" || w.seen.String() != "work#1 result" {
				t.Errorf("%s: %s: %s", during, v.State, w.seen)
			}
		})
	}
}

// TestVersionBroughtLater: an engine works on runs of a version that another
// process brings while it runs, such as a newer one that only starts them.
func TestVersionBroughtLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		w := work(t, store, versionOfJob(t, "A"), finds)
		defer w.stop()
		time.Sleep(time.Hour)
		newer := beginElsewhere(t, store, versionOfJob(t, "B"), "r")
		began := time.Now()
		if v := within(t, newer, "r", time.Hour); v.State != "Done" || time.Since(began) > 31*time.Second {
			t.Errorf("after %s: %s", time.Since(began), v.State)
		}
	})
}
