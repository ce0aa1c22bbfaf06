package explore

import (
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// PathTo lists the edges of the shortest path from the start to configuration c.
func (g *Graph) PathTo(c int32) []int32 {
	var path []int32
	for ; g.came[c] != None; c = g.from[c] {
		path = append(path, g.came[c])
	}
	slices.Reverse(path)
	return path
}

// Witness writes out a path from the start, given by its edges: a row for each
// input, and a last one for the state in which the path ends. Loop is how many
// edges come before the cycle with which the path ends, or -1. Then are inputs
// that come after the path and that nothing takes.
//
// Times are those of a run in which nothing takes time but what must: a timer
// fires when it is due, an attempt that fails with `timeout`, `silent` or
// `stalled` takes as long as its do allows, all else happens at once. A wait
// that is read from data counts as the field's default, or the least that its
// range allows.
func (g *Graph) Witness(path []int32, loop int, then ...ir.Case) *diag.Witness {
	w := &diag.Witness{Loop: -1}
	clock := clock{entered: map[*ir.State]int64{}, started: map[*ir.Do]int64{}}
	at := int32(0)
	row := func(c ir.Case) {
		clock.wait(g.Leaf(at), c)
		w.Path = append(w.Path, diag.Step{State: g.Leaf(at).Path, Input: rowText(c), At: time.Duration(clock.now).String()})
	}
	clock.move(nil, g.Leaf(at))
	for i, e := range path {
		if i == loop {
			w.Loop = len(w.Path)
		}
		if c, ok := g.Input(e); ok {
			row(c)
		}
		if target := g.target(at, e); target != nil {
			clock.move(ir.Domain(g.Leaf(at), target), target.Leaf())
		}
		at = g.To[e]
	}
	for _, c := range then {
		row(c)
	}
	w.Path = append(w.Path, diag.Step{State: g.Leaf(at).Path})
	return w
}

// target is where edge e, which starts at configuration from, goes; nil where
// it stays.
func (g *Graph) target(from, e int32) *ir.State {
	if a := g.Arm(e); a != nil {
		if a.Kind == ir.Goto {
			return a.Target
		}
		return nil
	}
	if g.phase[from] == entering && g.leaf[g.To[e]] != g.leaf[from] {
		return g.Leaf(from).Require.Target
	}
	return nil
}

// InputText is an input as written in a trigger: "StartReview", "a.Found",
// "failed(timeout)", "done", "cancel", "after 24h".
func InputText(c ir.Case) string {
	label := ""
	if c.Do != nil && c.Do.Label != "" {
		label = c.Do.Label + "."
	}
	switch c.Kind {
	case ir.CaseFailure:
		return label + "failed(" + c.Category.Name + ")"
	case ir.CaseDone:
		return "done"
	case ir.CaseCancel:
		return "cancel"
	case ir.CaseTimer:
		return "after " + c.Timer.DelayText()
	}
	return label + c.Event.Name
}

// rowText is InputText, with the activity as the label of one that has none but
// stands beside others: a replay must know which of them speaks.
func rowText(c ir.Case) string {
	if c.Do != nil && c.Do.Label == "" && len(c.Do.State.Dos) > 1 {
		return c.Do.Activity.Name + "." + InputText(c)
	}
	return InputText(c)
}

// clock is the virtual time along a path, in nanoseconds.
type clock struct {
	now     int64
	entered map[*ir.State]int64 // when each state that is active was entered
	started map[*ir.Do]int64    // when its attempt started, where that is later
}

// move notes that the states from leaf up to below domain are entered now; a
// nil domain is the start of the run.
func (c *clock) move(domain, leaf *ir.State) {
	for s := leaf; s != nil && s != domain; s = s.Parent {
		c.entered[s] = c.now
	}
}

// wait lets the time pass that input needs in leaf.
func (c *clock) wait(leaf *ir.State, input ir.Case) {
	switch input.Kind {
	case ir.CaseTimer:
		c.now = max(c.now, c.entered[input.Timer.State]+delay(input.Timer))
	case ir.CaseFailure:
		limits := map[string]*int64{ir.Timeout: input.Do.Timeout, ir.Silent: input.Do.Heartbeat, ir.Stalled: input.Do.Progress}
		if limit := limits[input.Category.Name]; limit != nil {
			c.now = max(c.now, max(c.entered[leaf], c.started[input.Do])+*limit)
		}
	}
}

// delay is how long t runs at least, as far as that is known without data.
func delay(t *ir.Timer) int64 {
	switch {
	case t.Var == nil:
		return t.Delay
	case t.Var.Type.Kind != ir.Duration:
		return 0
	case t.Var.Default != nil:
		return max(0, t.Var.Default.Int)
	case t.Var.Type.Range != nil:
		return max(0, t.Var.Type.Range.Lo)
	}
	return 0
}
