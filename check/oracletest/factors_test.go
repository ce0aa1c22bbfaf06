package oracletest_test

import (
	"math/big"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// wrong is a change of the figures of a machine, and whether brute force finds it.
type wrong struct {
	name   string
	change func(w *check.Worst)
	caught bool
}

// areCaught changes what the checker says of the first machine of src, and looks at what brute force says of that.
func areCaught(t *testing.T, src string, all []wrong) {
	t.Helper()
	s, why := brute(src)
	if s == nil {
		t.Fatal(why)
	}
	for _, f := range all {
		w := check.Bounds(s.Machine, explore.DefaultLimit)
		f.change(w)
		if found := compareWorst(s, w, map[string]int{}); (len(found) > 0) != f.caught {
			t.Errorf("%s: brute force says %v", f.name, found)
		}
	}
}

// most sets a figure to n/of.
func most(f *check.Figure, n, of int64) { f.Amount = big.NewRat(n, of) }

// TestWrongFactorsAreCaught puts a wrong factor into the figures of a machine with
// elements: brute force has another number for each.
func TestWrongFactorsAreCaught(t *testing.T) {
	areCaught(t, `
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
`, []wrong{
		{"nothing", func(*check.Worst) {}, false},
		{"two elements", func(w *check.Worst) { w.Activities[0].Amount = big.NewRat(6, 1) }, true},
		{"four elements", func(w *check.Worst) { w.Activities[0].Amount = big.NewRat(12, 1) }, true},
		{"two attempts each", func(w *check.Worst) { w.Activities[0].Amount = big.NewRat(6, 1) }, true},
		{"four attempts each", func(w *check.Worst) { w.Activities[0].Amount = big.NewRat(12, 1) }, true},
		{"too few at most", func(w *check.Worst) { w.Activities[0].Amount, w.Activities[0].Exact = big.NewRat(8, 1), false }, true},
		{"retries of one element", func(w *check.Worst) { w.Steps.Amount = big.NewRat(3, 1) }, true},
		{"the cost of one attempt each", func(w *check.Worst) { w.Costs[0].Amount = big.NewRat(15, 100) }, true},
	})
}

// TestWrongTreesAreCaught is TestWrongFactorsAreCaught for a machine that calls another: what
// is wrong in one of the two, or in the sum, brute force has otherwise.
func TestWrongTreesAreCaught(t *testing.T) {
	areCaught(t, `
machine Batch(files [0..2]string) {
    event Listed
    activity list() -> Listed cost usd 0.01
    initial Listing
    state Listing {
        do list()
        on Listed -> Reviewing
        on failed retry 1 backoff 4s jitter 0
            else -> Broken
    }
    state Reviewing {
        do machine Review(file) for file in files as review
        on review.Good {}
        on review.Bad retry 1 backoff 4s jitter 0
            else {}
        on review.failed {}
        on done -> Done
    }
    terminal Done
    terminal Broken failure
}
machine Review(file string) {
    event Analysed
    activity analyse(file string) -> Analysed cost usd 0.05
    initial Analysing
    state Analysing {
        do analyse(file)
        on Analysed -> Good
        on failed retry 2 backoff 4s jitter 0
            else -> Bad
    }
    terminal Good
    terminal Bad failure
}
`, []wrong{
		{"nothing", func(*check.Worst) {}, false},
		{"children of one element", func(w *check.Worst) { most(&w.Tree.Runs, 3, 1) }, true},
		{"children without the run itself", func(w *check.Worst) { most(&w.Tree.Runs, 4, 1) }, true},
		{"children without retries", func(w *check.Worst) { most(&w.Tree.Attempts[1], 6, 1) }, true},
		{"one attempt of each child", func(w *check.Worst) { most(&w.Tree.Attempts[1], 4, 1) }, true},
		{"its own attempts with those of children", func(w *check.Worst) { most(&w.Tree.Attempts[0], 4, 1) }, true},
		{"the cost of its own attempts left out", func(w *check.Worst) { most(&w.Costs[0], 60, 100) }, true},
		{"the cost of one child", func(w *check.Worst) { most(&w.Costs[0], 17, 100) }, true},
		{"too little at most", func(w *check.Worst) { most(&w.Costs[0], 61, 100); w.Costs[0].Exact = false }, true},
		{"steps of children left out", func(w *check.Worst) { most(&w.Tree.Steps, 5, 1) }, true},
		{"steps of one child more", func(w *check.Worst) { most(&w.Tree.Steps, 20, 1) }, true},
	})
}

// TestWrongTreesOfThreeLevelsAreCaught is TestWrongTreesAreCaught for a machine that calls one
// that calls another.
func TestWrongTreesOfThreeLevelsAreCaught(t *testing.T) {
	areCaught(t, `
machine Batch(files [0..2]string) {
    initial Reviewing
    state Reviewing {
        do machine Review(file) for file in files as review
        on review.Good {}
        on review.Bad {}
        on review.failed {}
        on done -> Done
    }
    terminal Done
}
machine Review(file string) {
    event Listed
    activity list(file string) -> Listed cost usd 0.01
    initial Listing
    state Listing {
        do list(file)
        on Listed -> Analysing
        on failed -> Analysing
    }
    state Analysing {
        do machine Analyse(file)
        on Analyse.Found -> Good
        on Analyse.Nothing, failed retry 1 backoff 4s jitter 0
            else -> Bad
    }
    terminal Good
    terminal Bad failure
}
machine Analyse(file string) {
    event Analysed
    activity analyse(file string) -> Analysed cost usd 0.05
    initial Analysing
    state Analysing {
        do analyse(file)
        on Analysed -> Found
        on failed retry 2 backoff 4s jitter 0
            else -> Nothing
    }
    terminal Found
    terminal Nothing failure
}
`, []wrong{
		{"nothing", func(*check.Worst) {}, false},
		{"runs of two levels", func(w *check.Worst) { most(&w.Tree.Runs, 3, 1) }, true},
		{"runs of the third level once in each child", func(w *check.Worst) { most(&w.Tree.Runs, 5, 1) }, true},
		{"runs of one element", func(w *check.Worst) { most(&w.Tree.Runs, 4, 1) }, true},
		{"attempts of the second level for one element", func(w *check.Worst) { most(&w.Tree.Attempts[0], 1, 1) }, true},
		{"attempts of the third level without its own retries", func(w *check.Worst) { most(&w.Tree.Attempts[1], 4, 1) }, true},
		{"attempts of the third level without retries of its run", func(w *check.Worst) { most(&w.Tree.Attempts[1], 6, 1) }, true},
		{"attempts of the third level for one element", func(w *check.Worst) { most(&w.Tree.Attempts[1], 6, 1) }, true},
		{"the cost of the third level left out", func(w *check.Worst) { most(&w.Costs[0], 2, 100) }, true},
		{"the cost of the second level left out", func(w *check.Worst) { most(&w.Costs[0], 60, 100) }, true},
		{"the cost of one element", func(w *check.Worst) { most(&w.Costs[0], 31, 100) }, true},
		{"steps of the third level left out", func(w *check.Worst) { most(&w.Tree.Steps, 7, 1) }, true},
		{"steps of the second level left out", func(w *check.Worst) { most(&w.Tree.Steps, 13, 1) }, true},
		{"one step more", func(w *check.Worst) { most(&w.Tree.Steps, 20, 1) }, true},
	})
}
