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

// TestCoverOfElements: a generated test takes any element that is open, so no run is given
// in which it matters which one that is.
func TestCoverOfElements(t *testing.T) {
	for _, c := range []struct {
		name, do, failed string
		given            bool // runs with results of elements
	}{
		{"alike", "timeout 1m", "{}", true},
		{"retries", "timeout 1m", "retry 1 backoff 1s else {}", false},
		{"one at a time", "limit 1 timeout 1m", "{}", false},
		{"told apart", "timeout 1m", `when event.item == "x" -> Done else {}`, false},
	} {
		cover, given := check.Cover(program(t, []byte(analyse(c.do, c.failed))).Machines[0], explore.DefaultLimit), false
		for _, run := range cover.Runs {
			for _, s := range run.Steps {
				given = given || s.Input.Kind == ir.CaseFailure
			}
		}
		if given != c.given {
			t.Errorf("%s: %v, with %d runs", c.name, given, len(cover.Runs))
		}
	}
}
