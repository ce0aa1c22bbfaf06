package explore

import (
	"time"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Witness writes out a shortest path of the control graph to leaf v: a row for
// each input, and a last one for the state in which the path ends. After it come
// the edges of round, which lead back to v, and the inputs given, which nothing
// takes. It is nil where an input on the way could not be resolved.
//
// Times are those of a run in which nothing takes time but what must: a timer
// fires when it is due, an attempt that fails with `timeout`, `silent` or
// `stalled` takes as long as its do allows, all else happens at once. A wait
// that is read from data counts as the field's default, or the least that its
// range allows.
func (c *Control) Witness(v int32, round []int32, then ...ir.Case) *diag.Witness {
	path := c.pathTo(v)
	r := &controlRecorder{c: c, at: v, w: &diag.Witness{Loop: -1}, clock: clock{entered: map[*ir.State]int64{}, started: map[*ir.Do]int64{}}}
	if len(round) > 0 {
		r.w.Loop = len(path)
	}
	path = append(path, round...)
	if len(path) > 0 {
		r.at = c.Edges[path[0]].From
	}
	r.clock.move(nil, c.Leaf(r.at))
	for _, e := range path {
		if c.Edges[e].Input == None {
			return nil
		}
		r.step(c.Edges[e])
	}
	for _, in := range then {
		r.row(in)
	}
	r.w.Path = append(r.w.Path, diag.Step{State: c.Leaf(r.at).Path})
	return r.w
}

// controlRecorder writes out a path of the control graph.
type controlRecorder struct {
	c     *Control
	clock clock
	at    int32
	w     *diag.Witness
}

// row adds what comes in the leaf at hand.
func (r *controlRecorder) row(c ir.Case) {
	leaf := r.c.Leaf(r.at)
	r.clock.wait(leaf, c)
	r.w.Path = append(r.w.Path, diag.Step{State: leaf.Path, Input: rowText(c), At: time.Duration(r.clock.now).String()})
}

// step adds the row of e, and moves on along it, through the requires that send
// the run elsewhere.
func (r *controlRecorder) step(e ControlEdge) {
	r.row(r.c.Table.Case(e.Input))
	r.w.Path[len(r.w.Path)-1].Arm = e.Arm.Span
	from := r.c.Leaf(r.at)
	for target := e.Arm.Target; ; {
		leaf := target.Leaf()
		r.clock.move(ir.Domain(from, target), leaf)
		if leaf.ID == int(e.To) {
			break
		}
		from, target = leaf, leaf.Require.Target
	}
	r.at = e.To
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
	if input.Do != nil {
		c.now = max(c.now, c.started[input.Do])
	}
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

// letStart lets the time pass until the attempts of leaf have started: a figure that
// counts them is that of a run in which they have.
func (c *clock) letStart(leaf *ir.State) {
	for _, d := range leaf.Dos {
		c.now = max(c.now, c.started[d])
	}
}

// delay is how long t runs at least, as far as that is known without data.
func delay(t *ir.Timer) int64 {
	switch {
	case t.Var == nil:
		return t.Delay
	case t.Ahead != nil:
		return t.Ahead.Lo
	case t.Var.Type.Kind != ir.Duration:
		return 0
	case t.Var.Default != nil:
		return max(0, t.Var.Default.Int)
	case t.Var.Type.Range != nil:
		return max(0, t.Var.Type.Range.Lo)
	}
	return 0
}
