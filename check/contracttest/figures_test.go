package contracttest_test

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/contracttest"
)

// figures compares the worst cases.
func figures(m *contracttest.Machine, space *contracttest.Space, queue int, w *check.Worst) (diffs []string) {
	mine := space.Worst()
	figure := func(f check.Figure, want int) {
		got := amount(f)
		switch {
		case got == want && (f.Exact || want < 0):
		case (m.HasLists() || m.Called() != nil || m.Held()) && !f.Exact && want >= 0 && got >= want: // docs/decisions/0149-figures-of-elements.md
		case got == want:
			diffs = append(diffs, fmt.Sprintf("%s at-most: %d is reached by some run", f.Name, got))
		default:
			diffs = append(diffs, fmt.Sprintf("%s wrong: the checker says %d, the contract %d", f.Name, got, want))
		}
	}
	figure(w.Steps, mine.Steps)
	for _, c := range w.Costs {
		if m.Held() {
			break
		}
		figure(c, mine.Costs[slices.Index(contracttest.Costs, c.Name)])
	}
	for i, a := range w.Activities {
		figure(a, mine.Attempts[i])
	}
	if m.Called() != nil {
		return diffs
	}
	return append(diffs, longest(m, queue, w)...)
}

// longest compares the time, which is an upper bound.
func longest(m *contracttest.Machine, queue int, w *check.Worst) []string {
	const parts = 2
	ticks := contracttest.Ticks(m, queue, 20_000, parts)
	if ticks.Full {
		return nil
	}
	mine, got := ticks.Longest(), amount(w.Time)
	if got < 0 || mine >= 0 && got >= mine*int(time.Second)/parts {
		return nil
	}
	return []string{fmt.Sprintf("time too-low: the checker says %v, some run takes %d half seconds", time.Duration(got), mine)}
}

// amount is a figure, or -1 where it has no bound.
func amount(f check.Figure) int {
	if f.Amount == nil {
		return -1
	}
	n := new(big.Int).Quo(f.Amount.Num(), f.Amount.Denom())
	return int(n.Int64())
}
