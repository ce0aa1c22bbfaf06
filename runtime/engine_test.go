package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errOf is the error of a call, for must, where nothing else of it is wanted.
func errOf[T any](_ T, err error) error { return err }

// register registers m and fails the test where that is refused.
func register(t testing.TB, e *Engine, m *machine.Machine, h Handlers) {
	t.Helper()
	must(t, e.Register(m, "", h))
}

// knowing is an engine that knows m, and none of its functions.
func knowing(t testing.TB, db Store, m *machine.Machine, opts ...Option) *Engine {
	t.Helper()
	e := NewEngine(db, opts...)
	register(t, e, m, Handlers{})
	return e
}

func start(t testing.TB, e *Engine, run, params string) machine.View {
	t.Helper()
	v, err := e.Start(t.Context(), "M", run, json.RawMessage(params))
	must(t, err)
	return v
}

func send(t testing.TB, e *Engine, run, event, data string) machine.View {
	t.Helper()
	v, err := e.Send(t.Context(), run, machine.ExternalEvent{Name: event, Data: json.RawMessage(data)})
	must(t, err)
	return v
}

func get(t testing.TB, e *Engine, run string) machine.View {
	t.Helper()
	v, err := e.Get(t.Context(), run)
	must(t, err)
	return v
}

// lines is the history of a run, as "input>state". It checks that the history
// has no gap and gives the run as it is stored.
func lines(t testing.TB, e *Engine, run string) string {
	t.Helper()
	steps, err := e.History(context.Background(), run, 0, 0)
	must(t, err)
	var b strings.Builder
	for i, s := range steps {
		if int64(i)+1 != s.Seq {
			t.Fatalf("line %d of the history has Seq %d", i, s.Seq)
		}
		fmt.Fprintf(&b, "%s>%s ", s.Input, s.To)
	}
	if err := ReplayRun(e, run); err != nil {
		t.Error(err)
	}
	return strings.TrimSpace(b.String())
}

// wantLines checks what lines gives.
func wantLines(t testing.TB, e *Engine, run, want string) {
	t.Helper()
	if got := lines(t, e, run); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// inState checks in which state a run is.
func inState(t testing.TB, v machine.View, state string) {
	t.Helper()
	if v.State != state {
		t.Errorf("it is in %s, want %s: %+v", v.State, state, v)
	}
}

// returns checks in which state a run has ended, and what it returns.
func returns(t testing.TB, v machine.View, state, want string) {
	t.Helper()
	inState(t, v, state)
	if string(v.Returns) != want {
		t.Errorf("it returns %s, want %s", v.Returns, want)
	}
}

// door can be opened and closed, and counts how often it was opened.
func door(t testing.TB) *machine.Machine {
	return Build(t, WithParams("owner string"), WithFields("n int 0..1000000 = 0"),
		WithEvent("Open", "by int 1..9"), WithEvent("Close", ""), WithEvent("Seal", ""), WithEvent("Inside", ""),
		WithActivity("look", "", "Inside", ""),
		WithState("Shut", On("Open", GoTo("Ajar", Set("n", "n + event.by"))), On("Seal", GoTo("Sealed"))),
		WithState("Ajar", On("Close", GoTo("Shut"))),
		WithState("Seen", Doing("look", nil), On("Inside, failed", GoTo("Shut"))),
		WithTerminal("Sealed", machine.Success))
}

func TestStartSendGet(t *testing.T) {
	e := knowing(t, memstore.New(), door(t))
	v := start(t, e, "r", `{"owner":"me"}`)
	if v.State != "Shut" || v.Seq != 1 || string(v.Params) != `{"owner":"me"}` || string(v.Data) != `{"n":0}` {
		t.Errorf("after start: %+v", v)
	}
	if len(v.Events) != 2 || v.Events[0].Name != "Open" || v.Events[0].Fields[0] != (machine.FieldView{Name: "by", Type: "int 1..9"}) {
		t.Errorf("events after start: %+v", v.Events)
	}
	v = send(t, e, "r", "Open", `{"by":3}`)
	if v.State != "Ajar" || string(v.Data) != `{"n":3}` {
		t.Errorf("after Open: %+v", v)
	}
	send(t, e, "r", "Close", "")
	v = send(t, e, "r", "Seal", "")
	if v.Status != machine.Finished || v.Outcome != machine.Success || len(v.Events) != 0 {
		t.Errorf("after Seal: %+v", v)
	}
	if got := get(t, e, "r"); got.State != "Sealed" || got.Seq != 4 {
		t.Errorf("Get: %+v", got)
	}
	wantLines(t, e, "r", "start>Shut Open>Ajar Close>Shut Seal>Sealed")
	runs, err := e.List(t.Context(), store.RunFilter{Outcome: machine.Success})
	if err != nil || len(runs) != 1 || runs[0].Run != "r" {
		t.Errorf("List: %v, %v", runs, err)
	}
}

func TestStartRefused(t *testing.T) {
	e := knowing(t, memstore.New(), door(t), WithMaxPayload(100))
	start(t, e, "r", `{"owner":"me"}`)
	for _, c := range []struct{ machine, run, params, want string }{
		{"M", "r", `{"owner":"me"}`, "a run with this id exists"},
		{"N", "s", `{}`, `machine "N" is neither registered nor in the database`},
		{"M", "s", `{}`, `the start is refused: parameter "owner": it is missing, expected string`},
		{"M", "s", `{"owner":"` + strings.Repeat("x", 100) + `"}`, "more than the 100"},
		{"M", "a\nb", `{}`, "no control characters"},
		{"M", " \u00a0", `{}`, "is not blank"},
		{"M", "a/b", `{}`, `has no "/"`},
		{"M", "/", `{"owner":"me"}`, `has no "/"`},
		{"M", strings.Repeat("x", 201), `{}`, "at most 200 bytes"},
	} {
		_, err := e.Start(t.Context(), c.machine, c.run, json.RawMessage(c.params))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("start %s %s %s: %v, want %s", c.machine, c.run, c.params, err, c.want)
		}
	}
	v := start(t, e, "", `{"owner":"me"}`)
	if !strings.HasPrefix(v.Run, "m-") || len(v.Run) != 18 {
		t.Errorf("a new id is %q", v.Run)
	}
}

