package check_test

import (
	"math/big"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// TestWrongFactorsAreCaught puts a wrong factor into the figures of a machine with
// elements: brute force has another number for each.
func TestWrongFactorsAreCaught(t *testing.T) {
	s, why := brute(`
machine Analyse(files [0..3]string) {
    event Analysed
    activity analyse(file string) -> Analysed cost usd 0.05
    initial Analysing
    state Analysing {
        do analyse(file) for file in files
        on Analysed {}
        on failed retry 2 backoff 4s jitter 0
            else {}
        on done -> Done
    }
    terminal Done
}
`)
	if s == nil {
		t.Fatal(why)
	}
	for _, f := range []struct {
		name   string
		change func(w *check.Worst)
		caught bool
	}{
		{"nothing", func(*check.Worst) {}, false},
		{"two elements", func(w *check.Worst) { w.Activities[0].Amount = big.NewRat(6, 1) }, true},
		{"four elements", func(w *check.Worst) { w.Activities[0].Amount = big.NewRat(12, 1) }, true},
		{"two attempts each", func(w *check.Worst) { w.Activities[0].Amount = big.NewRat(6, 1) }, true},
		{"four attempts each", func(w *check.Worst) { w.Activities[0].Amount = big.NewRat(12, 1) }, true},
		{"too few at most", func(w *check.Worst) { w.Activities[0].Amount, w.Activities[0].Exact = big.NewRat(8, 1), false }, true},
		{"retries of one element", func(w *check.Worst) { w.Steps.Amount = big.NewRat(3, 1) }, true},
		{"the cost of one attempt each", func(w *check.Worst) { w.Costs[0].Amount = big.NewRat(15, 100) }, true},
	} {
		w := check.Bounds(s.Machine, explore.DefaultLimit)
		f.change(w)
		if found := compareWorst(s, w, map[string]int{}); (len(found) > 0) != f.caught {
			t.Errorf("%s: brute force says %v", f.name, found)
		}
	}
}
