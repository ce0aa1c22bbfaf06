package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// job is a machine with one activity, `work`, in state Working, which Go enters.
// Its handlers are those given; from everywhere Stop leads to Stopped.
func job(t testing.TB, options []string, handlers ...Part) *machine.Machine {
	t.Helper()
	parts := append(handlers, Doing("work", []string{"n"}, options...))
	return Build(t, WithFields("n int = 7, why string, category string"), WithEvent("Found", "n int"), WithEvent("Go", ""), WithEvent("Stop", ""),
		WithActivity("work", "n int", "Found", "flaky"),
		WithState("Idle", On("Go", GoTo("Working"))),
		WithState("Working", parts...),
		On("Stop", GoTo("Stopped")),
		WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed), WithTerminal("Stopped", machine.Success))
}

// tokens are what tells runs of one id apart.
var tokens = regexp.MustCompile("@[0-9a-z]+/")

// untold is a key without the token of its run, which is other each time.
func untold(key string) string { return tokens.ReplaceAllString(key, "/") }

// attempts records what an observer is told.
type attempts struct {
	mu   sync.Mutex
	ends []string
}

func (a *attempts) OnStep(StepInfo) {}

func (a *attempts) OnAttempt(i AttemptInfo) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ends = append(a.ends, fmt.Sprintf("%s#%d %s%s", i.Activity, i.Attempt, i.End, i.Category))
}

func (a *attempts) String() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.ends, ", ")
}

// working is a worker that runs until the test stops it.
type working struct {
	*Engine
	seen *attempts
	stop func()
}

// work registers m with one function for its activity, and works in the
// background. The stop is graceful, and fails the test where work fails.
func work(t testing.TB, store store.Store, m *machine.Machine, f ActivityFunc, opts ...Option) *working {
	t.Helper()
	seen := &attempts{}
	e := NewEngine(store, append([]Option{WithObserver(seen), WithLogger(slog.New(slog.NewTextHandler(t.Output(), nil)))}, opts...)...)
	register(t, e, m, Handlers{Activities: map[string]ActivityFunc{"work": f}})
	w := run(t, e)
	w.seen = seen
	return w
}

// run lets an engine work.
func run(t testing.TB, e *Engine) *working {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- e.Run(ctx) }()
	return &working{Engine: e, stop: sync.OnceFunc(func() {
		t.Helper()
		cancel()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})}
}

// begin starts a run and brings it into Working.
func begin(t testing.TB, e *Engine, run string) {
	t.Helper()
	start(t, e, run, "")
	send(t, e, run, "Go", "")
}

var quiet = slog.New(slog.DiscardHandler)

func await(t testing.TB, e *Engine, run string) machine.View {
	t.Helper()
	v, err := e.Wait(t.Context(), run)
	must(t, err)
	return v
}

var found = Result{Event: "Found", Data: json.RawMessage(`{"n":1}`)}

func TestWorkerRunsActivity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, nil, On("Found", GoTo("Done", Set("n", "event.n"))), On("failed", GoTo("Broken")))
		var got Attempt
		w := work(t, memstore.New(), m, func(_ context.Context, a *Attempt) (Result, error) {
			got = *a
			return Result{Event: "Found", Data: map[string]int{"n": 42}}, nil
		})
		defer w.stop()
		before := time.Now()
		begin(t, w.Engine, "r")
		v := await(t, w.Engine, "r")
		if v.State != "Done" || string(v.Data) != `{"n":42}` {
			t.Errorf("%+v", v)
		}
		if got.Run != "r" || got.Machine != "M" || got.Activity != "work" || got.Number != 1 || untold(got.Key) != "r/Working/work/2" || string(got.Args) != `{"n":7}` {
			t.Errorf("attempt %+v", got)
		}
		if took := time.Since(before); took > 0 {
			t.Errorf("it took %s of the clock: something polls", took)
		}
		w.stop() // the observer hears of an end after those who wait for the run
		if w.seen.String() != "work#1 result" {
			t.Error(w.seen)
		}
	})
}

