package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
)

// beside is a machine of ten activities in one state, each with retries. How is what the
// first does with its result, and around what stands beside them.
func beside(how, around string) []byte {
	var events, dos strings.Builder
	for i := range 10 {
		fmt.Fprintf(&events, " event R%d\n activity f%d() -> R%d\n", i, i, i)
		arm := "{}"
		if i == 0 {
			arm = how
		}
		fmt.Fprintf(&dos, "  do f%d() as a%d timeout 1m\n  on a%d.R%d %s\n  on a%d.failed retry 2 else {}\n", i, i, i, i, arm, i)
	}
	return fmt.Appendf(nil, `machine Beside {
 context { good bool = false }
%s event Go
 initial S
 state S {
%s  on done when good -> Done else -> Failed
%s }
 state Next { on Go -> S unbounded }
 terminal Done
 terminal Failed failure
}
`, events.String(), dos.String(), around)
}

// TestDoneComes: past the limit it is known that `done` comes where each activity can end in its
// state, whatever the data and the counters are, and no timer leads elsewhere before.
func TestDoneComes(t *testing.T) {
	const open = "whether every run can finish"
	for _, c := range []struct {
		name, how, around string
		proved            bool
	}{
		{"stays", "{ good = true }", "", true},
		{"a guard, and all stay", "when !good { good = true } else ignore", "", true},
		{"a bounded retry", "retry 3 { good = true } else {}", "", true},
		{"a timer that ends the run", "{ good = true }", "  after 1h -> Failed\n", true},
		{"a timer that stays", "{ good = true }", "  after 1m { good = true }\n", true},
		{"a result that leads elsewhere, but failures stay", "-> Next", "", true},
		{"a timer that leads elsewhere", "{ good = true }", "  after 1s -> Next\n", false},
	} {
		found := check.RunUpTo(program(t, beside(c.how, c.around)), all.Rules, 1000)
		if got := lines(found); strings.Contains(got, open) == c.proved {
			t.Errorf("%s: proved that every run can finish: %t\n%s", c.name, !c.proved, got)
		}
		for _, d := range found {
			if d.Rule == "undecided" && !strings.Contains(d.Help, `What multiplies: 10 activities side by side in "S"`) {
				t.Errorf("%s: the help does not name the activities: %s", c.name, d.Help)
			}
		}
	}
}
