package unused

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// uses holds what a machine uses of what it declares.
type uses struct {
	events     map[*ir.Event]bool
	activities map[*ir.Activity]bool
	guards     map[*ir.Guard]bool
	enums      map[*ir.Enum]bool
	records    map[*ir.Record]bool
	labels     map[*ir.Do]bool
}

func usesOf(m *ir.Machine) *uses {
	u := &uses{
		events:     map[*ir.Event]bool{},
		activities: map[*ir.Activity]bool{},
		guards:     map[*ir.Guard]bool{},
		enums:      map[*ir.Enum]bool{},
		records:    map[*ir.Record]bool{},
		labels:     map[*ir.Do]bool{},
	}
	u.inStates(m)
	u.inExpressions(m)
	u.inTypes(m)
	return u
}

// inStates finds the events, activities and labels that states name, and the
// events that activities raise.
func (u *uses) inStates(m *ir.Machine) {
	for _, e := range m.Events {
		u.events[e] = len(e.Raisers) > 0
	}
	for _, s := range m.States {
		for _, h := range s.Handlers {
			for _, t := range h.Triggers {
				if t.Kind == ir.OnEvent {
					u.events[t.Event] = true
				}
			}
		}
		for _, list := range [][]*ir.EventUse{s.Ignore, s.Defer} {
			for _, use := range list {
				u.events[use.Event] = true
			}
		}
	}
	for b := range m.Blocks() {
		for _, p := range b.Publishes {
			u.events[p.Event] = true
		}
	}
	named := make([]map[string]bool, len(m.States)) // the labels that a state or one around it names
	for _, s := range m.States {
		named[s.ID] = labelsNamed(s, named)
		for _, d := range s.Dos {
			u.activities[d.Activity] = true
			u.labels[d] = named[s.ID][d.Label]
		}
	}
	for _, a := range m.Asserts {
		for _, d := range a.Done {
			u.labels[d] = u.labels[d] || d.Label == a.Name
		}
	}
}

// labelsNamed are the labels in the triggers of s and of the states around it.
func labelsNamed(s *ir.State, named []map[string]bool) map[string]bool {
	var around map[string]bool
	if s.Parent != nil {
		around = named[s.Parent.ID]
	}
	var own []string
	for _, h := range s.Handlers {
		for _, t := range h.Triggers {
			if t.Label != "" {
				own = append(own, t.Label)
			}
		}
	}
	if len(own) == 0 {
		return around
	}
	all := make(map[string]bool, len(own)+len(around))
	for name := range around {
		all[name] = true
	}
	for _, name := range own {
		all[name] = true
	}
	return all
}

// inExpressions finds the guards that are asked and the enums of literals.
func (u *uses) inExpressions(m *ir.Machine) {
	for whole := range m.Exprs() {
		ir.Walk(whole, func(e ir.Expr) bool {
			switch e := e.(type) {
			case *ir.Call:
				if e.Guard != nil {
					u.guards[e.Guard] = true
				}
			case *ir.Lit:
				if e.Value.Enum != nil {
					u.enums[e.Value.Enum] = true
				}
			case *ir.RecordLit:
				u.inType(e.T)
			}
			return true
		})
	}
}

// inTypes finds the enums and records that are the type of something.
func (u *uses) inTypes(m *ir.Machine) {
	for _, vars := range [][]*ir.Var{m.Params, m.Fields} {
		for _, v := range vars {
			u.inLeaf(v.Type, v.Whole)
		}
	}
	for _, r := range m.Records {
		for _, f := range r.Fields {
			u.inType(f.Type)
		}
	}
	for _, e := range m.Events {
		for _, f := range e.Fields {
			u.inLeaf(f.Type, f.Whole)
		}
	}
	for _, a := range m.Activities {
		for _, p := range a.Params {
			u.inLeaf(p.Type, p.Whole)
		}
	}
	for _, g := range m.Guards {
		for _, p := range g.Params {
			u.inLeaf(p.Type, p.Whole)
		}
	}
}

// inLeaf is inType for a leaf of whole, or for what is no leaf.
func (u *uses) inLeaf(t *ir.Type, whole *ir.Field) {
	if u.inType(t); whole != nil {
		u.inType(whole.Type)
	}
}

func (u *uses) inType(t *ir.Type) {
	for t != nil && t.Kind == ir.List {
		t = t.Elem
	}
	switch {
	case t == nil:
	case t.Enum != nil:
		u.enums[t.Enum] = true
	case t.Record != nil && !u.records[t.Record]:
		u.records[t.Record] = true
		for _, f := range t.Record.Fields {
			u.inType(f.Type)
		}
	}
}
