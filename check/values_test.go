package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore/data"
)

// wideValues are machines in which a parameter or an event chooses from more than
// data.MostValues values, and what is computed from that decides. Each has fewer
// configurations than the limit.
var wideValues = []struct {
	name   string
	source string // WIDE is the greatest value
	want   string
}{
	{"a parameter is counted down", `machine M(most int 0..WIDE) {
 context { n int 0..WIDE = 0 }
 event E
 initial Idle
 state Idle { on E -> Work { n = most } after 1h -> T }
 state Work { on E when n > 0 -> Work { n = n - 1 } else -> T
  after 1h -> T }
 terminal T
}
`, ""},
	{"an event sets the counter again", `machine M {
 context { n int 0..WIDE = 0 }
 event Set { n int 0..WIDE }
 event E
 initial Idle
 state Idle { on Set -> Work { n = event.n } after 1h -> T }
 state Work { on E when n > 0 -> Work { n = n - 1 } else -> T
  on Set -> Work max 3 { n = event.n } else reject
  after 1h -> T }
 terminal T
}
`, ""},
	{"a price times a number", `machine M {
 context { x int 0..1_000_000 = 0 }
 event Price { price int 0..WIDE }
 initial Idle
 state Idle { on Price -> Priced { x = event.price * 99 } after 1h -> T }
 state Priced { on done when x == 9_900 -> Hundred else when x == 9_901 -> None else -> T }
 terminal Hundred
 terminal None
 terminal T
}
`, "8: unreachable-state: no run enters state \"None\"\n"},
	{"what is only compared is copied", `machine M(most int 0..WIDE) {
 context { refund int 0..WIDE = 0 }
 event Planned { refund int 0..WIDE }
 event E
 initial Planning
 state Planning {
  on Planned when event.refund > most -> T
   else -> Calling max 1 { refund = event.refund }
   else -> Asking
  after 1h -> T
 }
 state Calling { on E -> Planning after 1h -> T }
 state Asking {
  on E when refund > 0 -> Asking else -> T
  after 1h -> T
 }
 terminal T
}
`, `14: unbounded-loop: "Asking" can be entered again and again without end
  0s Planning Planned
  0s Calling E
  0s Planning Planned
  loop 0s Asking E
   Asking 
`},
	{"one value of the limit leaves no room", `machine M(most int 0..WIDE) {
 event Pay { n int 0..WIDE }
 event Go
 initial S
 state S {
  on Pay when event.n > most && event.n < 100 -> T else reject
  on Go when most >= 100 -> T else reject
 }
 terminal T
}
`, `5: no-way-to-finish: a run can be stuck in "S": no terminal state can be reached any more
   S 
`},
	{"more than one value of the limit leaves room", `machine M(most int 0..WIDE) {
 event Pay { n int 0..WIDE }
 initial S
 state S {
  on Pay when event.n < most && event.n > 100 && most < 5_000 -> Found else -> T
  after 1h -> T
 }
 terminal Found
 terminal T
}
`, ""},
	{"a limit is raised to what is asked", `machine M {
 context { most int 0..WIDE = 3 }
 event Ask { n int 0..WIDE }
 event Raise { to int 0..WIDE }
 initial S
 state S {
  on Ask when event.n > most -> T else when event.n == 5 && most < 4 -> Never else ignore
  on Raise when event.to > 90 -> S max 3 { most = event.to } else reject
  after 1h -> T
 }
 state Never { after 1h -> T }
 terminal T
}
`, `11: unreachable-state: no run enters state "Never"
`},
	{"a payment is compared with a limit", `machine M(most int 0..WIDE) {
 event Pay { amount int 0..WIDE }
 initial S
 state S { on Pay when event.amount > most -> T else reject }
 terminal T
}
`, `4: no-way-to-finish: a run can be stuck in "S": no terminal state can be reached any more
   S 
`},
	{"a state that one value leads to", `machine M {
 context { x int 0..1_000_000 = 0 }
 event Pay { amount int 0..WIDE }
 event E
 initial Idle
 state Idle { on Pay -> Paid { x = event.amount * 3 + 500 } after 1h -> T }
 state Paid { on done when x == 12_500 -> A else when x == 12_501 -> B else -> T }
 state A { on E -> A2 unbounded }
 state A2 { on E -> A unbounded }
 terminal B
 terminal T
}
`, `8: no-way-to-finish: no terminal state can be reached any more from "A" and "A2": the run goes round for ever
  0s Idle Pay
  0s Paid done
  loop 0s A E
  0s A2 E
   A 
10: unreachable-state: no run enters state "B"
`},
	{"two fields from one value, and timers that forestall others", `machine M {
 event Set { a int 0..WIDE }
 event Go
 context { x int 0..WIDE = 0 y int 0..1_000_000 = 0 }
 initial A
 state A { on Set -> B { x = event.a, y = event.a + 1 } after 1h -> T }
 state B {
  on Go when x < y -> T
  after 2h -> Never
  after 3m -> A max 3 else -> T
 }
 state Never { after 1h -> T }
 terminal T
}
`, `9: never-fires: "after 2h" of "B" never fires: "after 3m" of "B" always comes before it, so no run enters "Never"
  0s A Set
  3m0s B after 3m
   A 
`},
}

// TestWideValues: below the limit, each value is told apart, however many there are.
func TestWideValues(t *testing.T) {
	for _, c := range wideValues {
		src := strings.ReplaceAll(c.source, "WIDE", fmt.Sprint(2*data.MostValues))
		got := lines(check.RunUpTo(program(t, []byte(src)), all.Rules, 100_000))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestOnlyCompared: of a field of an event that is only compared, few of many values are
// tried, and what is found is what all values of a smaller range show.
func TestOnlyCompared(t *testing.T) {
	for _, guards := range [][]string{
		{"event.n > most"},
		{"event.n >= most"},
		{"event.n == most && most > 7"},
		{"event.n - most > 5", "event.n < most"},
		{"event.n - most > WIDE", "event.n != most"},
		{"most - event.n == 9", "event.m == most && event.n == 3"},
		{"event.n + 4 < most || event.m > 50", "!(event.n == 20) && most < 30"},
		{"event.n < event.m", "event.n == most"},
		{"event.n == 0 && event.n == most"},
	} {
		var arms string
		for i, when := range guards {
			arms += fmt.Sprintf("  on E when %s -> S%d\n   else reject\n", when, i)
			if i > 0 {
				arms = strings.Replace(arms, "on E when "+when, "else when "+when, 1)
				arms = strings.Replace(arms, "   else reject\n", "", 1)
			}
		}
		src := "machine M(most int 0..100) {\n event E { n int 0..WIDE, m int 0..WIDE }\n initial S\n after 1h -> T\n state S {\n" + arms + " }\n" +
			each(len(guards), "", " state S%[1]d { on done when most == 7 -> Seven else -> T }\n") + " terminal Seven\n terminal T\n}\n"
		found := func(wide int64) string {
			n := fmt.Sprint(wide)
			got := lines(check.RunUpTo(program(t, []byte(strings.ReplaceAll(src, "WIDE", n))), all.Rules, 1_000_000))
			return strings.ReplaceAll(got, n, "WIDE")
		}
		if diff := cmp.Diff(found(100), found(data.MostValues+10)); diff != "" {
			t.Errorf("%s (-all values +few of them):\n%s", src, diff)
		}
	}
}
