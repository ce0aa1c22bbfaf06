package nowaytofinish

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A trap is a strongly connected component of configurations that no edge
// leaves, without a terminal state in it. From every configuration that cannot
// finish some trap is reached; those that only lead into one are not named.
// Cancel is no way out, and what it leads to is looked at all the same.
type trap struct {
	of      []int32 // the component of every configuration
	members []int32 // its configurations
	configs []int32 // those in which the run stands in a leaf
	leaves  []*ir.State
	has     map[*ir.State]bool // the leaves
	first   int32              // the configuration that a witness leads to
	inputs  []check.InputAt    // on which it rests alone
	round   []int32            // the edges of a way from there back to it; nil where the run stands still
}

// traps lists the traps of g in the order in which they are first reached, each
// set of states once. It is linear in the size of g.
func traps(g *space, broken map[check.InputAt]bool) []*trap {
	onward, of, n := g.onward()
	way := make([]bool, n) // the component is left, or the run may finish in it
	for c := range int32(g.Len()) {
		if leaf := g.Leaf(c); leaf != nil && leaf.Kind == ir.Terminal || g.OpenAt(c) {
			way[of[c]] = true
		}
		for _, to := range onward.Successors(c) {
			if of[to] != of[c] {
				way[of[c]] = true
			}
		}
	}
	byNumber := map[int32]*trap{}
	var found []*trap
	for c := range int32(g.Len()) {
		number := of[c]
		if way[number] {
			continue
		}
		t := byNumber[number]
		if t == nil {
			t = &trap{of: of}
			byNumber[number] = t
			found = append(found, t)
		}
		t.members = append(t.members, c)
		if g.Settled(c) {
			t.configs = append(t.configs, c)
		}
	}
	found = distinct(g, found, broken)
	if len(found) > 0 {
		back := onward.Reverse()
		doomed := g.doomed(back)
		for _, t := range found {
			t.enter(g, doomed, back)
		}
	}
	return found
}

// enter finds the configuration that a witness leads to, and a way round from
// there. It is the first in a state of the trap that cannot finish either: counters
// that still run up to the trap proper are no reason to show a longer way. Where the
// run goes round in the trap, it is the first of those that lies on a cycle itself,
// with a move: only the very same configuration shows that it can go round for ever.
// Where it is stuck, it is the first from which no other state is entered. Back is the
// graph of what leads onward, from target to source.
func (t *trap) enter(g *space, doomed []bool, back *graph.Graph) {
	move := g.moves(t.of)
	circle := slices.ContainsFunc(t.members, func(c int32) bool { return move(c) != nil })
	var leads []bool // to another state; of no interest where the run goes round
	if !circle {
		var others []int32
		for c := range int32(g.Len()) {
			if doomed[c] && g.Settled(c) && !t.has[g.Leaf(c)] {
				others = append(others, c)
			}
		}
		leads = back.Reach(others...)
	}
	for c := range int32(g.Len()) {
		if !doomed[c] || !g.Settled(c) || !t.has[g.Leaf(c)] || circle && move(c) == nil || !circle && leads[c] {
			continue
		}
		t.first = c
		if circle {
			t.round = g.Round(c, move(c), func(e int32) bool { return !g.IsCancel(e) && t.of[g.To[e]] == t.of[c] })
		}
		return
	}
}

// distinct fills in the leaves of each trap and leaves out those whose states
// have all been named before: one fault shows in many configurations. A trap that
// rests on inputs alone, and may be told by them, names no state for one that does not.
func distinct(g *space, found []*trap, broken map[check.InputAt]bool) []*trap {
	named, surely := map[*ir.State]bool{}, map[*ir.State]bool{}
	var out []*trap
	for _, t := range found {
		fresh := false
		t.has = map[*ir.State]bool{}
		for _, c := range t.configs {
			s := g.Leaf(c)
			if !t.has[s] {
				t.has[s] = true
				t.leaves = append(t.leaves, s)
			}
			fresh = fresh || !named[s]
			named[s] = true
		}
		if !fresh && !slices.ContainsFunc(t.leaves, func(s *ir.State) bool { return !surely[s] }) {
			continue
		}
		t.inputs = t.restsOn(g, broken)
		for _, s := range t.leaves {
			surely[s] = surely[s] || len(t.inputs) == 0
		}
		if fresh || len(t.inputs) == 0 {
			out = append(out, t)
		}
	}
	return out
}

// restsOn lists the inputs on which the trap rests alone: those that nothing
// takes, that a spent bound leaves to nobody, or that cannot be computed (they
// are broken), in some configuration of the trap, where without them the run
// stands still. Where it goes round by inputs that are handled, the
// trap is a fault of its own, and the list is empty.
func (t *trap) restsOn(g *space, broken map[check.InputAt]bool) []check.InputAt {
	faulty := map[check.InputAt]bool{}
	var list []check.InputAt
	for _, c := range t.configs {
		for _, in := range g.Inputs(c) {
			at := check.InputAt{Leaf: g.Leaf(c), ID: in.ID}
			if !faulty[at] && (mayBeLeft(in) || broken[at]) {
				faulty[at] = true
				list = append(list, at)
			}
		}
	}
	if len(list) == 0 || t.goesRound(g, faulty) {
		return nil
	}
	before := len(list)
	left := g.leftOut(t.configs, list)
	if len(left) < before {
		clear(faulty)
		for _, at := range left {
			faulty[at] = true
		}
		if t.goesRound(g, faulty) {
			return nil
		}
	}
	return left
}

// goesRound reports whether the trap has a cycle with a move in it without the
// inputs given.
func (t *trap) goesRound(g *space, without map[check.InputAt]bool) bool {
	index := make(map[int32]int32, len(t.members))
	for i, c := range t.members {
		index[c] = int32(i)
	}
	each := func(f func(from, to, e int32)) {
		for i, c := range t.members {
			for e := g.First[c]; e < g.First[c+1]; e++ {
				if g.IsWithin(e) || !g.IsCancel(e) && !g.IsRetry(e) && !without[check.InputAt{Leaf: g.Leaf(c), ID: g.InputID(e)}] {
					f(int32(i), index[g.To[e]], e)
				}
			}
		}
	}
	rest := graph.New(len(t.members), func(edge func(from, to int32)) {
		each(func(from, to, _ int32) { edge(from, to) })
	})
	of, _ := rest.Components()
	cycle := false
	each(func(from, to, e int32) { cycle = cycle || of[from] == of[to] && g.IsMove(e) })
	return cycle
}

// mayBeLeft reports whether in may be left to nobody, as far as its text says.
func mayBeLeft(in flat.Input) bool {
	if in.Kind == ir.CaseCancel {
		return false
	}
	return len(in.Choices) == 0 || flat.LastBound(in.Choices) != nil || in.Kind != ir.CaseEvent && guardedThroughout(in)
}

// guardedThroughout reports whether guards may leave in to nobody.
func guardedThroughout(in flat.Input) bool {
	return !slices.ContainsFunc(in.Choices, func(c ir.Choice) bool { return c.Arm == nil || c.Arm.When == nil })
}
