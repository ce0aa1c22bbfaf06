package contracttest_test

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/contracttest"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/diag"
)

var (
	contractSeed   = flag.Uint64("contract-seed", 1, "the first random machine")
	contractTimers = flag.Bool("contract-timers", false, "machines with `after`")
)

// machines is how many random machines a test makes up.
func machines(t *testing.T, short int) uint64 {
	n := short
	if text := os.Getenv("FSMC_CONTRACT_MACHINES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil || n <= 0 {
			t.Fatalf("FSMC_CONTRACT_MACHINES is %q, want a number over 0", text)
		}
	}
	return uint64(n)
}

// TestContract holds the checker against the contract on random machines: what
// it finds, what it does not, and its figures. Of more machines than by default a
// few differ still: decision 60 names them.
func TestContract(t *testing.T) {
	count := machines(t, 150)
	compared, rules := 0, map[string]int{}
	for seed := *contractSeed; seed < *contractSeed+count; seed++ {
		r := rand.New(rand.NewPCG(seed, 7))
		m := contracttest.Random(r, contracttest.Options{Timers: *contractTimers})
		diffs, ok := differences(t, m, rules)
		if ok {
			compared++
		}
		if len(diffs) == 0 {
			continue
		}
		kind := firstWords(diffs[0])
		m = contracttest.Shrink(m, func(m *contracttest.Machine) bool {
			diffs, ok := differences(t, m, nil)
			return ok && slices.ContainsFunc(diffs, func(d string) bool { return firstWords(d) == kind })
		})
		diffs, _ = differences(t, m, nil)
		t.Errorf("machine %d:\n%s\n%s", seed, strings.Join(diffs, "\n"), m.Text())
	}
	t.Logf("%d machines of %d compared; rules found: %v", compared, count, rules)
	if compared < int(count)*9/10 {
		t.Errorf("%d machines of %d compared, want most of them", compared, count)
	}
	for _, rule := range []string{"unreachable-state", "unbounded-loop", "no-way-to-finish", "bound-without-else", "unhandled-done", "guard-gap", "dead-arm"} {
		if rules[rule] == 0 {
			t.Errorf("no machine has a finding of %s", rule)
		}
	}
}

func firstWords(d string) string { return strings.Join(strings.Fields(d)[:2], " ") }

// differences holds the two against each other. A queue of kept events that is
// too short to show everything is made longer. Whether an attempt may begin in the
// very instant in which a timer fires the contract leaves open: either will do.
// It reports false where a machine
// has too many configurations to look at all of them, and where the step of a kept
// event cannot be computed.
func differences(t *testing.T, m *contracttest.Machine, rules map[string]int) (diffs []string, ok bool) {
	t.Helper()
	text := m.Text()
	for queue := 2; ; queue++ {
		space := contracttest.Explore(m, queue, 20_000, false)
		if space.Full || space.Lost {
			return nil, false
		}
		diffs = compare(t, m, text, space, queue, rules)
		if len(diffs) > 0 && len(compare(t, m, text, contracttest.Explore(m, queue, 20_000, true), queue, nil)) == 0 {
			diffs = nil
		}
		if !space.Capped || len(diffs) == 0 || queue == 5 {
			return diffs, true
		}
	}
}

// silence names, for a rule, the findings that stand for it: section 7 of the
// contract ("one fault, one finding") and, in more detail, "silent where" on the
// page of the rule. Behind a step that cannot be computed nothing is reported
// twice. Only silence is excused by it: what the checker does say must be true.
var silence = map[string][]string{
	"no-way-to-finish":  {"dead-end", "unhandled-case", "unhandled-done", "unhandled-result", "unhandled-failure", "bound-without-else", "missing-terminal", "spinning-loop", "read-before-set", "out-of-range"},
	"unbounded-loop":    {"spinning-loop"},
	"dead-arm":          {"never-fires", "unreachable-state", "unbounded-loop", "spinning-loop", "dead-end", "never-set", "read-before-set", "out-of-range"},
	"never-fires":       {"unreachable-state", "dead-arm", "unhandled-case", "unhandled-done", "unhandled-failure", "unhandled-result", "out-of-range", "read-before-set"},
	"no-success":        {"missing-terminal", "unreachable-state", "read-before-set", "out-of-range"},
	"waits-forever":     {"dead-end", "no-way-to-finish", "read-before-set", "out-of-range", "unhandled-done"},
	"unreachable-state": {"never-fires", "read-before-set", "out-of-range", "spinning-loop"},
	"require-violated":  {"spinning-loop", "unreachable-state"},
	"guard-gap":         {"dead-arm"},
}

