package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
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

// versionOfJob is a job that differs from its other versions in an event.
func versionOfJob(t testing.TB, event string) *machine.Machine {
	return Build(t, WithFields("n int = 7"), WithEvent("Found", "n int"), WithEvent("Go", ""), WithEvent(event, ""),
		WithActivity("work", "n int", "Found", "flaky"),
		WithState("Idle", On("Go", GoTo("Working")), On(event, GoTo("Done"))),
		WithState("Working", Doing("work", []string{"n"}), On("Found", GoTo("Done")), On("failed", GoTo("Broken"))),
		WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
}

// beginElsewhere starts a run by an engine that works on nothing.
func beginElsewhere(t testing.TB, store store.Store, m *machine.Machine, run string) *Engine {
	t.Helper()
	e := knowing(t, store, m)
	begin(t, e, run)
	return e
}

// within waits for a run, and fails the test where that takes too long.
func within(t testing.TB, e *Engine, run string, d time.Duration) machine.View {
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
		defer run(t, e).stop()
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
		if v := within(t, newer, "r", time.Hour); v.State != "Done" || time.Since(began) > 3*time.Second {
			t.Errorf("after %s: %s", time.Since(began), v.State)
		}
	})
}

// TestOldRunHasWork: the work of a run is found however long ago it began, by whatever
// clock, and whatever newer runs of its version have reached.
func TestOldRunHasWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		old := knowing(t, store, versionOfJob(t, "B"), WithClock(NewManualClock(time.Now().AddDate(-3, 0, 0))))
		start(t, old, "r", "")
		start(t, old, "newer", "")
		must(t, errOf(cancel(old, t.Context(), "newer", machine.Operator{})))
		w := work(t, store, versionOfJob(t, "A"), finds)
		defer w.stop()
		time.Sleep(time.Hour)
		send(t, old, "r", "Go", "")
		began := time.Now()
		elsewhere := NewEngine(store)
		if v := within(t, elsewhere, "r", time.Hour); v.State != "Done" || time.Since(began) > 3*time.Second {
			t.Errorf("after %s: %s", time.Since(began), v.State)
		}
	})
}

// TestFindHandlers: an engine that is told where functions are works with those that
// there are, leaves what is missing, and all of a version whose guard is missing, and
// sees what is added and taken away.
func TestFindHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		var mu sync.Mutex
		there := Handlers{}
		put := func(h Handlers) {
			mu.Lock()
			defer mu.Unlock()
			there = h
		}
		e := NewEngine(store, WithHandlers(func(*machine.Machine) Handlers {
			mu.Lock()
			defer mu.Unlock()
			return there
		}))
		defer run(t, e).stop()
		guarded := Build(t, WithFields("n int = 7"), WithEvent("Found", "n int"), WithEvent("Go", ""), WithGuard("ready", "n int"),
			WithActivity("work", "n int", "Found", "flaky"),
			WithState("Idle", On("Go", GoTo("Working"))),
			WithState("Working", Doing("work", []string{"n"}), On("Found", GoTo("Done", When("ready(n)")), GoTo("Broken")), On("failed", GoTo("Broken"))),
			WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
		yes := func(context.Context, json.RawMessage) (bool, error) { return true, nil }
		elsewhere := beginElsewhere(t, store, guarded, "r1")
		work, guard := map[string]ActivityFunc{"work": finds}, map[string]GuardFunc{"ready": yes}
		for i, want := range []struct {
			put  Handlers
			done bool
		}{
			{Handlers{Activities: work}, false},
			{Handlers{Guards: guard}, false},
			{Handlers{Activities: work, Guards: guard}, true},
			{Handlers{}, false},
		} {
			put(want.put)
			time.Sleep(5 * time.Second)
			run := fmt.Sprint("run", i)
			begin(t, elsewhere, run)
			time.Sleep(5 * time.Second)
			v, err := elsewhere.Get(t.Context(), run)
			if err != nil || (v.State == "Done") != want.done {
				t.Errorf("%d: %s, %v", i, v.State, err)
			}
			if left, err := e.Wait(t.Context(), run); err != nil || left.State != v.State {
				t.Errorf("%d: it is left in %s, %v", i, left.State, err)
			}
		}
	})
}

// TestFindHangs: who asks for the functions of a machine waits no longer than a guard may
// think, and the engine asks again.
func TestFindHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memstore.New()
		release := make(chan struct{})
		var asked atomic.Int32
		e := NewEngine(store, WithGuardLimit(3*time.Second), WithHandlers(func(*machine.Machine) Handlers {
			if asked.Add(1) == 1 {
				<-release
			}
			return Handlers{Activities: map[string]ActivityFunc{"work": finds}}
		}))
		defer run(t, e).stop()
		elsewhere := beginElsewhere(t, store, job(t, nil, On("Found", GoTo("Done"))), "r1")
		inState(t, within(t, elsewhere, "r1", time.Minute), "Done")
		close(release)
	})
}

// TestForgedDefinition: a definition in the store whose names are no names is refused.
func TestForgedDefinition(t *testing.T) {
	d := *job(t, nil).Definition()
	d.Activities = slices.Clone(d.Activities)
	d.Activities[0].Name = "../../bin/sh"
	db := memstore.New()
	must(t, db.PutDefinition(t.Context(), store.DefinitionRow{Hash: "forged", Machine: "M", Definition: d.Encode()}))
	_, err := NewEngine(db).Unmatched(t.Context(), "forged")
	if err == nil || !strings.Contains(err.Error(), `activity 0 has no valid name: "../../bin/sh"`) {
		t.Error(err)
	}
}

func cancel(e *Engine, ctx context.Context, run string, o machine.Operator) (machine.View, error) {
	return e.Cancel(ctx, run, CancelOptions{Actor: o.Actor, Reason: o.Reason})
}

// TestRegisteredBare: a version that is registered without functions keeps those that it has,
// whatever was registered meanwhile, and does not take the place of one that has some.
func TestRegisteredBare(t *testing.T) {
	doing := Handlers{Activities: map[string]ActivityFunc{"work": finds}}
	for name, order := range map[string][]struct {
		version string
		Handlers
	}{
		"again":                 {{"A", doing}, {"A", Handlers{}}},
		"behind another one":    {{"A", doing}, {"B", doing}, {"A", Handlers{}}},
		"for the first time":    {{"B", doing}, {"A", Handlers{}}},
		"and then with another": {{"A", Handlers{}}, {"B", doing}},
	} {
		synctest.Test(t, func(t *testing.T) {
			store := memstore.New()
			e := NewEngine(store)
			for _, o := range order {
				register(t, e, versionOfJob(t, o.version), o.Handlers)
			}
			defer run(t, e).stop()
			begin(t, e, "new")
			if v := within(t, e, "new", time.Hour); v.State != "Done" {
				t.Errorf("%s: a new run is in %s", name, v.State)
			}
			old := beginElsewhere(t, store, versionOfJob(t, "A"), "old")
			if v := within(t, old, "old", time.Hour); v.State != "Done" {
				t.Errorf("%s: a run of A is in %s", name, v.State)
			}
		})
	}
}

// TestMissingFunctionsAreTold: what a worker has no function for is said once.
func TestMissingFunctionsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said strings.Builder
		e := NewEngine(memstore.New(), WithLogger(slog.New(slog.NewTextHandler(&said, nil))))
		register(t, e, versionOfJob(t, "A"), Handlers{})
		w := run(t, e)
		time.Sleep(time.Hour)
		w.stop()
		if got := said.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "without functions") || !strings.Contains(got, "missing=[work]") {
			t.Errorf("it says:\n%s", got)
		}
	})
}
