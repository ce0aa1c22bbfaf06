package explore

import "github.com/fsmc-dev/fsmc/lang/ir"

// Enters reports whether edge e enters s. A composite is entered when a leaf
// inside is entered from outside it.
func (p *Product) Enters(e int32, s *ir.State) bool {
	if k := p.Label(e).Kind; k != Moved && k != Started {
		return false
	}
	to := p.Leaf(p.To[e])
	if s.Kind != ir.Composite {
		return to == s
	}
	from := p.Leaf(p.source(e))
	return to.Inside(s) && (from == nil || !from.Inside(s))
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
		onward := p.Filter(func(_, e int32) bool { return !p.IsCancel(e) })
		p.doomed = onward.Reverse().Reach(ends...)
		for c := range p.doomed {
			p.doomed[c] = !p.doomed[c]
		}
		p.component, _ = onward.Components()
	}
	return p.doomed
}

// Trapped reports whether a doomed configuration lies in a component that
// nothing leaves, so that a run may stay there for ever.
func (p *Product) Trapped(c int32) bool {
	p.Doomed()
	if p.left == nil {
		p.left = map[int32]bool{}
		for v := range int32(p.Len()) {
			for e := p.First[v]; e < p.First[v+1]; e++ {
				if p.component[p.To[e]] != p.component[v] && !p.IsCancel(e) {
					p.left[p.component[v]] = true
				}
			}
		}
	}
	return !p.left[p.component[c]]
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
