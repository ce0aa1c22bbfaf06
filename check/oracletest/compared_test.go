package oracletest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
)

// comparedFrom has what is only compared, and has so many values, told apart by few of them while
// t runs.
func comparedFrom(t *testing.T, n int64) { during(t, &data.ComparedFrom, n) }

// found is what the checker finds in a machine, and where, and its figures.
func found(unit *lang.Unit) string {
	diags, worsts := check.Analyze(unit.Program, all.Rules, 200_000, false)
	var lines []string
	for _, d := range diags {
		line := fmt.Sprintf("%d:%d %s %s", d.Span.Start.Line, d.Span.Start.Column, d.Rule, d.Message)
		if d.Rule == "unbounded-loop" { // of several, the one that is met first is shown
			line = d.Rule
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	for _, w := range worsts {
		if w != nil {
			lines = append(lines, fmt.Sprintf("steps %v, exact %v", w.Steps.Amount, w.Steps.Exact))
		}
	}
	return strings.Join(lines, "\n")
}

// TestComparedByFew compares what is found in machines whose numbers are only compared and copied,
// with all values told apart, and with few that stand for the others.
func TestComparedByFew(t *testing.T) {
	compared := 0
	for seed := range uint64(*oracleCount) {
		src := oracletest.GenerateCompared(rand.New(rand.NewPCG(seed, 480)))
		unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
		if unit.Diags.HasErrors() {
			continue
		}
		comparedFrom(t, 1<<40)
		every := found(unit)
		comparedFrom(t, 0)
		few := found(unit)
		compared++
		if every != few {
			t.Errorf("seed %d\n%s\n--- every value\n%s\n--- few values\n%s", seed, src, every, few)
		}
	}
	if compared < *oracleCount*9/10 {
		t.Errorf("%d machines compared, want nine of ten", compared)
	}
}
