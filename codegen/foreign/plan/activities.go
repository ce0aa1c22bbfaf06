package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// leaf gives n what a leaf does: its choice, or its activities.
func (p *planner) leaf(s *ir.State, n *Node) {
	done := p.m.Choices(s, ir.Case{Kind: ir.CaseDone})
	switch {
	case s.IsChoice():
		p.choice(n, done)
	case len(s.Dos) == 1 && p.leads(s, s.Dos[0], done):
		p.simple(s, n, done)
	case len(s.Dos) == 1:
		p.parts(s, n, s.Dos[0])
		n.Done = p.arms(n, done)
	case len(s.Dos) > 1:
		n.Kind = Parallel
		for _, d := range s.Dos {
			p.parts(s, p.inside(n, d.Name()), d)
		}
		n.Done = p.arms(n, done)
	}
}

func (p *planner) inside(n *Node, name string) *Node {
	for slices.ContainsFunc(n.Children, func(c *Node) bool { return c.Name == name }) {
		name += "_"
	}
	c := &Node{Name: name, Path: ir.Joined(n.Path, name), Parent: n}
	n.Children = append(n.Children, c)
	return c
}

// choice gives n the transitions that a choice state takes at once.
func (p *planner) choice(n *Node, done []ir.Choice) {
	stays := slices.ContainsFunc(done, func(c ir.Choice) bool { return c.Arm != nil && c.Arm.Kind != ir.Goto })
	if !stays {
		n.Always = p.arms(n, done)
		return
	}
	n.Kind = Compound
	choose, stayed := p.inside(n, "choosing"), p.inside(n, "stayed")
	n.Initial = choose
	choose.Always = p.arms(choose, done)
	for _, arm := range choose.Always {
		arm.Target = cmp.Or(arm.Target, stayed)
	}
}

// leads reports whether every end of the one activity of s leads out of s.
func (p *planner) leads(s *ir.State, d *ir.Do, done []ir.Choice) bool {
	if d.Fan != nil {
		return false
	}
	out := func(choices []ir.Choice) bool {
		return len(choices) > 0 && !slices.ContainsFunc(choices, func(c ir.Choice) bool { return c.Arm == nil || c.Arm.Kind != ir.Goto })
	}
	if d.Activity.Silent() && !out(done) {
		return false
	}
	return !slices.ContainsFunc(p.m.Cases(s), func(c ir.Case) bool {
		return (c.Kind == ir.CaseResult || c.Kind == ir.CaseFailure) && !out(p.m.Choices(s, c))
	})
}

// simple has n run d, without states inside.
func (p *planner) simple(s *ir.State, n *Node, done []ir.Choice) {
	d := s.Dos[0]
	p.call(s, n, d, func(choices []ir.Choice) []*Arm { return p.arms(n, choices) })
	if d.Activity.Silent() {
		n.Call.Nothing = p.arms(n, done)
	}
}

// parts has n run d in a state inside it, wait for retries in another, and end in a third.
func (p *planner) parts(s *ir.State, n *Node, d *ir.Do) {
	n.Kind = Compound
	running := p.inside(n, "running")
	n.Initial = running
	var waiting *Node
	ended := &Node{Name: "ended", Path: ir.Joined(n.Path, "ended"), Kind: Final, Parent: n}
	holder := ""
	p.call(s, running, d, func(choices []ir.Choice) []*Arm {
		var arms []*Arm
		for _, c := range choices {
			arm := p.arm(running, c)
			switch {
			case c.Arm != nil && c.Arm.Kind == ir.Retry && d.Fan != nil:
				p.note(n, p.item.Lost, "%s: what runs the elements tries them again", c.Arm.StepText())
			case c.Arm != nil && c.Arm.Kind == ir.Retry:
				if waiting == nil {
					waiting = p.inside(n, "waiting")
					holder = p.variable("wait", "0", "how many milliseconds "+d.Name()+" waits before it is tried again")
					waiting.After = []*Delay{{ID: p.delay(), Holder: holder, Arms: []*Arm{{Target: running}}}}
				}
				wait := Action{Kind: Wait, Var: holder, Backoff: c.Arm.Backoff, Counter: p.counters[c.Arm]}
				arm.Actions = slices.Insert(arm.Actions, 1, wait)
				arm.Target = waiting
			case arm.Target == nil && d.Fan == nil:
				arm.Target = ended
			}
			arms = append(arms, arm)
			if len(arm.When) == 0 {
				break
			}
		}
		return arms
	})
	n.Children = append(n.Children, ended)
	if d.Activity.Silent() || d.Fan != nil {
		running.Call.Nothing = []*Arm{{Target: ended}}
	}
}

