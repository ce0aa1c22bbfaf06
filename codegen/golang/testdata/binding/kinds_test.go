package kinds

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
)

// host does the work; say is what its first activity returns.
type host struct {
	say     func() (KindsReturnResult, error)
	moments []time.Time
}

func (h *host) Return(_ context.Context, _ *runtime.Attempt, text string, wait time.Duration, moments []time.Time) (KindsReturnResult, error) {
	h.moments = moments
	return h.say()
}

func (*host) Tidy(context.Context, *runtime.Attempt) error { return nil }

func (*host) Select(_ context.Context, _ *runtime.Attempt, n int64) (KindsNothing, error) {
	if n != 4 {
		return KindsNothing{}, errors.New("wrong argument")
	}
	return KindsNothing{}, nil
}

func (*host) Default(n int64, at time.Time) (bool, error) { return n == 2 && !at.IsZero(), nil }

var moment = time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)

func start(t *testing.T, h *host) (*runtime.Engine, KindsRuns, KindsParams) {
	t.Helper()
	engine := runtime.NewEngine(memstore.New())
	if err := RegisterKinds(engine, h, h); err != nil {
		t.Fatal(err)
	}
	runs := KindsRuns{Engine: engine}
	params := KindsParams{Func: "a<b>&\u2028", Deadline: moment}
	run, err := runs.Start(t.Context(), "r", params)
	if err != nil {
		t.Fatal(err)
	}
	params.Range = []int64{}
	if run.State != KindsStateString || !reflect.DeepEqual(run.Params, params) {
		t.Fatalf("started as %v with %+v", run.State, run.Params)
	}
	if d := run.Data; d.Type != "a\tb `c` \u2028" || d.Error != -3 || d.Len != 2 || !d.Nil || d.String != 90*time.Minute ||
		d.Level != KindsLevelLow || d.Map.Set || d.X.Set {
		t.Fatalf("defaults: %+v", d)
	}
	return engine, runs, params
}

func TestEveryKind(t *testing.T) {
	h := &host{say: func() (KindsReturnResult, error) { return KindsFound{N: 4, List: []string{"x"}}, nil }}
	engine, runs, _ := start(t, h)
	sent := KindsAny{
		Any: json.RawMessage(`{"a":"<&>","b":[1.50,null]}`), Levels: []KindsLevel{KindsLevelHigh}, Wait: 61 * time.Second,
		At: moment, Ratio: 1e-9, Ok: false,
	}
	run, err := runs.Send(t.Context(), "r", sent, runtime.WithEventID("1"), runtime.WithActor("me"), runtime.WithReason("because"))
	if err != nil {
		t.Fatal(err)
	}
	d := run.Data
	if string(d.Any.Value) != string(sent.Any) || !reflect.DeepEqual(d.Levels.Value, sent.Levels) || d.X.Value != sent.Wait ||
		!d.Map.Value.Equal(moment) || d.Len != sent.Ratio || d.Nil {
		t.Fatalf("data: %+v", d)
	}
	lists := KindsLists{Nested: [][]time.Duration{{time.Second}, nil}, Moments: []time.Time{moment}}
	if run, err = runs.Send(t.Context(), "r", lists); err != nil {
		t.Fatal(err)
	}
	if n := run.Data.Nested.Value; len(n) != 2 || n[0][0] != time.Second || len(n[1]) != 0 || run.Data.List == nil {
		t.Fatalf("lists: %+v", run.Data)
	}
	if run, err = runs.Send(t.Context(), "r", KindsString{Type: "t", Len: 2, Level: KindsLevelLow}); err != nil || run.Data.Maybe.Value != 2 {
		t.Fatalf("guarded: %v %+v", err, run.Data)
	}
	var rejected *runtime.Rejected
	if _, err = runs.Send(t.Context(), "r", KindsString{Len: 2}); err == nil {
		t.Fatal("an enum without a value was taken")
	}
	if _, err = runs.Send(t.Context(), "r", KindsString{Len: 10, Level: KindsLevelLow}); !errors.As(err, &rejected) {
		t.Fatalf("out of range: %v", err)
	}
	if _, err = runs.Send(t.Context(), "r", KindsLater{}, runtime.IfSeq(99)); !errors.Is(err, runtime.ErrConflict) {
		t.Fatalf("another sequence number: %v", err)
	}
	if run, err = runs.Send(t.Context(), "r", KindsString{Type: "go", Len: 9, Level: KindsLevelHigh}); err != nil || run.State != KindsStateWorkGo {
		t.Fatalf("moved: %v %v", err, run.State)
	}
	if _, err := engine.RunUntilDone(t.Context(), "r"); err != nil {
		t.Fatal(err)
	}
	if run, err = runs.Get(t.Context(), "r"); err != nil || run.State != KindsStateDone || run.Data.Error != 4 || run.Data.List[0] != "x" {
		t.Fatalf("ended as %v with %+v: %v", run.State, run.Data, err)
	}
	if len(h.moments) != 1 || !h.moments[0].Equal(moment) {
		t.Fatalf("argument: %v", h.moments)
	}
}

