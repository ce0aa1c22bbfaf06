package machine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The object of a list of fields: the leaves of a record, which stand one behind the other
// with points in their names, are an object in it.

// appendFields writes an object of those values that are set.
func appendFields(b []byte, fields []Field, values []Value) []byte {
	b = append(b, '{')
	open := "" // the record of the last field, with a point behind it
	for i := range fields {
		if i >= len(values) || !values[i].set {
			continue
		}
		name := fields[i].Name
		for !strings.HasPrefix(name, open) {
			b = append(b, '}')
			open = open[:strings.LastIndexByte(open[:len(open)-1], '.')+1]
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		rest := name[len(open):]
		for point := strings.IndexByte(rest, '.'); point >= 0; point = strings.IndexByte(rest, '.') {
			b = append(appendText(b, rest[:point]), ':', '{')
			rest = rest[point+1:]
		}
		open = name[:len(name)-len(rest)]
		b = append(appendText(b, rest), ':')
		b = appendValue(b, &fields[i].Type, &values[i])
	}
	for range strings.Count(open, ".") {
		b = append(b, '}')
	}
	return append(b, '}')
}

// scanFields reads an object that has some of fields and no others.
func (d *Definition) scanFields(s *scanner, fields []Field, param bool) ([]Value, error) {
	values := make([]Value, len(fields))
	return values, d.scanMembers(s, fields, "", values, param)
}

// scanMembers reads those of fields whose names begin with prefix: empty, or that of a
// record with a point behind it.
func (d *Definition) scanMembers(s *scanner, fields []Field, prefix string, values []Value, param bool) error {
	err := s.object(func(key string) error {
		name := prefix + key
		i := -1
		if !strings.Contains(key, ".") {
			if i = indexOfField(fields, name); i < 0 && isRecord(fields, name) {
				if isOptional(fields, name) && s.word("null") {
					return nil
				}
				if s.peek() != '{' {
					return &PayloadError{Field: name, Why: "expected " + objectOf(fields, name+".") + ", found " + s.found()}
				}
				return d.scanInner(s, fields, name, values, param)
			}
		}
		if i < 0 {
			return &PayloadError{Field: shorten(name), Why: unknownField(fields, prefix, key, param)}
		}
		if fields[i].alone() && s.word("null") {
			return nil
		}
		v, err := d.scanValue(s, &fields[i].Type)
		if err != nil {
			return fieldError(name, err)
		}
		values[i] = v
		return nil
	})
	if err != nil && prefix != "" {
		return givenTwice(err, prefix)
	}
	return err
}

// givenTwice names the place of a key that an object has twice, where err is of that; prefix is the
// name of the record, with a point behind it, or empty for an item.
func givenTwice(err error, prefix string) error {
	if twice, ok := errors.AsType[*duplicateKey](err); ok {
		return &PayloadError{Field: shorten(prefix + twice.key), Why: "it is given twice"}
	}
	return err
}

// scanInner reads the object of the record called name. One that may be absent is there then, and has
// all that it always has.
func (d *Definition) scanInner(s *scanner, fields []Field, name string, values []Value, param bool) error {
	err := d.scanMembers(s, fields, name+".", values, param)
	if err == nil && isOptional(fields, name) {
		err = d.missing(fields, values, name)
	}
	return err
}

// scanRecord reads a record that is an item of a list.
func (d *Definition) scanRecord(s *scanner, t *Type) (Value, error) {
	if s.peek() != '{' {
		return Unset, fmt.Errorf("expected %s, found %s", d.expected(t), s.found())
	}
	leaves, err := d.scanFields(s, t.Fields, false)
	if err != nil {
		return Unset, givenTwice(err, "")
	}
	return RecordValue(leaves...), d.missing(t.Fields, leaves, "")
}

// missing reports the first of fields that has no value, and is always there where the group is,
// which has that name; of a record without any the record.
func (d *Definition) missing(fields []Field, values []Value, group string) error {
	for i := range fields {
		if err := d.lacking(fields, values, group, i); err != nil {
			return err
		}
	}
	return nil
}

// allMissing is missing for parameters: it names all that are missing, so that whoever starts a run
// can give them at once.
func (d *Definition) allMissing(params []Field, values []Value) error {
	var first *PayloadError
	var names []string
	for i := range params {
		err := d.lacking(params, values, "", i)
		switch {
		case err == nil || slices.Contains(names, strconv.Quote(err.Field)):
			continue
		case first == nil:
			first = err
		}
		names = append(names, strconv.Quote(err.Field))
	}
	if first == nil {
		return nil
	}
	if len(names) > 1 {
		first.Why += "; also missing: " + strings.Join(names[1:], ", ")
	}
	return first
}

// lacking is the fault of fields[i] where missing reports it, or nil.
func (d *Definition) lacking(fields []Field, values []Value, group string, i int) *PayloadError {
	if values[i].set || fields[i].group() != group {
		return nil
	}
	name, expected := fields[i].Name, d.expected(&fields[i].Type)
	for from := len(group); ; {
		point := strings.IndexByte(name[from:], '.')
		if point < 0 {
			break
		}
		if from += point + 1; from == len(group)+1 && group != "" {
			continue // this record is there
		}
		if !anySet(fields, values, name[:from]) {
			expected = objectOf(fields, name[:from])
			name = name[:from-1]
			break
		}
	}
	return &PayloadError{Field: name, Why: "it is missing, expected " + expected}
}

func anySet(fields []Field, values []Value, prefix string) bool {
	for i := range fields {
		if values[i].set && strings.HasPrefix(fields[i].Name, prefix) {
			return true
		}
	}
	return false
}

// isRecord reports whether name is that of a record among fields.
func isRecord(fields []Field, name string) bool {
	for i := range fields {
		if f := fields[i].Name; len(f) > len(name) && f[len(name)] == '.' && strings.HasPrefix(f, name) {
			return true
		}
	}
	return false
}

// membersOf are the names of fields whose names begin with prefix, without it and without
// what stands behind a further point, each once.
func membersOf(fields []Field, prefix string) []string {
	var names []string
	for i := range fields {
		if rest, ok := strings.CutPrefix(fields[i].Name, prefix); ok {
			name, _, _ := strings.Cut(rest, ".")
			if len(names) == 0 || names[len(names)-1] != name {
				names = append(names, name)
			}
		}
	}
	return names
}

// objectOf is what a record is in JSON, for a message.
func objectOf(fields []Field, prefix string) string {
	return "an object with " + strings.Join(membersOf(fields, prefix), ", ")
}

func unknownField(fields []Field, prefix, key string, param bool) string {
	names := membersOf(fields, prefix)
	why := "there is no such " + fieldNoun(param)
	near := DidYouMean(key, names)
	switch {
	case near != "":
		return why + near
	case len(names) == 0:
		return why + "; none is expected"
	}
	return why + "; expected " + strings.Join(names, ", ")
}

// recordOf is the name of the record whose leaf has that name; empty for what is no leaf.
func recordOf(name string) string {
	if point := strings.IndexByte(name, '.'); point >= 0 {
		return name[:point]
	}
	return ""
}

// checkNames refuses names that are none, or stand twice, and records whose leaves do not
// stand one behind the other.
func checkNames(of string, fields []Field) error {
	seen := make(map[string]bool, len(fields))
	last := ""
	for i := range fields {
		name := fields[i].Name
		if !isPath(name) {
			return fmt.Errorf("a field of %s has no valid name: %q", of, shorten(name))
		}
		for at, c := range name {
			if c == '.' && !strings.HasPrefix(last, name[:at+1]) {
				if seen[name[:at]] {
					return fmt.Errorf("field %q of %s does not stand behind the others of its record", name, of)
				}
				seen[name[:at]] = true
			}
		}
		if seen[name] {
			return fmt.Errorf("there are two of field of %s %q", of, name)
		}
		seen[name], last = true, name
	}
	return nil
}