func TestFailuresByCategory(t *testing.T) {
	handlers := []Part{
		On("Found", GoTo("Done")),
		On("failed", GoTo("Broken", Set("why", "event.message"), Set("category", "event.category"))),
	}
	for name, c := range map[string]struct {
		f              ActivityFunc
		category, want string
	}{
		"declared category": {func(context.Context, *Attempt) (Result, error) { return Result{}, Fail("flaky", "no luck") }, "flaky", "no luck"},
		"wrapped failure": {func(context.Context, *Attempt) (Result, error) {
			return found, fmt.Errorf("in: %w", Fail("flaky", "x"))
		}, "flaky", "in: x"},
		"undeclared category": {func(context.Context, *Attempt) (Result, error) { return found, Fail("auth", "no") }, "unknown", `the activity cannot fail with category "auth": no`},
		"other error":         {func(context.Context, *Attempt) (Result, error) { return found, errors.New("boom") }, "unknown", "boom"},
		"panic":               {func(context.Context, *Attempt) (Result, error) { panic("oh") }, "unknown", "panic: oh"},
		"no event":            {func(context.Context, *Attempt) (Result, error) { return Result{}, nil }, "unknown", "it names no event, expected \"Found\""},
		"wrong event":         {func(context.Context, *Attempt) (Result, error) { return Result{Event: "Fund"}, nil }, "unknown", `does not raise "Fund", expected "Found" (did you mean "Found"?)`},
		"missing field":       {func(context.Context, *Attempt) (Result, error) { return Result{Event: "Found"}, nil }, "unknown", `event "Found": field "n": it is missing`},
		"wrong type": {func(context.Context, *Attempt) (Result, error) {
			return Result{Event: "Found", Data: map[string]string{"n": "1"}}, nil
		}, "unknown", `field "n": expected int`},
		"no JSON": {func(context.Context, *Attempt) (Result, error) { return Result{Event: "Found", Data: func() {}}, nil }, "unknown", "its data has no JSON form"},
		"bad JSON": {func(context.Context, *Attempt) (Result, error) {
			return Result{Event: "Found", Data: json.RawMessage(`{"n":1`)}, nil
		}, "unknown", "it is not valid JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := work(t, memstore.New(), job(t, nil, handlers...), c.f)
				defer w.stop()
				begin(t, w.Engine, "r")
				var data struct{ Why, Category string }
				must(t, json.Unmarshal(await(t, w.Engine, "r").Data, &data))
				if data.Category != c.category || !strings.Contains(data.Why, c.want) {
					t.Errorf("failed(%s): %s\nwant failed(%s): %s", data.Category, data.Why, c.category, c.want)
				}
			})
		})
	}
}

func TestRetryWithBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, nil, On("Found", GoTo("Done")),
			On("failed", Retry(3, WithBackoff("1s", "30s", 2, 0)), GoTo("Broken")))
		began := time.Now()
		var at []time.Duration
		var keys []string
		w := work(t, memstore.New(), m, func(_ context.Context, a *Attempt) (Result, error) {
			at, keys = append(at, time.Since(began)), append(keys, fmt.Sprint(a.Key, a.Number))
			return Result{}, errors.New("no")
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		time.Sleep(time.Millisecond)
		v := get(t, w.Engine, "r")
		if len(v.Activities) != 1 {
			t.Fatalf("%+v", v)
		}
		a := v.Activities[0]
		if a.Attempt != 2 || a.Of != 4 || a.Until == nil || !a.Until.Equal(began.Add(time.Second)) || a.LastError == nil || a.LastError.Message != "no" {
			t.Errorf("%+v", a)
		}
		if len(v.Bounds) != 1 || v.Bounds[0].Used != 1 || v.Bounds[0].Max != 3 {
			t.Errorf("%+v", v.Bounds)
		}
		inState(t, await(t, w.Engine, "r"), "Broken")
		if got := fmt.Sprint(at); got != "[0s 1s 3s 7s]" {
			t.Error(got)
		}
		if got := untold(fmt.Sprint(keys)); got != "[r/Working/work/21 r/Working/work/22 r/Working/work/23 r/Working/work/24]" {
			t.Error(got)
		}
	})
}

