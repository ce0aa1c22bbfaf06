package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// factors is the chain of factors of a's attempts on the run that reaches them:
// attempts in each visit of each do, times those that stand side by side, times the
// visits of states that run a. It is empty where there is but one factor, and where
// not all visits are alike.
func factors(p *explore.Product, a *ir.Activity, f Figure) string {
	if f.Amount == nil || !f.Amount.IsInt() || f.Run == nil {
		return ""
	}
	text, chain := attemptsOn(p, a, f.path)
	if !chain {
		return ""
	}
	return text
}

// shares are, for each activity that has a part in the cost f, its attempts in
// the run that reaches f; empty for the others.
func shares(p *explore.Product, f Figure) []string {
	if f.Run == nil {
		return nil
	}
	m := p.Table.Machine
	out := make([]string, len(m.Activities))
	for i, a := range m.Activities {
		if slices.ContainsFunc(a.Costs, func(c ir.Cost) bool { return c.Name == f.Name && c.Amount.Sign() > 0 }) {
			out[i], _ = attemptsOn(p, a, f.path)
		}
	}
	return out
}

// attemptsOn is how often path attempts a: "write_patch 12 = 3 attempts x 4
// visits", and whether that has several factors. It is empty where it never does.
func attemptsOn(p *explore.Product, a *ir.Activity, path []int32) (text string, chain bool) {
	total, visits, beside, each, alike := tally(p, a, path)
	if total == 0 {
		return "", false
	}
	text = fmt.Sprintf("%s %d", a.Name, total)
	if !alike {
		return text, false
	}
	var parts []string
	if each > 1 {
		parts = append(parts, fmt.Sprintf("%d attempts", each))
	}
	if beside > 1 {
		parts = append(parts, fmt.Sprintf("%d side by side", beside))
	}
	if visits > 1 {
		parts = append(parts, fmt.Sprintf("%d visits", visits))
	}
	if len(parts) < 2 {
		return text, false
	}
	return text + " = " + strings.Join(parts, " x "), true
}

// tally counts the attempts of a along path, the visits of states that run it, how
// many of their dos run it side by side, and the attempts of each, and whether
// those are the same everywhere.
func tally(p *explore.Product, a *ir.Activity, path []int32) (total, visits, beside, each int, alike bool) {
	alike = true
	same := func(known *int, n int) {
		alike = alike && (*known == 0 || *known == n)
		*known = n
	}
	counts := map[*ir.Do]int{} // attempts in the visit at hand
	leave := func() {
		for _, n := range counts {
			total += n
			same(&each, n)
		}
		clear(counts)
	}
	for _, e := range path {
		switch p.Label(e).Kind {
		case explore.Started, explore.Moved:
			leave()
			for _, d := range p.Leaf(p.To[e]).Dos {
				if d.Activity == a {
					counts[d] = 1
				}
			}
			if len(counts) > 0 {
				visits++
				same(&beside, len(counts))
			}
		case explore.Retried:
			if c, _ := p.Input(e); c.Do.Activity == a {
				counts[c.Do]++
			}
		}
	}
	leave()
	return total, visits, beside, each, alike
}

// cycle names an arm that can be taken without end and counts for w: one that
// says so, where there is one.
func (t *meter) cycle(w *explore.Weigher) string {
	counts := make([]bool, t.n)
	t.inCycles(func(c, e int32) { counts[t.of[c]] = counts[t.of[c]] || w.Of(c, e) > 0 })
	var edges []int32
	t.inCycles(func(c, e int32) {
		if counts[t.of[c]] {
			edges = append(edges, e)
		}
	})
	return t.cycleOf(edges)
}

// cycleOf names an arm among the edges of a cycle: one that says `unbounded`, where
// there is one.
func (t *meter) cycleOf(edges []int32) string {
	var first, marked *ir.Arm
	for _, e := range edges {
		a := t.p.Arm(e)
		if a == nil {
			continue
		}
		if first == nil && (a.Kind == ir.Goto || a.Kind == ir.Retry) {
			first = a
		}
		if marked == nil && a.Unbounded {
			marked = a
		}
	}
	if marked != nil {
		first = marked
	}
	if first == nil {
		return "the sum is over 64 bits"
	}
	return t.cycleText(first)
}

func (t *meter) cycleText(a *ir.Arm) string {
	return place(a.State) + ": " + quoteStep(a) + " can be taken without end"
}

// inCycles calls f with every edge within a component.
func (t *meter) inCycles(f func(c, e int32)) {
	for c := range int32(t.p.Len()) {
		for e := t.p.First[c]; e < t.p.First[c+1]; e++ {
			if t.of[c] == t.of[t.p.To[e]] {
				f(c, e)
			}
		}
	}
}

func quoteStep(a *ir.Arm) string { return "\"" + a.StepText() + "\"" }

func place(s *ir.State) string {
	if s.Path == "" {
		return "the machine"
	}
	return s.Path
}

// noTimer says what leaf has for a timer, where none bounds the wait.
func noTimer(leaf *ir.State) string {
	for s := leaf; s != nil; s = s.Parent {
		for _, timer := range s.Timers {
			if timer.Idle {
				return "no timer but one that is idle"
			}
		}
	}
	return "no timer"
}

// endlessTime says why no time can be given.
func (t *meter) endlessTime(time *explore.Time) string {
	why := time.Endless()
	switch {
	case why.Waits:
		leaf := t.p.Leaf(why.At)
		return place(leaf) + " waits" + waitedFor(t.p, why.At) + " with " + noTimer(leaf)
	case why.Timer != nil:
		return place(t.p.Leaf(why.At)) + " waits" + waitedFor(t.p, why.At) + ", and " + Quote("after "+why.Timer.DelayText()) + " has no limit"
	case why.Attempt != nil:
		return place(why.Leaf) + ": " + Quote(why.Attempt.Activity.Name) + " has no timeout"
	case why.Retry != nil && why.Retry.Backoff != nil && why.Retry.Backoff.By != nil:
		return place(why.Leaf) + ": " + Quote("backoff by "+ir.ExprText(why.Retry.Backoff.By)) + " has no limit"
	case why.Retry != nil:
		return t.cycleText(why.Retry)
	}
	return t.cycleOf(why.Cycle)
}

// waitedFor lists the events that lead on from configuration c.
func waitedFor(p *explore.Product, c int32) string {
	var names []string
	seen := map[string]bool{}
	for _, in := range p.Inputs(c) {
		if in.Kind == ir.CaseEvent && !seen[in.Event.Name] {
			seen[in.Event.Name] = true
			names = append(names, in.Event.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " for " + strings.Join(names, ", ")
}
