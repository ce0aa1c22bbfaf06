package contracttest_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/contracttest"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

var contractSeed = flag.Uint64("contract-seed", 1, "the first random machine")

// options are those of a random machine: every other one has timers.
func options(seed uint64) contracttest.Options { return contracttest.Options{Timers: seed%2 == 0} }

// lists are those of one whose activities run for the elements of a list.
func lists(uint64) contracttest.Options { return contracttest.Options{Lists: true} }

// absent are those of one with much that may be absent.
func absent(seed uint64) contracttest.Options {
	return contracttest.Options{Absent: true, Timers: seed%4 == 0}
}

// budgets are those of one whose runs are held to a budget.
func budgets(seed uint64) contracttest.Options {
	return contracttest.Options{Budget: true, Timers: seed%4 == 0}
}

// records are those of one whose values are records with parts that may be absent, and every
// other one's in lists.
func records(seed uint64) contracttest.Options {
	return contracttest.Options{Record: true, Lists: seed%2 == 0, Timers: seed%8 == 1}
}

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
// it finds, what it does not, and its figures.
func TestContract(t *testing.T) {
	hold(t, machines(t, 150), options, "unreachable-state", "unbounded-loop", "no-way-to-finish", "bound-without-else", "unhandled-done", "guard-gap", "dead-arm")
}

// TestContractOfLists is TestContract for machines whose activities run for the elements of
// a list.
func TestContractOfLists(t *testing.T) {
	hold(t, machines(t, 40), lists, "unreachable-state", "no-way-to-finish", "bound-without-else", "unhandled-done", "dead-arm")
}

// TestContractOfAbsent is TestContract for half as many machines, in which much may be absent.
func TestContractOfAbsent(t *testing.T) {
	hold(t, machines(t, 160)/2, absent, "unreachable-state", "no-way-to-finish", "read-before-set", "guard-gap", "unhandled-case", "dead-arm")
}

// TestContractOfBudgets is TestContract for machines whose runs are held to a budget.
func TestContractOfBudgets(t *testing.T) {
	hold(t, machines(t, 50), budgets, "unhandled-budget", "unreachable-state", "no-way-to-finish", "unhandled-case", "dead-arm")
}

// TestContractOfRecords is TestContract for a quarter as many machines, with records, parts of
// which may be absent.
func TestContractOfRecords(t *testing.T) {
	hold(t, machines(t, 96)/4, records, "unreachable-state", "read-before-set", "dead-arm")
}

// TestContractOfCalls is TestContract for machines that call another one. What that one is
// given and how long it lasts plays no part.
func TestContractOfCalls(t *testing.T) {
	rules, compared := map[string]int{}, 0
	for seed := *contractSeed; seed < *contractSeed+machines(t, 150); seed++ {
		r := rand.New(rand.NewPCG(seed, 11))
		m := contracttest.Random(r, contracttest.Options{})
		if !m.Call(r) {
			continue
		}
		diffs, ok := differences(t, m, rules)
		if ok {
			compared++
		}
		if len(diffs) > 0 {
			t.Errorf("machine %d:\n%s\n%s", seed, strings.Join(diffs, "\n"), m.Text()+m.Called().Text())
		}
	}
	if compared < 10 {
		t.Errorf("%d machines compared", compared)
	}
	for _, rule := range []string{"unhandled-result", "unhandled-failure", "no-way-to-finish", "dead-arm", "waits-forever"} {
		if rules[rule] == 0 {
			t.Errorf("no machine has a finding of %s", rule)
		}
	}
}