// TestSlashOfOld: a run that was started with a "/" in its id, before that was refused,
// is there as before.
func TestSlashOfOld(t *testing.T) {
	db := memstore.New()
	e, m := NewEngine(db), door(t)
	register(t, e, m, Handlers{})
	start(t, e, "other", `{"owner":"me"}`) // which keeps the definition
	params := json.RawMessage(`{"owner":"me"}`)
	in, err := m.StartInput(params, time.Now(), MaxPayload)
	must(t, err)
	s, _, record, err := m.Step(m.NewSnapshot("order/17", machine.SeedOf("order/17")), in, time.Now(), nil)
	must(t, err)
	must(t, db.Commit(t.Context(), &store.Commit{Run: store.RunOf(m, s), History: []store.HistoryRow{store.HistoryOf(m, s.Run, record)}}))
	if _, err := e.Start(t.Context(), "M", "order/17", params); !errors.Is(err, ErrExists) {
		t.Fatalf("it is started again: %v", err)
	}
	must(t, errOf(e.Send(t.Context(), "order/17", NewEvent("Open", json.RawMessage(`{"by":1}`)))))
	if v, err := e.Get(t.Context(), "order/17"); err != nil || v.State != "Ajar" {
		t.Fatalf("%q, %v", v.State, err)
	}
	must(t, e.Replay(t.Context(), "order/17"))
}

