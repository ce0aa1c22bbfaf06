package contracttest

import (
	"fmt"
	"strings"
)

func (p *printer) state(s *State) {
	switch {
	case s.Terminal != "" && s.Entry == nil:
		s.line = p.put("terminal %s %s%s", s.Name, s.Terminal, s.returnsText())
	case s.Terminal != "":
		s.line = p.open("terminal %s %s%s", s.Name, s.Terminal, s.returnsText())
		p.effects(s.Entry)
		p.shut()
	default:
		s.line = p.open("state %s", s.Name)
		p.members(s)
		p.shut()
	}
}

func (s *State) returnsText() string {
	var names []string
	for _, f := range s.Returns {
		names = append(names, f.Name)
	}
	if names == nil {
		return ""
	}
	return " returns " + strings.Join(names, ", ")
}

func (p *printer) members(s *State) {
	if s.Initial != nil {
		p.put("initial %s", s.Initial.Name)
	}
	if s.Require != nil {
		s.required = p.put("require %s else -> %s", text(s.Require), s.Else.path())
	}
	if s.Entry != nil {
		p.open("entry")
		p.effects(s.Entry)
		p.shut()
	}
	if s.Exit != nil {
		p.open("exit")
		p.effects(s.Exit)
		p.shut()
	}
	for _, d := range s.Dos {
		t := "do " + d.Act.Name + "()"
		if d.Act.Child != nil {
			t = "do machine Child()"
		}
		if d.List != nil {
			t += " for x in " + d.List.Name
			if d.AtOnce > 0 {
				t += fmt.Sprintf(" limit %d", d.AtOnce)
			}
		}
		if d.Label != "" {
			t += " as " + d.Label
		}
		for i, limit := range []int{d.Timeout, d.Heartbeat, d.Progress} {
			if limit > 0 {
				t += fmt.Sprintf(" %s %ds", []string{"timeout", "heartbeat", "progress"}[i], limit)
			}
		}
		d.line = p.put("%s", t)
	}
	for _, o := range s.Ons {
		var triggers []string
		for _, t := range o.Triggers {
			triggers = append(triggers, t.text())
		}
		o.line = p.put("on %s", strings.Join(triggers, ", "))
		p.arms(o.Arms)
	}
	for _, a := range s.Afters {
		t := fmt.Sprintf("after %ds", a.Wait)
		if a.Field != nil {
			t = "after " + a.Field.Name
		}
		if a.Idle {
			t += " idle"
		}
		if a.Jitter > 0 {
			t += fmt.Sprintf(" jitter %v", float64(a.Jitter)/float64(a.Wait))
		}
		a.line = p.put("%s", t)
		p.arms(a.Arms)
	}
	for _, e := range s.Ignore {
		p.put("ignore %s", e.Name)
	}
	for _, e := range s.Defer {
		p.put("defer %s", e.Name)
	}
	for _, c := range s.Children {
		p.state(c)
	}
}

func (t *Trigger) text() string {
	s := t.Kind
	switch t.Kind {
	case "event":
		s = t.Event.Name
	case "over":
		s = "over_budget"
	}
	if t.Label != "" && t.Event != nil && t.Event.Exit != "" {
		s = t.Event.Exit
	}
	if t.Label != "" {
		s = t.Label + "." + s
	}
	if t.Cats != nil {
		s += "(" + strings.Join(t.Cats, ", ") + ")"
	}
	return s
}

func (p *printer) arms(arms []*Arm) {
	p.indent++
	for i, a := range arms {
		t := ""
		if i > 0 {
			t = "else "
		}
		if a.When != nil {
			t += "when " + text(a.When) + " "
		}
		switch a.Op {
		case "go":
			t += "-> " + a.To.path()
			if a.Bound > 0 {
				t += fmt.Sprintf(" max %d", a.Bound)
			}
		case "retry":
			t += "retry"
			if a.Bound > 0 {
				t += fmt.Sprintf(" %d", a.Bound)
			}
		case "reject", "ignore":
			t += a.Op
		}
		if a.Bound > 0 && a.Per != "" {
			t += " per " + a.Per
		} else if a.Bound > 0 && a.PerState != nil {
			t += " per " + a.PerState.path()
		}
		if a.Unbounded {
			t += " unbounded"
		}
		if a.Op == "retry" {
			t += fmt.Sprintf(" backoff %ds..%ds jitter %v", a.First, a.Last, float64(a.Jitter)/100)
		}
		t = strings.TrimSpace(t)
		switch {
		case a.Block != nil:
			a.line = p.open("%s", t)
			p.effects(a.Block)
			p.shut()
		case a.Op == "stay":
			a.line = p.put("%s", strings.TrimSpace(t+" {}"))
		default:
			a.line = p.put("%s", t)
		}
	}
	p.indent--
}

func (p *printer) effects(block []*Effect) {
	for _, e := range block {
		e.line = p.put("%s = %s", e.name(), p.m.value(e))
		for _, part := range e.Parts {
			part.line = e.line
			for _, inner := range part.Parts {
				inner.line = e.line
			}
		}
	}
}

// path is the name of s from the machine on.
func (s *State) path() string {
	if s.Parent.Parent == nil {
		return s.Name
	}
	return s.Parent.path() + "." + s.Name
}
