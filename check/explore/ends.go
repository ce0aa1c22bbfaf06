package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Entering reports whether an edge, which starts in configuration from, enters s. A
// composite is entered when a leaf inside is entered from outside it.
func (p *Product) Entering(s *ir.State) func(from, e int32) bool {
	may := make([]bool, len(p.labels))
	for i, l := range p.labels {
		may[i] = (l.Kind == Moved || l.Kind == Started) && p.Table.Machine.States[l.Into].Inside(s)
	}
	return func(from, e int32) bool {
		if !may[p.labelAt[e]] || s.Kind != ir.Composite {
			return may[p.labelAt[e]]
		}
		leaf := p.Leaf(from)
		return leaf == nil || !leaf.Inside(s)
	}
}

// Succeeds reports whether with edge e one of dos succeeds: it has a result, or ends with nothing
// to say. A machine that is called has to end in a success.
func (p *Product) Succeeds(e int32, dos []*ir.Do) bool {
	l := p.Label(e)
	if l.Kind == Ended {
		return slices.Contains(dos, p.Table.Machine.Dos[l.Do])
	}
	c, comes := p.Input(e)
	if !comes || l.Again || c.Kind != ir.CaseResult || !slices.Contains(dos, c.Do) {
		return false
	}
	return c.Event.Terminal == nil || c.Event.Terminal.Outcome == "success"
}

// Onward is the graph without cancellations, with its strongly connected
// components; computed once. Where nothing handles cancel it is the whole.
func (p *Product) Onward() (onward *graph.Graph, of []int32, n int) {
	switch {
	case p.onward != nil:
	case slices.ContainsFunc(p.marks, func(m mark) bool { return m.cancel }):
		p.onward = p.Filter(func(_, e int32) bool { return !p.IsCancel(e) })
		p.component, p.onwardParts = p.onward.Components()
	default:
		p.onward = &p.Graph
		p.component, p.onwardParts = p.Components()
	}
	return p.onward, p.component, p.onwardParts
}

// Doomed marks the configurations from which no terminal state can be reached,
// cancel aside.
func (p *Product) Doomed() []bool {
	if p.doomed == nil {
		var ends []int32
		for c := range int32(p.Len()) {
			if leaf := p.Leaf(c); leaf != nil && leaf.Kind == ir.Terminal {
				ends = append(ends, c)
			}
		}
		onward, _, _ := p.Onward()
		p.doomed = onward.Reverse().Reach(ends...)
		for c := range p.doomed {
			p.doomed[c] = !p.doomed[c]
		}
	}
	return p.doomed
}

// Trapped reports whether a doomed configuration lies in a component that
// nothing leaves, so that a run may stay there for ever.
func (p *Product) Trapped(c int32) bool {
	onward, of, n := p.Onward()
	if p.left == nil {
		p.left = make([]bool, n)
		for v := range int32(onward.Len()) {
			for _, to := range onward.Successors(v) {
				if of[to] != of[v] {
					p.left[of[v]] = true
				}
			}
		}
	}
	return !p.left[of[c]]
}

// Components are the strongly connected components over all edges, computed once.
func (p *Product) Components() (of []int32, n int) {
	if p.whole == nil {
		p.whole, p.parts = p.Graph.Components()
	}
	return p.whole, p.parts
}

// acyclic reports whether p has no cycle at all, as machines have whose loops are
// all bounded; a retry without a bound is one.
func (p *Product) acyclic() bool {
	if _, n := p.Components(); n < p.Len() {
		return false
	}
	for c := range int32(p.Len()) {
		for _, to := range p.Successors(c) {
			if to == c {
				return false
			}
		}
	}
	return true
}
