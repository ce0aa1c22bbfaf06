package replay_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
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
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(machine)}})
	m := unit.Program.Machines[0]
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
		_, err := replay.Witness(m, &diag.Witness{Path: c.path, Loop: c.loop}, c.ending)
		switch {
		case err == nil && c.fault != "":
			t.Errorf("%s: it replays, want %s", c.name, c.fault)
		case err != nil && (c.fault == "" || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, want %q", c.name, err, c.fault)
		}
	}
}

// TestWitnessIsFilled holds that what had to be chosen is shown, and the times.
func TestWitnessIsFilled(t *testing.T) {
	m := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(machine)}}).Program.Machines[0]
	w := &diag.Witness{Loop: -1, Path: []diag.Step{
		{State: "A", Input: "Claim"}, {State: "B", Input: "Found"}, {State: "C", Input: "after wait"}, {State: "B", Input: "failed(timeout)"}, {State: "B"},
	}}
	got, err := replay.Witness(m, w, replay.Taken)
	if err != nil {
		t.Fatal(err)
	}
	want := &diag.Witness{Loop: -1, Params: map[string]any{"limit": int64(5)}, Path: []diag.Step{
		{State: "A", Input: "Claim", Data: map[string]any{"by": "a"}, At: "0s"},
		{State: "B", Input: "Found", At: "0s"},
		{State: "C", Input: "after wait", At: "30s"},
		{State: "B", Input: "failed(timeout)", At: "40m30s"},
		{State: "B"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOneAnswerInAStep: two calls of a host guard that come down to the same
// arguments are one question.
func TestOneAnswerInAStep(t *testing.T) {
	m := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(`machine M {
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
`)}}).Program.Machines[0]
	path := func(last string, second bool) *diag.Witness {
		asked := map[string]bool{"host(n)": false, "host(1)": second}
		return &diag.Witness{Loop: -1, Path: []diag.Step{{State: "A", Input: "Go", Guards: asked}, {State: last}}}
	}
	if _, err := replay.Witness(m, path("B", true), replay.Taken); err == nil || !strings.Contains(err.Error(), "answered in two ways") {
		t.Errorf("two answers: %v", err)
	}
	if _, err := replay.Witness(m, path("Done", false), replay.Taken); err != nil {
		t.Errorf("one answer: %v", err)
	}
}
