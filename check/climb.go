package check

import (
	"iter"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Adding is the product without v; see explore.TryAdding.
func (s *shared) Adding(v *ir.Var) *explore.Adding {
	if known := s.proof.adding[v]; known != nil {
		return known
	}
	limit := s.proof.most
	if s.Product() == nil {
		limit = s.loosest()
	}
	return explore.TryAdding(s.Table(), v, limit)
}

// maxClimb is the most steps of a run that is looked for because it adds to a sum again and again, and mostClimbed of all
// such runs of a machine: some seconds. To go through so many edges or configurations takes about as long as a step.
const (
	maxClimb     = 1 << 16
	mostClimbed  = 1 << 17
	edgesAsAStep = 16
)

// Climb is a run that was replayed, and in which assign leaves the range of the sum of a.
func (s *shared) Climb(a *explore.Adding, assign *ir.Assign) (w *witness.Witness, replays bool) {
	return s.climbs(a, a.Climbs(assign, min(maxClimb, maxRows-s.rows)), func(w *witness.Witness) {
		s.breaks(w, explore.Fault{Assign: assign, Guessed: true})
	})
}

// climbsTo reports whether a run takes arm a in which a sum comes so far that the guards before it say so.
func (s *shared) climbsTo(a *ir.Arm) bool {
	if taken, known := s.proof.climbed[a]; known {
		return taken
	}
	if s.proof.climbed == nil {
		s.proof.climbed = map[*ir.Arm]bool{}
	}
	var vars []*ir.Var
	for _, before := range a.Chain()[:a.Index+1] {
		if before.When != nil {
			vars = append(vars, ir.Vars(before.When)...)
		}
	}
	slices.SortFunc(vars, func(v, w *ir.Var) int { return v.Span.Start.Offset - w.Span.Start.Offset })
	for _, v := range slices.Compact(vars) {
		adding := s.loosely(v)
		if adding == nil {
			continue
		}
		if _, replays := s.climbs(adding, adding.PathsTo(a, min(maxClimb, maxRows-s.rows)), func(w *witness.Witness) { s.ends(w, replay.Taken) }); replays {
			s.proof.climbed[a] = true
			return true
		}
	}
	s.proof.climbed[a] = false
	return false
}

// loosely is the product without v where that is small, which takes some hundredths of a second.
func (s *shared) loosely(v *ir.Var) *explore.Adding {
	adding, known := s.proof.adding[v]
	if !known && s.climbed < mostClimbed {
		adding = explore.TryAdding(s.Table(), v, s.loosest())
		s.climbed += s.loosest() / edgesAsAStep
		if s.proof.adding == nil {
			s.proof.adding = map[*ir.Var]*explore.Adding{}
		}
		s.proof.adding[v] = adding
	}
	return adding
}

// climbsInto reports whether climbsTo shows an arm that leads into state.
func (s *shared) climbsInto(state *ir.State) bool {
	return slices.ContainsFunc(s.Machine.Arms, func(a *ir.Arm) bool {
		if a.Kind != ir.Goto {
			return false
		}
		leaf := a.Target.Leaf() // nil where an initial state is missing
		return leaf != nil && leaf.Require == nil && (leaf == state || leaf.Inside(state)) && s.climbsTo(a)
	})
}

// climbs is the first of the runs given that replays, with what says how it ends.
func (s *shared) climbs(a *explore.Adding, runs iter.Seq[*witness.Witness], ends func(*witness.Witness)) (w *witness.Witness, replays bool) {
	if s.climbed >= mostClimbed {
		return nil, false
	}
	s.climbed += len(a.To) / edgesAsAStep
	for climb := range runs {
		ends(climb)
		if w, replays = s.written(climb, false); replays {
			return w, true
		}
		s.rows -= len(climb.Path) // it is not shown
		if s.climbed += len(climb.Path); s.climbed >= mostClimbed {
			break
		}
	}
	return nil, false
}
