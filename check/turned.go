package check

import (
	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// NeverEntered reports whether state is Unreachable, and the else of no `require` leads
// there either: that is for what breaks the promise from outside, and counts as open.
func (s *shared) NeverEntered(state *ir.State) bool {
	return s.Unreachable(state) && !s.turned()[state.ID]
}

// turned marks by ID where requires of leaves that runs enter may send a run, and what
// lies behind that on the control graph.
func (s *shared) turned() []bool {
	if s.proof.turned != nil {
		return s.proof.turned
	}
	c := s.Control()
	turned := make([]bool, len(s.Machine.States))
	s.proof.turned = turned
	var queue []*ir.State
	arrive := func(leaf *ir.State) {
		if turned[leaf.ID] {
			return
		}
		queue = append(queue, leaf)
		for at := leaf; at != nil; at = at.Parent {
			turned[at.ID] = true
		}
	}
	turnAway := func(leaf *ir.State) {
		if leaf.Require != nil {
			for _, to := range control.Landings(leaf.Require.Target) {
				arrive(to)
			}
		}
	}
	for _, leaf := range s.Leaves() {
		turnAway(leaf)
	}
	for ; len(queue) > 0; queue = queue[1:] {
		leaf := queue[0]
		turnAway(leaf)
		for e := c.First[leaf.ID]; e < c.First[leaf.ID+1]; e++ {
			arrive(s.Machine.States[c.To[e]])
		}
	}
	return turned
}
