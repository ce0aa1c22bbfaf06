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
		for _, s := range enteredBy(x.Arm.Target, to) {
			p.entered[s] = p.entered[s] || !from.Inside(s)
		}
		domain := ir.Domain(from, x.Arm.Target)
		for s := to; s != nil && (s != domain || to != x.Arm.Target.Leaf()); s = s.Parent {
			p.started[s] = true
		}
		for leaf := range x.Arm.Target.Redirects() {
			for s := leaf; s != nil; s = s.Parent {
				blocks[s.Entry], blocks[s.Exit] = nil, nil
			}
		}
		for s := from; s != nil; s = s.Parent {
			blocks[s.Exit] = nil
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
			p.effects[a.Var] = append(p.effects[a.Var], effectIn{flat.EffectOf(a, c.between), arm})
		}
	}
	return p
}

// enteredBy are the states that a move to target enters, or has entered before, if it ends in leaf: where a
// require turns the run away, those around its leaf have been.
func enteredBy(target, leaf *ir.State) (list []*ir.State) {
	for on := range target.Redirects() {
		if on == leaf {
			return append(list, leaf.Chain()...)
		}
		if on != nil && on.Parent != nil {
			list = append(list, on.Parent.Chain()...)
		}
	}
	return list
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
	for _, x := range asked(a) {
		for e, holds := range ir.Known(x.When, x == a) {
			if times, limited := p.limits(a, e, holds); limited {
				most, ok = min(most, times), true
			}
		}
	}
	return most, ok
}

// limits reports whether it cannot be for ever that e is holds when a is taken, and how often
// that is at most.
func (p *part) limits(a *ir.Arm, e ir.Expr, holds bool) (most int64, ok bool) {
	switch e := e.(type) {
	case *ir.VarRef:
		value := int64(1)
		if holds {
			value = 0
		}
		return 1, p.changesForGood(a, e.Var, value)
	case *ir.Binary:
		op := e.Op
		if !holds {
			op = op.Opposite()
		}
		return p.compares(a, e.X, op, e.Y)
	}
	return 0, false
}

// movesOneWay is how much a moves v at least in the direction sign, where nothing in the part moves
// it back or sets it. Short says of a clamp whether a stops being taken before v reaches it.
func (p *part) movesOneWay(a *ir.Arm, v *ir.Var, sign int64, short func(clamp int64) bool) int64 {
	by := int64(0)
	for _, x := range p.effects[v] {
		if x.Adds == nil || x.Adds.Lo*sign <= 0 || x.Adds.Hi*sign <= 0 {
			return 0
		}
		if x.arm == a && (x.Clamp == nil || short(*x.Clamp)) {
			by = min(x.Adds.Lo*sign, x.Adds.Hi*sign)
		}
	}
	return by
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
