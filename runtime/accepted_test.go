package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
	"github.com/fsmc-dev/fsmc/runtime/memstore"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// nested is a json value of that depth.
func nested(depth int) string {
	return strings.Repeat("[", depth) + strings.Repeat("]", depth)
}

// filled is the payload of an event of a Box.
func filled(j, s string) string {
	return fmt.Sprintf(`{"j":%s,"l":[%s],"s":%s,"f":-1.5e-300,"i":-9223372036854775808,"d":"-2562047h47m16.854775808s","t":"9999-12-31T23:59:59.999999Z"}`,
		j, inner(j), s)
}

// inner is j, or what fits where j stands one level deeper.
func inner(j string) string {
	if in, ok := strings.CutPrefix(j, "[["); ok {
		return "[" + strings.TrimSuffix(in, "]]") + "]"
	}
	return "0"
}

// idsAsked counts how often it is asked for event ids.
type idsAsked struct {
	store.Store
	asked int
}

func (s *idsAsked) Accepted(ctx context.Context, run, id string) (json.RawMessage, bool, error) {
	s.asked++
	return s.Store.Accepted(ctx, run, id)
}

// TestEventIDsAreNotLookedFor before a step that the store would refuse because of one; but
// where the run itself refuses the event.
func TestEventIDsAreNotLookedFor(t *testing.T) {
	m := Build(t, WithEvent("Go", ""), WithState("A", On("Go", GoTo("B"))), WithState("B", On("Go", Stay())), WithTerminal("C", machine.Success))
	db := &idsAsked{Store: memstore.New()}
	e := knowing(t, db, m)
	start(t, e, "r", "")
	for i, c := range []struct {
		event, id string
		repeated  bool
		refused   bool
		duplicate bool
	}{
		{"Go", "1", false, false, false}, {"Go", "1", true, false, false}, {"Go", "2", false, false, false}, {"Go", "1", true, false, false},
		{"Come", "3", false, true, false}, {"Come", "1", false, true, true},
	} {
		db.asked = 0
		v, err := e.Send(t.Context(), "r", ExternalEvent{Name: c.event, ID: c.id})
		if v.Repeated != c.repeated || (err != nil) != c.refused || errors.Is(err, ErrDuplicate) != c.duplicate || (db.asked > 0) != c.refused {
			t.Errorf("%d: %+v, %v, asked %d times", i, v, err, db.asked)
		}
	}
}

// readable takes everything that reads a run, and fails the test where one cannot.
func readable(t testing.TB, e *Engine, run, where string) machine.View {
	t.Helper()
	ctx := context.Background()
	v, err := e.Get(ctx, run)
	if err != nil {
		t.Fatalf("%s: it cannot be shown: %v", where, err)
	}
	if _, err := json.Marshal(v); err != nil {
		t.Fatalf("%s: it cannot be shown as JSON: %v", where, err)
	}
	steps, err := e.History(ctx, run, 0, 0)
	if err == nil {
		_, err = json.Marshal(steps)
	}
	if err != nil {
		t.Fatalf("%s: its history cannot be read: %v", where, err)
	}
	if err := e.Replay(ctx, run); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	if r, err := e.Repair(ctx, run, RepairOptions{}); err != nil || len(r.Faults) > 0 {
		t.Fatalf("%s: a repair finds %v, %v", where, r.Faults, err)
	}
	h, err := e.Health(ctx, HealthQuery{})
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	for _, p := range h.Problems {
		if p.Kind == "damaged" {
			t.Fatalf("%s: %+v", where, p)
		}
	}
	return v
}

