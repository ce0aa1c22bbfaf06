package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// space is a name space: names that may not be equal, nor become equal in Go's
// exported form.
type space[T any] struct {
	kind  string // what its names are called in messages
	names map[string]T
	forms map[string]*ast.Name // the first name of each exported form
	outer *space[T]            // whose names mean something here, too, and are taken; nil for none
}

func newSpace[T any](kind string) *space[T] {
	return &space[T]{kind: kind, names: map[string]T{}, forms: map[string]*ast.Name{}}
}

// claim declares name as v and reports it where it is taken. It is false where
// v is to be dropped: the very same name is declared already, or there is none.
func claim[T any](r *resolver, s *space[T], name *ast.Name, v T) bool {
	if !present(name) {
		return false
	}
	r.declares(name, v)
	form := ir.Exported(name.Text)
	if first := s.first(form); first != nil {
		r.duplicate(s.kind, name, first)
	} else {
		s.forms[form] = name
	}
	if _, same := s.names[name.Text]; same {
		return false
	}
	s.names[name.Text] = v
	return true
}

// first is the first name of an exported form; nil where there is none.
func (s *space[T]) first(form string) *ast.Name {
	if name, ok := s.forms[form]; ok || s.outer == nil {
		return name
	}
	return s.outer.first(form)
}

// lookup is what name means.
func (s *space[T]) lookup(name string) (T, bool) {
	if v, ok := s.names[name]; ok || s.outer == nil {
		return v, ok
	}
	return s.outer.lookup(name)
}

// nearTo is the name of s that is nearest to word.
func nearTo[T any](r *resolver, word string, s *space[T]) string {
	nearest := near(r, word, s.names)
	if nearest == "" && s.outer != nil {
		return nearTo(r, word, s.outer)
	}
	return nearest
}

// keep declares a name that the language declares itself.
func (s *space[T]) keep(name string, v T) { s.names[name] = v }

// find is what name means, and reports it where it means nothing. The second
// result is false then, and the first is the zero value.
func find[T any](r *resolver, s *space[T], name *ast.Name) (v T, ok bool) {
	if likely, exact, _ := guess(r, s, name); exact {
		return likely, true
	}
	return v, false
}

// guess is what name means or, where it is reported as misspelt, what was most
// likely meant: for names whose loss would make sound parts look wrong. exact
// is false for a guess.
func guess[T any](r *resolver, s *space[T], name *ast.Name) (v T, exact, ok bool) {
	if !present(name) {
		return v, false, false
	}
	if v, ok = s.lookup(name.Text); ok {
		r.referTo(name, v)
		return v, true, true
	}
	nearest := nearTo(r, name.Text, s)
	r.unknown(s.kind, name, nearest)
	v, ok = s.lookup(nearest)
	return v, false, ok
}

// near is the name among the keys of names that is nearest to word; empty
// where none is near, or the allowance is spent.
func near[T any](r *resolver, word string, names map[string]T) string {
	if r.allowance < len(names) {
		return ""
	}
	r.allowance -= len(names)
	keys := make([]string, 0, len(names))
	for k := range names {
		keys = append(keys, k)
	}
	nearest, _ := diag.Nearest(word, keys)
	return nearest
}

// present reports whether the parser found a name.
func present(name *ast.Name) bool { return name != nil && name.Text != "" }

// textOf is the text of a name that may be missing.
func textOf(name *ast.Name) string {
	if name == nil {
		return ""
	}
	return name.Text
}
