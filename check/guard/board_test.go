package guard_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fsmc-dev/fsmc/check/guard"
)

// TestBoard: of guards on a Board it is found out as by Satisfy which can hold, or be false,
// at once; and in whatever order one is asked, the questions before it play no part.
func TestBoard(t *testing.T) {
	tally := map[guard.Verdict]int{}
	for seed := range 6 * len(themes) {
		r := rand.New(rand.NewPCG(3, uint64(seed)))
		th := &themes[seed%len(themes)]
		var texts []string
		for range 8 {
			texts = append(texts, th.random(r, 1+r.IntN(4)))
		}
		list, input, _ := guards(t, texts...)
		var formulas []guard.Formula
		for _, e := range list {
			g := guard.Read(e, input)
			formulas = append(formulas, g.Holds, g.Fails)
		}
		board := guard.NewBoard(formulas)
		if board == nil {
			continue
		}
		for range 100 {
			var numbers []int
			var asked []guard.Formula
			for range 1 + r.IntN(6) {
				n := r.IntN(len(formulas))
				numbers, asked = append(numbers, n), append(asked, formulas[n])
			}
			got, want := board.Possible(numbers), guard.Satisfy(asked...).Verdict
			if tally[got]++; got != want && got != guard.Undecided {
				t.Fatalf("%v of %q: %v on the board, and %v", numbers, texts, got, want)
			}
		}
	}
	if tally[guard.Sat] < 500 || tally[guard.Unsat] < 500 || tally[guard.Undecided] > 500 {
		t.Errorf("%v: too few to mean much", tally)
	}
}
