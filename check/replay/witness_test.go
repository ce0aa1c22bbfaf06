package replay_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

const machine = `machine M(limit int) {
    context { owner string = "a", n int 0..3 = 0, wait duration 1s..1m = 30s }
    event Go
    event Claim { by string, n int 0..9 }
    event Found
    activity search() -> Found
    guard open()

    initial A
    after 1h -> Late
    state A {
        on Claim when event.by == owner && limit > 4 -> B { n = event.n }
        on Go when open() -> B
            else reject
    }
    state B {
        do search() timeout 40m
        on Found -> C
        on failed(timeout) retry 1 backoff 1s else -> A
        on failed -> A
    }
    state C {
        after wait -> B
        on Go -> C max 1
            else reject
    }
    terminal Late failure
}
`

// TestWitness performs paths of one machine: those that a run can take, and
// those that differ from one in a single thing.
func TestWitness(t *testing.T) {
	m := langtest.Machine(t, machine)
	row := func(state, input string) diag.Step { return diag.Step{State: state, Input: input} }
	open := diag.Step{State: "A", Input: "Go", Guards: map[string]bool{"open()": true}}
	for _, c := range []struct {
		name   string
		path   []diag.Step
		loop   int
		ending replay.Ending
		fault  string // empty where it replays
	}{
		{"a host guard", []diag.Step{open, row("B", "")}, -1, replay.Taken, ""},
		{"its other answer", []diag.Step{row("A", "Go"), row("B", "")}, -1, replay.Taken, "nothing takes it"},
		{"a value to be found", []diag.Step{row("A", "Claim"), row("B", "")}, -1, replay.Taken, ""},
		{"a value out of range", []diag.Step{{State: "A", Input: "Claim", Data: map[string]any{"n": int64(4)}}, row("A", "")}, -1, replay.Broken, ""},
		{"a value that fits", []diag.Step{{State: "A", Input: "Claim", Data: map[string]any{"n": int64(3), "by": "a"}}, row("A", "")}, -1, replay.Broken, "nothing takes it"},
		{"an input that is taken", []diag.Step{row("A", "after 1h"), row("A", "")}, -1, replay.Refused, "is taken"},
		{"one that is refused", []diag.Step{row("A", "Go"), row("A", "")}, -1, replay.Refused, ""},
		{"another state", []diag.Step{open, row("C", "")}, -1, replay.Taken, `in "B", not in "C"`},
		{"a timer around comes first", []diag.Step{open, row("B", "failed(timeout)"), row("B", "failed(timeout)"), row("A", "")}, -1, replay.Taken, `"after 1h" comes first`},
		{"a loop", []diag.Step{open, row("B", "Found"), row("C", "after wait"), row("B", "")}, 1, replay.Taken, ""},
		{"a loop that is taken once", []diag.Step{open, row("B", "Found"), row("C", "Go"), row("C", "")}, 2, replay.Taken, "nothing takes it"},
		{"a loop for which there is no time", []diag.Step{open, row("B", "failed(timeout)"), row("B", "")}, 1, replay.Taken, `"after 1h" comes first`},
	} {
		_, err := perform(m, &diag.Witness{Path: c.path, Loop: c.loop}, c.ending)
		switch {
		case err == nil && c.fault != "":
			t.Errorf("%s: it replays, want %s", c.name, c.fault)
		case err != nil && (c.fault == "" || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, want %q", c.name, err, c.fault)
		}
	}
}

// TestWitnessBreaksByItsFault holds that a step that fails by something else shows nothing.
func TestWitnessBreaksByItsFault(t *testing.T) {
	m := langtest.Machine(t, machine)
	w := &diag.Witness{Loop: -1, Path: []diag.Step{{State: "A", Input: "Claim", Data: map[string]any{"n": int64(4)}}, {State: "A"}}}
	for _, f := range m.Fields {
		_, err := replay.On(m).Witness(read(m, w), replay.Broken, &replay.Fault{Assigned: &ir.Assign{Var: f}}, nil, nil)
		if want := f.Name == "n"; (err == nil) != want {
			t.Errorf("as a fault of %s: %v", f.Name, err)
		}
	}
}

// TestWitnessIsFilled holds that what had to be chosen is shown, and the times.
func TestWitnessIsFilled(t *testing.T) {
	m := langtest.Machine(t, machine)
	w := &diag.Witness{Loop: -1, Path: []diag.Step{
		{State: "A", Input: "Claim"}, {State: "B", Input: "Found"}, {State: "C", Input: "after wait"}, {State: "B", Input: "failed(timeout)"}, {State: "B"},
	}}
	got, err := perform(m, w, replay.Taken)
	if err != nil {
		t.Fatal(err)
	}
	want := &diag.Witness{Loop: -1, Params: map[string]any{"limit": int64(5)}, Path: []diag.Step{
		{State: "A", Input: "Claim", Data: map[string]any{"by": "a"}, Rest: map[string]any{"n": int64(0)}, At: "0s"},
		{State: "B", Input: "Found", At: "0s"},
		{State: "C", Input: "after wait", At: "30s"},
		{State: "B", Input: "failed(timeout)", At: "40m30s"},
		{State: "B"},
	}}
	if diff := cmp.Diff(want, got, asPrinted); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const waits = `machine M {
    event Go
    activity work()
    initial A
    state A {
        do work() timeout 10s
        on done -> B
        on failed retry 1 backoff 1s else -> B
        on Go -> W
    }
    state B {
        after 1h -> W
        on Go -> W
    }
    state W {
        initial X
        after 1d -> Done
        state X { after 20h -> Y  on Go -> X unbounded }
        state Y { on Go -> Done }
    }
    terminal Done
}
`

// TestLatest holds that what can wait comes just before what would end the wait,
// where the rows after it leave the time, and at once where they do not.
func TestLatest(t *testing.T) {
	m := langtest.Machine(t, waits)
	for _, c := range []struct {
		path string // state: input at the time wanted, …
	}{
		{"A: Go at 9.999s, W.X"},
		{"A: failed(unknown) at 9.999s, A: work ended at 20.998s, A: done at 20.998s, B"},
		{"A: failed(timeout) at 10s, A: failed(timeout) at 21s, B: after 1h at 1h0m21s, W.X"},
		{"A: failed(timeout) at 10s, A: Go at 20.999s, W.X: Go at 20h0m20.998s, W.X: Go at 24h0m20.998s, W.X: after 24h at 24h0m20.999s, Done"},
		{"A: Go at 9.999s, W.X: Go at 9.999s, W.X: after 20h at 20h0m9.999s, W.Y: Go at 24h0m9.998s, Done"},
	} {
		w, want := &diag.Witness{Loop: -1}, &diag.Witness{Loop: -1}
		for _, text := range strings.Split(c.path, ", ") {
			state, rest, _ := strings.Cut(text, ": ")
			input, at, _ := strings.Cut(rest, " at ")
			w.Path = append(w.Path, diag.Step{State: state, Input: input})
			want.Path = append(want.Path, diag.Step{State: state, Input: input, At: at})
		}
		got, err := perform(m, w, replay.Latest)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if diff := cmp.Diff(want, got, asPrinted); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, diff)
		}
	}
}

// TestOneAnswerInAStep: two calls of a host guard that come down to the same
// arguments are one question.
func TestOneAnswerInAStep(t *testing.T) {
	m := langtest.Machine(t, `machine M {
    context { n int 0..3 = 1 }
    event Go
    guard host(n int)
    initial A
    state A {
        on Go when host(n) reject
            else -> B
    }
    state B { require host(1) else -> Done }
    terminal Done
}
`)
	path := func(last string, second bool) *diag.Witness {
		asked := map[string]bool{"host(n)": false, "host(1)": second}
		return &diag.Witness{Loop: -1, Path: []diag.Step{{State: "A", Input: "Go", Guards: asked}, {State: last}}}
	}
	if _, err := perform(m, path("B", true), replay.Taken); err == nil || !strings.Contains(err.Error(), "answered in two ways") {
		t.Errorf("two answers: %v", err)
	}
	if _, err := perform(m, path("Done", false), replay.Taken); err != nil {
		t.Errorf("one answer: %v", err)
	}
}

// asPrinted leaves out where a witness comes from.
var asPrinted = cmpopts.IgnoreFields(diag.Witness{}, "Source")
