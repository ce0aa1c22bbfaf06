package oracletest

import (
	"maps"
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Over reports whether some run takes more of what is called name, steps or a
// cost, than most.
func (s *Space) Over(name string, most *big.Rat) bool {
	length, unit := int64(0), big.NewRat(1, 1)
	if name == "steps" {
		length = s.Steps()
	} else {
		unit = big.NewRat(1, 100)
		length = s.TreeCost(name)
	}
	return length == Endless || new(big.Rat).Mul(new(big.Rat).SetInt64(length), unit).Cmp(most) > 0
}

// Hundredths is what an attempt of each activity costs.
func Hundredths(activities []*ir.Activity, cost string) []int64 {
	price := make([]int64, len(activities))
	for i, a := range activities {
		for _, c := range a.Costs {
			if c.Name == cost {
				price[i] += new(big.Rat).Mul(c.Amount, big.NewRat(100, 1)).Num().Int64()
			}
		}
	}
	return price
}

// Forestalled gives the timers that run in some run and could fire in none, since
// another timer always is due before. Of one that maps to false something else is
// the next input wherever it runs.
func (s *Space) Forestalled() map[int]bool {
	out := map[int]bool{}
	for _, n := range s.Nodes {
		at := n.Snapshot
		if at.State < 0 || at.Status != machine.Running {
			continue
		}
		for _, a := range at.Alarms {
			out[a.Timer] = out[a.Timer] || !at.DoneDue
		}
	}
	maps.DeleteFunc(out, func(timer int, _ bool) bool { return s.fired[timer] })
	return out
}

// SurelyDead reports of an arm that no run takes whether it is plain that its
// guard is the reason, or what is tried before it: it is the first of its chain or
// the one before is taken, nothing on the way to it has a bound, nothing can fail,
// and in some run what it stands for is taken in a leaf to which it belongs.
func (s *Space) SurelyDead(arm int) bool {
	for _, e := range s.events {
		if e.What == Unset || e.What == OutOfRange || e.What == Overflow || e.What == Circle {
			return false
		}
	}
	a := s.Machine.Arms[arm]
	taken, entered := s.Taken(), s.Entered()
	if s.Cut || s.Free() || a.Kind == ir.Goto && !entered[a.Target.ID] {
		return false
	}
	comes := false
	for leaf, state := range s.Def.States {
		for _, h := range state.Handlers {
			at := slices.Index(h.Arms, arm)
			if at < 0 || !entered[leaf] {
				continue
			}
			for _, before := range h.Arms[:at+1] {
				if before >= len(s.Machine.Arms) {
					continue // an `ignore` or a `defer`
				}
				x := s.Machine.Arms[before]
				if x.Max != nil || x.State == a.State && x.Handler != a.Handler {
					return false
				}
				comes = comes || taken[before]
			}
			if a.Index > 0 && at > 0 && !taken[h.Arms[at-1]] {
				return false
			}
		}
	}
	return comes
}

// MayWait gives by path the leaves that some run enters and that nothing sure to
// come leads out of: no timer stands there or around, and what leads on is an event
// from outside, or an activity without a limit. It is false where guards over
// constants have a say: of those nothing need be said.
func (s *Space) MayWait() map[string]bool {
	out := map[string]bool{}
	for id, entered := range s.Entered() {
		if state := &s.Def.States[id]; entered && state.Kind == machine.LeafState {
			if constant := s.asksConstants(id); constant || s.waits(id) {
				out[state.Path] = !constant
			}
		}
	}
	return out
}

// asksConstants reports whether a guard of leaf reads a field that nothing assigns.
func (s *Space) asksConstants(leaf int) bool {
	asks := false
	changes := s.assigned()
	for _, h := range s.Def.States[leaf].Handlers {
		for _, a := range h.Arms {
			if when := s.Def.Arms[a].When; when != nil {
				visit(when, func(e *machine.Expr) { asks = asks || e.Op == "field" && !changes[e.Index] })
			}
		}
	}
	return asks
}

func (s *Space) waits(leaf int) bool {
	ways, only := s.waysOut(leaf)
	return only && ways > 0
}

// NeverEnds reports whether some run may not end: it waits, or nothing leads on.
func (s *Space) NeverEnds() bool {
	for id, entered := range s.Entered() {
		if entered && s.Def.States[id].Kind == machine.LeafState {
			if _, only := s.waysOut(id); only {
				return true
			}
		}
	}
	return false
}

// waysOut counts the ways out of a leaf, and says whether all of them need never come.
func (s *Space) waysOut(leaf int) (ways int, only bool) {
	for _, t := range s.Def.Timers {
		if s.inside(leaf, t.State) {
			return 0, false
		}
	}
	limitless := func(do int) bool {
		d := &s.Def.Dos[do]
		if callee := s.callees[d.Activity]; callee != nil && !callee.NeverEnds() {
			return false
		}
		return d.Timeout == nil && d.Heartbeat == nil && d.Progress == nil
	}
	for _, h := range s.Def.States[leaf].Handlers {
		if h.Kind == machine.CancelInput || h.Kind == machine.OverBudgetInput || !s.leadsOn(h.Arms) {
			continue
		}
		if h.Kind == machine.ResultInput && h.Event >= 0 && !s.mayRaise(s.Def.Dos[h.Do].Activity, h.Event) {
			continue
		}
		ways++
		switch h.Kind {
		case machine.EventInput:
		case machine.DoneInput:
			if !slices.ContainsFunc(s.Def.States[leaf].Dos, limitless) {
				return 0, false
			}
		default:
			if !limitless(h.Do) {
				return 0, false
			}
		}
	}
	return ways, true
}

// leadsOn reports whether one of arms, in the order in which they are tried, may
// lead to a state.
func (s *Space) leadsOn(arms []int) bool {
	for _, a := range arms {
		arm := &s.Def.Arms[a]
		if arm.Kind == machine.GotoArm {
			return true
		}
		if arm.When == nil && arm.Max == nil {
			return false
		}
	}
	return false
}

// HeldTo reports whether runs are held to the budget of a cost so that it is bounded by it:
// something takes its over_budget wherever that comes, and what follows has an end.
func (s *Space) HeldTo(cost string) bool {
	if !slices.Contains(s.Machine.Enforced(), cost) {
		return false
	}
	for _, e := range s.events {
		if e.Over == cost {
			return false
		}
	}
	first := &Node{Snapshot: s.Nodes[0].Snapshot} // before all steps behind an over_budget of it
	nodes := []*Node{first}
	for _, n := range s.Nodes {
		c := *n
		c.Edges = slices.Clone(n.Edges)
		for k := range c.Edges {
			e := &c.Edges[k]
			e.To++
			if e.Input.Kind == machine.OverBudgetInput && e.Input.Over == cost {
				first.Edges = append(first.Edges, Edge{To: e.To})
			}
		}
		nodes = append(nodes, &c)
	}
	after := &Space{Machine: s.Machine, Def: s.Def, m: s.m, Nodes: nodes, callees: s.callees}
	if s.Calls() {
		return after.TreeCost(cost) != Endless && !s.callsEndless(cost)
	}
	return after.Attempts(Hundredths(s.Machine.Activities, cost)) != Endless
}

// callsEndless reports whether some run starts one that has no bound for a cost.
func (s *Space) callsEndless(cost string) bool {
	for _, n := range s.Nodes {
		for _, e := range n.Edges {
			for _, a := range e.Started {
				if callee, called := s.callees[a]; called && callee.TreeCost(cost) == Endless {
					return true
				}
			}
		}
	}
	return false
}
