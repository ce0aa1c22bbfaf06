package check_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
)

// TestRunsGrow holds that to write out the longest runs of a machine takes memory in
// proportion to their length, however many arms they take: of 10,000 states in a ring
// the copies of one replay once took 7 GB.
func TestRunsGrow(t *testing.T) {
	ring := func(n int) string {
		var b strings.Builder
		b.WriteString("machine M {\n event Go\n initial S0\n")
		for i := range n {
			bound := ""
			if i == 0 {
				bound = " max 3 else -> Done"
			}
			fmt.Fprintf(&b, " state S%d {\n on Go -> S%d%s\n after 1h -> Done }\n", i, (i+1)%n, bound)
		}
		b.WriteString(" terminal Done\n}\n")
		return b.String()
	}
	allocated := func(n int) uint64 {
		m := program(t, []byte(ring(n))).Machines[0]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w := check.Bounds(m, explore.DefaultLimit)
		runtime.ReadMemStats(&after)
		if !w.Steps.Exact {
			t.Errorf("of %d states the steps are no figure that a run reaches", n)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	if small, large := allocated(400), allocated(1600); large > 6*small {
		t.Errorf("%d bytes for a ring of 400 states, %d for one of 1600", small, large)
	}
}