// hold holds the checker against the contract on count random machines, some of which have
// a finding of each of the rules given.
func hold(t *testing.T, count uint64, options func(uint64) contracttest.Options, wanted ...string) {
	t.Helper()
	compared, rules := 0, map[string]int{}
	for seed := *contractSeed; seed < *contractSeed+count; seed++ {
		r := rand.New(rand.NewPCG(seed, 7))
		m := contracttest.Random(r, options(seed))
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
	if compared < int(count)*8/10 {
		t.Errorf("%d machines of %d compared, want most of them", compared, count)
	}
	for _, rule := range wanted {
		if rules[rule] == 0 {
			t.Errorf("no machine has a finding of %s", rule)
		}
	}
}

func firstWords(d string) string { return strings.Join(strings.Fields(d)[:2], " ") }

// differences holds the two against each other. A queue of deferred events that is
// too short to show everything is made longer. Whether an attempt may begin in the
// very instant in which a timer fires the contract leaves open: either will do.
// It reports false where a machine
// has too many configurations to look at all of them, and where the step of a deferred
// event cannot be computed.
func differences(t *testing.T, m *contracttest.Machine, rules map[string]int) (diffs []string, ok bool) {
	t.Helper()
	text := m.Text()
	for queue := 2; ; queue++ {
		limit := 20_000
		if m.HasLists() {
			limit = 4000
		}
		space := contracttest.Explore(m, queue, limit, false)
		if space.Full || space.Lost { // what is open for any queue counts all the same
			diffs = slices.DeleteFunc(diffs, func(d string) bool { return !strings.HasPrefix(d, "undecided") })
			return diffs, len(diffs) > 0
		}
		diffs = compare(t, m, text, space, queue, rules)
		if len(diffs) > 0 && len(compare(t, m, text, contracttest.Explore(m, queue, limit, true), queue, nil)) == 0 {
			diffs = nil
		}
		if !space.Capped || len(diffs) == 0 || queue == 5 {
			return diffs, true
		}
	}
}

// ignored are rules that speak of the text, not of runs, the one that speaks of figures, and
// hints of what is hardly ever meant.
var ignored = []string{"unused", "never-read", "never-set", "over-budget", "long-retry", "unread-counter", "refused-early"}

type place struct {
	rule string
	line int
}

// said is what the checker says of a machine.
type said struct {
	m     *contracttest.Machine
	space *contracttest.Space
	at    map[place]bool
	has   map[string][]diag.Diagnostic
}

// placeOf is where a finding counts as standing: at the handler, the timer or the
// state to which its line belongs.
func placeOf(m *contracttest.Machine, rule string, line int) place {
	switch rule {
	case "no-success":
		return place{rule, 0}
	case "dead-arm", "out-of-range":
		return place{rule, line}
	case "read-before-set": // that is told of a field
		if m.StateAt(m.Locate(line)) == nil {
			return place{rule, line}
		}
	}
	return place{rule, m.Locate(line)}
}

func compare(t *testing.T, m *contracttest.Machine, text string, space *contracttest.Space, queue int, rules map[string]int) (diffs []string) {
	t.Helper()
	if child := m.Called(); child != nil {
		text += child.Text()
	}
	diags, worsts := check.Analyze(langtest.Unit(t, text).Program, all.Rules, 4_000_000, false)
	diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { return d.Machine == "Child" })
	found, must := space.Verdicts()
	truth := map[place]bool{}
	for f := range found {
		if f.Rule == "read-before-set" {
			truth[placeOf(m, f.Rule, m.FieldLine(f.Name))] = true
		}
		truth[placeOf(m, f.Rule, f.Line)] = true
	}
	s := &said{m: m, space: space, at: map[place]bool{}, has: map[string][]diag.Diagnostic{}}
	for _, d := range diags {
		s.has[d.Rule] = append(s.has[d.Rule], d)
		if rules != nil {
			rules[d.Rule]++
		}
		for _, line := range s.lines(d) {
			s.at[placeOf(m, d.Rule, line)] = true
		}
	}
	for _, d := range diags {
		if slices.Contains(ignored, d.Rule) || d.Rule == "unhandled-budget" && d.Severity == diag.Hint {
			continue
		}
		for _, line := range s.lines(d) {
			if !truth[placeOf(m, d.Rule, line)] {
				diffs = append(diffs, fmt.Sprintf("%s untrue: line %d: %s", d.Rule, line, d.Message))
			}
		}
	}
	for f := range must {
		if f.Rule == "read-before-set" {
			f.Line = m.FieldLine(f.Name)
		}
		if !s.at[placeOf(m, f.Rule, f.Line)] && space.Starts() && !s.instead(f) {
			diffs = append(diffs, fmt.Sprintf("%s missed: line %d %s", f.Rule, f.Line, f.Name))
		}
	}
	if space.Starts() {
		diffs = append(diffs, figures(m, space, queue, worsts[0])...)
	}
	if m.HasLists() { // of retries that elements count together the checker may leave questions open: decision 148
		diffs = slices.DeleteFunc(diffs, func(d string) bool {
			rule, missed, _ := strings.Cut(d, " ")
			open := len(s.has["undecided"]) > 0 || len(s.has[rule]) > 0 // a finding of the rule hides what it leaves open in the same state
			return rule == "undecided" || open && strings.HasPrefix(missed, "missed")
		})
	}
	slices.Sort(diffs)
	return diffs
}

// lines are the places that d is about: of a trap, a loop or unreachable states all that it names.
func (s *said) lines(d diag.Diagnostic) (lines []int) {
	if slices.Contains([]string{"no-way-to-finish", "unbounded-loop", "spinning-loop", "unreachable-state"}, d.Rule) {
		for _, st := range s.m.States() {
			if strings.Contains(d.Message, strconv.Quote(st.Path())) {
				lines = append(lines, st.Line())
			}
		}
	}
	if d.Rule == "read-before-set" && len(d.Related) > 0 { // of one field, wherever it is read
		lines = append(lines, d.Related[0].Span.Start.Line)
	}
	if lines == nil || d.Rule == "read-before-set" && len(d.Related) > 0 {
		lines = append(lines, d.Span.Start.Line)
	}
	return lines
}
