package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestAssertsPastTheLimit: what no path of the control graph breaks is proved.
func TestAssertsPastTheLimit(t *testing.T) {
	const machine = `machine Far(a int 0..999, b int 0..999) {
 event Go
 event Back
 assert %s
 initial Open
 after 30d -> Late
 on cancel -> Stopped
 state Open { on Go when a < b -> Work
    else -> Other }
 state Other { on Go -> Late }
 state Work {
  initial One
  state One { on Go -> Two }
  state Two { on Back -> One max 2 else -> Late on Go -> Paid }
 }
 state Paid { on Go -> Done }
 terminal Done
 terminal Late failure
 terminal Stopped cancelled
}
`
	for _, c := range []struct {
		assert string
		proved bool
	}{
		{"Work precedes Paid", true},
		{"Work.Two precedes Paid", true},
		{"Open precedes Open", true},
		{"Paid precedes Work", false},
		{"Other precedes Late", false},
		{"Other excludes Paid", true},
		{"Other excludes Work", true},
		{"Work excludes Stopped", false},
		{"Open at most 1", true},
		{"Open at most 0", false},
		{"Work at most 9", true},
		{"Work.One at most 9", true},
		{"Work.One at most 2", false},
		{"Work leads to Done | Late | Stopped", false},
	} {
		got := lines(check.RunUpTo(program(t, fmt.Appendf(nil, machine, c.assert)), all.Rules, 100))
		if open := strings.Contains(got, "whether an assert holds"); open == c.proved {
			t.Errorf("%s: open is %t:\n%s", c.assert, open, got)
		}
	}
}

// TestSumsPastTheLimit: a field to which each lap adds at least 1 ends the cycle, whatever is added.
func TestSumsPastTheLimit(t *testing.T) {
	const machine = `machine Far(a int 1..999) {
 context { n int 0..9_000 = 0, lost int 0..9_000 = 0 }
 event Add { by int %s }
 event Lose
 initial Open
 after 30d -> Late
 state Open { on Add when n < 9_000 -> Open { n = %s }
    else -> Late
    on Lose when lost < 9_000 -> Open { lost = min(lost + a, 9_000)%s }
    else -> Late }
 terminal Late
}
`
	for _, c := range []struct {
		by, sum, lose string
		ends          bool
	}{
		{"1..99", "min(n + event.by, 9_000)", "", true},
		{"1..99", "min(event.by + n, 9_999)", "", true},
		{"1..99", "min(n + event.by, 8_999)", "", false},
		{"0..99", "min(n + event.by, 9_000)", "", false},
		{"-99..-1", "min(n - event.by, 9_000)", "", true},
		{"1..99", "min(n + event.by, 9_000)", ", n = min(n + a, 9_000)", true},
		{"1..99", "min(n + event.by, 9_000)", ", n = max(n - a, 0)", true}, // which comes 9,000 times at most
	} {
		got := lines(check.RunUpTo(program(t, fmt.Appendf(nil, machine, c.by, c.sum, c.lose)), all.Rules, 1000))
		found, open := strings.Contains(got, "unbounded-loop"), strings.Contains(got, "whether a cycle can be taken without end")
		if c.ends == (found || open) {
			t.Errorf("%s, %s%s: found is %t, open is %t:\n%s", c.by, c.sum, c.lose, found, open, got)
		}
	}
}

// TestSumsOfWideValues is TestSumsPastTheLimit for a sum whose values are not followed, in a small machine.
func TestSumsOfWideValues(t *testing.T) {
	m := program(t, []byte(`machine Wide {
 context { total int 0..1_000_000 = 0 }
 event Add { amount int 1..50_000 }
 event Added
 activity add() -> Added cost usd 2
 initial Open
 after 30d -> Late
 state Open { on Add when total < 1_000_000 -> Adding { total = min(total + event.amount, 1_000_000) }
    else -> Done }
 state Adding { do add() timeout 1m
    on Added, failed -> Open }
 terminal Done
 terminal Late failure
}
`))
	list, worst := check.Analyze(m, all.Rules, explore.DefaultLimit, true)
	if got := lines(list); got != "" {
		t.Errorf("findings:\n%s", got)
	}
	for _, f := range []check.Figure{worst[0].Steps, worst[0].Costs[0], worst[0].Activities[0]} {
		if f.Amount == nil || f.Exact || f.Factors == "" || worst[0].Why(f.Name) != "" {
			t.Errorf("%s is %v, exact %t, %q: %q", f.Name, f.Amount, f.Exact, f.Factors, worst[0].Why(f.Name))
		}
	}
}

