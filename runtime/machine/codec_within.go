package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Leaves of records that may be absent: each is set and unset together with those of its group.

// alone reports whether f may be absent by itself, and not only with a record around it.
func (f *Field) alone() bool { return f.Optional && f.group() == f.Name }

// group is the name of that with which f is set and unset; empty where it is always there, or is
// a leaf of a record that is.
func (f *Field) group() string {
	switch {
	case len(f.Within) > 0:
		return f.Within[len(f.Within)-1]
	case f.Optional:
		return f.Name
	}
	return ""
}

// isOptional reports whether name is that of a record among fields that may be absent.
func isOptional(fields []Field, name string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool {
		return len(f.Name) > len(name) && strings.HasPrefix(f.Name, name) && slices.Contains(f.Within, name)
	})
}

// inPart reports a record of which only a part is set: what may be absent aside, it has all of
// its leaves or none. So it is of each record in it that may be absent.
func inPart(fields []Field, values []Value) error {
	for from := 0; from < len(fields); {
		of, end := recordOf(fields[from].Name), from+1
		for of != "" && end < len(fields) && recordOf(fields[end].Name) == of {
			end++
		}
		if of != "" {
			if _, err := partOf(fields[from:end], values[from:end], of, 0); err != nil {
				return err
			}
		}
		from = end
	}
	return nil
}

// partOf is inPart for the leaves of what is called of, around which so many records may be
// absent; and whether any is set.
func partOf(fields []Field, values []Value, of string, depth int) (set bool, err error) {
	unset := -1
	for i := 0; i < len(fields); {
		f := &fields[i]
		if len(f.Within) <= depth || f.Within[depth] == f.Name {
			set = set || values[i].set
			if !values[i].set && !f.alone() && unset < 0 {
				unset = i
			}
			i++
			continue
		}
		name, end := f.Within[depth], i+1
		for end < len(fields) && len(fields[end].Within) > depth && fields[end].Within[depth] == name {
			end++
		}
		inner, err := partOf(fields[i:end], values[i:end], name, depth+1)
		if err != nil {
			return false, err
		}
		set, i = set || inner, end
	}
	if set && unset >= 0 {
		return false, fmt.Errorf("field %q is not set, and record %q is", fields[unset].Name, of)
	}
	return set, nil
}

// checkWithin refuses leaves that are within what is not around them, or within what has no
// leaf that is always there, or that others of it are not within.
func checkWithin(of string, fields []Field) error {
	for i := range fields {
		f, last := &fields[i], ""
		for n, name := range f.Within {
			switch {
			case !f.Optional || len(name) <= len(last) || !strings.HasPrefix(f.Name+".", name+"."):
				return fmt.Errorf("field %q of %s is damaged: it cannot be within %q", f.Name, of, shorten(name))
			case name != f.Name && !wholeGroup(fields, name, n):
				return fmt.Errorf("record %q of %s may be absent for some of its leaves alone, or for all", name, of)
			}
			last = name
		}
	}
	return nil
}

// wholeGroup reports whether all leaves of the record called name have it in the n-th place, and
// one of them as its group.
func wholeGroup(fields []Field, name string, n int) bool {
	sure := false
	for i := range fields {
		f := &fields[i]
		if !strings.HasPrefix(f.Name, name+".") {
			continue
		}
		if len(f.Within) <= n || f.Within[n] != name {
			return false
		}
		sure = sure || len(f.Within) == n+1
	}
	return sure
}
