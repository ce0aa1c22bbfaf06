package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// Values whose methods do what methods of values must not do.
type (
	nilError     struct{ text string }         // read through a nil pointer
	panicking    struct{ with any }            // all of its methods panic with something
	itself       struct{}                      // panics with itself
	leaving      struct{}                      // ends the goroutine
	inside       struct{ is, as, unwrap bool } // panics where errors.Is and errors.As look
	claims       struct{}                      // says that it is a failure, and gives none
	nilMarshaler struct{ text string }
)

func (e *nilError) Error() string                { return e.text }
func (e panicking) Error() string                { panic(e.with) }
func (e panicking) String() string               { panic(e.with) }
func (e panicking) MarshalJSON() ([]byte, error) { panic(e.with) }
func (e panicking) MarshalText() ([]byte, error) { panic(e.with) }
func (e itself) Error() string                   { panic(e) }
func (e itself) MarshalJSON() ([]byte, error)    { panic(e) }
func (leaving) Error() string                    { goruntime.Goexit(); return "" }
func (leaving) MarshalJSON() ([]byte, error)     { goruntime.Goexit(); return nil, nil }
func (inside) Error() string                     { return "inside" }
func (e inside) Is(error) bool                   { return e.is && panicNow() }
func (e inside) As(any) bool                     { return e.as && panicNow() }
func (e inside) Unwrap() error                   { _ = e.unwrap && panicNow(); return nil }
func (claims) Error() string                     { return "claims" }
func (claims) As(any) bool                       { return true }
func (m *nilMarshaler) MarshalJSON() ([]byte, error) {
	return json.Marshal(m.text)
}

// wrong marshals to an error that is a nil pointer, text to what is no JSON.
type (
	wrong struct{}
	text  string
	key   struct{ n int }
)

func (wrong) MarshalJSON() ([]byte, error)  { var e *nilError; return nil, e }
func (t text) MarshalJSON() ([]byte, error) { return []byte(t), nil }
func (key) MarshalText() ([]byte, error)    { panic(itself{}) }

func panicNow() bool { panic("now") }

// evils are activities that do their worst, with what their failure must say.
func evils() map[string]struct {
	f    ActivityFunc
	want string
} {
	type evil = struct {
		f    ActivityFunc
		want string
	}
	list := map[string]evil{}
	fails := func(name string, err error, want string) {
		list["error: "+name] = evil{func(context.Context, *Attempt) (Result, error) { return Result{}, err }, want}
	}
	gives := func(name string, data any, want string) {
		list["data: "+name] = evil{func(context.Context, *Attempt) (Result, error) {
			return Result{Event: "Found", Data: data}, nil
		}, want}
	}
	does := func(name, want string, f func(a *Attempt)) {
		list["call: "+name] = evil{func(_ context.Context, a *Attempt) (Result, error) { f(a); return found, nil }, want}
	}
	var none *nilError
	var failure *Failure
	fails("typed nil", none, "the error is a nil *runtime_test.nilError")
	fails("typed nil failure", failure, "the error is a nil *runtime.Failure")
	fails("wrapped nil failure", fmt.Errorf("in: %w", failure), "in: ")
	fails("wrapped typed nil", fmt.Errorf("in: %w", none), "in: ")
	fails("joined typed nil", errors.Join(errors.New("one"), none), "cannot be read")
	fails("Error panics", panicking{"boom"}, "panic: boom")
	fails("Error panics with an error", panicking{panicking{1}}, "panic: a runtime_test.panicking that cannot be read")
	fails("Error panics with itself", itself{}, "that cannot be read")
	fails("Error ends the goroutine", leaving{}, "ended its goroutine")
	fails("Is panics", inside{is: true}, "inside")
	fails("As panics", inside{as: true}, "inside")
	fails("Unwrap panics", inside{unwrap: true}, "inside")
	fails("As claims", claims{}, "claims")
	gives("MarshalJSON panics", panicking{"boom"}, "panic: boom")
	gives("MarshalJSON panics inside", map[string]any{"n": []any{panicking{"boom"}}}, "panic: boom")
	gives("MarshalJSON panics with an error", panicking{panicking{1}}, "cannot be read")
	gives("MarshalJSON panics with itself", itself{}, "cannot be read")
	gives("MarshalJSON ends the goroutine", leaving{}, "ended its goroutine")
	gives("MarshalJSON fails with a typed nil", wrong{}, "cannot be read")
	gives("MarshalJSON is nonsense", text(`{"n":`), "no JSON form")
	gives("MarshalJSON of a nil inside", struct{ N any }{(*nilMarshaler)(nil)}, `there is no such field`)
	gives("MarshalJSON of a value with a nil receiver", struct {
		*nilMarshaler `json:",omitempty"`
	}{}, "panic: runtime error")
	gives("MarshalText panics", map[key]int{{1}: 1}, "cannot be read")
	gives("a channel", make(chan int), "no JSON form")
	loop := map[string]any{}
	loop["n"] = loop
	gives("a circle", loop, "no JSON form")
	does("panic(nil)", "panic: ", func(*Attempt) { panic(nil) })
	does("panic(typed nil)", "cannot be read", func(*Attempt) { panic(none) })
	does("panic(itself)", "cannot be read", func(*Attempt) { panic(itself{}) })
	does("panic(Stringer that panics)", "cannot be read", func(*Attempt) { panic(panicking{2}) })
	does("panic(error that leaves)", "ended its goroutine", func(*Attempt) { panic(leaving{}) })
	circle := []any{nil}
	circle[0] = circle
	does("panic(circle)", "panic: a []interface {}", func(*Attempt) { panic(circle) })
	does("panic in a deferred call", "panic: second", func(*Attempt) {
		defer func() { panic("second") }()
		panic("first")
	})
	does("Goexit", "ended its goroutine without returning", func(*Attempt) { goruntime.Goexit() })
	list["call: checkpoint that panics"] = evil{func(_ context.Context, a *Attempt) (Result, error) {
		err := a.Progress(panicking{"boom"})
		if err == nil {
			return found, nil
		}
		return found, fmt.Errorf("progress: %w", err)
	}, "progress: the checkpoint has no JSON form: panic: boom"}
	return list
}

