package data_test

import (
	"testing"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// TestStarts: the parameters of which each value is followed multiply; those that are free, or of
// which few values stand for all, do not.
func TestStarts(t *testing.T) {
	const src = `machine Sum(a int 0..100_000, b int 0..100_000, c int 0..100_000) {
    context { total int 0..200_000 = 0 }
    event Go

    initial Start
    state Start {
        on Go when c > 7 -> Added { total = a + b }
            else -> Done
    }
    state Added {
        on Go when total >= 60 -> Done
            else -> Done
    }
    terminal Done
}`
	m := langtest.Machine(t, src)
	for _, c := range []struct {
		span int
		want float64
	}{
		{data.MostValues, 1},
		{4_000_000, 100_001 * 100_001},
	} {
		if got := data.NewWithout(m, nil, c.span).Starts(); got != c.want {
			t.Errorf("where up to %d values are told apart, a run starts in %v ways, want %v", c.span, got, c.want)
		}
	}
}
