package drawing_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/codegen/codegentest"
	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

// TestCoverage: an arrow that two arms share is taken where both were.
func TestCoverage(t *testing.T) {
	d := drawing.Plan(codegentest.Parse(t, "m.fsm", busy), nil)
	c := &drawing.Coverage{
		Arms: map[string]bool{"A on Worked else 1": true, "A on failed": true, "B on Go": true}, States: map[string]bool{"A": true, "B": true},
	}
	c.Mark(d)
	marks := map[string]drawing.Mark{}
	for _, e := range d.Edges {
		marks[e.ID()] = e.Mark
	}
	d.Root.Walk(func(n *drawing.Node) { marks[n.ID] = n.Mark })
	got := map[drawing.Mark][]string{}
	for _, id := range slices.Sorted(maps.Keys(marks)) {
		got[marks[id]] = append(got[marks[id]], id)
	}
	want := map[drawing.Mark][]string{
		drawing.Unmarked: {"", "(any)", "(start)", "(start)-A"},
		drawing.Taken:    {"A", "A-A-retry", "B", "B-Done"},
		drawing.Missed:   {"(any)-Stopped", "A-A", "A-B", "A-Stopped", "Done", "Stopped"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