func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		say  func() (KindsReturnResult, error)
		want string
	}{
		"nothing":  {func() (KindsReturnResult, error) { return nil, nil }, "unknown|returned neither a result nor an error"},
		"misfit":   {func() (KindsReturnResult, error) { return KindsFound{N: 99}, nil }, "unknown|out of range"},
		"declared": {func() (KindsReturnResult, error) { return nil, runtime.Fail(KindsFailAuth, "no") }, "auth|no"},
		"panic":    {func() (KindsReturnResult, error) { return (*KindsFound)(nil), nil }, "unknown|"},
	} {
		t.Run(name, func(t *testing.T) {
			engine, runs, _ := start(t, &host{say: c.say})
			for _, err := range []error{
				second(runs.Send(t.Context(), "r", KindsLists{})),
				second(runs.Send(t.Context(), "r", KindsString{Len: 9, Level: KindsLevelHigh})),
				second(engine.RunUntilDone(t.Context(), "r")),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			run, err := runs.Get(t.Context(), "r")
			if err != nil || run.State != KindsStateFailed {
				t.Fatalf("%v: %v", run.State, err)
			}
			steps, err := engine.History(t.Context(), "r", 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(steps)
			category, message, _ := strings.Cut(c.want, "|")
			if !strings.Contains(string(text), category) || !strings.Contains(string(text), message) {
				t.Fatalf("history lacks %q: %s", c.want, text)
			}
		})
	}
}

func second[T any](_ T, err error) error { return err }

// TestAbsent holds that no activities and guards leave them to others.
func TestAbsent(t *testing.T) {
	engine := runtime.NewEngine(memstore.New())
	if err := RegisterKinds(engine, nil, nil); err != nil {
		t.Fatal(err)
	}
	run, err := KindsRuns{Engine: engine}.Start(t.Context(), "r", KindsParams{Deadline: moment})
	if err != nil || run.State != KindsStateString || run.Machine != "Kinds" {
		t.Fatalf("%v %+v", err, run)
	}
}

// TestJSON holds that a run reads back what it writes, and writes nothing twice.
func TestJSON(t *testing.T) {
	_, runs, _ := start(t, &host{})
	run, err := runs.Send(t.Context(), "r", KindsAny{Any: json.RawMessage("null"), Levels: []KindsLevel{}, Wait: time.Minute, At: moment})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	var back KindsRun
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if d := back.Data; !d.Any.Set || string(d.Any.Value) != "null" || !d.Map.Set || d.Maybe.Set || d.X.Value != time.Minute || d.Level != KindsLevelLow {
		t.Errorf("%s gives %+v", text, d)
	}
	if back.State != run.State || !reflect.DeepEqual(back.Params, run.Params) {
		t.Errorf("%+v, want %+v", back, run)
	}
	for _, name := range []string{`"state":`, `"params":`, `"data":`, `"State":`, `"Data":`} {
		if n, want := strings.Count(string(text), name), strings.ToLower(name); n > 1 || name != want && n > 0 {
			t.Errorf("%s stands %d times in %s", name, n, text)
		}
	}
	encoded, err := runtime.EncodeFields(run.Data)
	if err != nil || string(encoded) != strings.ReplaceAll(string(run.View.Data), "\u2028", `\u2028`) {
		t.Errorf("the data is written as %s (%v), the machine has %s", encoded, err, run.View.Data)
	}
}
