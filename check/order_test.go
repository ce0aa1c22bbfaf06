package check_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

var (
	orderCount = flag.Int("order", 150, "how many random machines are written in another order")
	orderSeed  = flag.Uint64("order-seed", 0, "the first of them")
)

// TestOrder writes random machines in another order: what is found and what is
// figured must be the same.
func TestOrder(t *testing.T) {
	for name, generate := range map[string]func(*rand.Rand) string{"all": oracletest.Generate, "flat": oracletest.GenerateFlat} {
		t.Run(name, func(t *testing.T) {
			moved := 0
			seeds := slices.Clone(onceDifferent[name])
			for i := range *orderCount {
				seeds = append(seeds, *orderSeed+uint64(i))
			}
			for _, seed := range seeds {
				r := rand.New(rand.NewPCG(seed, 73))
				src := generate(r)
				other := oracletest.Shuffle(r, src)
				if other == src {
					continue
				}
				moved++
				before, after := inAnyOrder(t, src), inAnyOrder(t, other)
				if !slices.Equal(before, after) {
					t.Errorf("machine %d:\n%s\n--- in another order:\n%s\n--- said of it: %q\n--- and then: %q", seed, src, other, before, after)
				}
			}
			if moved < *orderCount*2/3 {
				t.Errorf("only %d machines were changed", moved)
			}
		})
	}
}

// onceDifferent are machines whose order did decide: a figure was exact in one, a
// question open, a dead arm told.
var onceDifferent = map[string][]uint64{"all": {217, 775, 1668, 1756, 1769}, "flat": {1154, 1260, 1614}}

var (
	quotedName = regexp.MustCompile(`"[^"]*"`)
	lineNumber = regexp.MustCompile(`\bline \d+|:\d+:\d+`)
	example    = regexp.MustCompile(` where [^:]*`)
)

// words are those of d without lines, and without the values that it gives as an
// example: of shortest runs the first by the text is shown. Names come in the order of
// the text, and here sorted. Of what is left open only that something is: timers are
// not followed to the last, and of two questions about one place the first alone is
// told.
func words(d diag.Diagnostic) string {
	if d.Rule == "undecided" {
		return d.Rule
	}
	names := quotedName.FindAllString(d.Message, -1)
	if d.Rule == "guard-gap" {
		names = nil // of the leaves with one handler the first by the text is named
	}
	slices.Sort(names)
	return d.Rule + ": " + quotedName.ReplaceAllString(lineNumber.ReplaceAllString(example.ReplaceAllString(d.Message, ""), ""), "\"\"") + strings.Join(names, " ")
}

// inAnyOrder is what the checker says of src, sorted, without lines.
func inAnyOrder(t *testing.T, src string) []string {
	t.Helper()
	diags, worsts := check.Analyze(langtest.Unit(t, src).Program, all.Rules, 4_000_000, false)
	var out []string
	for _, d := range diags {
		out = append(out, words(d))
	}
	for _, w := range worsts {
		for _, f := range append([]check.Figure{w.Steps, w.Time}, slices.Concat(w.Costs, w.Activities)...) {
			amount := "no bound"
			if f.Amount != nil {
				amount = f.Amount.RatString()
			}
			out = append(out, fmt.Sprintf("%s %s exact %v", f.Name, amount, f.Exact))
		}
	}
	slices.Sort(out)
	return out
}
