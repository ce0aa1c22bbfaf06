package control

import (
	"iter"
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Edge is one move, from a leaf to a leaf or a terminal. Of an arm whose
// input could not be resolved Input is None.
type Edge struct {
	From, To int32 // ir.State.ID
	Input    int32
	Arm      *ir.Arm
	Once     bool // it is taken at most once in a run: cancel comes once
}

// connect adds the moves of all leaves.
func (c *Graph) connect() {
	for _, s := range c.Table.Machine.States {
		c.First = append(c.First, int32(len(c.Edges)))
		if s.Kind != ir.Leaf {
			continue
		}
		for _, a := range c.Table.Lost(s) {
			c.addMove(s, graph.None, a, false)
		}
		for in := range c.Inputs(s) {
			for choice := range flat.Takeable(in.Choices) {
				if choice.Arm != nil {
					c.addMove(s, in.ID, choice.Arm, in.Kind == ir.CaseCancel)
				}
			}
		}
	}
	c.First = append(c.First, int32(len(c.Edges)))
	for _, e := range c.Edges {
		c.To = append(c.To, e.To)
	}
}

func (c *Graph) addMove(leaf *ir.State, input int32, a *ir.Arm, once bool) {
	if a.Kind != ir.Goto {
		return
	}
	to := Landings(a.Target)
	if len(to) == 0 {
		c.opens[leaf.ID] = c.opens[leaf.ID] || unresolved(a.Target)
		c.circles[leaf.ID] = true
	}
	for _, s := range to {
		c.Edges = append(c.Edges, Edge{int32(leaf.ID), int32(s.ID), input, a, once})
	}
}

// Inputs are what can come in leaf at some time of a visit. Nothing comes before
// `done` in a choice state but over_budget, and nothing after it where no choice stays.
func (c *Graph) Inputs(leaf *ir.State) iter.Seq[flat.Input] {
	alone := false
	for in := range c.Table.Inputs(leaf) {
		alone = alone || in.Kind == ir.CaseDone && leaf.IsChoice() && !flat.CanStay(in.Choices)
	}
	return func(yield func(flat.Input) bool) {
		for in := range c.Table.Inputs(leaf) {
			if in.Kind == ir.CaseOverBudget && !c.mayPass[leaf.ID] || alone && in.Kind != ir.CaseDone && in.Kind != ir.CaseOverBudget || in.Kind == ir.CaseDone && !leaf.IsChoice() && !c.CanEnd(leaf) {
				continue
			}
			if !yield(in) {
				return
			}
		}
	}
}

// CanEnd reports whether every activity of leaf can end with the run still in
// it, so that `done` is raised.
func (c *Graph) CanEnd(leaf *ir.State) bool { return c.inPlace.All(leaf) }

// findBudgets marks the leaves in which over_budget of a cost may come: where an activity
// that declares one runs, where a run lands when such an activity ends, and where
// over_budget of another cost leads.
func (c *Graph) findBudgets() {
	m := c.Table.Machine
	enforced := m.Enforced()
	c.mayPass = make([]bool, len(m.States))
	if len(enforced) == 0 {
		return
	}
	spends := func(d *ir.Do) bool { return slices.ContainsFunc(enforced, d.Activity.Spends) }
	for _, s := range m.States {
		if s.Kind != ir.Leaf {
			continue
		}
		c.mayPass[s.ID] = c.mayPass[s.ID] || slices.ContainsFunc(s.Dos, spends)
		for in := range c.Table.Inputs(s) {
			if in.Kind != ir.CaseOverBudget && (in.Do == nil || !spends(in.Do)) {
				continue
			}
			for choice := range flat.Takeable(in.Choices) {
				if choice.Arm == nil || choice.Arm.Kind != ir.Goto {
					continue
				}
				for _, to := range Landings(choice.Arm.Target) {
					c.mayPass[to.ID] = true
				}
			}
		}
	}
}

// Landings are the leaves in which a move to target may end, by way of requires,
// each of which counts as true and as false unless it is plainly false.
func Landings(target *ir.State) []*ir.State {
	var out []*ir.State
	for leaf := range target.Redirects() {
		if leaf != nil && (leaf.Require == nil || flat.Guard(leaf.Require.Cond) != flat.False) {
			out = append(out, leaf)
		}
	}
	return out
}

// unresolved reports whether a move to target leads nobody knows where, since a
// target on the way could not be resolved. Else where it lands nowhere the requires
// lead round.
func unresolved(target *ir.State) bool {
	return slices.Contains(slices.Collect(target.Redirects()), nil)
}
