package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check/checktest"
)

// TestDataWitnesses holds the runs that the rules about data and deferred events
// show, with what the inputs must carry: steps that change data alone are in
// them, though the explorer's graph has no edge for them.
func TestDataWitnesses(t *testing.T) {
	const src = `machine Runs {
    context { note string, other string, third string }
    event Go { n int 0..9 }
    event Clear
    event Kept
    event Told { note string }
    guard open()

    initial Start
    after 30d -> Done
    entry { note = "" }
    state Start {
        defer Kept
        on Clear { note = unset }
        on Go when open() && event.n > 7 -> Next
            else reject
    }
    state Next {
        require third is not set else -> Done
        after 1h -> Late
    }
    state Late {
        on Go -> Done { publish Told { note = note } }
        on Clear -> Done { publish Told { note = other } }
        on Kept -> Done { third = "x" }
    }
    terminal Done
}
`
	var b strings.Builder
	for _, d := range checktest.Findings("runs.fsm", []byte(src)) {
		fmt.Fprintf(&b, "%d: %s\n", d.Span.Start.Line, d.Rule)
		if d.Witness == nil {
			continue
		}
		for _, row := range d.Witness.Path {
			fmt.Fprintf(&b, "  %s %s %s %v %v\n", row.At, row.State, row.Input, row.Data, row.Guards)
		}
	}
	want := `18: deferred-lost
  0s Start Kept map[] map[]
  0s Start Go map[n:8] map[open():true]
   Next  map[] map[]
23: read-before-set
  0s Start Clear map[] map[]
  0s Start Go map[n:8] map[open():true]
  1h0m0s Next after 1h map[] map[]
  1h0m0s Late Go map[] map[]
   Late  map[] map[]
24: read-before-set
  0s Start Go map[n:8] map[open():true]
  1h0m0s Next after 1h map[] map[]
  1h0m0s Late Clear map[] map[]
   Late  map[] map[]
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestWitnessValues: of a field that is only asked whether it is set a witness tells
// no value, because none was followed.
func TestWitnessValues(t *testing.T) {
	const src = `machine Values {
    context { k int, t time, n int 0..9 = 0 }
    event Go { t time }
    initial A
    state A { on Go -> B { k = 1, t = event.t, n = 7 } }
    state B { on Go when n < 5 || k is not set || t is not set -> Done }
    terminal Done
}
`
	for _, d := range checktest.Findings("values.fsm", []byte(src)) {
		if d.Rule != "no-way-to-finish" {
			continue
		}
		if diff := cmp.Diff(map[string]any{"n": int64(7)}, d.Witness.Values); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Error("nothing is found")
}

// TestStuckIsStuck: the run that shows that one can be stuck in a state is stuck there, and does not
// go on to another trap.
func TestStuckIsStuck(t *testing.T) {
	const src = `enum N { n1, n2 }
machine M(a N) {
    event Begin { token N }
    event Yes
    context { token N }
    initial Asking
    state Asking {
        on Begin -> Both { token = event.token }
    }
    state Both {
        on Yes when token == a -> Second
            else reject
    }
    state Second {
        on Yes -> Second unbounded
    }
    terminal Done
}
`
	stuck := 0
	for _, d := range checktest.Findings("stuck.fsm", []byte(src)) {
		if !strings.Contains(d.Message, `stuck in "Both"`) {
			continue
		}
		stuck++
		if w := d.Witness; len(w.Path) != 2 || w.Params["a"] == w.Path[0].Data["token"] {
			t.Errorf("started with %v, %v", w.Params, w.Path)
		}
	}
	if stuck != 1 {
		t.Errorf("%d findings say that a run can be stuck in Both", stuck)
	}
}

// TestWitnessEndsWithWhatTheRunHas: a witness tells the data that its run has where it ends.
// The explorer knows of a list no more than how long it is, and of a text which constant it is.
func TestWitnessEndsWithWhatTheRunHas(t *testing.T) {
	const src = `machine Values {
    context { list []string = [] }
    event Set { items []string }
    event Go
    initial A
    state A {
        on Set when len(event.items) >= 2 -> B { list = event.items + "x" }
            else ignore
        on Go when len(list) > 4 -> Done
            else ignore
    }
    state B {
        on Go when len(list) < 5 -> A
            else -> Done
    }
    terminal Done returns list
}
`
	ended := map[string]any{}
	for _, d := range checktest.Findings("values.fsm", []byte(src)) {
		if d.Witness != nil && len(d.Witness.Path) > 1 {
			ended[d.Rule] = d.Witness.Values["list"]
		}
	}
	want := map[string]any{"waits-forever": []any{"", "", "x"}, "unbounded-loop": []any{"", "", "x"}}
	if diff := cmp.Diff(want, ended); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
}