// TestManualClockDrivesAnEngine moves a clock by hand through three hours of
// back-off.
func TestManualClockDrivesAnEngine(t *testing.T) {
	m := job(t, nil, On("Found", GoTo("Done")),
		On("failed", Retry(3, WithBackoff("1h", "1h", 1, 0)), GoTo("Broken")))
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := NewManualClock(began)
	w := work(t, memstore.New(), m, func(context.Context, *Attempt) (Result, error) {
		return Result{}, errors.New("no")
	}, WithClock(clock), WithPoll(time.Hour))
	defer w.stop()
	begin(t, w.Engine, "r")
	for deadline := time.Now().Add(time.Minute); get(t, w.Engine, "r").State != "Broken"; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the run does not move")
		}
		if a := get(t, w.Engine, "r").Activities; len(a) == 1 && a[0].Until != nil && a[0].Until.After(clock.Now()) {
			clock.Advance(a[0].Until.Sub(clock.Now()))
		}
	}
	if v := get(t, w.Engine, "r"); !v.Updated.Equal(began.Add(3 * time.Hour)) {
		t.Errorf("%+v", v)
	}
}

// movedMeanwhile is a clock that moves on after someone has read it and before
// there is the timer that is to fire when it is due.
type movedMeanwhile struct {
	*ManualClock
	due time.Time
}

func (c *movedMeanwhile) NewTimer(due time.Time) ClockTimer {
	if now := c.Now(); due.Equal(c.due) && now.Before(due) {
		c.Advance(due.Sub(now))
	}
	return c.ManualClock.NewTimer(due)
}

// TestClockMovesOnBeforeATimer: an activity's time runs out between the reading
// of the clock and the making of the timer. It is seen all the same.
func TestClockMovesOnBeforeATimer(t *testing.T) {
	m := job(t, []string{"timeout 5m"}, On("Found", GoTo("Done")),
		On("failed", GoTo("Broken")))
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := &movedMeanwhile{ManualClock: NewManualClock(began), due: began.Add(5 * time.Minute)}
	w := work(t, memstore.New(), m, func(ctx context.Context, _ *Attempt) (Result, error) {
		<-ctx.Done()
		return Result{}, ctx.Err()
	}, WithClock(clock), WithPoll(24*time.Hour), WithLease(30*24*time.Hour))
	defer w.stop()
	begin(t, w.Engine, "r")
	if v := await(t, w.Engine, "r"); v.State != "Broken" || !v.Updated.Equal(clock.due) {
		t.Errorf("%+v", v)
	}
}

func TestCapacity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, nil, On("Found, failed", GoTo("Done")))
		var busy gauge
		store := memstore.New()
		w := work(t, store, m, busy.second, WithConcurrency(3))
		defer w.stop()
		for i := range 10 {
			begin(t, w.Engine, fmt.Sprint("r", i))
		}
		synctest.Wait()
		held := 0
		for i := range 10 {
			tasks, err := store.Tasks(t.Context(), fmt.Sprint("r", i))
			must(t, err)
			if tasks[0].Worker != "" {
				held++
			}
		}
		if held != 3 {
			t.Errorf("%d tasks are claimed by a worker that can run 3", held)
		}
		began := time.Now()
		for i := range 10 {
			await(t, w.Engine, fmt.Sprint("r", i))
		}
		if took := time.Since(began); busy.most != 3 || took != 4*time.Second {
			t.Errorf("at most %d ran at once, in %s", busy.most, took)
		}
	})
}

func TestTimersFire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Build(t, WithFields("wait duration = \"1h30m\""), WithEvent("Never", ""), WithActivity("work", "", "Never", ""),
			After("24h", GoTo("Late")),
			WithState("A", After("wait", GoTo("B"))),
			WithState("B", After("10h", GoTo("A", Bound(2, "")), GoTo("C"))),
			WithState("C", On("Never, failed", GoTo("Late")), Doing("work", nil)),
			WithTerminal("Late", machine.Failed))
		began := time.Now()
		w := work(t, memstore.New(), m, func(ctx context.Context, _ *Attempt) (Result, error) {
			<-ctx.Done()
			return Result{}, ctx.Err()
		}, WithPoll(time.Hour))
		defer w.stop()
		start(t, w.Engine, "r", "")
		if v := await(t, w.Engine, "r"); v.State != "Late" || !v.Entered.Equal(began.Add(24*time.Hour)) {
			t.Errorf("%+v", v)
		}
		wantLines(t, w.Engine, "r", "start>A after wait>B after 10h>A after wait>B after 10h>A after 24h>Late")
	})
}

func TestDoneAndSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Build(t, WithEvent("Found", "n int"), WithActivity("work", "n int", "", ""),
			WithState("A", Doing("work", []string{"1"}, "as a"), Doing("work", []string{"2"}, "as b"),
				On("failed", GoTo("Broken")), On("done", GoTo("Done"))),
			WithTerminal("Done", machine.Success), WithTerminal("Broken", machine.Failed))
		began := time.Now()
		w := work(t, memstore.New(), m, func(context.Context, *Attempt) (Result, error) {
			time.Sleep(time.Second)
			return Result{}, nil
		})
		defer w.stop()
		start(t, w.Engine, "r", "")
		if v := await(t, w.Engine, "r"); v.State != "Done" || time.Since(began) != time.Second {
			t.Errorf("after %s: %+v", time.Since(began), v)
		}
	})
}

func TestDeferredIsTakenLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Build(t, WithEvent("Found", "n int"), WithEvent("Later", ""), WithActivity("work", "", "Found", ""),
			WithState("A", Doing("work", nil), On("Later", Deferring()), On("Found, failed", GoTo("B"))),
			WithState("B", On("Later", GoTo("Done"))), WithTerminal("Done", machine.Success))
		w := work(t, memstore.New(), m, func(context.Context, *Attempt) (Result, error) {
			time.Sleep(time.Second)
			return found, nil
		})
		defer w.stop()
		start(t, w.Engine, "r", "")
		send(t, w.Engine, "r", "Later", "")
		inState(t, await(t, w.Engine, "r"), "Done")
		wantLines(t, w.Engine, "r", "start>A Later>A Found>B Later>Done")
	})
}

func TestDeclinedIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, nil, On("Found", GoTo("Done")), On("failed", GoTo("Broken")))
		calls, began := 0, time.Now()
		w := work(t, memstore.New(), m, func(_ context.Context, a *Attempt) (Result, error) {
			if calls++; calls < 3 {
				return Result{}, Decline("busy")
			}
			if a.Number != 1 {
				t.Errorf("attempt %d", a.Number)
			}
			return found, nil
		})
		defer w.stop()
		begin(t, w.Engine, "r")
		if v := await(t, w.Engine, "r"); v.State != "Done" || time.Since(began) != 2*time.Second {
			t.Errorf("after %s: %+v", time.Since(began), v)
		}
		w.stop() // the observer hears of an end after those who wait for the run
		if got := w.seen.String(); got != "work#1 returned, work#1 returned, work#1 result" {
			t.Error(got)
		}
	})
}

func TestRunUntilIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := job(t, nil, On("Found", GoTo("Done")), On("failed", Retry(1), GoTo("Broken")))
		db := memstore.New()
		e := NewEngine(db)
		calls := map[string]int{}
		register(t, e, m, Handlers{Activities: map[string]ActivityFunc{"work": func(_ context.Context, a *Attempt) (Result, error) {
			if calls[a.Run]++; calls[a.Run] == 1 {
				return Result{}, errors.New("once more")
			}
			return found, nil
		}}})
		start(t, e, "r", "")
		begin(t, e, "other")
		v, err := e.RunUntilIdle(t.Context(), "r")
		if err != nil || v.State != "Idle" {
			t.Errorf("%+v, %v", v, err)
		}
		send(t, e, "r", "Go", "")
		v, err = e.RunUntilIdle(t.Context(), "r")
		if err != nil || v.State != "Done" || calls["r"] != 2 {
			t.Errorf("%+v, %v, %d calls", v, err, calls["r"])
		}
		if calls["other"] != 0 {
			t.Error("it worked on another run")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		start(t, e, "idle", "")
		if _, err := e.RunUntilDone(ctx, "idle"); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if _, err := e.RunUntilIdle(ctx, "nobody"); !errors.Is(err, store.ErrNotFound) {
			t.Error(err)
		}
	})
}