func TestSendRefused(t *testing.T) {
	e := knowing(t, memstore.New(), door(t), WithMaxPayload(100))
	start(t, e, "r", `{"owner":"me"}`)
	for _, c := range []struct{ event, data, want string }{
		{"Close", "", `event "Close" is refused in state "Shut": nothing takes it there; allowed there: Open, Seal`},
		{"Opens", "", `did you mean "Open"`},
		{"Inside", "", "activities alone raise it"},
		{"Open", "", `field "by": it is missing`},
		{"Open", `{"by":10}`, "10 is out of range"},
		{"Open", `{"by":1,"why":2}`, `field "why": there is no such field`},
		{"Open", `{"by":` + strings.Repeat(" ", 100) + `1}`, "more than the 100"},
	} {
		_, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: c.event, Data: json.RawMessage(c.data)})
		var refused *machine.Rejected
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("send %s %s: %v, want %s", c.event, c.data, err, c.want)
		}
	}
	if _, err := e.Send(t.Context(), "nobody", machine.ExternalEvent{Name: "Open"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("send to no run: %v", err)
	}
	if v := get(t, e, "r"); v.Seq != 1 {
		t.Errorf("refused events changed the run: %+v", v)
	}
	send(t, e, "r", "Seal", "")
	if _, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Open", Data: json.RawMessage(`{"by":1}`)}); !errors.Is(err, machine.ErrFinished) {
		t.Errorf("send to a finished run: %v", err)
	}
}

func TestEventIDIsAcceptedOnce(t *testing.T) {
	store := memstore.New()
	e, other := NewEngine(store), NewEngine(store)
	register(t, e, door(t), Handlers{})
	start(t, e, "r", `{"owner":"me"}`)
	event := machine.ExternalEvent{Name: "Open", Data: json.RawMessage(`{"by":2}`), ID: "k1"}
	first, err := e.Send(t.Context(), "r", event)
	must(t, err)
	send(t, e, "r", "Close", "")
	for _, engine := range []*Engine{e, other} {
		again, err := engine.Send(t.Context(), "r", event)
		if err != nil || again.Seq != first.Seq || again.State != "Ajar" || string(again.Data) != string(first.Data) {
			t.Errorf("the second time: %+v, %v", again, err)
		}
	}
	refused := machine.ExternalEvent{Name: "Close", ID: "k2"}
	if _, err := e.Send(t.Context(), "r", refused); err == nil {
		t.Fatal("Close is taken in Shut")
	}
	send(t, e, "r", "Open", `{"by":1}`)
	if _, err := e.Send(t.Context(), "r", refused); err != nil {
		t.Errorf("a refused id is remembered: %v", err)
	}
}

func TestIfSeq(t *testing.T) {
	db := memstore.New()
	e, other := NewEngine(db), NewEngine(db)
	register(t, e, door(t), Handlers{})
	start(t, e, "r", `{"owner":"me"}`)
	event := machine.ExternalEvent{Name: "Open", Data: json.RawMessage(`{"by":2}`), IfSeq: 2}
	_, err := e.Send(t.Context(), "r", event)
	if !errors.Is(err, store.ErrConflict) || !strings.Contains(err.Error(), `in state "Shut": the run has taken 1 step, not 2`) {
		t.Error(err)
	}
	event.IfSeq = 1
	if _, err := other.Send(t.Context(), "r", event); err != nil {
		t.Error(err)
	}
	// What e remembers is stale now; it must not judge by it.
	if _, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Close", IfSeq: 2}); err != nil {
		t.Error(err)
	}
}

// TestIfSeqIsAnsweredAtOnce: no other process was faster, so that nothing is tried again, while
// others wait for their turn with the run.
func TestIfSeqIsAnsweredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := knowing(t, memstore.New(), door(t))
		start(t, e, "r", `{"owner":"me"}`)
		began := time.Now()
		_, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Open", Data: json.RawMessage(`{"by":2}`), IfSeq: 5})
		if took := time.Since(began); took > 0 || !errors.Is(err, store.ErrConflict) {
			t.Errorf("it took %s: %v", took, err)
		}
	})
}

// TestConcurrentSends lets several engines over one store, as several processes
// would, send to one run. Each accepted event must be in its history once.
func TestConcurrentSends(t *testing.T) {
	store := memstore.New()
	first := knowing(t, store, door(t))
	start(t, first, "r", `{"owner":"me"}`)
	var group sync.WaitGroup
	var opened, closed atomic.Int64
	for range 4 {
		e := NewEngine(store)
		for range 4 {
			group.Go(func() {
				for range 25 {
					switch _, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Open", Data: json.RawMessage(`{"by":1}`)}); {
					case err == nil:
						opened.Add(1)
					case !errors.As(err, new(*machine.Rejected)):
						t.Error(err)
					}
					switch _, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Close"}); {
					case err == nil:
						closed.Add(1)
					case !errors.As(err, new(*machine.Rejected)):
						t.Error(err)
					}
				}
			})
		}
	}
	group.Wait()
	v := get(t, first, "r")
	if want := fmt.Sprintf(`{"n":%d}`, opened.Load()); string(v.Data) != want {
		t.Errorf("data %s, want %s", v.Data, want)
	}
	if v.Seq != 1+opened.Load()+closed.Load() || opened.Load() == 0 {
		t.Errorf("%d steps, %d opened, %d closed", v.Seq, opened.Load(), closed.Load())
	}
	lines(t, first, "r")
}

