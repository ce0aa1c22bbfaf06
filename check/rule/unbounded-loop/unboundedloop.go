// Package unboundedloop finds cycles that can be taken without end and do not
// say so.
package unboundedloop

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of unbounded-loop.
var Rule = &check.Rule{
	Name:     "unbounded-loop",
	Group:    check.Graph,
	Severity: diag.Error,
	Summary:  "a cycle can be taken without end, and none of its edges says `unbounded`",
	Question: "whether a cycle can be taken without end",
	Fix:      "adds `max 3` to the last arm of the cycle, and `else -> …` to a failure terminal if no arm follows",
	Run:      run,
	OneRun:   true,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "spinning-loop", At: check.SameState},
		{Rule: "never-fires", At: check.RestsOn},
	},
}

func run(p *check.Pass) {
	if !p.Starts() || p.Machine.Broken || p.Bounded() {
		return
	}
	if p.SmallProduct() == nil {
		left := p.Control().Loops()
		if len(left) == 0 {
			return
		}
		if p.Product() == nil {
			for _, leaves := range left {
				p.LeaveOpen(check.Question{State: leaves[0]})
			}
			return
		}
	}
	g := p.Product()
	for _, l := range g.Loops(p.Unmarked) {
		report(p, g, l)
	}
}

// round is a run into l and once round.
func round(p *check.Pass, g *explore.Product, l explore.Loop) (w *witness.Witness, sure bool) {
	path := g.PathTo(l.Into)
	return p.Replayed(append(path, l.Round...), len(path))
}

// maxChanged is how many fields that a lap changes another cycle is looked for that keeps.
const maxChanged = 4

// sets reports whether the block of a sets one of the fields given.
func sets(a *ir.Arm, fields []*ir.Var) bool {
	return a != nil && a.Block != nil && slices.ContainsFunc(a.Block.Assigns, func(x *ir.Assign) bool { return slices.Contains(fields, x.Var) })
}

func report(p *check.Pass, g *explore.Product, l explore.Loop) {
	first, open := l.Leaves[0], check.Question{State: l.Leaves[0], Span: lastMove(l, g).Span}
	witness, sure := round(p, g, l)
	another := func(keep func(from, e int32) bool) {
		for _, other := range g.Loops(func(from, e int32) bool { return p.Unmarked(from, e) && keep(from, e) }) {
			if !sure && slices.Contains(other.Leaves, first) {
				l = other
				witness, sure = round(p, g, l)
			}
		}
	}
	var changed []*ir.Var // by the laps so far
	for v := p.Changed(); !sure && v != nil && len(changed) < maxChanged && !slices.Contains(changed, v); v = p.Changed() {
		changed = append(changed, v)
		another(func(_, e int32) bool { return !sets(g.Arm(e), changed) })
	}
	if !sure { // on some cycle nothing is deferred or guessed
		another(func(from, e int32) bool { return g.Detours(from, e) == 1 })
	}
	if !sure {
		p.LeaveOpen(open)
		return
	}
	last := lastMove(l, g)
	arm, inputs := exit(l, g)
	if arm == nil {
		arm = last
	}
	fixes := bounded(p, arm)
	if fixes == nil {
		fixes = bounded(p, last)
	}
	p.Report(check.Finding{
		State:   g.Leaf(l.Into),
		Also:    l.Leaves,
		Inputs:  inputs,
		Rests:   p.InputsOf(timedOut(l, g)...),
		Behind:  p.Behind(inputs),
		Span:    arm.Span,
		Message: message(l),
		Help:    "Add `max N` and an `else` to an arm of the cycle, count in a field that a guard reads, or write `unbounded` if this is meant.",
		Related: related(l, g, arm),
		Witness: witness,
		Fixes:   fixes,
	})
}

// timedOut are the leaves that the cycle leaves by a timer. One that never fires there would, if
// its wait were the shorter one, lead out of the cycle first.
func timedOut(l explore.Loop, g *explore.Product) (leaves []*ir.State) {
	leaf := g.Leaf(l.Into)
	for _, e := range l.Round {
		if a := g.Arm(e); a != nil && a.Timer != nil && g.IsMove(e) {
			leaves = append(leaves, leaf)
		}
		if !g.IsWithin(e) {
			leaf = g.Leaf(g.To[e])
		}
	}
	return leaves
}

// exit is the first move of the cycle beside which stands an arm that would lead out of it and
// that no run takes, with its inputs: whatever should end the cycle is missing there. It is
// nil where there is none.
func exit(l explore.Loop, g *explore.Product) (arm *ir.Arm, inputs []check.InputAt) {
	leaf := g.Leaf(l.Into)
	for _, e := range l.Round {
		a, from := g.Arm(e), leaf
		if !g.IsWithin(e) {
			leaf = g.Leaf(g.To[e])
		}
		if a == nil || !g.IsMove(e) || arm != nil && a != arm {
			continue
		}
		if arm == nil && !slices.ContainsFunc(a.Chain(), func(other *ir.Arm) bool {
			return other != a && other.Kind == ir.Goto && !g.Taken(other) &&
				!slices.ContainsFunc(l.Leaves, func(s *ir.State) bool { return s.Inside(other.Target) })
		}) {
			continue
		}
		arm = a
		inputs = append(inputs, check.InputAt{Leaf: from, ID: g.Label(e).Input})
	}
	return arm, inputs
}

// lastMove is the arm of the last move of the cycle. What comes after it may
// have none: an activity that ends with nothing to say.
func lastMove(l explore.Loop, g *explore.Product) *ir.Arm {
	i := len(l.Round) - 1
	for !g.IsMove(l.Round[i]) {
		i--
	}
	return g.Arm(l.Round[i])
}

// bounded are fixes by which a is taken three times. One with a block has its bound in front of
// that, at a place that nobody keeps.
func bounded(p *check.Pass, a *ir.Arm) []diag.Fix {
	const most = " max 3"
	if a == nil || a.Kind != ir.Goto || a.Target == nil || a.Max != nil || a.Block != nil || a.Span.End.Offset == 0 {
		return nil
	}
	fix := func(behind string) diag.Fix {
		return diag.Fix{Message: "add `" + strings.TrimSpace(most+behind) + "`", Edits: []diag.Edit{diag.Insert(a.Span.End, most+behind)}}
	}
	chain := a.Chain()
	switch last := chain[len(chain)-1]; {
	case a != last && last.When == nil && last.Max == nil && (a.When != nil || last.Target == nil || p.MayEnd(last.Target)):
		return []diag.Fix{fix("")}
	case a == last && a.When == nil:
		return p.Fail(a.State, func(to string) diag.Fix { return fix(" else -> " + to) })
	}
	return nil
}

func message(l explore.Loop) string {
	if len(l.Leaves) == 1 {
		return check.Quote(l.Leaves[0].Path) + " can be entered again and again without end"
	}
	return "a run can go round " + check.Cycle(l.Leaves) + " without end"
}

// related are the other moves of the cycle.
func related(l explore.Loop, g *explore.Product, last *ir.Arm) []diag.Related {
	var out []diag.Related
	seen := map[*ir.Arm]bool{last: true}
	for _, e := range l.Round {
		if a := g.Arm(e); a != nil && g.IsMove(e) && !seen[a] && len(out) < check.MaxNamed {
			seen[a] = true
			out = append(out, diag.Related{Span: a.Span, Message: "this arm belongs to the cycle"})
		}
	}
	return out
}
