package machine

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// sameType reports whether values of t and u are of one type, ranges aside.
// The element of the empty list literal is nil, and fits any.
func sameType(t, u *Type) bool {
	switch {
	case t == nil || u == nil:
		return true
	case t.Kind != u.Kind:
		return false
	case t.Kind == EnumKind:
		return t.Enum == u.Enum
	case t.Kind == ListKind:
		return sameType(t.Elem, u.Elem)
	case t.Kind == RecordKind:
		return slices.EqualFunc(t.Fields, u.Fields, func(f, g Field) bool {
			return f.Name == g.Name && f.Optional == g.Optional && slices.Equal(f.Within, g.Within) && sameType(&f.Type, &g.Type)
		})
	}
	return true
}

// checkType refuses a type that a definition cannot have.
func checkType(d *Definition, t *Type) error { return checkTypeWithin(d, t, 0) }

// checkTypeWithin is checkType for a type so deep in another.
func checkTypeWithin(d *Definition, t *Type, depth int) error {
	for ; ; depth++ {
		if depth > MaxNesting {
			return fmt.Errorf("a type is nested deeper than %d", MaxNesting)
		}
		switch t.Kind {
		case Bool, Float, String, TimeKind, JSON:
		case Int, DurationKind:
			if (t.Min == nil) != (t.Max == nil) || t.Min != nil && *t.Min > *t.Max {
				return fmt.Errorf("a range of %s is damaged", t.Kind)
			}
		case EnumKind:
			if t.Enum < 0 || t.Enum >= len(d.Enums) {
				return fmt.Errorf("there is no enum %d", t.Enum)
			}
		case ListKind:
			if l := t.Len; l != nil && (l.Min < 0 || l.Min > l.Max) {
				return fmt.Errorf("a length of %s is damaged", t.Kind)
			}
		case RecordKind:
			if !slices.ContainsFunc(t.Fields, func(f Field) bool { return !f.Optional }) || !isName(t.Name) {
				return fmt.Errorf("record %q has no fields that are always there, or no valid name", shorten(t.Name))
			}
			for i := range t.Fields {
				if err := checkTypeWithin(d, &t.Fields[i].Type, depth+1); err != nil {
					return err
				}
			}
			if err := checkWithin("record "+t.Name, t.Fields); err != nil {
				return err
			}
			if err := checkNames("record "+t.Name, t.Fields); err != nil {
				return err
			}
		default:
			return fmt.Errorf("there is no kind of type %q", t.Kind)
		}
		switch {
		case t.Kind != RecordKind && len(t.Fields) > 0:
			return fmt.Errorf("%s has no fields", t.Kind)
		case t.Kind != Int && t.Kind != DurationKind && (t.Min != nil || t.Max != nil):
			return fmt.Errorf("%s has no range", t.Kind)
		case t.Kind != ListKind && t.Len != nil:
			return fmt.Errorf("%s has no length", t.Kind)
		case t.Kind != ListKind || t.Elem == nil:
			return nil
		}
		t = t.Elem
	}
}

// TypeName is t as written in a machine.
func (d *Definition) TypeName(t *Type) string {
	switch {
	case t.Kind == EnumKind && t.Enum >= 0 && t.Enum < len(d.Enums):
		return d.Enums[t.Enum].Name
	case t.Kind == ListKind && t.Elem != nil && t.Len != nil:
		return fmt.Sprintf("[%d..%d]%s", t.Len.Min, t.Len.Max, d.TypeName(t.Elem))
	case t.Kind == RecordKind:
		return t.Name
	case t.Kind == ListKind && t.Elem != nil:
		return "[]" + d.TypeName(t.Elem)
	case t.Kind == ListKind:
		return "[]"
	case t.Kind == Int && t.Min != nil && t.Max != nil:
		return fmt.Sprintf("int %d..%d", *t.Min, *t.Max)
	case t.Kind == DurationKind && t.Min != nil && t.Max != nil:
		return fmt.Sprintf("duration %s..%s", DurationText(time.Duration(*t.Min)), DurationText(time.Duration(*t.Max)))
	}
	return string(t.Kind)
}

// FieldType is the type of f as written in a machine, with `?` where it may be absent.
func (d *Definition) FieldType(f *Field) string {
	if f.Optional {
		return d.TypeName(&f.Type) + "?"
	}
	return d.TypeName(&f.Type)
}

