package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// TestRunsOfChains counts runs of steps: in a chain of arms or requires with three host
// guards each they grow with its length, not with the power of it. A run counts once
// for each leaf that turns it away, so that those of requires grow with the square.
func TestRunsOfChains(t *testing.T) {
	runs := func(n int, line string) int {
		var guards, text strings.Builder
		for i := range n {
			fmt.Fprintf(&guards, "guard f%[1]d()\n guard g%[1]d()\n guard h%[1]d()\n", i)
			fmt.Fprintf(&text, strings.ReplaceAll(line, "GUARD", "f%[1]d() && g%[1]d() && h%[1]d()")+"\n", i, i+1)
		}
		if strings.Contains(line, "require") {
			return explored(t, fmt.Sprintf("machine M {\n %s event E\n initial I\n state I { on E -> S0 }\n %s state S%d { on E -> T }\n terminal T\n}\n", guards.String(), text.String(), n)).Tries
		}
		return explored(t, fmt.Sprintf("machine M {\n %s event E\n initial S\n state S { on E when f0() -> T\n %s else -> T }\n terminal T\n}\n", guards.String(), text.String())).Tries
	}
	for line, most := range map[string]int{
		"else when GUARD -> T": 3,
		"state S%[1]d { require GUARD else -> S%[2]d on E -> T }": 5,
	} {
		if small, large := runs(20, line), runs(40, line); large > most*small {
			t.Errorf("%s: %d runs for 20, %d for 40", line, small, large)
		}
	}
}

// TestTryFurther: what gave up before is not tried a second time with a higher limit.
func TestTryFurther(t *testing.T) {
	table := flat.New(langtest.Machine(t, "machine M {\n initial A\n after 2h -> T\n state A { after 1h -> B }\n state B { after 30m -> A unbounded }\n terminal T\n}\n"), nil)
	for before, timed := range map[int]bool{0: true, maxTimed - 1: true, maxTimed: false} {
		if p, _ := TryFurther(table, before, DefaultLimit, DefaultLimit); p == nil || p.Timed() != timed || p.paced != timed {
			t.Errorf("tried up to %d before: times decide is not %v", before, timed)
		}
	}
}
