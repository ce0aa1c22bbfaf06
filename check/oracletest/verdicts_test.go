package oracletest

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// terminal reports whether a run has reached a terminal state in node n.
func (s *Space) terminal(n int) bool {
	at := s.Nodes[n].Snapshot.State
	return at >= 0 && s.Def.States[at].Kind == machine.TerminalState
}

func onward(_ int, e *Edge) bool { return e.Input.Kind != machine.CancelInput }

// trapped marks the nodes of traps: components without a terminal state that
// nothing leaves, cancel aside.
func (s *Space) trapped() []bool {
	of, n := cut{s, onward}.components()
	free := make([]bool, n)
	for i, node := range s.Nodes {
		if s.terminal(i) || node.Snapshot.Status.Over() {
			free[of[i]] = true
		}
		for k := range node.Edges {
			if e := &node.Edges[k]; onward(i, e) && of[e.To] != of[i] {
				free[of[i]] = true
			}
		}
	}
	out := make([]bool, len(s.Nodes))
	for i := range out {
		out[i] = !free[of[i]] && s.Nodes[i].Snapshot.State >= 0
	}
	return out
}

// Traps marks the leaves in which a run can be trapped, by state ID.
func (s *Space) Traps() []bool {
	out := make([]bool, len(s.Def.States))
	for i, trapped := range s.trapped() {
		if trapped {
			out[s.Nodes[i].Snapshot.State] = true
		}
	}
	return out
}

// loops marks the leaves of components with a move inside over the edges that
// keep lets pass.
func (s *Space) loops(keep func(int, *Edge) bool) []bool {
	of, n := cut{s, keep}.components()
	turns := make([]bool, n)
	for i, node := range s.Nodes {
		for k := range node.Edges {
			e := &node.Edges[k]
			if keep(i, e) && e.Moves() && of[e.To] == of[i] {
				turns[of[i]] = true
			}
		}
	}
	out := make([]bool, len(s.Def.States))
	for i, node := range s.Nodes {
		if turns[of[i]] {
			out[node.Snapshot.State] = true
		}
	}
	return out
}

// Loops marks the leaves of cycles that can be taken without end and do not say
// so.
func (s *Space) Loops() []bool {
	return s.loops(func(_ int, e *Edge) bool { return e.Arm < 0 || !s.Def.Arms[e.Arm].Unbounded })
}

// Spins marks the leaves of cycles that wait for nothing.
func (s *Space) Spins() []bool {
	return s.loops(func(from int, e *Edge) bool {
		switch e.Input.Kind {
		case machine.DoneInput:
			at := s.Nodes[from].Snapshot
			return s.Def.States[at.State].Choice || len(at.Tasks) == 0 // all lists are empty
		case machine.TimerInput:
			return e.AtOnce
		}
		return false
	})
}

// CanSucceed reports whether some run reaches a success.
func (s *Space) CanSucceed() bool {
	for i := range s.Nodes {
		if s.terminal(i) && s.Def.States[s.Nodes[i].Snapshot.State].Outcome == machine.Success {
			return true
		}
	}
	return false
}

// enters reports whether an edge enters a state: a composite, when a leaf inside
// is entered from outside it.
func (s *Space) enters(from int, e *Edge, state *ir.State) bool {
	to := s.Nodes[e.To].Snapshot.State
	if !e.Moves() {
		return false
	}
	if state.Kind != ir.Composite {
		return to == state.ID
	}
	return s.inside(to, state.ID) && !s.inside(s.Nodes[from].Snapshot.State, state.ID)
}

// Breaks reports whether some run breaks a promise. It walks nodes together with
// what the promise must remember of the run so far.
func (s *Space) Breaks(a *ir.Assert) bool {
	type place struct {
		node   int
		memory int64
	}
	trapped := s.trapped()
	seen := map[place]bool{{}: true}
	for work := []place{{}}; len(work) > 0; {
		at := work[0]
		work = work[1:]
		for k := range s.Nodes[at.node].Edges {
			e := &s.Nodes[at.node].Edges[k]
			memory, broken := s.remember(a, at.memory, at.node, e)
			if broken || a.Verb == ir.LeadsTo && memory == 1 && (s.terminal(e.To) || trapped[e.To]) {
				return true
			}
			if next := (place{e.To, memory}); !seen[next] {
				seen[next] = true
				work = append(work, next)
			}
		}
	}
	return false
}

// remember is what a promise remembers behind an edge, and whether the edge
// breaks it.
func (s *Space) remember(a *ir.Assert, memory int64, from int, e *Edge) (int64, bool) {
	subject := false
	if a.Subject != nil {
		subject = s.enters(from, e, a.Subject)
	} else {
		subject = succeeds(e, a.Done)
	}
	object := false
	for _, o := range a.Objects {
		object = object || s.enters(from, e, o)
	}
	switch a.Verb {
	case ir.Precedes:
		if subject {
			memory = 1
		}
		return memory, object && memory == 0
	case ir.LeadsTo:
		switch {
		case object:
			memory = 0
		case subject:
			memory = 1
		}
		return memory, false
	case ir.Excludes:
		if subject {
			memory |= 1
		}
		if object {
			memory |= 2
		}
		return memory, memory == 3
	}
	if subject {
		memory++
	}
	return memory, memory > a.N
}

