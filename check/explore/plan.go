package explore

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// plan is what is known of one leaf before it is visited.
type plan struct {
	ends  []end          // of the activities that can end in place, in the order of the dos
	place map[*ir.Do]int // of each of them in ends
}

// end is one activity that can end with the run still in the leaf.
type end struct {
	do     *ir.Do
	silent bool // it has nothing to say
}

// place is the part of a configuration on which it depends what can come.
type place struct {
	phase  phase
	ended  int
	coarse bool
}

func newPlans(t *flat.Table) []plan {
	m := t.Machine
	plans := make([]plan, len(m.States))
	for _, s := range m.States {
		p := &plans[s.ID]
		if s.Kind != ir.Leaf || len(s.Dos) == 0 {
			continue
		}
		stays := map[*ir.Do]bool{}
		for in := range t.Inputs(s) {
			if in.Do != nil && canStay(in.Choices) {
				stays[in.Do] = true
			}
		}
		p.place = make(map[*ir.Do]int, len(stays))
		for _, d := range s.Dos {
			silent := len(d.Activity.Results) == 0
			if silent || stays[d] {
				p.place[d] = len(p.ends)
				p.ends = append(p.ends, end{do: d, silent: silent})
			}
		}
	}
	return plans
}

// canStay reports whether a result or a failure may be handled without leaving
// the state and without a retry.
func canStay(choices []ir.Choice) bool {
	for c := range flat.Takeable(choices) {
		if c.Arm == nil || c.Arm.Kind == ir.Stay || c.Arm.Kind == ir.IgnoreArm {
			return true
		}
	}
	return false
}

// allEnd reports whether all activities of leaf can end in place.
func (p *plan) allEnd(leaf *ir.State) bool {
	return len(leaf.Dos) > 0 && len(p.ends) == len(leaf.Dos)
}

// doneDue reports whether `done` is the next input at a place in leaf.
func (p *plan) doneDue(leaf *ir.State, at place) bool {
	if at.phase != running || at.coarse {
		return false
	}
	return leaf.IsChoice() || p.allEnd(leaf) && at.ended == len(p.ends)
}

// inputs calls f with each input that can come at a place in leaf, as far as
// spent timers and a second cancel are not concerned.
func (p *plan) inputs(t *flat.Table, leaf *ir.State, at place, f func(flat.Input)) {
	if leaf.Kind != ir.Leaf || at.phase == entering {
		return
	}
	due := p.doneDue(leaf, at)
	for in := range t.Inputs(leaf) {
		switch in.Kind {
		case ir.CaseDone:
			if due || at.coarse && (leaf.IsChoice() || p.allEnd(leaf)) {
				f(in)
			}
		case ir.CaseResult, ir.CaseFailure:
			if !due && !p.hasEnded(in.Do, at) {
				f(in)
			}
		default:
			if !due {
				f(in)
			}
		}
	}
}

// hasEnded reports whether the activity of d is among the first that ended.
func (p *plan) hasEnded(d *ir.Do, at place) bool {
	i, ends := p.place[d]
	return ends && i < at.ended
}
