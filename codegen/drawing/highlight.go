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
	p.enter(m.Root)
	for _, move := range h.Moves {
		from, to := states[move.From], states[move.To]
		if from == nil || to == nil {
			continue // of an older version of the machine
		}
		p.nodes[from].Mark = Taken
		p.nodes[to].Mark = Taken
		if e, target := p.taken(from, to); e != nil {
			e.Mark = Taken
			p.enter(target)
		}
	}
	if s := states[h.Current]; s != nil {
		p.nodes[s].Mark = Current
	}
}

// enter marks the way from s, where it is a composite, down to the leaf that
// is entered with it.
func (p *planner) enter(s *ir.State) {
	for ; s.Initial != nil; s = s.Initial {
		start := p.nodes[s].child(Start)
		p.edges[pair{from: start, to: p.nodes[s.Initial]}].Mark = Taken
	}
	if s.Kind != ir.Composite {
		p.nodes[s].Mark = Taken
	}
}

// taken is the arrow that leads from the leaf from, or from a state around it,
// to a state whose entering ends in the leaf to, and that state; nil where no
// arrow does, as after a `require`.
func (p *planner) taken(from, to *ir.State) (*Edge, *ir.State) {
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
					return e, t
				}
			}
		}
	}
	return nil, nil
}