// TestEvilActivities: whatever an activity does, and whatever the methods of what it
// returns do, its attempt fails as `unknown`, what it has used is counted, and the
// other runs of the process go on.
func TestEvilActivities(t *testing.T) {
	handlers := []Part{
		On("Found", GoTo("Done")),
		On("failed", GoTo("Broken", Set("why", "event.message"), Set("category", "event.category"))),
	}
	synctest.Test(t, func(t *testing.T) {
		list := evils()
		w := work(t, memstore.New(), job(t, nil, handlers...), func(ctx context.Context, a *Attempt) (Result, error) {
			if a.Run == "sound" {
				time.Sleep(time.Minute)
				return found, nil
			}
			if err := a.Spend("tokens", "7"); err != nil {
				t.Error(err)
			}
			return list[a.Run].f(ctx, a)
		}, WithLogger(quiet))
		defer w.stop()
		begin(t, w.Engine, "sound")
		for run, c := range list {
			begin(t, w.Engine, run)
			v := await(t, w.Engine, run)
			var data struct{ Why, Category string }
			must(t, json.Unmarshal(v.Data, &data))
			if v.State != "Broken" || data.Category != "unknown" || !strings.Contains(data.Why, c.want) {
				t.Errorf("%s: %s, %s %q, not %q", run, v.State, data.Category, data.Why, c.want)
			}
			if len(v.Costs) != 1 || v.Costs[0].Spent != "7" {
				t.Errorf("%s: costs %+v", run, v.Costs)
			}
		}
		inState(t, await(t, w.Engine, "sound"), "Done")
	})
}

