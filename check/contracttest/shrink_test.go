package contracttest

import (
	"reflect"
	"slices"
)

// Shrink takes away from m what it can, as long as still holds.
func Shrink(m *Machine, still func(*Machine) bool) *Machine {
	for again := true; again; {
		again = false
		for n := 0; ; n++ {
			c := m.copy()
			if !c.without(n) {
				break
			}
			c.link()
			c.Asserts = slices.DeleteFunc(c.Asserts, func(a *Assert) bool { return a.Done != nil && !c.runs(a.Done) })
			if still(c) {
				m, again = c, true
				n--
			}
		}
	}
	return m
}

// runs says whether some state runs act.
func (m *Machine) runs(act *Activity) bool {
	return slices.ContainsFunc(m.states, func(st *State) bool {
		return slices.ContainsFunc(st.Dos, func(d *Do) bool { return d.Act == act })
	})
}

// copy is a deep copy.
func (m *Machine) copy() *Machine {
	seen := map[any]reflect.Value{}
	var dup func(v reflect.Value) reflect.Value
	dup = func(v reflect.Value) reflect.Value {
		switch v.Kind() {
		case reflect.Pointer:
			if v.IsNil() {
				return v
			}
			if n, ok := seen[v.Interface()]; ok {
				return n
			}
			n := reflect.New(v.Type().Elem())
			seen[v.Interface()] = n
			for i := range v.Elem().NumField() {
				if v.Elem().Type().Field(i).IsExported() {
					n.Elem().Field(i).Set(dup(v.Elem().Field(i)))
				}
			}
			return n
		case reflect.Slice:
			if v.IsNil() {
				return v
			}
			n := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			for i := range v.Len() {
				n.Index(i).Set(dup(v.Index(i)))
			}
			return n
		}
		return v
	}
	return dup(reflect.ValueOf(m)).Interface().(*Machine)
}

// without takes away the n-th thing that can go, and says whether there is one.
func (m *Machine) without(n int) (some bool) {
	defer func() {
		if r := recover(); r != nil && r != (gone{}) {
			panic(r)
		} else if r != nil {
			some = true
		}
	}()
	m.link()
	(&shrinker{m: m, left: n}).machine()
	return false
}

// gone unwinds the walk once something has been taken away.
type gone struct{}

type shrinker struct {
	m    *Machine
	left int
}

// try does change if it is the one to do.
func (s *shrinker) try(change func()) {
	if s.left == 0 {
		change()
		panic(gone{})
	}
	s.left--
}

func drop[T any](s *shrinker, list *[]T) {
	for i := range *list {
		if s.left == 0 {
			*list = slices.Delete(*list, i, i+1)
			if len(*list) == 0 {
				*list = nil
			}
			panic(gone{})
		}
		s.left--
	}
}

func (s *shrinker) machine() {
	m := s.m
	for _, st := range m.states[1:] {
		s.state(st)
	}
	drop(s, &m.Asserts)
	if m.Budget != nil && !m.takes("") {
		s.try(func() { m.Budget = nil })
	}
	for i, f := range m.Fields {
		if f.In != nil { // the records of a machine go with it
			continue
		}
		if !m.uses(func(e *Expr) bool { return e.Field == f }, f) {
			s.try(func() { m.Fields = slices.Delete(m.Fields, i, i+1) })
		}
	}
	for i, e := range m.Events {
		if !m.names(e) {
			s.try(func() { m.Events = slices.Delete(m.Events, i, i+1) })
		}
	}
	for i, a := range m.Acts {
		if m.Budget != nil { // what it costs may have to be declared
			break
		}
		if !m.runs(a) {
			s.try(func() { m.Acts = slices.Delete(m.Acts, i, i+1) })
		}
		for k, cost := range a.Costs {
			if cost > 0 {
				s.try(func() { a.Costs[k] = 0 })
			}
		}
	}
	for _, st := range m.states {
		s.members(st)
	}
}

// state takes a state away; all that leads to it leads to a terminal.
func (s *shrinker) state(st *State) {
	if st.Parent.Initial == st || slices.ContainsFunc(s.m.states, func(o *State) bool { return o.Initial == st }) {
		return
	}
	var end *State
	for _, t := range s.m.Root.Children {
		if t.Terminal != "" && t != st {
			end = t
		}
	}
	if end == nil {
		return
	}
	s.try(func() {
		for _, a := range s.m.arms() {
			if a.To != nil && a.To.within(st) {
				a.To = end
			}
			if a.PerState != nil && a.PerState.within(st) {
				a.PerState = nil
			}
		}
		for _, o := range s.m.states {
			if o.Else != nil && o.Else.within(st) {
				o.Else = end
			}
		}
		s.m.Asserts = slices.DeleteFunc(s.m.Asserts, func(a *Assert) bool {
			return a.A.within(st) || slices.ContainsFunc(a.B, func(b *State) bool { return b.within(st) })
		})
		p := st.Parent
		p.Children = slices.DeleteFunc(p.Children, func(c *State) bool { return c == st })
	})
}

