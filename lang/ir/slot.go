package ir

import "github.com/fsmc-dev/fsmc/lang/token"

// Slot is what a Var, an EventField and a Param have in common.
type Slot struct {
	Name     string
	Whole    *Field // nil for what has no record type
	Type     *Type
	Optional bool // it may be absent, or is a leaf of a record that may be; then Within is not empty
	Within   Within
	Doc      string
	Span     token.Span
}

func (s *Slot) slot() *Slot { return s }

// Declaration is s as it is declared: of a leaf of a record, the whole.
func (s *Slot) Declaration() *Field {
	if s.Whole != nil {
		return s.Whole
	}
	return &Field{s.Name, s.Type, s.Optional, s.Doc, s.Span}
}

// Declared is the name under which s is declared.
func (s *Slot) Declared() string { return s.Declaration().Name }

// DeclaredType is the type with which s is declared.
func (s *Slot) DeclaredType() *Type { return s.Declaration().Type }

// Asked is the name by which s is asked whether it is set: of what may be absent in a record
// its own or that of the record in it, and else that of the whole.
func (s *Slot) Asked() string {
	if len(s.Within) > 0 {
		return s.Within.Group()
	}
	return s.Declared()
}

// Slots are the Slots of list.
func Slots[S interface{ slot() *Slot }](list []S) []*Slot {
	out := make([]*Slot, len(list))
	for i, of := range list {
		out[i] = of.slot()
	}
	return out
}

// Declarations are list as it is declared: a record as a whole.
func Declarations[S interface{ slot() *Slot }](list []S) []*Field {
	var out []*Field
	for i, of := range list {
		if s := of.slot(); s.Whole == nil || i == 0 || list[i-1].slot().Whole != s.Whole {
			out = append(out, s.Declaration())
		}
	}
	return out
}