func TestWaitsOutside(t *testing.T) {
	m := Build(t, WithEvent("Go", ""), WithEvent("Stop", ""),
		On("Stop", GoTo("D")), After("24h", GoTo("D")),
		WithState("Own", On("Go", GoTo("Sleeps")), After("1h", GoTo("Sleeps"))),
		WithState("Sleeps", After("1m", GoTo("Around"))),
		WithState("Around", WithState("In", On("done", GoTo("Own")))),
		WithTerminal("D", machine.Success))
	for state, want := range map[string]bool{"Own": true, "Sleeps": false} {
		s := m.NewSnapshot("r", 0)
		s, _, _, err := m.Advance(s, machine.Input{Kind: machine.StartInput}, time.Now(), nil)
		if err == nil && state == "Sleeps" {
			s, _, _, err = m.Advance(s, machine.Input{Kind: machine.EventInput, Event: 0}, time.Now(), nil)
		}
		must(t, err)
		if got := WaitsOutside(m, s); got != want {
			t.Errorf("in %s: %v", m.Definition().States[s.State].Path, got)
		}
	}
}

// TestTimerThatNeedsAGuard leaves a timer alone that this engine cannot judge:
// the run is not halted, and an engine with the guard fires it.
func TestTimerThatNeedsAGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Build(t, WithEvent("Found", "n int"), WithActivity("work", "", "Found", ""), WithGuard("ready", ""),
			WithState("A", After("1m", GoTo("B", When("ready()")), GoTo("C"))),
			WithState("B", Doing("work", nil), On("Found, failed", GoTo("C"))),
			WithTerminal("C", machine.Success))
		store := memstore.New()
		bare := knowing(t, store, m)
		start(t, bare, "r", "")
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		if err := bare.Run(ctx); err != nil {
			t.Error(err)
		}
		if v := get(t, bare, "r"); v.State != "A" || v.Status != machine.Running {
			t.Errorf("%+v", v)
		}
		e := NewEngine(store)
		register(t, e, m, Handlers{
			Activities: map[string]ActivityFunc{"work": func(context.Context, *Attempt) (Result, error) { return found, nil }},
			Guards:     map[string]GuardFunc{"ready": func(context.Context, json.RawMessage) (bool, error) { return true, nil }},
		})
		v, err := e.RunUntilDone(t.Context(), "r")
		if err != nil || v.State != "C" {
			t.Errorf("%+v, %v", v, err)
		}
		wantLines(t, e, "r", "start>A after 1m>B Found>C")
	})
}

func TestCallersAnswerErrors(t *testing.T) {
	e := NewEngine(memstore.New())
	if _, err := e.Get(t.Context(), "r"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if _, err := e.Cancel(t.Context(), "r", CancelOptions{}); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if _, err := e.Wait(t.Context(), "r"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
	if steps, err := e.History(t.Context(), "r", 0, 0); err != nil || len(steps) != 0 {
		t.Errorf("%v, %v", steps, err)
	}
	m := job(t, nil, On1("Found", "Done"), On1("failed", "Broken"))
	register(t, e, m, Handlers{})
	begin(t, e, "r")
	send(t, e, "r", "Stop", "")
	if _, err := e.Cancel(t.Context(), "r", CancelOptions{}); !errors.Is(err, machine.ErrFinished) {
		t.Error(err)
	}
}

// TestTimerSetElsewhere fires a timer that another process has set, of a run
// that this one remembers without it.
func TestTimerSetElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := Build(t, WithEvent("Found", "n int"), WithEvent("Go", ""), WithActivity("work", "", "Found", ""),
			WithState("A", Doing("work", nil), On("Found", Stay()), On("failed, done", GoTo("C")), On("Go", GoTo("C"))),
			WithState("B", On("Go", GoTo("C"))),
			WithState("C", After("1m", GoTo("D"))),
			WithTerminal("D", machine.Success))
		store := memstore.New()
		w := work(t, store, m, func(context.Context, *Attempt) (Result, error) {
			time.Sleep(time.Second)
			return found, nil
		})
		defer w.stop()
		start(t, w.Engine, "r", "")
		other := NewEngine(store)
		began := time.Now()
		send(t, other, "r", "Go", "")
		if v := await(t, w.Engine, "r"); v.State != "D" || time.Since(began) > time.Minute+time.Second {
			t.Errorf("after %s: %+v", time.Since(began), v)
		}
	})
}