// expected is t for a message about a value of it: its name, and how it is
// written in JSON where that is not plain.
func (d *Definition) expected(t *Type) string {
	switch t.Kind {
	case DurationKind:
		return d.TypeName(t) + `, such as "1m30s"`
	case TimeKind:
		return `time, such as "2006-01-02T15:04:05Z"`
	case EnumKind:
		return d.TypeName(t) + ", one of " + strings.Join(d.Enums[t.Enum].Values, ", ")
	case RecordKind:
		return d.TypeName(t) + ", " + objectOf(t.Fields, "")
	}
	return d.TypeName(t)
}

// DurationText writes d without the zero parts of Go's own form: "24h".
func DurationText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// DurationSource is DurationText as the language reads it: "us", not "µs".
func DurationSource(d time.Duration) string { return strings.Replace(DurationText(d), "µs", "us", 1) }

// misfit says why v is no value of type t, or nothing. An unset v never is one.
func (d *Definition) misfit(t *Type, v *Value) string {
	if !v.set {
		return "it is not set"
	}
	switch t.Kind {
	case Int, DurationKind:
		if t.Min != nil && (v.n < *t.Min || v.n > *t.Max) {
			return d.outOfRange(t, v.n)
		}
	case Float:
		if f := v.Float(); math.IsInf(f, 0) || math.IsNaN(f) {
			return "a float is finite"
		}
	case String, JSON:
		switch {
		case len(v.s) > MaxPayload:
			return fmt.Sprintf("it is longer than %d bytes", MaxPayload)
		case !utf8.ValidString(v.s):
			return "it is not valid UTF-8"
		}
	case TimeKind:
		if v.n < minTime || v.n > maxTime {
			return "a time lies in the years 1 to 9999"
		}
	case EnumKind:
		return d.notOfEnum(t, v.s)
	case ListKind:
		if why := d.misfitLength(t, v); why != "" {
			return why
		}
		return d.misfitItem(t, v)
	case RecordKind:
		return d.misfitLeaf(t, v)
	}
	return ""
}

func (d *Definition) misfitLeaf(t *Type, record *Value) string {
	leaves := record.List()
	if len(leaves) != len(t.Fields) {
		return fmt.Sprintf("it has %d values, and %s has %d", len(leaves), t.Name, len(t.Fields))
	}
	for i := range leaves {
		if t.Fields[i].Optional && !leaves[i].set {
			continue
		}
		if why := d.misfit(&t.Fields[i].Type, &leaves[i]); why != "" {
			return t.Fields[i].Name + ": " + why
		}
	}
	return ""
}

func (d *Definition) misfitLength(t *Type, list *Value) string {
	if t.holds(list) {
		return ""
	}
	return fmt.Sprintf("%s is out of range, expected %s", lengthText(list), d.TypeName(t))
}

// holds reports whether t, of a list, may be as long as list.
func (t *Type) holds(list *Value) bool {
	return t.Len == nil || t.Len.Min <= list.n && list.n <= t.Len.Max
}

func lengthText(list *Value) string { return "a list of length " + strconv.FormatInt(list.n, 10) }

func (d *Definition) misfitItem(t *Type, list *Value) string {
	if t.Elem == nil {
		return ""
	}
	for i, item := range list.List() {
		if why := d.misfit(t.Elem, &item); why != "" {
			return "item " + strconv.Itoa(i) + ": " + why
		}
	}
	return ""
}

// badValue is the fault of a value that is none of the field's type.
func (d *Definition) badValue(f *Field, v *Value, why string) *fault {
	switch {
	case v.set && f.Type.Kind == Int:
		return faultOf(OutOfRange, f.Name, strconv.FormatInt(v.n, 10), d.TypeName(&f.Type))
	case v.set && f.Type.Kind == DurationKind:
		return faultOf(OutOfRange, f.Name, DurationText(time.Duration(v.n)), d.TypeName(&f.Type))
	case v.set && f.Type.Kind == ListKind && !f.Type.holds(v):
		return faultOf(OutOfRange, f.Name, lengthText(v), d.TypeName(&f.Type))
	}
	return faultOf(BadValue, f.Name).saying(why)
}

func (d *Definition) outOfRange(t *Type, n int64) string {
	text := strconv.FormatInt(n, 10)
	if t.Kind == DurationKind {
		text = DurationText(time.Duration(n))
	}
	return fmt.Sprintf("%s is out of range, expected %s", text, d.TypeName(t))
}

func (d *Definition) notOfEnum(t *Type, name string) string {
	values := d.Enums[t.Enum].Values
	if slices.Contains(values, name) {
		return ""
	}
	return fmt.Sprintf("%q is not one of %s%s", name, strings.Join(values, ", "), DidYouMean(name, values))
}
