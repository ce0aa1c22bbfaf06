package drawing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

const busy = `machine M {
    event Go { n int 0..9 }
    activity work() -> Worked
    event Worked
    context { n int 0..9 = 0 }
    initial A
    on cancel -> Stopped
    state A {
        do work()
        on Worked when n > 3 -> B { n = 0 }
               else -> B
        on failed retry 2 else -> Stopped
        after 1h -> A
    }
    state B { on Go -> Done { n = event.n } }
    terminal Done success
    terminal Stopped cancelled
}`

func TestCompact(t *testing.T) {
	d := drawing.Plan(codegentest.Parse(t, "m.fsm", busy), nil)
	before := edges(d)
	c := drawing.Compact(d)
	want := `initial: (start) -> A
cancel: (any) -> Stopped | cancel
normal: A -> B | Worked
retry: A -> A | failed
failure: A -> Stopped | failed after 2 retries
timer: A -> A | after 1h
normal: B -> Done | Go
`
	if diff := cmp.Diff(want, edges(c)); diff != "" {
		t.Error(diff)
	}
	c.Root.Walk(func(n *drawing.Node) {
		if len(n.Rows) > 0 {
			t.Errorf("%s has rows", n.ID)
		}
	})
	for i, e := range c.Edges {
		if e.ID() != d.Edges[i].ID() || e.From == d.Edges[i].From || !e.To.Inside(c.Root) {
			t.Errorf("%s is not an arrow of the compact drawing alone", e.ID())
		}
	}
	if edges(d) != before {
		t.Error("the drawing has changed")
	}
}

// Every arrow has an ID of its own, and says which arms lead along it.
func TestArms(t *testing.T) {
	var got []string
	for _, e := range drawing.Plan(codegentest.Parse(t, "m.fsm", busy), nil).Edges {
		got = append(got, e.ID()+": "+strings.Join(e.Arms, ", "))
	}
	want := []string{
		"(start)-A: ",
		"(any)-Stopped: on cancel",
		"A-B: A on Worked, A on Worked else 1",
		"A-A-retry: A on failed",
		"A-Stopped: A on failed else 1",
		"A-A: A after 1h",
		"B-Done: B on Go",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