// call has n run d; arms makes the arms of its ends.
func (p *planner) call(s *ir.State, n *Node, d *ir.Do, arms func([]ir.Choice) []*Arm) {
	call := &Call{ID: d.Name(), Name: d.Activity.Name, Machine: d.Activity.Machine, Do: d, Fan: d.Fan != nil}
	n.Call = call
	for _, c := range p.m.Cases(s) {
		switch {
		case c.Do != d:
		case c.Kind == ir.CaseResult:
			call.Results = append(call.Results, &Result{c.Event, arms(p.m.Choices(s, c))})
		case c.Kind == ir.CaseFailure:
			p.failure(s, n, c, arms)
		}
	}
	p.limits(n, d)
	for _, a := range d.Args {
		p.unsaid(a)
	}
	if d.Scope.Kind != ir.PerVisit {
		p.note(n, p.item.Data, "the key with which attempts of other visits are known for the same: %s may happen twice", d.Activity.Name)
	}
	if d.Fan != nil {
		p.note(n, p.item.Part, "a program runs %s for the elements of %s, and tells each end", d.Activity.Name, d.Fan.List.Name)
	}
}

// failure adds the arms of one category, beside those with the same meaning. That of the limit of
// an attempt is a timer.
func (p *planner) failure(s *ir.State, n *Node, c ir.Case, arms func([]ir.Choice) []*Arm) {
	choices, category := p.m.Choices(s, c), c.Category.Name
	if category == ir.Timeout && c.Category.BuiltIn && c.Do.Timeout != nil && c.Do.Fan == nil {
		limit := &Delay{ID: p.delay(), Wait: *c.Do.Timeout, Failed: c.Do.Activity.Name}
		limit.Arms = arms(choices)
		n.After = append(n.After, limit)
	}
	for _, e := range n.Call.Failures {
		if slices.Equal(e.choices, choices) {
			e.Categories = append(e.Categories, category)
			p.others(e, c.Do)
			return
		}
	}
	e := &Ending{choices: choices, Categories: []string{category}, Arms: arms(choices)}
	p.others(e, c.Do)
	n.Call.Failures = append(n.Call.Failures, e)
}

// Test is the condition that category is one of e; empty where no other of so many endings is
// possible.
func (e *Ending) Test(category string, endings int) string {
	if endings == 1 {
		return ""
	}
	list, not := e.Categories, ""
	if e.Others != nil {
		list, not = e.Others, "!"
	}
	return fmt.Sprintf("%s[%s].includes(%s)", not, ir.Listed(list, Quote), category)
}

func (p *planner) others(e *Ending, d *ir.Do) {
	if !slices.Contains(e.Categories, ir.Unknown) {
		return
	}
	e.Others = []string{}
	for _, c := range p.m.FailuresOf(d) {
		if !slices.Contains(e.Categories, c.Name) {
			e.Others = append(e.Others, c.Name)
		}
	}
}

// limits says which limits of an attempt nothing watches.
func (p *planner) limits(n *Node, d *ir.Do) {
	for _, l := range d.Limits() {
		if l.Category != ir.Timeout {
			p.note(n, p.item.Part, "nothing watches the %s of %s: a program has it fail", l.Word, d.Activity.Name)
		}
	}
	if d.Fan != nil && d.Timeout != nil {
		p.note(n, p.item.Part, "nothing watches the timeout of an element: a program has it fail after %s", ir.FormatDuration(*d.Timeout))
	}
}

// Event is what the end of an element is told with.
func (c *Call) Event(exit string) string { return fmt.Sprintf("%s.%s", c.ID, exit) }
