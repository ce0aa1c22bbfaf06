package oracletest_test

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/oracletest"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A verdict is the answer of one rule, or one figure of the worst case, as a
// text that does not depend on who gives it: the places that are at fault. Of
// one that maps to false nothing need be said.
type verdict map[string]bool

func (v verdict) String() string {
	var list []string
	for place, must := range v {
		if must {
			list = append(list, place)
		}
	}
	slices.Sort(list)
	return "[" + strings.Join(list, ", ") + "]"
}

// within reports whether all places of v are among those of w.
func (v verdict) within(w verdict) bool {
	for place := range v {
		if _, there := w[place]; !there && place != andMore {
			return false
		}
	}
	return true
}

// covers reports whether v has all places of w of which something must be said.
func (v verdict) covers(w verdict) bool {
	for place, must := range w {
		if must && !v[place] && !v[andMore] {
			return false
		}
	}
	return true
}

// comparison is a rule that both sides can decide. found reads what the
// checker's findings say; brute is the oracle's answer.
type comparison struct {
	rule  string
	found func(m *ir.Machine, d diag.Diagnostic) []string
	brute func(s *oracletest.Space) verdict
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

// andMore stands for the places that a finding does not name, being too many.
const andMore = "more"

var notNamed = regexp.MustCompile(` and \d+ more\b`)

// names are the states whose paths stand in quotes in the message.
func names(m *ir.Machine, d diag.Diagnostic) []string {
	var out []string
	if notNamed.MatchString(d.Message) {
		out = append(out, andMore)
	}
	for _, q := range quoted.FindAllStringSubmatch(d.Message, -1) {
		if slices.ContainsFunc(m.States, func(s *ir.State) bool { return s.Path == q[1] }) {
			out = append(out, q[1])
		}
	}
	return out
}

func byState(marked func(s *oracletest.Space) []bool) func(s *oracletest.Space) verdict {
	return func(s *oracletest.Space) verdict {
		v := verdict{}
		for id, is := range marked(s) {
			if is {
				v[s.Machine.States[id].Path] = true
			}
		}
		return v
	}
}

// trapsOf gives the leaves in which a run can be trapped. Of one in which the step of an event
// that was deferred halts the run, that is the fault: the event decides, and its data is free. So
// it is where the step of a timer does: who is trapped depends on the moment, and the fault is told.
func trapsOf(s *oracletest.Space) verdict {
	v := byState((*oracletest.Space).Traps)(s)
	for _, e := range s.Events() {
		if path := s.Machine.States[max(e.State, 0)].Path; (e.Kind == machine.KeptInput || e.Kind == machine.TimerInput) && v[path] {
			v[path] = false
		}
	}
	return v
}

// byEvent gives the places of what went wrong. A place that is false is one of
// which nothing need be said.
func byEvent(place func(s *oracletest.Space, e oracletest.Event) string) func(s *oracletest.Space) verdict {
	return func(s *oracletest.Space) verdict {
		v := verdict{}
		for _, e := range s.Events() {
			if p := place(s, e); p != "" {
				v[p] = v[p] || !s.InVain(e)
			}
		}
		return v
	}
}

// byGap gives the handlers whose guards leave values of some inputs out, by
// their first arm. Where no arm of one is ever taken, each is a dead-arm.
func byGap(of func(machine.InputKind) bool) func(s *oracletest.Space) verdict {
	return func(s *oracletest.Space) verdict {
		v, taken := verdict{}, s.Taken()
		for _, e := range s.Events() {
			if e.What == oracletest.Gap && of(e.Kind) {
				place := fmt.Sprint("arm ", e.Arm)
				v[place] = v[place] || taken[e.Arm]
			}
		}
		return v
	}
}

// turnedTo are the states to which the requires of leaves lead that runs enter, and behind
// are those that arms lead to from there: the else of a require counts as open.
func turnedTo(m *ir.Machine, entered []bool) (turned, behind map[*ir.State]bool) {
	turned, behind = map[*ir.State]bool{}, map[*ir.State]bool{}
	var mark func(target *ir.State, in map[*ir.State]bool)
	mark = func(target *ir.State, in map[*ir.State]bool) {
		for leaf := range target.Redirects() {
			if in[leaf] {
				continue
			}
			for s := leaf; s != nil; s = s.Parent {
				in[s] = true
			}
			for _, a := range m.Arms {
				if a.Kind == ir.Goto && leaf.Inside(a.State) {
					mark(a.Target, behind)
				}
			}
		}
	}
	for _, s := range m.States {
		if entered[s.ID] && s.Require != nil {
			mark(s.Require.Target, turned)
		}
	}
	return turned, behind
}

// armAt is the arm of which d speaks.
func armAt(m *ir.Machine, d diag.Diagnostic) []string {
	for _, a := range m.Arms {
		if a.Span == d.Span {
			return []string{fmt.Sprint("arm ", a.ID)}
		}
	}
	return []string{"no arm"}
}

var comparisons = []comparison{
	{
		rule:  "unreachable-state",
		found: names,
		brute: func(s *oracletest.Space) verdict {
			v, entered := verdict{}, s.Entered()
			turned, behind := turnedTo(s.Machine, entered)
			for _, state := range s.Machine.States[1:] {
				if !entered[state.ID] && !turned[state] { // what lies in such a state need not be said
					v[state.Path] = !behind[state] && (entered[state.Parent.ID] || turned[state.Parent])
				}
			}
			return v
		},
	},
	{rule: "no-way-to-finish", found: trapOf, brute: trapsOf},
	{rule: "unbounded-loop", found: names, brute: byState((*oracletest.Space).Loops)},
	{
		rule: "spinning-loop",
		found: func(m *ir.Machine, d diag.Diagnostic) []string {
			if strings.HasPrefix(d.Message, "the requires") {
				return []string{"a circle of requires"}
			}
			return names(m, d)
		},
		brute: func(s *oracletest.Space) verdict {
			v := byEvent(func(_ *oracletest.Space, e oracletest.Event) string {
				if e.What != oracletest.Circle {
					return ""
				}
				return "a circle of requires"
			})(s)
			maps.Copy(v, byState((*oracletest.Space).Spins)(s))
			return v
		},
	},
	{
		rule: "no-success",
		found: func(*ir.Machine, diag.Diagnostic) []string {
			return []string{"machine"}
		},
		brute: func(s *oracletest.Space) verdict {
			if s.CanSucceed() {
				return verdict{}
			}
			return verdict{"machine": true}
		},
	},
	{
		rule: "out-of-range",
		found: func(m *ir.Machine, d diag.Diagnostic) []string {
			q := quoted.FindAllStringSubmatch(d.Message, -1)
			_, name, published := strings.Cut(q[len(q)-1][1], ".") // of the field of an event
			if !published {
				name = q[len(q)-1][1]
			}
			return []string{name + " at " + blockOf(m, d)}
		},
		brute: byEvent(func(s *oracletest.Space, e oracletest.Event) string {
			if e.What != oracletest.OutOfRange {
				return ""
			}
			return e.Name + " at " + e.Place
		}),
	},
	{
		rule: "read-before-set",
		found: func(_ *ir.Machine, d diag.Diagnostic) []string {
			return []string{quoted.FindStringSubmatch(d.Message)[1]}
		},
		brute: byEvent(func(s *oracletest.Space, e oracletest.Event) string {
			if e.What != oracletest.Unset {
				return ""
			}
			return s.Asked(e.Name)
		}),
	},
	{
		rule:  "bound-without-else",
		found: armAt,
		brute: byEvent(func(_ *oracletest.Space, e oracletest.Event) string {
			if e.What != oracletest.Spent {
				return ""
			}
			return fmt.Sprint("arm ", e.Arm)
		}),
	},
	{
		rule: "assertion-violated",
		found: func(_ *ir.Machine, d diag.Diagnostic) []string {
			return []string{fmt.Sprint("assert at line ", d.Span.Start.Line)}
		},
		brute: func(s *oracletest.Space) verdict {
			v := verdict{}
			for _, a := range s.Machine.Asserts {
				if s.Breaks(a) {
					v[fmt.Sprint("assert at line ", a.Span.Start.Line)] = true
				}
			}
			return v
		},
	},
	{
		rule:  "dead-end",
		found: names,
		brute: func(s *oracletest.Space) verdict {
			v := byState((*oracletest.Space).DeadEnds)(s)
			for path := range byState((*oracletest.Space).Stuck)(s) {
				if !v[path] {
					v[path] = false // an arm may lead out, but none is ever taken
				}
			}
			return v
		},
	},
	{rule: "unhandled-result", found: names, brute: byState(func(s *oracletest.Space) []bool { return s.Unhandled(machine.ResultInput) })},
	{rule: "unhandled-failure", found: names, brute: byState(func(s *oracletest.Space) []bool { return s.Unhandled(machine.FailureInput) })},
	{
		rule: "deferred-lost",
		found: func(m *ir.Machine, d diag.Diagnostic) []string {
			return []string{strings.Join(names(m, d), " ")}
		},
		brute: byEvent(func(s *oracletest.Space, e oracletest.Event) string {
			if e.What != oracletest.Dropped || !s.Refuses(e.State, e.Name) {
				return ""
			}
			return s.Machine.States[e.State].Path
		}),
	},
	{rule: "require-violated", found: requireOf, brute: violated},
	{
		rule: "over-budget",
		found: func(_ *ir.Machine, d diag.Diagnostic) []string {
			return []string{quoted.FindStringSubmatch(d.Message)[1]}
		},
		brute: overBudget,
	},
	{
		rule:  "never-fires",
		found: timerAt,
		brute: func(s *oracletest.Space) verdict {
			v := verdict{}
			for id, must := range s.Forestalled() {
				if s.Def.Timers[id].Budget {
					continue // that no run lasts as long is what a budget is for
				}
				v[fmt.Sprint("timer ", id)] = must
			}
			return v
		},
	},
	{rule: "dead-arm", found: armAt, brute: deadArms},
	{
		rule: "waits-forever",
		found: func(m *ir.Machine, d diag.Diagnostic) []string {
			return names(m, d)[:1]
		},
		brute: func(s *oracletest.Space) verdict { return s.MayWait() },
	},
	{rule: "guard-gap", found: armAt, brute: byGap(func(k machine.InputKind) bool { return k == machine.EventInput })},
	{rule: "unhandled-case", found: armAt, brute: byGap(func(k machine.InputKind) bool { return k != machine.EventInput && k != machine.CancelInput })},
	{
		rule:  "unhandled-done",
		found: names,
		brute: byEvent(func(s *oracletest.Space, e oracletest.Event) string {
			if e.What != oracletest.Unhandled || e.Kind != machine.DoneInput {
				return ""
			}
			return s.Machine.States[e.State].Path
		}),
	},
	{
		rule:  "unhandled-budget",
		found: names,
		brute: byEvent(func(s *oracletest.Space, e oracletest.Event) string {
			if e.What != oracletest.Unhandled || e.Kind != machine.OverBudgetInput && e.Name != "over_budget(time)" {
				return ""
			}
			return s.Machine.States[e.State].Path
		}),
	},
}

// requireOf is the state of whose require d speaks.
func requireOf(m *ir.Machine, d diag.Diagnostic) []string {
	for _, s := range m.States {
		if s.Require != nil && s.Require.Span == d.Span {
			return []string{s.Path}
		}
	}
	return []string{"no require"}
}

// violated gives the states whose require is no invariant. One that asks a host
// guard need not be, nor one that no run enters.
func violated(s *oracletest.Space) verdict {
	v, entered := verdict{}, s.Entered()
	for _, e := range s.Events() {
		if e.What == oracletest.Violated {
			state := s.Machine.States[e.State]
			v[state.Path] = entered[e.State] && len(ir.GuardCalls(state.Require.Cond)) == 0
		}
	}
	for _, e := range s.Events() {
		if !slices.Contains([]oracletest.What{oracletest.Unset, oracletest.OutOfRange, oracletest.Overflow}, e.What) {
			continue
		}
		for leaf := range turns(s.Machine, e.State) { // who knows, since the step cannot be computed
			if _, known := v[leaf.Path]; !known {
				v[leaf.Path] = false
			}
		}
	}
	return v
}

// turns are the leaves whose requires a step from state, or from the start, may read.
func turns(m *ir.Machine, state int) iter.Seq[*ir.State] {
	return func(yield func(*ir.State) bool) {
		heads := []*ir.State{m.Root}
		if state >= 0 {
			heads = nil
			for _, a := range m.Arms {
				if a.Kind == ir.Goto && m.States[state].Inside(a.State) {
					heads = append(heads, a.Target)
				}
			}
		}
		for _, head := range heads {
			for leaf := range head.Leaf().Redirects() {
				if leaf.Require != nil && !yield(leaf) {
					return
				}
			}
		}
	}
}

// overBudget gives the lines of the budget that some run passes. Where there is no
// bound, and none of the edges that make it so says `unbounded`, unbounded-loop
// speaks for it.
func overBudget(s *oracletest.Space) verdict {
	v, b := verdict{}, s.Machine.Budget
	if b == nil {
		return v
	}
	unmarked := slices.Contains(s.Loops(), true)
	if b.Steps != nil && s.Over("steps", new(big.Rat).SetInt64(*b.Steps)) {
		v["steps"] = !(unmarked && s.Steps() == oracletest.Endless)
	}
	if b.Time != nil {
		v["time"] = false // which is an upper bound, and may be more than any run takes
	}
	for _, c := range b.Costs {
		if !s.HeldTo(c.Name) && s.Over(c.Name, c.Amount) {
			v[c.Name] = !(unmarked && s.TreeCost(c.Name) == oracletest.Endless)
		}
		for _, a := range s.Machine.Activities { // one attempt costs more than there is
			runs := func(d *ir.Do) bool { return d.Activity == a && !d.NeverRuns() && s.Entered()[d.State.ID] }
			over := func(of ir.Cost) bool { return of.Name == c.Name && of.Amount.Cmp(c.Amount) > 0 }
			if a.Machine == nil && s.HeldTo(c.Name) && slices.ContainsFunc(a.Costs, over) && slices.ContainsFunc(s.Machine.Dos, runs) {
				v[a.Name] = true
			}
		}
	}
	return v
}

// timerAt is the timer of which d speaks; none where it speaks of a retry.
func timerAt(m *ir.Machine, d diag.Diagnostic) []string {
	for _, t := range m.Timers {
		if t.Span == d.Span {
			return []string{fmt.Sprint("timer ", t.ID)}
		}
	}
	return nil
}

// deadArms gives the arms that no run takes. Of which of them something must be
// said is more than brute force can tell: a bound counts as open and as used up,
// an arm behind a dead one is not reported, and one that leads to a state that no
// run enters is named with it.
func deadArms(s *oracletest.Space) verdict {
	v, entered, taken := verdict{}, s.Entered(), s.Taken()
	for _, a := range s.Machine.Arms {
		if !taken[a.ID] {
			v[fmt.Sprint("arm ", a.ID)] = a.Kind != ir.Reject && entered[a.State.ID] && s.SurelyDead(a.ID) && !asksTwice(a)
		}
	}
	return v
}

// asksTwice reports whether the arms up to a ask a host guard twice, in other words: to the
// checker these are two questions, though what is asked may be the same in each run.
func asksTwice(a *ir.Arm) bool {
	asked := map[*ir.Guard]string{}
	for _, arm := range a.Chain() {
		for _, call := range ir.GuardCalls(arm.When) {
			text := ir.ExprText(call)
			if before, twice := asked[call.Guard]; twice && before != text {
				return true
			}
			asked[call.Guard] = text
		}
		if arm == a {
			break
		}
	}
	return false
}

// trapOf are the states that the message and the related places name.
func trapOf(m *ir.Machine, d diag.Diagnostic) []string {
	list := names(m, d)
	for _, r := range d.Related {
		list = append(list, names(m, diag.Diagnostic{Message: r.Message})...)
	}
	return list
}

// blockOf is what the runtime calls the block in which d stands.
func blockOf(m *ir.Machine, d diag.Diagnostic) string {
	var stable ir.StableNames
	for i, name := range ir.ArmNames(m, &stable) {
		if has(m.Arms[i].Block, d) {
			return fmt.Sprintf("arm %q", name)
		}
	}
	for _, s := range m.States {
		for what, block := range map[string]*ir.Block{"entry": s.Entry, "exit": s.Exit} {
			if has(block, d) {
				return fmt.Sprintf("the %s of %q", what, s.Path)
			}
		}
	}
	return "no block"
}

func has(b *ir.Block, d diag.Diagnostic) bool {
	return b != nil && (slices.ContainsFunc(b.Assigns, func(a *ir.Assign) bool { return a.Span == d.Span }) ||
		slices.ContainsFunc(b.Publishes, func(p *ir.Publish) bool {
			return slices.ContainsFunc(p.Values, func(v ir.Expr) bool { return v.Span() == d.Span })
		}))
}

// mayPass are the rules whose finding is that no run does something. Where
// data is free they are silent rather than undecided.
var mayPass = map[string]bool{"unreachable-state": true, "no-success": true, "never-fires": true}

// disagreement is a question to which checker and oracle give two answers.
type disagreement struct {
	question, checker, oracle string
}

func (d disagreement) String() string {
	return fmt.Sprintf("%s: the checker says %s, brute force says %s", d.question, d.checker, d.oracle)
}

// checked is what the checker says of a machine.
type checked struct {
	list  diag.List
	open  map[string]bool // the rules that leave a question open, whether or not that is printed
	worst *check.Worst
}

// leftOpen is the name of the rule that tells which rules leave a question open.
const leftOpen = "left-open"

// alone are all rules, each of which speaks whatever the others say, and leftOpen. None is an
// error: of a machine that is called the runs are known, whatever is wrong with it.
var alone = func() []*check.Rule {
	list := []*check.Rule{{Name: leftOpen, RunLast: func(p *check.Pass) {
		for _, q := range p.OpenQuestions() {
			p.Report(check.Finding{Message: q.Rule})
		}
	}}}
	for _, r := range all.Rules {
		own := *r
		own.SilencedBy, own.Severity = nil, diag.Warning
		list = append(list, &own)
	}
	return list
}()

// checkedUpTo checks m where no more than limit configurations are told apart.
func checkedUpTo(m *ir.Machine, limit int) *checked {
	list, worst := check.Analyze(&ir.Program{Machines: []*ir.Machine{m}}, alone, limit, true)
	c := &checked{open: map[string]bool{}, worst: worst[0]}
	for _, d := range list {
		if d.Rule == leftOpen {
			c.open[d.Message] = true
		} else {
			c.list = append(c.list, d)
		}
	}
	return c
}

// found are the places of the findings, by rule.
func (c *checked) found(m *ir.Machine) map[string]verdict {
	found := map[string]verdict{}
	reads := map[string]func(*ir.Machine, diag.Diagnostic) []string{}
	for _, c := range comparisons {
		found[c.rule] = verdict{}
		reads[c.rule] = c.found
	}
	for _, d := range c.list {
		if read := reads[d.Rule]; read != nil {
			for _, place := range read(m, d) {
				found[d.Rule][place] = true
			}
		}
	}
	return found
}

// compare asks both sides everything. Seen counts the verdicts of each kind.
func compare(s *oracletest.Space, seen map[string]int) []disagreement {
	var out []disagreement
	free := s.Free()
	told := checkedUpTo(s.Machine, explore.DefaultLimit)
	all, open := told.found(s.Machine), told.open
	if !free && !(s.Fans() && (s.Calls() || s.Timed())) { // elements of a machine that never ends can do nothing but fail, and their waits are not followed
		// A figure of elements or of a tree may be an upper bound, which refutes nothing.
		budget := (s.Fans() || s.Calls()) && open["over-budget"]
		for rule := range open {
			if rule != "over-budget" || !budget {
				out = append(out, disagreement{"undecided " + rule, "undecided", "nothing there is unknown"})
			}
		}
		open = map[string]bool{"over-budget": budget}
	}
	for _, c := range comparisons {
		brute, found := c.brute(s), all[c.rule]
		switch {
		case open[c.rule]:
			seen["undecided "+c.rule]++
		case brute.String() != "[]":
			seen[c.rule]++
		default:
			seen["no "+c.rule]++
		}
		d := disagreement{c.rule, found.String(), brute.String()}
		switch within, covers := found.within(brute), found.covers(brute); {
		case within && (covers || open[c.rule] || open["unreachable-state"] || (free || s.Fans() && s.Timed()) && mayPass[c.rule]):
			continue
		case covers && (s.Cut || free && mayExceed[c.rule]):
			continue
		}
		out = append(out, d)
	}
	out = append(out, compareWorst(s, told.worst, seen)...)
	out = append(out, compareTime(s, told.worst.Time, seen)...)
	return append(out, compareWitnesses(s, told, seen)...)
}

// mayExceed are the rules that speak of every leaf that may be entered, and of
// values that nothing excludes. Where data is free more leaves may be than are, and
// more values (docs/decisions/0022-questions-about-guards.md).
var mayExceed = map[string]bool{
	"unhandled-result": true, "unhandled-failure": true, "unhandled-done": true,
	"dead-end": true, "deferred-lost": true, "guard-gap": true, "unhandled-case": true, "never-fires": true, "waits-forever": true,
}

// compareWorst compares the figures: what is marked exact is equal, what is
// not is no lower than what brute force finds.
func compareWorst(s *oracletest.Space, w *check.Worst, seen map[string]int) []disagreement {
	var out []disagreement
	free := s.Free()
	compare := func(what string, f check.Figure, brute int64, unit *big.Rat) {
		if brute == oracletest.Endless {
			seen[what+" without end"]++
		} else {
			seen[what]++
		}
		figure, least := "no end", "no end"
		length := new(big.Rat).Mul(new(big.Rat).SetInt64(brute), unit)
		if brute != oracletest.Endless {
			least = length.RatString()
		}
		switch {
		case f.Amount == nil && free:
			return
		case f.Amount != nil && brute != oracletest.Endless && s.Cut && f.Amount.Cmp(length) >= 0:
			return // a run that defers more events may take more
		case f.Amount != nil && f.Exact:
			figure = f.Amount.RatString()
		case f.Amount != nil:
			seen[what+" at most"]++
			figure = "at most " + f.Amount.RatString()
			if brute != oracletest.Endless && f.Amount.Cmp(length) >= 0 {
				return
			}
		}
		if figure != least {
			out = append(out, disagreement{what + " of " + f.Name, figure, least})
		}
	}
	compare("worst-case", w.Steps, s.Steps(), big.NewRat(1, 1))
	activities := s.Machine.Activities
	for i, f := range w.Activities {
		price := make([]int64, len(activities))
		price[i] = 1
		compare("attempts", f, s.Attempts(price), big.NewRat(1, 1))
	}
	for _, f := range w.Costs {
		if f.Held && !f.Exact && f.Amount != nil { // by money; see TestHeld
			seen["cost held"]++
			continue
		}
		if s.Calls() {
			compare("tree", f, s.TreeCost(f.Name), big.NewRat(1, 100))
		} else {
			compare("cost", f, s.Attempts(oracletest.Hundredths(activities, f.Name)), big.NewRat(1, 100))
		}
	}
	if w.Tree != nil {
		compare("tree", w.Tree.Steps, s.TreeSteps(), big.NewRat(1, 1))
		compare("tree", w.Tree.Runs, s.TreeRuns(), big.NewRat(1, 1))
		for _, f := range w.Tree.Attempts {
			compare("tree", f, s.TreeAttempts(f.Name), big.NewRat(1, 1))
		}
	}
	return out
}

// compareTime holds the bound of time against random runs: none may last longer.
func compareTime(s *oracletest.Space, f check.Figure, seen map[string]int) []disagreement {
	if f.Amount == nil {
		seen["time without end"]++
		return nil
	}
	if s.CalleesFault() {
		seen["time left out"]++
		return nil
	}
	slowest := s.Slowest(rand.New(rand.NewPCG(1, 1)), 20)
	seen["time"]++
	if big.NewRat(int64(slowest), 1).Cmp(f.Amount) == 0 {
		seen["time reached"]++
	}
	return tooShort(f, slowest)
}

// tooShort is the disagreement where a run lasts longer than the bound of time.
func tooShort(f check.Figure, slowest time.Duration) []disagreement {
	most := time.Duration(f.Amount.Num().Int64())
	if slowest <= most {
		return nil
	}
	return []disagreement{{"time", "at most " + most.String(), slowest.String()}}
}
