package unused

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// uses holds what a machine uses of what it declares: events, activities, guards, enums, records,
// and of the dos those whose label is named. A nil key, such as the guard of a call that asks none, is never looked up.
type uses map[any]bool

func usesOf(m *ir.Machine) uses {
	u := uses{}
	u.inStates(m)
	u.inExpressions(m)
	u.inTypes(m)
	return u
}

// inStates finds the events, activities and labels that states name, and the
// events that activities raise.
func (u uses) inStates(m *ir.Machine) {
	for _, e := range m.Events {
		u[e] = len(e.Raisers) > 0
	}
	for _, s := range m.States {
		for _, h := range s.Handlers {
			for _, t := range h.Triggers {
				if t.Kind == ir.OnEvent {
					u[t.Event] = true
				}
			}
		}
		for _, use := range slices.Concat(s.Ignore, s.Defer) {
			u[use.Event] = true
		}
	}
	for b := range m.Blocks() {
		for _, p := range b.Publishes {
			u[p.Event] = true
		}
	}
	for _, d := range m.Dos {
		u[d.Activity] = true
		u[d] = d.Label != "" && slices.ContainsFunc(d.State.Chain(), func(s *ir.State) bool { return names(s, d.Label) })
	}
	for _, a := range m.Asserts {
		for _, d := range a.Done {
			u[d] = u[d] || d.Label == a.Name
		}
	}
}

// names reports whether a trigger of s has the label.
func names(s *ir.State, label string) bool {
	return slices.ContainsFunc(s.Handlers, func(h *ir.Handler) bool {
		return slices.ContainsFunc(h.Triggers, func(t *ir.Trigger) bool { return t.Label == label })
	})
}

// inExpressions finds the guards that are asked and the enums of literals.
func (u uses) inExpressions(m *ir.Machine) {
	for e := range ir.Parts(m.Exprs()) {
		switch e := e.(type) {
		case *ir.Call:
			u[e.Guard] = true
		case *ir.Lit:
			u[e.Value.Enum] = true
		case *ir.RecordLit:
			u.inType(e.T)
		}
	}
}

// inTypes finds the enums and records that are the type of something.
func (u uses) inTypes(m *ir.Machine) {
	for _, r := range m.Records {
		for _, f := range r.Fields {
			u.inType(f.Type)
		}
	}
	slots := ir.Slots(slices.Concat(m.Params, m.Fields))
	for _, e := range m.Events {
		slots = append(slots, ir.Slots(e.Fields)...)
	}
	for _, a := range m.Activities {
		slots = append(slots, ir.Slots(a.Params)...)
	}
	for _, g := range m.Guards {
		slots = append(slots, ir.Slots(g.Params)...)
	}
	for _, s := range slots {
		if u.inType(s.Type); s.Whole != nil {
			u.inType(s.Whole.Type)
		}
	}
}

func (u uses) inType(t *ir.Type) {
	for t != nil && t.Kind == ir.List {
		t = t.Elem
	}
	switch {
	case t == nil:
	case t.Enum != nil:
		u[t.Enum] = true
	case t.Record != nil && !u[t.Record]:
		u[t.Record] = true
		for _, f := range t.Record.Fields {
			u.inType(f.Type)
		}
	}
}