// TestBudgetPastTheLimit: each line of a budget that stays open is named.
func TestBudgetPastTheLimit(t *testing.T) {
	const src = `machine Far(a int 0..999, b int 0..999) {
 event Go
 initial Open
 budget {
  steps 2
  time 3d
 }
 state Open { on Go when a < b -> Open max 3 else -> Late after 1d -> Late }
 terminal Late
}
`
	want := `5: undecided: undecided: whether the worst case keeps to the budget
6: undecided: undecided: whether the worst case keeps to the budget
`
	if diff := cmp.Diff(want, lines(check.RunUpTo(program(t, []byte(src)), all.Rules, 100))); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// TestManyFreeChoices: guards whose verdicts multiply to more than can be looked
// at are past the limit, and that is found out soon.
func TestManyFreeChoices(t *testing.T) {
	var b strings.Builder
	b.WriteString("machine Free {\n event Go\n")
	for i := range 60 {
		fmt.Fprintf(&b, " guard h%d()\n", i)
	}
	b.WriteString(" initial A\n after 24h -> Done\n state A {\n  on Go when h0() && h1()")
	for i := 2; i < 60; i += 2 {
		fmt.Fprintf(&b, " && (h%d() || h%d())", i, i+1)
	}
	b.WriteString(" -> A max 3\n   else -> Done\n }\n terminal Done\n}\n")
	start := time.Now()
	if got := lines(check.RunUpTo(program(t, []byte(b.String())), all.Rules, 10_000)); got != "" {
		t.Errorf("findings:\n%s", got)
	}
	if took := time.Since(start); took > time.Minute { // a tenth of a second on an idle machine; all verdicts would take for ever
		t.Errorf("it took %s", took)
	}
}

// million is a machine that reaches a million configurations: six bounds of
// nine in one state.
func million() []byte {
	var b strings.Builder
	b.WriteString("machine Million {\n event Go\n")
	for i := range 6 {
		fmt.Fprintf(&b, " event E%d\n", i)
	}
	b.WriteString(" budget { steps 1000 }\n initial A\n after 24h -> Done\n state A {\n  on Go -> Done\n")
	for i := range 6 {
		fmt.Fprintf(&b, "  on E%d -> A max 9 else reject\n", i)
	}
	b.WriteString(" }\n terminal Done\n}\n")
	return []byte(b.String())
}

func BenchmarkMillion(b *testing.B) {
	prog := program(b, million())
	b.ReportAllocs()
	for b.Loop() {
		if got := check.Run(prog, all.Rules); len(got) > 0 {
			b.Fatal(lines(got))
		}
	}
}

// counters is a machine with more configurations than a small limit has, whose
// states in question come behind the last of them.
const counters = `machine Counters {
    event Up { which int 0..3 }
    event Go
    event Noted { text string }
    context { a int 0..99 = 0, b int 0..99 = 0, note string }
    initial Counting
    after 24h -> Done
    state Counting {
        on Up when event.which == 0 && a < 99 -> Counting { a = min(a + 1, 99) }
            else when event.which == 1 && b < 99 -> Counting { b = min(b + 1, 99) }
            else reject
        on Go when a == 99 && b == 99 -> First
            else -> Early
    }
    state Early { on Noted -> Noting { note = event.text } }
    state Noting { on Go when note != "x" -> Done else reject }
    state First { on Go -> Second }
    state Second { on Go -> Third }
    state Third { on Go -> Done }
    terminal Done
}
`

// TestOneFindingForOneQuestion: what the limit leaves open has one cause, which
// its help names; what was entered before the limit is known. That a field is
// set on every way to where it is read needs neither counters nor values; that it
// is not is found where a short run shows it.
func TestOneFindingForOneQuestion(t *testing.T) {
	found := check.RunUpTo(program(t, []byte(counters)), all.Rules, 1000)
	want := `8: undecided: undecided: whether some run takes an arm ("Counting" and "Noting")
18: undecided: undecided: whether any run enters it ("Second" and "Third")
`
	if diff := cmp.Diff(want, lines(found)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	for _, d := range found {
		if !strings.Contains(d.Help, `What multiplies: "a" 100 values, "b" 100 values`) {
			t.Errorf("help: %s", d.Help)
		}
	}
	unset := strings.Replace(counters, " { note = event.text }", "", 1)
	if got := lines(check.RunUpTo(program(t, []byte(unset)), all.Rules, 1000)); !strings.Contains(got, `16: read-before-set: field "note" is read here`) {
		t.Errorf("a read of a field that nothing sets is not found:\n%s", got)
	}
}

// TestHelpOfTheGreatestBound: a counter of the greatest bound has one value more than an int64.
func TestHelpOfTheGreatestBound(t *testing.T) {
	const text = `machine Most {
    event Again
    initial Going
    state Going {
        on Again -> Going max 9_223_372_036_854_775_807 else -> Done
        after 1h -> Going
    }
    terminal Done
}
`
	found := check.RunUpTo(program(t, []byte(text)), all.Rules, 1000)
	asked := slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
		return d.Rule == "undecided" && strings.Contains(d.Help, "What multiplies: a bound of 9223372036854775808 values")
	})
	if !asked {
		t.Errorf("no finding names the bound:\n%+v", found)
	}
}

