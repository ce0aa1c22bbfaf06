package boundwithoutelse

import (
	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// spender decides whether a bound can be used up: whether its arm can be taken
// again and again without its counter starting again.
//
// A retry can, since the run stays where it is. Of `-> T` the run must find back
// from where that leads to a leaf in which the arm applies. All takings of one
// arm make for the same T, so one way back is a circle, and a circle uses up any
// bound. A counter with a scope starts again when the scope is entered from
// outside: steps that do so are left out. What counts is the whole step, from
// the leaf that it leaves to the one that it reaches: a leaf whose `require`
// turns it away is not entered, but what stands around that leaf is. So the
// question is whether a step of the arm lies within a strongly connected
// component of the leaves, linear for each scope.
type spender struct {
	c      *control.Graph
	scopes map[*ir.State][]int32 // by scope, nil for the run: the component of each state ID
}

func (s *spender) canRunOut(l *last) bool {
	a := l.arm
	if a.Kind == ir.Retry || *a.Max <= 0 {
		return true
	}
	target := a.Target.Leaf() // a nil target leads nobody knows where
	if target == nil {
		return false
	}
	scope := a.Restart()
	of := s.components(scope)
	for _, at := range l.inputs {
		found := false
		ends(at.Leaf, target, scope, func(to *ir.State) {
			found = found || of[to.ID] == of[at.Leaf.ID]
		})
		if found {
			return true
		}
	}
	return false
}

// ends calls f with each leaf in which a step from a leaf may end that makes for
// leaf, where that does not start scope's counters again: leaf itself, and those
// to which requires turn it away.
func ends(from, leaf, scope *ir.State, f func(to *ir.State)) {
	for leaf := range leaf.Redirects() {
		if !refills(from, leaf, scope) {
			f(leaf)
		}
		if refills(from, leaf.Parent, scope) {
			return
		}
	}
}

// refills reports whether a step from a leaf that enters state enters scope from
// outside.
func refills(from, state, scope *ir.State) bool {
	return scope != nil && state.Inside(scope) && !from.Inside(scope)
}

// components are the strongly connected components of the leaves under steps
// that do not start scope's counters again.
func (s *spender) components(scope *ir.State) []int32 {
	if of, known := s.scopes[scope]; known {
		return of
	}
	c := s.c
	leaves := graph.New(c.Len(), func(edge func(from, to int32)) {
		for _, e := range c.Edges {
			from := c.Leaf(e.From)
			if _, entered := c.Entered(from); !entered {
				continue
			}
			ends(from, c.Leaf(e.To), scope, func(to *ir.State) { edge(e.From, int32(to.ID)) })
		}
	})
	of, _ := leaves.Components()
	if s.scopes == nil {
		s.scopes = map[*ir.State][]int32{}
	}
	s.scopes[scope] = of
	return of
}
