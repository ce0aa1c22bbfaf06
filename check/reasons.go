package check

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/lifetime"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

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
	switch {
	case first == nil:
		return "the sum is over 64 bits"
	case marked == nil && t.s.Bounded():
		return place(first.State) + ": " + quoteStep(first) + " cannot be taken without end, but the data that ends it is not followed"
	}
	return t.cycleText(first)
}

func (t *meter) cycleText(a *ir.Arm) string {
	return place(a.State) + ": " + quoteStep(a) + " can be taken without end"
}

// inCycles calls f with every edge within a component.
func (t *meter) inCycles(f func(c, e int32)) {
	for c, e := range t.p.InOrder() {
		if t.of[c] == t.of[t.p.To[e]] {
			f(c, e)
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
	if slices.ContainsFunc(timing.TimersAround(leaf), func(t *ir.Timer) bool { return t.Idle }) {
		return "no timer but one that is idle"
	}
	return "no timer"
}

// endlessTime says why no time can be given.
func (t *meter) endlessTime(time *lifetime.Times) string {
	why := time.Endless()
	switch {
	case why.Waits:
		leaf := t.p.Leaf(why.At)
		return place(leaf) + " waits" + waitedFor(t.p, why.At) + " with " + noTimer(leaf)
	case why.Timer != nil:
		return place(t.p.Leaf(why.At)) + " waits" + waitedFor(t.p, why.At) + ", and " + Quote("after "+why.Timer.DelayText()) + " has no limit"
	case why.Attempt != nil && why.Attempt.Activity.Machine != nil:
		return place(why.Leaf) + ": " + t.s.whyEndless(why.Attempt.Activity, &Figure{Name: timeName})
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
	for _, in := range p.Inputs(c) {
		if in.Kind == ir.CaseEvent && !slices.Contains(names, in.Event.Name) {
			names = append(names, in.Event.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " for " + strings.Join(names, ", ")
}