// ignored are rules that speak of the text, not of runs.
var ignored = []string{"unused", "never-read", "never-set", "dead-end", "overlapping-guards", "unsound-backoff"}

// anywhere are rules whose finding may stand at any place of what it is about.
var anywhere = []string{"unbounded-loop", "spinning-loop", "no-success", "deferred-lost", "read-before-set"}

type place struct {
	rule string
	line int
}

func compare(t *testing.T, m *contracttest.Machine, text string, space *contracttest.Space, queue int, rules map[string]int) (diffs []string) {
	t.Helper()
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(text)}})
	if unit.Diags.HasErrors() {
		t.Fatalf("line %d: %s\n%s", unit.Diags[0].Span.Start.Line, unit.Diags[0].Message, text)
	}
	diags, worsts := check.Analyze(unit.Program, all.Rules, 4_000_000, false)
	found, must := space.Verdicts()
	at := func(rule string, line int) place {
		switch {
		case slices.Contains(anywhere, rule):
			return place{rule, 0}
		case rule == "dead-arm" || rule == "out-of-range":
			return place{rule, line}
		}
		return place{rule, m.Locate(line)}
	}
	truth, said, has := map[place]bool{}, map[place]bool{}, map[string]bool{}
	for f := range found {
		truth[at(f.Rule, f.Line)] = true
	}
	for _, d := range diags {
		said[at(d.Rule, d.Span.Start.Line)] = true
		has[d.Rule] = true
		if rules != nil {
			rules[d.Rule]++
		}
	}
	for _, d := range diags {
		if diff := untrue(d, at(d.Rule, d.Span.Start.Line), truth, has); diff != "" {
			diffs = append(diffs, diff)
		}
	}
	for f := range must {
		if p := at(f.Rule, f.Line); !said[p] && !excused(f, m, space, truth, said, has) {
			diffs = append(diffs, fmt.Sprintf("%s missed: line %d %s", f.Rule, f.Line, f.Name))
		}
	}
	if space.Starts() {
		diffs = append(diffs, figures(m, space, queue, worsts[0])...)
	}
	slices.Sort(diffs)
	return diffs
}

// untrue is a finding that no run shows.
func untrue(d diag.Diagnostic, p place, truth map[place]bool, has map[string]bool) string {
	switch {
	case slices.Contains(ignored, d.Rule), truth[p]:
		return ""
	case d.Rule == "waits-forever" && (has["unhandled-failure"] || has["unhandled-result"] || has["bound-without-else"]):
		return "" // the way out that is sure to come is one that nothing takes
	}
	return fmt.Sprintf("%s untrue: line %d: %s", d.Rule, p.line, d.Message)
}

// excused says whether another finding stands for one that is missing.
func excused(f contracttest.Fault, m *contracttest.Machine, space *contracttest.Space, truth, said map[place]bool, has map[string]bool) bool {
	if slices.ContainsFunc(silence[f.Rule], func(r string) bool { return has[r] }) {
		return true
	}
	if f.Line == 0 && has[f.Rule] {
		return true
	}
	handler := m.Locate(f.Line)
	switch f.Rule {
	case "read-before-set", "out-of-range", "spinning-loop":
		return false
	case "waits-forever": // a trap, though it may be told by its cause
		return truth[place{"no-way-to-finish", f.Line}]
	case "guard-gap": // of a handler that as a whole takes nothing
		return space.Dead(handler)
	case "dead-arm": // told of the handler, or of an arm before it
		for p := range said {
			if p.rule == "dead-arm" && m.Locate(p.line) == handler && p.line < f.Line {
				return true
			}
		}
	}
	return !space.Starts()
}

func figures(m *contracttest.Machine, space *contracttest.Space, queue int, w *check.Worst) (diffs []string) {
	mine := space.Worst()
	figure := func(f check.Figure, want int) {
		got := amount(f)
		switch {
		case got == want && (f.Exact || want < 0):
		case got == want:
			diffs = append(diffs, fmt.Sprintf("%s at-most: %d is reached by some run", f.Name, got))
		default:
			diffs = append(diffs, fmt.Sprintf("%s wrong: the checker says %d, the contract %d", f.Name, got, want))
		}
	}
	figure(w.Steps, mine.Steps)
	for _, c := range w.Costs {
		figure(c, mine.Tokens)
	}
	for i, a := range w.Activities {
		figure(a, mine.Attempts[i])
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
