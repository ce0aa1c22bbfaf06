package drawing

import "github.com/fsmc-dev/fsmc/lang/ir"

// Highlight is what a run has been through. States are named by their paths.
type Highlight struct {
	Current string // the state in which the run is
	Moves   []Move // from the first to the last
}

// Move is one step from a leaf state to another, or to itself.
type Move struct {
	From, To string
}

// mark marks the states in which the run was and the arrows that it took. A
// move of which the drawing has several arrows, one of the leaf and others of
// the states around it, is shown on the innermost one.
func (h *Highlight) mark(m *ir.Machine, p *planner) {
	if h == nil {
		return
	}
	states := make(map[string]*ir.State, len(m.States))
	for _, s := range m.States[1:] {
		states[s.Path] = s
	}
	enter := func(s *ir.State) { p.markState(s, Taken) }
	if first := m.Root.Leaf(); first != nil {
		enter(first)
	}
	for _, move := range h.Moves {
		from, to := states[move.From], states[move.To]
		if from == nil || to == nil {
			continue // of an older version of the machine
		}
		enter(from)
		enter(to)
		if e := p.taken(from, to); e != nil {
			e.Mark = Taken
		}
	}
	if s := states[h.Current]; s != nil {
		p.nodes[s].Mark = Current
	}
}

// markState marks the leaf s, and the arrows from the dots that lead to it.
func (p *planner) markState(s *ir.State, mark Mark) {
	p.nodes[s].Mark = mark
	for c := s; c.Parent != nil && c.Parent.Initial == c; c = c.Parent {
		start := p.nodes[c.Parent].child(Start)
		if e := p.edges[pair{from: start, to: p.nodes[c]}]; e != nil {
			e.Mark = mark
		}
	}
}

// taken is the arrow that leads from the leaf from, or from a state around it,
// to a state whose entering ends in the leaf to; nil where no arrow does, as
// after a `require`.
func (p *planner) taken(from, to *ir.State) *Edge {
	for _, s := range from.Chain() {
		tails := []*Node{p.nodes[s]}
		if any := p.nodes[s].child(Any); any != nil {
			tails = append(tails, any)
		}
		for _, t := range to.Chain() {
			if t.Leaf() != to {
				break
			}
			for _, tail := range tails {
				if e := p.edges[pair{from: tail, to: p.nodes[t]}]; e != nil {
					return e
				}
			}
		}
	}
	return nil
}