// TestWhatNoCounterDecides: past the limit, what is so with every bound both open
// and used up is known, and no `undecided`.
func TestWhatNoCounterDecides(t *testing.T) {
	const src = `machine Far {
 context { n int 0..3 = 0, paid bool = false }
 event E
 event F
 event G
 event H
 event Go
 event Add
 assert B precedes D
 assert C excludes Done
 initial A
 on cancel -> Done
 state A {
  on E -> A max 99 else -> Done
  on F -> A max 99 else -> Done
  on G -> A max 99 else -> Done
  on H -> A max 99 else reject
  on Go when n == 0 -> B else when n == 2 -> C else when paid -> D else -> Done
 }
 state B {
  on Add -> Done { n = n + 3 paid = true }
  on Go -> A { n = n + 1 }
 }
 state C { on Go -> Done }
 state D { on Go -> Done }
 terminal Done
}
`
	unit := program(t, []byte(src))
	got := lines(check.RunUpTo(unit, all.Rules, 1000))
	for _, open := range []string{"leaves the range", "whether every effect stays in the range", "whether an assert holds", "whether any run enters it"} {
		if strings.Contains(got, open) {
			t.Errorf("it is left open %s:\n%s", open, got)
		}
	}
	for _, s := range []string{`no run enters state "C"`, `no run enters state "D"`} {
		if !strings.Contains(got, s) {
			t.Errorf("it does not say %s:\n%s", s, got)
		}
	}
}

// TestSeenBeforeTheLimit: what the first runs do is known past the limit, too, and how long runs last.
func TestSeenBeforeTheLimit(t *testing.T) {
	const given = `machine Cursor(total int 0..1000) {
 context { at int 0..1000 = 0 }
 event Page { next int 0..1000 }
`
	const sent = `machine Cursor {
 context { at int 0..1000 = 0 }
 event Page { next int 0..1000, total int 0..1000 }
`
	const rest = `
 activity fetch(at int) -> Page
 initial Reading
 state Reading {
  do fetch(at) timeout 1m
  on Page when event.next > at && event.next < total -> Reading { at = event.next }
          else -> Ready
  on failed -> Broken
 }
 terminal Ready
 terminal Broken failure
}
`
	const limit = 60_000
	for _, src := range []string{given + rest, strings.ReplaceAll(sent+rest, "< total", "< event.total")} {
		if got := lines(check.RunUpTo(program(t, []byte(src)), all.Rules, limit)); got != "" {
			t.Errorf("it has findings:\n%s", got)
		}
		want := "steps ~1003\ntime ~16h42m0s\nfetch ~1002\n"
		if diff := cmp.Diff(want, bounds(t, src, limit)); diff != "" {
			t.Errorf("bounds (-want +got):\n%s", diff)
		}
	}
}

// TestMostAtOnce holds the checker's limit to the runtime's.
func TestMostAtOnce(t *testing.T) {
	if control.MostAtOnce != machine.MaxFollowing {
		t.Errorf("the checker knows %d, the runtime %d", control.MostAtOnce, machine.MaxFollowing)
	}
}

// TestTimeEndsACycle: each lap takes a second or more, and a timer around the cycle ends it.
func TestTimeEndsACycle(t *testing.T) {
	const machine = `machine Beats {
 event Go
 activity look() -> Go
 initial Outer
 state Outer {
  initial Beat
  after %s -> Done
  state Beat { after 1s -> Rest }
  state Rest { do look() timeout 3s
    on Go -> Beat
    on failed(timeout) retry 1 backoff 1s else -> Rest
    on failed -> Done }
 }
 terminal Done
}
`
	steps := func(time string, limit int) check.Figure {
		return check.Bounds(program(t, fmt.Appendf(nil, machine, time)).Machines[0], limit).Steps
	}
	exact, upper := steps("1m", explore.DefaultLimit), steps("1m", 10)
	if !exact.Exact || upper.Amount == nil || upper.Amount.Cmp(exact.Amount) < 0 {
		t.Errorf("%v steps, by the control graph at most %v", exact.Amount, upper.Amount)
	}
	if f := steps("52w", explore.DefaultLimit); f.Amount == nil || f.Exact {
		t.Errorf("at most %v steps in a year", f.Amount)
	}
}