// DeadEnds marks the leaves that some run enters and that nothing leads out of, cancel
// aside, and over_budget where no activity of the leaf spends what it may be of: no arm, whatever its guard and bound, has another leaf for its
// target.
func (s *Space) DeadEnds() []bool {
	out := s.Entered()
	for id := range s.Def.States {
		state := &s.Def.States[id]
		if state.Kind != machine.LeafState {
			out[id] = false
			continue
		}
		for _, h := range state.Handlers {
			if h.Kind == machine.OverBudgetInput && s.foreign(id, h.Cost) {
				continue
			}
			for _, a := range h.Arms {
				arm := &s.Def.Arms[a]
				if arm.Kind == machine.GotoArm && h.Kind != machine.CancelInput && s.leads(id, arm.Target) {
					out[id] = false
				}
				if arm.When == nil && arm.Max == nil {
					break // nothing comes after it
				}
			}
		}
	}
	return out
}

// foreign reports whether no activity of leaf spends cost, so that over_budget of it comes there
// for what was spent before, if at all.
func (s *Space) foreign(leaf int, cost string) bool {
	return !slices.ContainsFunc(s.Def.States[leaf].Dos, func(do int) bool {
		return slices.Contains(s.spends(&machine.Snapshot{}, do), cost)
	})
}

// Stuck marks the leaves that some run enters and no run leaves, cancel aside, and over_budget
// as DeadEnds has it.
func (s *Space) Stuck() []bool {
	out := s.Entered()
	for id := range out {
		out[id] = out[id] && s.Def.States[id].Kind == machine.LeafState
	}
	for i, n := range s.Nodes {
		for k := range n.Edges {
			e := &n.Edges[k]
			at := n.Snapshot.State
			if at < 0 || !onward(i, e) || e.Input.Kind == machine.OverBudgetInput && s.foreign(at, e.Input.Over) {
				continue
			}
			if s.Nodes[e.To].Snapshot.State != at {
				out[at] = false
			}
		}
	}
	return out
}

// Refuses reports whether a leaf has no arm that takes an event.
func (s *Space) Refuses(leaf int, event string) bool {
	for _, h := range s.Def.States[leaf].Handlers {
		if h.Kind != machine.EventInput || s.Def.Events[h.Event].Name != event {
			continue
		}
		for _, a := range h.Arms {
			arm := &s.Def.Arms[a]
			if arm.Kind != machine.RejectArm {
				return false
			}
			if arm.When == nil {
				break
			}
		}
	}
	return true
}

// leads reports whether an arm to target may end elsewhere than in leaf.
func (s *Space) leads(leaf, target int) bool {
	for s.Def.States[target].Kind == machine.CompositeState {
		target = s.Def.States[target].Initial
	}
	return target != leaf || s.Def.States[leaf].Require != nil
}

// Unhandled marks the leaves that some run enters and where an activity can say
// something for which there is no handler.
func (s *Space) Unhandled(kind machine.InputKind) []bool {
	out := make([]bool, len(s.Def.States))
	for id, entered := range s.Entered() {
		for _, do := range s.Def.States[id].Dos {
			if entered && s.misses(id, do, kind) {
				out[id] = true
			}
		}
	}
	return out
}

func (s *Space) misses(leaf, do int, kind machine.InputKind) bool {
	handled := func(event, category int) bool {
		for _, h := range s.Def.States[leaf].Handlers {
			if h.Kind == kind && h.Do == do && h.Event == event && h.Category == category && len(h.Arms) > 0 {
				return true
			}
		}
		return false
	}
	if kind == machine.ResultInput {
		activity := s.Def.Dos[do].Activity
		return slices.ContainsFunc(s.Def.Activities[activity].Results, func(e int) bool {
			return s.mayRaise(activity, e) && !handled(e, -1) && (s.soonest(activity, e) == 0 || s.comes(do, e))
		})
	}
	for k := range s.Def.Categories {
		if s.Def.CanFail(&s.Def.Dos[do], k) && !handled(-1, k) {
			return true
		}
	}
	return false
}

// succeeds reports whether with an edge one of dos ends well.
func succeeds(e *Edge, dos []*ir.Do) bool {
	if e.Input.Kind != machine.ResultInput {
		return false
	}
	for _, d := range dos {
		if d.ID != e.Input.Do {
			continue
		}
		for _, r := range d.Activity.Results {
			if r.Index == e.Input.Event && r.Terminal != nil {
				return r.Terminal.Outcome == "success"
			}
		}
		return true
	}
	return false
}

// comes reports whether event comes of do in some node, before a timer ends the visit.
func (s *Space) comes(do, event int) bool {
	return slices.ContainsFunc(s.Nodes, func(n *Node) bool {
		return slices.ContainsFunc(s.arrivals(n.Snapshot), func(a arrival) bool {
			return a.Kind == machine.ResultInput && a.Do == do && a.Event == event
		})
	})
}
