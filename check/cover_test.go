package check_test

import (
	"slices"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TestCover holds that the runs of the code-review agent take each of its arms,
// and that no run is there for nothing.
func TestCover(t *testing.T) {
	m := program(t, []byte(codereview(t))).Machines[0]
	cover := check.Cover(m, explore.DefaultLimit)
	if len(cover.Missed) > 0 {
		t.Errorf("%d arms are missed, the first %s", len(cover.Missed), cover.Missed[0].Text())
	}
	taken := map[int]bool{}
	for _, run := range slices.Backward(cover.Runs) {
		before := len(taken)
		for _, s := range run.Steps {
			if s.Arm != nil {
				taken[s.Arm.ID] = true
			}
		}
		if len(taken) == before {
			t.Errorf("a run takes no new arm: %+v", run)
		}
	}
	if len(taken) != len(m.Arms) {
		t.Errorf("%d of %d arms are taken", len(taken), len(m.Arms))
	}
	if check.Cover(m, 3) != nil {
		t.Error("a cover past the limit")
	}
}

// TestCoverOfElements: a run says of which element an input is, also where that matters.
func TestCoverOfElements(t *testing.T) {
	for name, c := range map[string]struct{ do, failed string }{
		"alike":         {"timeout 1m", "{}"},
		"retries":       {"timeout 1m", "retry 1 backoff 1s else {}"},
		"one at a time": {"limit 1 timeout 1m", "retry 1 else {}"},
		"told apart":    {"timeout 1m", `when event.index == 0 -> Done else {}`},
	} {
		t.Run(name, func(t *testing.T) {
			cover := check.Cover(program(t, []byte(analyse(c.do, c.failed))).Machines[0], explore.DefaultLimit)
			if len(cover.Missed) > 0 {
				t.Errorf("%q is missed", cover.Missed[0].Text())
			}
			for _, run := range cover.Runs {
				for _, s := range run.Steps {
					if (s.Input.Do != nil) != (s.Element >= 0) || s.Ends() && s.Arm != nil {
						t.Errorf("%+v", s)
					}
				}
			}
		})
	}
}

// TestCoverStays: a run that ends with an arm that leads back to its state carries what lets that
// arm be taken, and no other.
func TestCoverStays(t *testing.T) {
	const src = `
machine M {
    context { said json = [] }
    event Said { text string }
    activity ask() -> Said fails none
    initial A
    state A {
        do ask() timeout 1m
        on Said when event.text == "more" -> A max 3 { said = said + event.text }
                else -> T
        on failed -> T
    }
    terminal T success returns said
}`
	for _, run := range check.Cover(program(t, []byte(src)).Machines[0], explore.DefaultLimit).Runs {
		last := run.Steps[len(run.Steps)-1]
		if more := last.Data["text"] == "more"; last.Arm.Kind == ir.Goto && more != (last.To.Name == "A") {
			t.Errorf("%q leads to %s with %v", last.Arm.Text(), last.To.Name, last.Data)
		}
	}
}

// TestCoverEnds: where no run is found, the search for one has an end, and the arm is missed. The
// limit of a cover is a count of steps, so the test counts them.
func TestCoverEnds(t *testing.T) {
	const src = `
machine HH1(cs [0..2]C, js [0..2]json, os [0..2]string?) {
    record A { street string, no int 0..9 ? }
    record C { name string, to A?, note string? , tags [0..2]string }
    context { last string = "", k int 0..9 = 0, got []C = [], cur C }
    event R { index string?, ok bool }
    event F { cs []C, n string?, t A? }
    activity w(name string, note string?, no int?, to A?, all C, i int) -> R
    activity v(x json, y json?) -> R
    initial P
    on failed { last = event.message }
    state P {
        do w(c.name, c.note, c.to.no, c.to, c, i) for i, c in cs as w timeout 1m
        do v(j.a, j.b.c) for j in js as v timeout 1m
        on w.R when event.index is set && event.item.to is set && event.item.to.no is set { last = event.index, k = event.item.to.no, cur = event.item }
             else when event.item.note is set && event.ok && os is set -> Q { last = event.item.note, got = got + event.item }
             else { cur.name = event.item.name, cur.tags = event.item.tags }
        on v.R { got = got + C { name = "x", tags = [] + "q" } }
        on w.failed when event.index > 0 retry 1 backoff 1s else when event.item.to is set -> Q else { }
        on done -> Q
    }
    state Q { on done when cur is set && cur.to is set -> D else -> E }
    terminal D { publish F { cs = got, n = cur.to.street, t = cur.to } }
    terminal E { publish F { cs = got + C { name = last, tags = [] }, n = cur.note } }
}`
	cover, steps := check.CoverSteps(program(t, []byte(src)).Machines[0], explore.DefaultLimit)
	if steps > 250_000 {
		t.Errorf("%d steps were tried", steps)
	}
	if len(cover.Runs) == 0 || len(cover.Missed) == 0 {
		t.Errorf("%d runs, %d arms missed", len(cover.Runs), len(cover.Missed))
	}
}
