package oracletest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang"
)

// rulesOf are the rules by which something is found in a machine, and its figures. Where it stands may
// hang on which value is tried first.
func rulesOf(src string) (text string, ok bool) {
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	if unit.Diags.HasErrors() {
		return unit.Diags[0].Message, false
	}
	diags, worsts := check.Analyze(unit.Program, all.Rules, 200_000, false)
	var lines []string
	for _, d := range diags {
		lines = append(lines, d.Rule)
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	for _, w := range worsts {
		lines = append(lines, fmt.Sprintf("steps %v, exact %v", w.Steps.Amount, w.Steps.Exact))
	}
	return strings.Join(lines, "\n"), true
}

// TestNamedAsEnum compares what is found in machines that compare strings with each other with what
// is found where an enum stands for the strings.
func TestNamedAsEnum(t *testing.T) {
	compared := 0
	for seed := range uint64(*oracleCount) {
		text, asEnum := oracletest.GenerateNamed(rand.New(rand.NewPCG(seed, 590)))
		want, ok := rulesOf(asEnum)
		if !ok {
			continue
		}
		compared++
		if strings.Contains(want, "undecided") {
			t.Errorf("seed %d is undecided\n%s", seed, asEnum)
		}
		if got, _ := rulesOf(text); got != want {
			t.Errorf("seed %d\n%s\n--- as strings\n%s\n--- as an enum\n%s", seed, text, got, want)
		}
	}
	if compared < *oracleCount*9/10 {
		t.Errorf("%d machines compared, want nine of ten", compared)
	}
}
