package deferredlost

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// node says that an event may stand deferred in a configuration: fresh, where
// the run has come to its state since and has not looked at it there, or kept,
// where the state defers it.
type node struct {
	config int32
	event  int32 // its index
	fresh  bool
}

// origin says how a node was first reached: along an edge, or, with the edge
// explore.None, within the configuration of from.
type origin struct {
	from  node
	edge  int32
	start int32        // the configuration where the event was first deferred
	use   *ir.EventUse // how
	joint bool         // some step on the way is that of another event that stands deferred
}

// next is the origin of a node that is reached from n, whose origin o is.
func (o origin) next(n node, edge int32, joint bool) origin {
	return origin{from: n, edge: edge, start: o.start, use: o.use, joint: joint || o.joint}
}

// search follows each event breadth first from every configuration that defers
// it, over the graph of everything that the run can come to, until a state
// takes it or loses it. Kept events stay with every step. A fresh one is looked
// at before any new input, but after what comes first: `done`, a timer that is
// due at once, and other fresh events. What is followed is one occurrence of
// each event; that timers of two states fall due at the very same instant is
// left out. The cost is linear in the graph for each event that is deferred.
type search struct {
	g     *explore.Graph
	came  map[node]origin
	queue []node
	fresh map[int32][]int32                       // by configuration: the events that may be fresh there
	does  map[*ir.State]map[*ir.Event][]ir.Choice // what a leaf does with events
}

// maxNodes bounds the memory of a search, and maxJoint the events of which one
// at a time is looked at before the others; what lies behind is not followed.
const (
	maxNodes = 1 << 20
	maxJoint = 32
)

func newSearch(g *explore.Graph) *search {
	return &search{g: g, came: map[node]origin{}, fresh: map[int32][]int32{}, does: map[*ir.State]map[*ir.Event][]ir.Choice{}}
}

func (s *search) event(n node) *ir.Event { return s.g.Table.Machine.Events[n.event] }

// losses lists for each leaf and event a node in which it is lost. What follows
// from one configuration is followed to the end before the next, so that where
// the search ends early it is the far end of the machine that is left.
func (s *search) losses() []node {
	type place struct {
		leaf  *ir.State
		event int32
	}
	known := map[place]bool{}
	var out []node
	for c := range int32(s.g.Len()) {
		s.start(c)
		for ; len(s.queue) > 0; s.queue = s.queue[1:] {
			n := s.queue[0]
			at := place{s.g.Leaf(n.config), n.event}
			if !s.follow(n) && !known[at] {
				known[at] = true
				out = append(out, n)
			}
		}
	}
	return out
}

// start adds the nodes of the events that configuration c may defer.
func (s *search) start(c int32) {
	if s.g.Leaf(c).Kind != ir.Leaf || !s.g.Settled(c) {
		return
	}
	for _, in := range s.g.Inputs(c) {
		if in.Kind != ir.CaseEvent {
			continue
		}
		if use := keeping(in.Choices); use != nil {
			s.add(node{config: c, event: int32(in.Event.Index)}, origin{edge: explore.None, start: c, use: use})
		}
	}
}

func (s *search) add(n node, by origin) {
	if _, known := s.came[n]; known || len(s.came) >= maxNodes {
		return
	}
	s.came[n] = by
	s.queue = append(s.queue, n)
}

// follow adds what comes of n, and reports false where its state drops the
// event. A terminal drops whatever stands deferred, and is not at fault.
func (s *search) follow(n node) (ok bool) {
	g, c := s.g, n.config
	if g.Leaf(c).Kind == ir.Terminal {
		return true
	}
	switch {
	case !n.fresh || !g.Settled(c):
		s.pass(n, false, func(e int32) bool { return !s.takes(e, n.event) })
		return true
	case g.DoneDue(c):
		s.pass(n, false, func(e int32) bool { return s.kind(e) == ir.CaseDone })
		return true
	}
	s.pass(n, false, func(e int32) bool { return s.kind(e) == ir.CaseTimer && atOnce(s.g.Table.Case(g.InputID(e)).Timer) })
	if others := s.fresh[c]; len(others) < maxJoint {
		for _, other := range others {
			s.pass(n, true, func(e int32) bool { return s.takes(e, other) })
			s.pass(node{c, other, true}, true, func(e int32) bool { return s.takes(e, n.event) })
		}
		s.fresh[c] = append(others, n.event)
	}
	return s.look(n)
}

// look is what the state does with a fresh event; false where it is dropped.
func (s *search) look(n node) (ok bool) {
	choices := s.choices(n)
	if keeping(choices) != nil {
		s.add(node{config: n.config, event: n.event}, s.came[n].next(n, explore.None, false))
	}
	return heeded(choices) || len(s.g.Table.Lost(s.g.Leaf(n.config))) > 0
}

// choices are what the leaf of n may do with the event; none where it says
// nothing of it.
func (s *search) choices(n node) []ir.Choice {
	leaf := s.g.Leaf(n.config)
	does := s.does[leaf]
	if does == nil {
		does = map[*ir.Event][]ir.Choice{}
		for in := range s.g.Table.Inputs(leaf) {
			if in.Kind == ir.CaseEvent {
				does[in.Event] = in.Choices
			}
		}
		s.does[leaf] = does
	}
	return does[s.event(n)]
}

// pass takes the event along the edges of its configuration that carry it.
func (s *search) pass(n node, joint bool, carries func(edge int32) bool) {
	for e := s.g.First[n.config]; e < s.g.First[n.config+1]; e++ {
		if !carries(e) {
			continue
		}
		to := node{config: s.g.To[e], event: n.event, fresh: n.fresh || s.moves(n.config, e)}
		s.add(to, s.came[n].next(n, e, joint))
	}
}

// moves reports whether edge e of configuration c is part of a move.
func (s *search) moves(c, e int32) bool {
	if a := s.g.Arm(e); a != nil {
		return a.Kind == ir.Goto
	}
	return !s.g.Settled(c)
}

// kind is the kind of input of edge e; -1 where it has none.
func (s *search) kind(e int32) ir.CaseKind {
	if c, ok := s.g.Input(e); ok {
		return c.Kind
	}
	return -1
}

// takes reports whether edge e is taken by the event with the index given.
func (s *search) takes(e, event int32) bool {
	c, ok := s.g.Input(e)
	return ok && c.Kind == ir.CaseEvent && int32(c.Event.Index) == event
}

// atOnce reports whether t may fall due as soon as it starts.
func atOnce(t *ir.Timer) bool {
	if t.Var == nil {
		return t.Delay <= 0
	}
	r := t.Var.Type.Range
	return r == nil || r.Lo <= 0
}

// path lists the edges from where the event of n was first deferred to n.
func (s *search) path(n node) []int32 {
	var path []int32
	first := node{config: s.came[n].start, event: n.event}
	for ; n != first; n = s.came[n].from {
		if e := s.came[n].edge; e != explore.None {
			path = append(path, e)
		}
	}
	slices.Reverse(path)
	return path
}
