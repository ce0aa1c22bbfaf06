package control

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// part is a strongly connected component of the control graph, as far as it
// matters for what bounds its edges.
type part struct {
	c       *Graph
	from    map[int32][]Edge // the edges inside, by where they begin
	takes   map[*ir.Arm][]Edge
	leaves  map[*ir.State]bool
	entered map[*ir.State]bool // states that some edge inside enters from outside
	started map[*ir.State]bool // states whose timers some edge inside starts, as far as is known
	effects map[*ir.Var][]effectIn
}

// effectIn is an effect inside the part.
type effectIn struct {
	flat.Effect
	arm *ir.Arm // nil in an entry or exit block
}

func newPart(c *Graph, edges []int) *part {
	p := &part{c: c, from: map[int32][]Edge{}, takes: map[*ir.Arm][]Edge{}, leaves: map[*ir.State]bool{}, entered: map[*ir.State]bool{}, started: map[*ir.State]bool{}, effects: map[*ir.Var][]effectIn{}}
	states := c.Table.Machine.States
	blocks := map[*ir.Block]*ir.Arm{}
	for _, e := range edges {
		x := c.Edges[e]
		from, to := states[x.From], states[x.To]
		p.leaves[from] = true
		p.from[x.From], p.takes[x.Arm] = append(p.from[x.From], x), append(p.takes[x.Arm], x)
		for s := to; s != nil && !from.Inside(s); s = s.Parent {
			p.entered[s] = true
		}
		domain := ir.Domain(from, x.Arm.Target)
		for s := to; s != nil && (s != domain || to != x.Arm.Target.Leaf()); s = s.Parent {
			p.started[s] = true
		}
		for _, leaf := range append([]*ir.State{from, to}, Landings(x.Arm.Target)...) {
			for s := leaf; s != nil; s = s.Parent {
				blocks[s.Entry], blocks[s.Exit] = nil, nil
			}
		}
	}
	for leaf := range p.leaves { // what stays in a leaf has effects, too
		for in := range c.Table.Inputs(leaf) {
			for _, choice := range in.Choices {
				if choice.Arm != nil && choice.Arm.Block != nil {
					blocks[choice.Arm.Block] = choice.Arm
				}
			}
		}
	}
	for b, arm := range blocks {
		if b == nil {
			continue
		}
		for _, a := range b.Assigns {
			p.effects[a.Var] = append(p.effects[a.Var], effectIn{flat.EffectOf(a), arm})
		}
	}
	return p
}

// bounded reports whether a cannot be taken without end within p, and how often
// it can be at most while the part is not left.
func (p *part) bounded(a *ir.Arm) (most int64, ok bool) {
	most = graph.Infinite
	if a.Max != nil {
		if scope := a.Restart(); scope == nil || !p.entered[scope] {
			most, ok = *a.Max, true
		}
	}
	for e := range ir.Conjuncts(a.When) {
		if times, limited := p.limits(a, e); limited {
			most, ok = min(most, times), true
		}
	}
	return most, ok
}

// limits reports whether the condition e of a becomes false for good when a has
// been taken often enough, and how often that is at most.
func (p *part) limits(a *ir.Arm, e ir.Expr) (most int64, ok bool) {
	switch e := e.(type) {
	case *ir.VarRef:
		return 1, p.changesForGood(a, e.Var, 0)
	case *ir.Unary:
		if ref, isVar := e.X.(*ir.VarRef); isVar && e.Op == ir.OpNot {
			return 1, p.changesForGood(a, ref.Var, 1)
		}
	case *ir.Binary:
		return p.compares(a, e)
	}
	return 0, false
}

// movesOneWay reports whether a moves v in the direction sign, and nothing in
// the part moves it back or sets it. Short says of a clamp whether a stops being
// taken before v reaches it.
func (p *part) movesOneWay(a *ir.Arm, v *ir.Var, sign int64, short func(clamp int64) bool) bool {
	moves := false
	for _, x := range p.effects[v] {
		if x.Adds == nil || x.Adds.Lo*sign <= 0 || x.Adds.Hi*sign <= 0 {
			return false
		}
		moves = moves || x.arm == a && (x.Clamp == nil || short(*x.Clamp))
	}
	return moves
}

// changesForGood reports whether a sets the flag v to value, and nothing in the
// part sets it to anything else.
func (p *part) changesForGood(a *ir.Arm, v *ir.Var, value int64) bool {
	sets := false
	for _, x := range p.effects[v] {
		if x.Value == nil || x.Value.Int != value {
			return false
		}
		sets = sets || x.arm == a
	}
	return sets
}