func (m *Machine) arms() []*Arm {
	var all []*Arm
	for _, st := range m.states {
		for _, o := range st.Ons {
			all = append(all, o.Arms...)
		}
		for _, a := range st.Afters {
			all = append(all, a.Arms...)
		}
	}
	return all
}

func (s *shrinker) members(st *State) {
	drop(s, &st.Ons)
	drop(s, &st.Afters)
	drop(s, &st.Ignore)
	drop(s, &st.Defer)
	for _, o := range st.Ons {
		s.chain(&o.Arms)
	}
	for _, a := range st.Afters {
		s.chain(&a.Arms)
	}
	if len(st.Dos) == 1 && !slices.ContainsFunc(s.m.arms(), func(a *Arm) bool { return a.Op == "retry" }) {
		label := st.Dos[0].Label
		if !slices.ContainsFunc(st.Ons, func(o *On) bool {
			return slices.ContainsFunc(o.Triggers, func(t *Trigger) bool { return t.Label != "" && t.Label == label || slices.Contains(t.Cats, "timeout") })
		}) {
			drop(s, &st.Dos)
		}
	}
	for _, d := range st.Dos {
		if d.Heartbeat > 0 {
			s.try(func() { d.Heartbeat = 0 })
		}
		if d.Progress > 0 {
			s.try(func() { d.Progress = 0 })
		}
	}
	if st.Require != nil {
		s.try(func() { st.Require, st.Else = nil, nil })
	}
	drop(s, &st.Entry)
	drop(s, &st.Exit)
	drop(s, &st.Returns)
}

func (s *shrinker) chain(arms *[]*Arm) {
	if len(*arms) > 1 {
		drop(s, arms)
	}
	for _, a := range *arms {
		if a.When != nil {
			when := a.When
			s.try(func() { a.When = nil })
			for _, x := range when.Args {
				if x.Op != "lit" && x.Op != "event" && (when.Op == "&&" || when.Op == "||" || when.Op == "!") {
					s.try(func() { a.When = x })
				}
			}
		}
		if a.Op == "go" && a.To.Terminal == "" {
			for _, t := range s.m.Root.Children {
				if t.Terminal != "" {
					s.try(func() { a.To = t })
					break
				}
			}
		}
		if a.Op == "go" && a.Bound > 0 {
			s.try(func() { a.Bound, a.Per, a.PerState = 0, "", nil })
			if a.Bound > 1 {
				s.try(func() { a.Bound = 1 })
			}
		}
		if a.Per != "" || a.PerState != nil {
			s.try(func() { a.Per, a.PerState = "", nil })
		}
		drop(s, &a.Block)
	}
}

// names says whether anything names e.
func (m *Machine) names(e *Event) bool {
	for _, a := range m.Acts {
		if slices.Contains(a.Events, e) {
			return true
		}
	}
	for _, st := range m.states {
		if slices.Contains(st.Ignore, e) || slices.Contains(st.Defer, e) {
			return true
		}
		for _, o := range st.Ons {
			if slices.ContainsFunc(o.Triggers, func(t *Trigger) bool { return t.Event == e }) {
				return true
			}
		}
	}
	return false
}

// uses says whether an expression of m satisfies is, or an effect gives f a value.
func (m *Machine) uses(is func(*Expr) bool, f *Field) bool {
	for _, s := range m.states {
		if slices.ContainsFunc(s.Dos, func(d *Do) bool { return d.List == f }) {
			return true
		}
	}
	var in func(e *Expr) bool
	in = func(e *Expr) bool { return e != nil && (is(e) || slices.ContainsFunc(e.Args, in)) }
	var block func(b []*Effect) bool
	block = func(b []*Effect) bool {
		return slices.ContainsFunc(b, func(e *Effect) bool { return e.Field == f || in(e.Value) || block(e.Parts) })
	}
	for _, a := range m.arms() {
		if in(a.When) || block(a.Block) {
			return true
		}
	}
	for _, st := range m.states {
		if in(st.Require) || block(st.Entry) || block(st.Exit) || slices.Contains(st.Returns, f) {
			return true
		}
		for _, a := range st.Afters {
			if a.Field == f {
				return true
			}
		}
	}
	return false
}
