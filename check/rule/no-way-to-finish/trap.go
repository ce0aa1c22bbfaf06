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
	number  int32   // of the component
	of      []int32 // the component of every configuration
	members []int32 // its configurations
	configs []int32 // those in which the run stands in a leaf
	leaves  []*ir.State
	has     map[*ir.State]bool // the leaves
	doomed  []bool             // by configuration: no way to finish, in any trap
}

// traps lists the traps of g in the order in which they are first reached, each
// set of states once. It is linear in the size of g.
func traps(g *space) []*trap {
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
			t = &trap{number: number, of: of}
			byNumber[number] = t
			found = append(found, t)
		}
		t.members = append(t.members, c)
		if g.Settled(c) {
			t.configs = append(t.configs, c)
		}
	}
	found = distinct(g, found)
	if len(found) > 0 {
		doomed := g.doomed(onward)
		for _, t := range found {
			t.doomed = doomed
			t.moveUp(g)
		}
	}
	return found
}

// moveUp puts in front of the configurations of t the first one in a state of t
// that cannot finish either: counters that still run up to the trap proper are no
// reason to show a longer way.
func (t *trap) moveUp(g *space) {
	for c := range t.configs[0] {
		if t.doomed[c] && g.Settled(c) && t.has[g.Leaf(c)] {
			t.configs = append([]int32{c}, t.configs...)
			return
		}
	}
}

// distinct fills in the leaves of each trap and leaves out those whose states
// have all been named before: one fault shows in many configurations.
func distinct(g *space, found []*trap) []*trap {
	named := map[*ir.State]bool{}
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
		if fresh {
			out = append(out, t)
		}
	}
	return out
}

// round lists the edges of a way from the first configuration of the trap back
// to the state in which it stands, with a move in it; nil where the run stands
// still.
func (t *trap) round(g *space) []int32 {
	first := t.configs[0]
	inside := func(e int32) bool {
		return !g.IsCancel(e) && !g.IsRetry(e) && t.doomed[g.To[e]] && t.has[g.Leaf(g.To[e])]
	}
	home := func(c int32) bool { return g.Settled(c) && g.Leaf(c) == g.Leaf(first) }
	if way := t.leave(g, first, inside, home); way != nil {
		return way
	}
	left := func(c int32) bool { return t.leave(g, c, inside, home) != nil }
	way := g.ShortestPath(first, func(e int32) bool { return inside(e) && !g.IsMove(e) }, left)
	if way == nil {
		return nil
	}
	return append(way, t.leave(g, g.To[way[len(way)-1]], inside, home)...)
}

// leave is a way home from c that begins with a move.
func (t *trap) leave(g *space, c int32, inside, home func(int32) bool) []int32 {
	for e := g.First[c]; e < g.First[c+1]; e++ {
		if !inside(e) || !g.IsMove(e) {
			continue
		}
		if home(g.To[e]) {
			return []int32{e}
		}
		if rest := g.ShortestPath(g.To[e], inside, home); rest != nil {
			return append([]int32{e}, rest...)
		}
	}
	return nil
}

// restsOn lists the inputs on which the trap rests alone: those that nothing
// takes, that a spent bound leaves to nobody, or that cannot be computed (they
// are broken), where without them the run
// comes to a standstill. Where it goes round by inputs that are handled, the
// trap is a fault of its own, and the list is empty.
func (t *trap) restsOn(g *space, broken map[check.InputAt]bool) []check.InputAt {
	faulty := map[check.InputAt]bool{}
	var list []check.InputAt
	for _, c := range t.configs {
		for _, in := range g.Inputs(c) {
			at := check.InputAt{Leaf: g.Leaf(c), ID: in.ID}
			if !faulty[at] && (leftToNobody(in) || broken[at]) {
				faulty[at] = true
				list = append(list, at)
			}
		}
	}
	if len(list) > 0 && t.goesRound(g, faulty) {
		return nil
	}
	return list
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
				if !g.IsCancel(e) && !g.IsRetry(e) && !without[check.InputAt{Leaf: g.Leaf(c), ID: g.InputID(e)}] {
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

func leftToNobody(in flat.Input) bool {
	if in.Kind == ir.CaseCancel {
		return false
	}
	return len(in.Choices) == 0 || flat.LastBound(in.Choices) != nil || in.Kind != ir.CaseEvent && guardedThroughout(in)
}

// guardedThroughout reports whether guards may leave in to nobody.
func guardedThroughout(in flat.Input) bool {
	return !slices.ContainsFunc(in.Choices, func(c ir.Choice) bool { return c.Arm == nil || c.Arm.When == nil })
}
