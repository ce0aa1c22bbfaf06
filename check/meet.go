package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A question about guards is asked twice: of any data within the declared
// ranges, which costs little and mostly settles it, and then of what runs meet.

// Met says how far a question about guards is answered with yes.
type Met int

const (
	Impossible Met = iota // no data in the declared ranges satisfies it
	NeverMet              // some data does, but no run has it
	Unclear               // the limit left it open, or the guards are past what can be decided
	CanBeMet              // nothing excludes that a run has it
)

// Meeting is the answer to a question about guards.
type Meeting struct {
	Met   Met
	Model *guard.Model // values; nil with Impossible and Unclear

	found explore.Meeting
	leaf  *ir.State
	input flat.Input
	want  []explore.Stance
}

// Meet asks whether in can come in leaf with what is wanted of its choices.
func (s *shared) Meet(leaf *ir.State, in flat.Input, want []explore.Stance) Meeting {
	a := explore.Possible(in, want)
	switch a.Verdict {
	case guard.Unsat:
		return Meeting{Met: Impossible}
	case guard.Undecided:
		return Meeting{Met: Unclear}
	}
	p := s.Product()
	if p == nil {
		if p = s.OpenProduct(); p != nil && p.Meet(leaf, in, want).Verdict == guard.Unsat {
			return Meeting{Met: NeverMet, Model: a.Model}
		}
		return Meeting{Met: Unclear}
	}
	m := p.Meet(leaf, in, want)
	switch m.Verdict {
	case guard.Unsat:
		return Meeting{Met: NeverMet, Model: a.Model}
	case guard.Undecided:
		return Meeting{Met: Unclear}
	}
	return Meeting{Met: CanBeMet, Model: m.Model, found: m, leaf: leaf, input: in, want: want}
}

// Shown is what shows that m can be met: a run in which arm takes the input (or
// nothing does, where arm is nil), or where some of it is a guess the values
// alone. Where another meeting is shown than the first one, it is m from then on.
func (s *shared) Shown(m *Meeting, arm *ir.Arm) *witness.Witness {
	if m.Met != CanBeMet {
		return nil
	}
	w := s.runMeeting(m.found, m.input, arm)
	if p := s.proof.product; w == nil && p.Guessed {
		tries := 0
		p.Meetings(m.leaf, m.input, m.want, func(other explore.Meeting) bool {
			if w = s.runMeeting(other, m.input, arm); w != nil {
				m.found, m.Model = other, other.Model
			}
			tries++
			return w == nil && tries < mostMeetings
		})
	}
	if w != nil {
		s.rows += len(w.Path)
		return w
	}
	s.unshown = true
	return &witness.Witness{Values: m.Model.Values(), Loop: -1}
}

// mostMeetings is how many runs are tried for one question.
const mostMeetings = 8

// runMeeting is a run that shows m; nil where none is found.
func (s *shared) runMeeting(m explore.Meeting, in flat.Input, arm *ir.Arm) *witness.Witness {
	p := s.proof.product
	if !s.mayShow(len(p.PathTo(m.Config))) {
		return nil
	}
	w, sure := p.RunMeeting(m, in, arm)
	if arm == nil {
		s.ends(w, replay.Refused)
	}
	if !sure { // a guess; with the right values it may be a run all the same
		w, sure = s.replays(w)
	}
	if !sure {
		return nil
	}
	return w
}

// Gap is an input in a leaf for which handlers stand, all of whose guards are
// false for some values.
type Gap struct {
	Leaf   *ir.State
	Input  flat.Input
	Inputs []InputAt // all to which it comes down, in all leaves with the same handler
	Meeting
}

// Gaps lists the gaps of the inputs of the kinds given, in the order of the
// leaves: one for each innermost handler, with values that a run meets where
// there are such.
func (p *Pass) Gaps(kinds ...ir.CaseKind) []*Gap {
	byArm := map[*ir.Arm]*Gap{}
	var list []*Gap
	for leaf, in := range p.Inputs() {
		if !slices.Contains(kinds, in.Kind) || !mayLeaveOut(in) {
			continue
		}
		first := in.Choices[0].Arm
		g := byArm[first]
		if g != nil && g.Met == CanBeMet {
			g.Inputs = append(g.Inputs, InputAt{Leaf: leaf, ID: in.ID})
			continue
		}
		m := p.Meet(leaf, in, slices.Repeat([]explore.Stance{explore.False}, len(in.Choices)))
		if m.Met == Impossible {
			continue
		}
		if g == nil {
			g = &Gap{}
			byArm[first] = g
			list = append(list, g)
		}
		g.Inputs = append(g.Inputs, InputAt{Leaf: leaf, ID: in.ID})
		if g.Leaf == nil || m.Met > g.Met {
			g.Leaf, g.Input, g.Meeting = leaf, in, m
		}
	}
	return list
}

// mayLeaveOut reports whether guards decide if in is taken at all.
func mayLeaveOut(in flat.Input) bool {
	return len(in.Choices) > 0 && !slices.ContainsFunc(in.Choices, func(c ir.Choice) bool { return c.Arm == nil || c.Arm.When == nil })
}

// Want wants own of the choice of in at a place, and before of those before it; nothing of the others.
func Want(in flat.Input, at int, before, own explore.Stance) []explore.Stance {
	want := slices.Repeat([]explore.Stance{before}, len(in.Choices))
	clear(want[at:])
	want[at] = own
	return want
}

// Where is the data of a model as a clause for a message: ` where n = 3`; empty
// where no data plays a part.
func Where(m *guard.Model) string {
	if m == nil || m.Text() == "" {
		return ""
	}
	return " where " + m.Text()
}
