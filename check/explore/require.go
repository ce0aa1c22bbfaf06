package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// TurnedAway lists, by state ID of the leaf, the edges along which a run would
// have entered it and was sent elsewhere by its `require`. Where several requires send
// a run on from one to the next, the edge counts for each of them.
func (p *Product) TurnedAway() map[int][]int32 {
	out := map[int][]int32{}
	for _, e := range p.InOrder() {
		leaf := p.headsFor(e)
		for range p.Label(e).Turned {
			out[leaf.ID] = append(out[leaf.ID], e)
			leaf = leaf.Require.Target.Leaf()
		}
	}
	return out
}

// TurnedInto is the first step that cannot be computed in which leaf has sent the run away,
// without asking a host guard, and whether there is one.
func (p *Product) TurnedInto(leaf *ir.State) (Fault, bool) {
	f, ok := p.turned[leaf]
	return f, ok
}

// noteTurned notes the leaves that have sent the run away in the step at hand, which is f.
func (x *search) noteTurned(f Fault) {
	for _, leaf := range x.turnedAway() {
		if known, ok := x.turned[leaf]; !ok || known.Guessed && !f.Guessed {
			f.Turned = leaf
			x.turned[leaf] = f
		}
	}
}

// turnedAway are the leaves that have sent the run away in the step at hand, without asking a host
// guard.
func (x *search) turnedAway() (leaves []*ir.State) {
	target := x.Program.Machine.Root
	if x.arm != nil {
		target = x.arm.Target
	}
	for range x.Turned {
		leaf := target.Leaf()
		if !slices.Contains(x.TurnedByHost, leaf) {
			leaves = append(leaves, leaf)
		}
		target = leaf.Require.Target
	}
	return leaves
}

// headsFor is the leaf for which edge e makes; nil where it stays.
func (p *Product) headsFor(e int32) *ir.State {
	switch p.Label(e).Kind {
	case Started:
		return p.Table.Machine.Root.Leaf()
	case Moved:
		return p.Arm(e).Target.Leaf()
	}
	return nil
}

// PathAlong is a shortest path to where edge e starts, and then e.
func (p *Product) PathAlong(e int32) []int32 {
	return append(p.PathTo(p.From(e)), e)
}

// TurnedByData reports whether along edge e the `require` of leaf is false
// whatever host guards answer: some step along e asks none there.
func (p *Product) TurnedByData(leaf *ir.State, e int32) bool {
	t := p.teller()
	s := t.seek(p.From(e), &sought{to: p.To[e], label: p.labelAt[e], unmet: graph.None, byData: leaf})
	return s.found
}
