package drawing

import "github.com/fsmc-dev/fsmc/lang/ir"

// Highlight is what a run has been through. States are named by their paths.
type Highlight struct {
	Start   string // the state in which the run began
	Current string // the state in which the run is
	Moves   []Move // from the first to the last
}

// Move is one step from a leaf state to another, or to itself.
type Move struct {
	From, To string
	Arm      string // its name, as history has it
}

// mark marks the states in which the run was and the arrows that it took. A
// move whose arm is not known, because it is of another version of the machine,
// is shown on the innermost arrow between its states.
func (h *Highlight) mark(m *ir.Machine, p *planner) {
	if h == nil {
		return
	}
	states := make(map[string]*ir.State, len(m.States))
	for _, s := range m.States[1:] {
		states[s.Path] = s
	}
	arms := make(map[string]*ir.Arm, len(m.Arms))
	for i, name := range ir.ArmNames(m, new(ir.StableNames)) {
		arms[name] = m.Arms[i]
	}
	p.begin(m, states[h.Start])
	for _, move := range h.Moves {
		from, to := states[move.From], states[move.To]
		for _, s := range []*ir.State{from, to} {
			if s != nil {
				p.nodes[s].Mark = Taken
			}
		}
		if from == nil || to == nil {
			continue // of an older version of the machine
		}
		e, target := p.ofArm(arms[move.Arm])
		if e == nil {
			e, target = p.taken(from, to)
		}
		if e == nil {
			continue
		}
		e.Mark = Taken
		if target.Leaf() == to { // else a `require` turned the run away
			p.enter(target)
		}
	}
	if s := states[h.Current]; s != nil {
		p.nodes[s].Mark = Current
	}
}

// begin marks the leaf in which the run began, and the way into it. An older
// version of the machine may have begun elsewhere, and a `require` may have
// turned the run away from the first leaf.
func (p *planner) begin(m *ir.Machine, leaf *ir.State) {
	if leaf == nil {
		return
	}
	p.nodes[leaf].Mark = Taken
	if m.Root.Leaf() == leaf {
		p.enter(m.Root)
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

// ofArm is the arrow of a, and where it leads; nil where a is none that moves.
func (p *planner) ofArm(a *ir.Arm) (*Edge, *ir.State) {
	if a == nil || a.Kind != ir.Goto || a.Target == nil {
		return nil, nil
	}
	return p.edges[p.pairOf(a)], a.Target
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
