package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
)

// TestRisesByWayOfOthers: what an agent has spent rises in one state, by way of another field,
// and is held against its budget in the next one.
func TestRisesByWayOfOthers(t *testing.T) {
	const machine = `machine Agent(budget int 0..100_000) {
 context { spent int 0..200_000 = 0, next int 0..250_000 = 0, left int 0..900_000 = 900_000 }
 event Did { cents int %[1]s }
 event Undone
 event Refused
 activity think() -> Did | Undone | Refused fails none
 initial Work
 state Work { %[4]s
  do think() timeout 5m
  on Did -> Check { next = %[2]s }
  on Undone %[5]s
  on Refused, failed -> Failed }
 state Check {
  on done when %[3]s
   else -> Broke }
 terminal Broke
 terminal Failed failure
}
`
	const checked = "next <= budget -> Work { spent = next }"
	for _, c := range []struct {
		cents, sum, when, entry, undone string
		ends                            bool
	}{
		{"1..50_000", "spent + event.cents", checked, "", "-> Failed", true},
		{"1..50_000", "event.cents + spent", checked, "", "-> Failed", true},
		{"-50_000..-1", "spent - event.cents", checked, "", "-> Failed", true},
		{"1..50_000", "spent + event.cents", "budget >= next -> Work { spent = next }", "", "-> Failed", true},
		{"1..50_000", "spent + event.cents", "next < 70_000 -> Work { spent = next }", "", "-> Failed", true},
		{"1..50_000", "spent + event.cents", "left > budget -> Work { left = max(left - 1, 0), spent = min(next, 9) }", "", "-> Failed", true},
		{"1..50_000", "spent + event.cents", checked, "", "-> Check { next = min(spent + 1, 250_000) }", true},
		// Of these the range is the end: what would leave it is not taken.
		{"1..50_000", "spent - event.cents", checked, "", "-> Failed", true},
		{"1..50_000", "spent + event.cents", "next >= budget -> Work { spent = next }", "", "-> Failed", true},

		{"0..50_000", "spent + event.cents", checked, "", "-> Failed", false},
		{"1..50_000", "spent + event.cents", "next <= budget -> Work", "", "-> Failed", false},
		{"1..50_000", "spent + event.cents", "next != budget -> Work { spent = min(next, 200_000) }", "", "-> Failed", false},
		{"1..50_000", "spent + event.cents", checked, "", "-> Check { next = spent }", false},
		{"1..50_000", "spent + event.cents", checked, "", "-> Check { next = 70 }", false},
		{"1..50_000", "spent + event.cents", checked, "", "-> Check { next = min(spent + 1, 70_000) }", false},
		{"1..50_000", "spent + event.cents", checked, "", "retry 1 { spent = max(spent - 1, 0) }\n else -> Failed", false},
		{"1..50_000", "spent + event.cents", checked, "entry { spent = 0 }", "-> Failed", false},
		{"1..50_000", "spent + event.cents", checked, "exit { next = 0 }", "-> Failed", true},
		{"1..50_000", "spent + event.cents", checked, "exit { spent = 0 }", "-> Failed", false},
	} {
		src := fmt.Sprintf(machine, c.cents, c.sum, c.when, c.entry, c.undone)
		m := program(t, []byte(src))
		got := lines(check.RunUpTo(m, all.Rules, 1000))
		if c.ends && (strings.Contains(got, "unbounded-loop") || strings.Contains(got, "whether a cycle can be taken without end")) {
			t.Errorf("it ends:\n%s\n%s", src, got)
		}
		bounds := check.Bounds(m.Machines[0], 1000)
		if (bounds.Steps.Amount != nil) != c.ends {
			t.Errorf("%v steps:\n%s", bounds.Steps.Amount, src)
		}
		if why := bounds.Why("time"); c.ends && strings.HasSuffix(why, " can be taken without end") {
			t.Errorf("%s:\n%s", why, src)
		}
	}
}
