package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// events gives n the handlers of events from outside, of cancel and of the time of the budget.
func (p *planner) events(s *ir.State, n *Node) {
	for _, e := range p.m.Events {
		if e.External() {
			p.handler(s, n, e.Name, ir.Case{Kind: ir.CaseEvent, Event: e})
		}
	}
	if p.cancel != "" {
		p.handler(s, n, "cancel", ir.Case{Kind: ir.CaseCancel})
	}
	for _, t := range p.m.Timers {
		if t.Budget {
			p.handler(s, n, p.raised(t), ir.Case{Kind: ir.CaseTimer, Timer: t})
		}
	}
}

// handler gives n what s itself says of c: or of a leaf all that is said around it, where a
// state around it leads deeper than just inside itself.
func (p *planner) handler(s *ir.State, n *Node, event string, c ir.Case) {
	own := s.OwnChoices(c)
	if deep(s, own) {
		if s.Kind != ir.Leaf {
			return
		}
	}
	if s.Kind == ir.Leaf {
		for _, around := range s.Chain()[1:] {
			if deep(around, around.OwnChoices(c)) {
				own = p.m.Choices(s, c)
			}
		}
	}
	if len(own) > 0 {
		n.On = append(n.On, &Handler{Event: event, Arms: p.armsOf(n, own, c.Kind == ir.CaseCancel)})
	}
}

// deep reports whether a choice of s leads deeper than just inside s.
func deep(s *ir.State, choices []ir.Choice) bool {
	return s.Kind == ir.Composite && slices.ContainsFunc(choices, func(c ir.Choice) bool {
		return c.Arm != nil && c.Arm.Kind == ir.Goto && c.Arm.Target != s && c.Arm.Target.Parent != s && c.Arm.Target.Inside(s)
	})
}

// raised is the event that a timer raises whose arms stand in leaves.
func (p *planner) raised(t *ir.Timer) string { return fmt.Sprintf("done.timer.%d", t.ID) }

// timers gives n its timers.
func (p *planner) timers(s *ir.State, n *Node) {
	for _, t := range s.Timers {
		d := &Delay{ID: p.delay(), Wait: t.Delay, Var: t.Var}
		if t.Jitter != nil {
			d.Jitter, _ = t.Jitter.Float64()
		}
		c := ir.Case{Kind: ir.CaseTimer, Timer: t}
		own := p.m.Choices(s, c)
		switch {
		case t.Budget:
			d.Raises = p.raised(t)
		case deep(s, own):
			d.Raises = p.raised(t)
			for _, leaf := range p.m.States {
				if leaf.Kind == ir.Leaf && leaf.Inside(s) {
					to := p.nodes[leaf]
					to.On = append(to.On, &Handler{Event: d.Raises, Arms: p.arms(to, own)})
				}
			}
		default:
			d.Arms = p.arms(n, own)
		}
		if t.Idle {
			p.note(n, p.item.Lost, "%s: it is not put off by what comes meanwhile", t.Text())
		}
		if v := t.Var; v != nil && s.Kind == ir.Composite && assignedInside(s, v) {
			p.note(n, p.item.Part, "%s is read before the states inside are entered", v.Name)
		}
		n.After = append(n.After, d)
	}
}

func (p *planner) delay() int { p.delays++; return p.delays }

// assignedInside reports whether a state inside s assigns v when it is entered.
func assignedInside(s *ir.State, v *ir.Var) bool {
	for _, c := range s.Children {
		if c.Entry != nil && slices.ContainsFunc(c.Entry.Assigns, func(a *ir.Assign) bool { return a.Var == v }) || assignedInside(c, v) {
			return true
		}
	}
	return false
}

// arms makes arms of choices that stand in n, where none is a retry.
func (p *planner) arms(n *Node, choices []ir.Choice) []*Arm { return p.armsOf(n, choices, false) }

// armsOf is arms; those of cancel are taken once.
func (p *planner) armsOf(n *Node, choices []ir.Choice, cancel bool) []*Arm {
	var out []*Arm
	for _, c := range choices {
		arm := p.arm(n, c)
		if cancel {
			arm.When = append(arm.When, Cond{Unless: p.cancel})
			if c.Arm.Kind != ir.Reject {
				arm.Actions = append(arm.Actions, Action{Kind: Set, Var: p.cancel, Text: "true"})
			}
		}
		out = append(out, arm)
		if len(arm.When) == 0 {
			break
		}
	}
	return out
}

// arm makes an arm of a choice that stands in n.
func (p *planner) arm(n *Node, c ir.Choice) *Arm {
	arm, a := &Arm{}, c.Arm
	if a == nil {
		return arm
	}
	arm.When = p.conditions(a.When)
	if name := p.counters[a]; name != "" {
		if a.Max != nil {
			arm.When = append(arm.When, Cond{Below: name, Limit: *a.Max})
		}
		arm.Actions = append(arm.Actions, Action{Kind: Count, Var: name})
	}
	if a.Kind == ir.Goto {
		arm.Target = p.to(a.Target)
		arm.Reenter = arm.Target == n
	}
	arm.Actions = p.block(arm.Actions, a.Block)
	return arm
}

// conditions are those that have to hold together for e to.
func (p *planner) conditions(e ir.Expr) []Cond {
	if e == nil {
		return nil
	}
	p.unsaid(e)
	if b, ok := e.(*ir.Binary); ok && b.Op == ir.OpAnd && len(ir.GuardCalls(e)) > 0 {
		return append(p.conditions(b.X), p.conditions(b.Y)...)
	}
	return []Cond{{Expr: e}}
}

// unsaid notes what e reads or makes that the chart has in another form.
func (p *planner) unsaid(e ir.Expr) {
	n := p.chart.Root
	timed := func(t *ir.Type) bool { return t.Kind == ir.Duration || t.Kind == ir.Time }
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.FieldRef:
			if e.Name == "attempt" && e.T.Kind == ir.Int {
				p.note(n, p.item.Data, "the number of an attempt: it is 1")
			}
		case *ir.Text:
			if timed(e.X.Type()) {
				p.note(n, p.item.Part, "the text of a time or a duration is its milliseconds")
			}
		case *ir.Fit:
			if timed(e.T) {
				p.note(n, p.item.Part, "a time or a duration within a json is its milliseconds")
			}
		case *ir.Object:
			if slices.ContainsFunc(e.Values, func(v ir.Expr) bool { return timed(v.Type()) }) {
				p.note(n, p.item.Part, "a time or a duration within a json is its milliseconds")
			}
		}
		return true
	})
}

// Milliseconds is ns nanoseconds in the unit of both formats.
func Milliseconds(ns int64) float64 { return float64(ns) / float64(time.Millisecond) }