func TestRegisterListsWhatDoesNotFit(t *testing.T) {
	m := Build(t, WithEvent("X", ""), WithActivity("fetch", "", "X", ""), WithGuard("ready", "n int"),
		WithState("A", Doing("fetch", nil), On("X, failed", GoTo("B", When("ready(1)")))), WithTerminal("B", machine.Success))
	err := NewEngine(memstore.New()).Register(m, "", Handlers{Activities: map[string]ActivityFunc{"fetchh": nil, "more": nil}})
	want := `the handlers do not fit machine "M": activity "fetch" is missing, guard "ready" is missing, ` +
		`there is no activity "fetchh" (did you mean "fetch"?), there is no activity "more"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestGuards(t *testing.T) {
	m := Build(t, WithEvent("Go", "n int"), WithGuard("even", "n int"),
		WithState("A", On("Go", GoTo("B", When("even(event.n)")))), WithTerminal("B", machine.Success))
	store := memstore.New()
	e, bare := NewEngine(store), NewEngine(store)
	asked := 0
	register(t, e, m, Handlers{Guards: map[string]GuardFunc{"even": func(_ context.Context, args json.RawMessage) (bool, error) {
		asked++
		var in struct{ N int }
		if err := json.Unmarshal(args, &in); err != nil {
			return false, err
		}
		if in.N == 5 {
			panic("five")
		}
		return in.N%2 == 0, nil
	}}})
	register(t, bare, m, Handlers{})
	start(t, e, "r", "")
	for _, c := range []struct {
		engine *Engine
		n      int
		want   string
	}{
		{e, 1, "nothing takes it there: guard is false: "},
		{e, 5, "panic: five"},
		{bare, 2, `guard "even" of machine "M": no function is registered for it`},
	} {
		_, err := c.engine.Send(t.Context(), "r", machine.ExternalEvent{Name: "Go", Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, c.n))})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("n = %d: %v, want %s", c.n, err, c.want)
		}
	}
	if v := send(t, e, "r", "Go", `{"n":4}`); v.State != "B" || asked == 0 {
		t.Errorf("%+v, asked %d times", v, asked)
	}
	steps, err := e.History(t.Context(), "r", 1, 0)
	if err != nil || len(steps) != 1 || len(steps[0].Guards) != 1 || string(steps[0].Guards[0].Args) != `{"n":4}` {
		t.Errorf("history %+v, %v", steps, err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	e := knowing(t, memstore.New(), door(t))
	for i := range 3000 {
		start(t, e, fmt.Sprint("r", i), `{"owner":"me"}`)
	}
	if n := RunsInMemory(e); n > 1024 {
		t.Errorf("%d runs are kept in memory", n)
	}
}

func TestManualClock(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := NewManualClock(begin)
	timer, never := c.NewTimer(begin.Add(time.Second)), c.NewTimer(begin.Add(time.Minute))
	if got := c.Next(); !got.Equal(begin.Add(time.Second)) {
		t.Errorf("the next timer is due at %s", got)
	}
	c.Advance(time.Second - 1)
	select {
	case <-timer.C():
		t.Error("a timer fired early")
	default:
	}
	c.Advance(1)
	if at := <-timer.C(); !at.Equal(begin.Add(time.Second)) {
		t.Errorf("it fired at %s", at)
	}
	never.Stop()
	if got := c.Next(); !got.IsZero() {
		t.Errorf("a stopped timer is due at %s", got)
	}
	select {
	case <-c.NewTimer(c.Now()).C():
	default:
		t.Error("a timer without a wait does not fire at once")
	}
}
