package contracttest

import (
	"slices"
	"strings"
)

// Record is a field of the context, a parameter, a field of an event, an element of a list or
// a place of one of these. Its places are fields of their own.
type Record struct {
	Name   string // with those around it
	Absent bool   // it may be absent
	Item   int    // of a list: which one it is, counted from 1
	Around *Record
	Places []*Field  // the first is always there
	Inside []*Record // records that may be absent
	line   int
}

// Shape is what the places of records are: of all of them the same. Inner is a record that may be
// absent.
type Shape struct {
	Places []*Field
	Inner  []*Field
}

// make is a record with this name, and all its places.
func (s *Shape) make(name string, absent bool) *Record {
	r := &Record{Name: name, Absent: absent}
	for _, f := range s.Places {
		r.add(f)
	}
	if s.Inner != nil {
		in := &Record{Name: name + ".in", Absent: true, Around: r}
		for _, f := range s.Inner {
			in.add(f)
		}
		r.Inside = append(r.Inside, in)
	}
	return r
}

func (r *Record) add(f *Field) {
	place := *f
	place.Name, place.In, place.Start = r.Name+"."+f.Name, r, unset
	r.Places = append(r.Places, &place)
}

// all are the places of r, and of what is in it.
func (r *Record) all() []*Field {
	list := slices.Clone(r.Places)
	for _, in := range r.Inside {
		list = append(list, in.all()...)
	}
	return list
}

// root is the outermost record around r.
func (r *Record) root() *Record {
	for r.Around != nil {
		r = r.Around
	}
	return r
}

// head is the place that tells whether r is there.
func (r *Record) head() *Field { return r.Places[0] }

// mayUnset reports whether r can be absent: by its type, or as a field without a default.
func (r *Record) mayUnset() bool { return r.Absent || r.Around == nil && r.head().Start == unset }

// optional reports whether f may be absent by its type, or by that of a record around it.
func (f *Field) optional() bool {
	for r := f.In; r != nil; r = r.Around {
		if r.Absent {
			return true
		}
	}
	return f.Absent
}

// mayUnset reports whether f alone can be unset.
func (f *Field) mayUnset() bool { return f.Absent || f.In == nil && f.Start == unset }

// whole reports whether values has of each record all that it always has, or nothing.
func whole(fields []*Field, values []int) bool {
	at := func(f *Field) int { return values[slices.Index(fields, f)] }
	for i, f := range fields {
		r := f.In
		if r == nil {
			continue
		}
		there, around := at(r.head()) != unset, r.Around == nil || at(r.Around.head()) != unset
		switch set := values[i] != unset; {
		case there && !around, set && !there, there && !set && !f.Absent:
			return false
		case !there && around && !r.Absent:
			return false
		case r.root().Item > 0 && r.Around == nil && there != (r.Item <= values[0]): // the list is the first
			return false
		}
	}
	return true
}

// choices are all values that fields can have together.
func choices(fields []*Field, spans func(f *Field) []int) [][]int {
	all := [][]int{make([]int, 0, len(fields))}
	for _, f := range fields {
		var next [][]int
		for _, d := range all {
			for _, v := range spans(f) {
				next = append(next, append(slices.Clone(d), v))
			}
		}
		all = next
	}
	return slices.DeleteFunc(all, func(v []int) bool { return !whole(fields, v) })
}

// from reads place f of another record of the same shape.
func (s *scope) from(e *Effect, f *Field) int {
	name := e.From.Name + strings.TrimPrefix(f.Name, e.Record.Name)
	for _, g := range e.From.all() {
		if g.Name == name {
			return s.look(e.Op, g)
		}
	}
	panic("no place " + name)
}

// look is the value of a place, which may be unset.
func (s *scope) look(op string, f *Field) int {
	switch op {
	case "event":
		return s.sent(f)
	case "item":
		return s.data[f.at+s.element*len(f.In.root().all())]
	}
	return s.data[f.at]
}

// assign does an effect on a whole record.
func (s *scope) assign(e *Effect, after []int) {
	s.line = e.line
	switch {
	case e.From != nil:
		if head := e.From.head(); s.look(e.Op, head) == unset && (!e.Record.mayUnset() || !head.optional()) {
			s.misses(e.Op, head)
			return
		}
		for _, f := range e.Record.all() {
			after[f.at] = s.from(e, f)
		}
	default:
		for _, f := range e.Record.all() {
			after[f.at] = unset
		}
		for _, part := range e.Parts {
			s.effect(part, after)
		}
	}
}

// misses notes a read of what is not set.
func (s *scope) misses(op string, f *Field) {
	name := f.Name
	switch op {
	case "event":
		name = s.event.Name + "." + name
	case "item":
		name = "item." + name
	}
	*s.faults = append(*s.faults, Fault{"read-before-set", s.line, name})
}

// needs sees that the records around a place are there, in which block assigns e, and that
// it does not set them.
func (s *scope) needs(block []*Effect, e *Effect) {
	r := e.Record
	if r != nil {
		r = r.Around
	} else {
		r = e.Field.In
	}
	for ; r != nil; r = r.Around {
		if s.data[r.head().at] == unset && !sets(block, r) {
			s.line = e.line
			s.misses("field", r.head())
		}
	}
}

// sets reports whether block assigns all that r always has.
func sets(block []*Effect, r *Record) bool {
	return !slices.ContainsFunc(r.Places, func(f *Field) bool {
		return !f.Absent && !slices.ContainsFunc(block, func(e *Effect) bool { return e.Field == f })
	})
}