// TestEvilGuards: a guard that fails in any way refuses the event, and the run and
// the process go on.
func TestEvilGuards(t *testing.T) {
	var none *nilError
	for name, c := range map[string]struct {
		f    GuardFunc
		want string
	}{
		"typed nil":     {func(context.Context, json.RawMessage) (bool, error) { return true, none }, "the error is a nil"},
		"Error panics":  {func(context.Context, json.RawMessage) (bool, error) { return true, panicking{itself{}} }, "cannot be read"},
		"Is panics":     {func(context.Context, json.RawMessage) (bool, error) { return true, inside{is: true} }, "panic: now"},
		"panic(itself)": {func(context.Context, json.RawMessage) (bool, error) { panic(itself{}) }, "cannot be read"},
		"Goexit":        {func(context.Context, json.RawMessage) (bool, error) { goruntime.Goexit(); return true, nil }, "ended its goroutine"},
		"Error leaves":  {func(context.Context, json.RawMessage) (bool, error) { return true, leaving{} }, "ended its goroutine"},
		"hangs":         {func(context.Context, json.RawMessage) (bool, error) { time.Sleep(time.Hour); return true, nil }, "no answer within 3s"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := NewEngine(memstore.New(), WithGuardLimit(3*time.Second))
				var sound atomic.Bool
				register(t, e, asking(t), Handlers{Guards: map[string]GuardFunc{"allowed": func(ctx context.Context, args json.RawMessage) (bool, error) {
					if sound.Load() {
						return true, nil
					}
					return c.f(ctx, args)
				}}})
				start(t, e, "r", "")
				_, err := e.Send(t.Context(), "r", machine.ExternalEvent{Name: "Go"})
				var refused *machine.Rejected
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, not %q", err, c.want)
				}
				sound.Store(true)
				inState(t, send(t, e, "r", "Go", ""), "Done")
				time.Sleep(time.Hour) // until the one that hangs has ended, too
			})
		})
	}
}

// asking is a machine that asks the guard `allowed` when it is told to Go.
func asking(t testing.TB) *machine.Machine {
	return Build(t, WithEvent("Go", ""), WithGuard("allowed", ""),
		WithState("Idle", On("Go", GoTo("Done", When("allowed()")), Stay())), WithTerminal("Done", machine.Success))
}

// evilObserver and evilHandler are what a program attaches, at its worst.
type evilObserver struct{ f func() }

func (o evilObserver) OnStep(StepInfo)       { o.f() }
func (o evilObserver) OnAttempt(AttemptInfo) { o.f() }

type evilHandler struct{ f func() }

func (h evilHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h evilHandler) Handle(context.Context, slog.Record) error {
	h.f()
	return panicking{"boom"}
}
func (h evilHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h evilHandler) WithGroup(string) slog.Handler      { return h }

// TestEvilHooks: an observer, a log and an outbox that panic or end the goroutine hold
// up no run.
func TestEvilHooks(t *testing.T) {
	for name, f := range map[string]func(){
		"panic":            func() { panic("boom") },
		"panic(itself)":    func() { panic(itself{}) },
		"panic(typed nil)": func() { var e *nilError; panic(e) },
		"Goexit":           goruntime.Goexit,
		"fails":            func() {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var called, delivered atomic.Int32
				evil := func() { called.Add(1); f() }
				m := Build(t, WithEvent("Found", "n int"), WithEvent("Told", ""), WithActivity("work", "", "Found", ""),
					WithState("A", Doing("work", nil), On("Found", GoTo("B", Publishing("Told"))), On("failed", Retry(5))),
					WithState("B", After("1h", GoTo("Done"))), WithTerminal("Done", machine.Success))
				var calls atomic.Int32
				w := work(t, memstore.New(), m, func(context.Context, *Attempt) (Result, error) {
					if calls.Add(1) == 1 {
						panic("boom")
					}
					return found, nil
				}, WithObserver(evilObserver{evil}), WithLogger(slog.New(evilHandler{evil})), WithConcurrency(1),
					WithOutbox(func(context.Context, *Message) error {
						if delivered.Add(1) == 1 {
							evil()
							return itself{}
						}
						return nil
					}))
				defer w.stop()
				start(t, w.Engine, "r", "")
				time.Sleep(2 * time.Hour)
				inState(t, get(t, w.Engine, "r"), "Done")
				if called.Load() < 5 || delivered.Load() != 2 {
					t.Errorf("%d calls, %d deliveries", called.Load(), delivered.Load())
				}
				if n := AttemptsUnder(w.Engine); n != 0 {
					t.Errorf("%d attempts are under way", n)
				}
			})
		})
	}
}
