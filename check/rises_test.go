package check_test

import (
	"fmt"
	"math/big"
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

// TestLapsOfWhatRises: how often a field can rise or fall on its way is said, whichever arm asks
// whether it is there.
func TestLapsOfWhatRises(t *testing.T) {
	const machine = `machine Agent(budget int 0..1_000_000) {
 context { n int 0..2_000_000 = 0 }
 event Did { cents int 100..50_000 }
 activity think() -> Did fails none
 initial Begin
 state Begin { on done -> Work { n = budget } }
 state Work {
  do think() timeout 1m
  on Did -> Check { n = %[1]s } }
 state Check { on done %[2]s }
 terminal Broke
}
`
	const up, down = "min(n + event.cents, 2_000_000)", "max(n - event.cents, 0)"
	for _, c := range []struct {
		sum, arms string
		laps      int64 // of Work and Check that lead back
	}{
		{up, "when n < budget -> Work else -> Broke", 10_000},
		{up, "when n <= budget -> Work else -> Broke", 10_001},
		{up, "when n >= budget -> Broke else -> Work", 10_000},
		{up, "when !(n < budget) -> Broke else -> Work", 10_000},
		{up, "when n > budget || n == 7 -> Broke else -> Work", 10_001},
		{up, "when n == 2_000_000 -> Broke else -> Work", 20_000},
		{up, "when n != 2_000_000 -> Work else -> Broke", 20_000},
		{down, "when n > 0 -> Work else -> Broke", 20_000},
		{down, "when n == 0 -> Broke else -> Work", 20_000},
		{down, "when n <= 1_000_000 -> Broke else -> Work", 10_000},
		{"n + event.cents", "when n >= budget -> Broke else -> Work", 10_000},
		{"max(n + event.cents, 0)", "-> Work max 5 else -> Broke", 5},

		{up, "when n > budget && n == 7 -> Broke else -> Work", 0},
		{up, "when n == 1_999_999 -> Broke else -> Work", 0},
		{up, "when n > budget -> Work else -> Broke", 0},
		{up, "when n >= budget -> Broke max 3 else -> Work", 0},
		{down, "when n == 2_000_000 -> Broke else -> Work", 0},
		{"event.cents", "when n >= budget -> Broke else -> Work", 0},
	} {
		m := program(t, fmt.Appendf(nil, machine, c.sum, c.arms)).Machines[0]
		steps := check.Bounds(m, 1000).Steps.Amount
		switch {
		case c.laps == 0 && steps != nil:
			t.Errorf("%s, %s: %v steps, and none is the most", c.sum, c.arms, steps)
		case c.laps > 0 && (steps == nil || steps.Cmp(big.NewRat(2*c.laps+3, 1)) != 0):
			t.Errorf("%s, %s: %v steps, not %d", c.sum, c.arms, steps, 2*c.laps+3)
		}
	}
}