// boxed leads a run with the value j and the text s through everything that keeps
// them. It is false where they were refused at the start, and then nothing is stored.
func boxed(t testing.TB, store store.Store, run, j, s string) bool {
	t.Helper()
	ctx, payload := context.Background(), json.RawMessage(filled(j, s))
	e := NewEngine(store, WithPoll(time.Millisecond))
	m := Box(t)
	register(t, e, m, Handlers{
		Activities: map[string]ActivityFunc{"make": func(_ context.Context, a *Attempt) (Result, error) {
			if string(a.Checkpoint) != "" && !json.Valid(a.Checkpoint) {
				t.Errorf("the checkpoint is %s", a.Checkpoint)
			}
			return Result{Event: "Made", Data: payload}, a.Progress(json.RawMessage(j))
		}},
		Guards: map[string]GuardFunc{"fits": func(context.Context, json.RawMessage) (bool, error) { return true, nil }},
	})
	var refused *machine.Rejected
	_, err := e.Start(ctx, "M", run, json.RawMessage(fmt.Sprintf(`{"p":%s,"q":[%s],"r":%s}`, j, inner(j), s)))
	if errors.As(err, &refused) {
		return false
	}
	must(t, err)
	look := func(where string) machine.View {
		t.Helper()
		if len(payload) > 10_000 && where != "migrate" { // reading takes its time
			v, err := e.Get(ctx, run)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			return v
		}
		return readable(t, NewEngine(store), run, where) // by one that remembers nothing
	}
	look("start")
	sent := 0
	event := func(name string, data json.RawMessage, state string) {
		t.Helper()
		sent++
		x := machine.ExternalEvent{Name: name, Data: data, ID: fmt.Sprint(sent), Actor: "a\u202e\x00", Reason: "b\u2028"}
		if _, err := e.Send(ctx, run, x); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v := look(name); v.State != state {
			t.Fatalf("%s leads to %s, not to %s", name, v.State, state)
		}
		if v, err := e.Send(ctx, run, x); err != nil || !v.Repeated {
			t.Fatalf("%s again: %v", name, err)
		}
	}
	operate := func(what string, _ machine.View, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		look(what)
	}
	do := func(what string, f func() (machine.View, error)) {
		t.Helper()
		v, err := f()
		operate(what, v, err)
	}
	event("Put", payload, "Open")
	event("Keep", payload, "Open") // deferred
	event("Work", nil, "Working")
	do("the activity", func() (machine.View, error) { return e.RunUntilIdle(ctx, run) }) // and what was deferred is taken
	event("Back", nil, "Open")
	do("pause", func() (machine.View, error) { return e.Pause(ctx, run, machine.Operator{}) })
	event("Put", payload, "Open") // queued
	event("Keep", payload, "Open")
	do("resume", func() (machine.View, error) { return e.Resume(ctx, run, machine.Operator{}) })
	event("Work", nil, "Working")
	do("complete", func() (machine.View, error) {
		return e.Complete(ctx, run, machine.Completion{Activity: "make", Event: "Made", Data: payload})
	})
	event("Keep", payload, "Kept") // deferred
	event("Jam", nil, "Jammed")    // and there it halts the run
	do("retry", func() (machine.View, error) { return e.Retry(ctx, run, machine.Operator{}) })
	if v := look("retry"); v.Status != machine.Halted {
		t.Fatalf("the run is %s", v.Status)
	}
	other := *m.Definition()
	other.Doc = "another version"
	to, err := machine.Compile(&other)
	must(t, err)
	register(t, e, to, Handlers{})
	err = e.Migrate(ctx, "M", MigrateOptions{Apply: true}, func(r MigratedRun) error {
		if r.Why != "" {
			t.Errorf("it cannot be migrated: %s", r.Why)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("migrate: %v", err)
	}
	look("migrate")
	do("cancel", func() (machine.View, error) { return e.Cancel(ctx, run, CancelOptions{Force: true}) })
	return true
}

// hard are JSON texts at the limits of what can be said.
var hard = []string{
	"null", "true", "-0", "0.0000001", "1E+400", "-1e-999999", "1234567890123456789012345678901234567890",
	`""`, `"\u0000"`, `"\ud83d\ude00"`, `"\u2028<>&"`, `"\u202e\u001b[2J"`, `"\b\f\/"`, `"é\u0301"`,
	`{"":{"a":1,"a":2},"\u0000":[]}`, ` { "b" : [ 1 , 2 ] , "a" : "x y" } `,
	`"` + strings.Repeat(`\b`, 30_000) + `"`, // six bytes for two, as it is stored
	`"` + strings.Repeat("x", 100_000) + `"`, "[" + strings.Repeat("1e9,", 5_000) + "0]",
	"01", "+1", ".5", "1.", "NaN", "nul", `"\ud83d"`, "\"\xff\"", "\"\x00\"", `{"a":1,}`, "[1 2]", "", "1 2", `{"a"}`,
}

// quotedText is a hard value as a string, or one that holds it.
func quotedText(t testing.TB, j string) string {
	if strings.HasPrefix(j, `"`) {
		return j
	}
	s, err := json.Marshal(j)
	must(t, err)
	return string(s)
}

// FuzzAcceptedCanBeRead: whatever a run was given, everything that reads it can.
func FuzzAcceptedCanBeRead(f *testing.F) {
	for _, j := range hard {
		f.Add(j, quotedText(f, j))
	}
	f.Fuzz(func(t *testing.T, j, s string) { boxed(t, memstore.New(), "r", j, s) })
}

// TestAcceptedCanBeRead: what a run was given can be read again, however deep it is
// nested. One level too much is refused, and leaves nothing behind.
func TestAcceptedCanBeRead(t *testing.T) {
	for _, depth := range []int{1, 190, 193, 194, 195, 196, 197, 198, 199, 200, 201} {
		if got, want := boxed(t, memstore.New(), "r", nested(depth), `"x"`), depth < machine.MaxNesting; got != want {
			t.Errorf("a value nested %d deep is accepted: %t", depth, got)
		}
	}
}
