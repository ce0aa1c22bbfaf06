package ir

import (
	"slices"
	"strings"
)

// FailureFields are what `event` has in the arm of a failure.
var FailureFields = []*EventField{
	{Slot{Name: "category", Type: &Type{Kind: String}}, 0},
	{Slot{Name: "message", Type: &Type{Kind: String}}, 1},
	{Slot{Name: "activity", Type: &Type{Kind: String}}, 2},
	{Slot{Name: "attempt", Type: &Type{Kind: Int}}, 3},
}

// What `event` has beside them in the arms of a do with a Fan.
const (
	IndexField = "index" // of the element, from 0
	ItemField  = "item"  // the element
)

// Element is what is known of the element that a result or a failure is of.
type Element struct {
	Index *Type
	Item  *Type // nil where elements of several types may be meant
}

// Element is what is known of each element of f, which may be nil.
func (f *Fan) Element() *Element {
	if f == nil {
		return nil
	}
	return &Element{
		Index: &Type{Kind: Int, Range: &Range{Lo: 0, Hi: max(f.Most-1, 0)}},
		Item:  f.List.Type.Elem,
	}
}

// Fields are own, which `event` has of itself, and then what e, which may be nil, adds:
// a field that the event declares under the same name is meant instead.
func (e *Element) Fields(own []*EventField) []*EventField {
	if e == nil {
		return own
	}
	out := slices.Clip(own)
	for _, f := range []Slot{{Name: IndexField, Type: e.Index}, {Name: ItemField, Type: e.Item}} {
		declared := slices.ContainsFunc(own, func(o *EventField) bool { return o.Declared() == f.Name })
		if f.Type == nil || declared {
			continue
		}
		if f.Type.Kind == RecordKind {
			f.Whole = &Field{Name: f.Name, Type: f.Type}
		}
		for _, l := range f.Type.Leaves() {
			out = append(out, &EventField{Slot{Name: Joined(f.Name, l.Path), Whole: f.Whole, Type: l.Type, Optional: l.Optional, Within: l.Within.Of(f.Name, false)}, len(out)})
		}
	}
	return out
}

// IsElement reports whether f, read in an arm, may be what is known of an element: the index, or
// the item or a part of it.
func (f *FieldRef) IsElement() bool {
	return f.Name == IndexField || f.Name == ItemField || strings.HasPrefix(f.Name, ItemField+".")
}

// Fields are what `event` has where t is met: the fields of its event, those of a
// failure, or none, and with an Element what that adds.
func (t *Trigger) Fields() []*EventField {
	switch t.Kind {
	case OnEvent:
		return t.Element.Fields(t.Event.Fields)
	case OnFailed:
		return t.Element.Fields(FailureFields)
	}
	return nil
}

// Field is the one of t.Fields called name, or nil.
func (t *Trigger) Field(name string) *EventField { return fieldNamed(t.Fields(), name) }
