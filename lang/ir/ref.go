package ir

import (
	"iter"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// Ref is a name where it stands in a source: in its own declaration, or where
// something else means it.
//
// A place may have several: `event.x` in an arm of two triggers means a field of
// each. What could not be resolved has none.
type Ref struct {
	At   token.Pos
	Decl token.Pos // of the name in its declaration, At itself there; not valid for what the language declares
	Len  int       // of the name, in bytes
	Kind NameKind
}

// Span is where the name stands.
func (r Ref) Span() token.Span { return r.At.Span(r.Len) }

// Declares reports whether the name is declared there.
func (r Ref) Declares() bool { return r.At == r.Decl }

// Refs are names, kept so that noting one costs next to nothing: most programs that are
// resolved are never asked for theirs.
type Refs struct{ parts [][]ref }

type ref struct {
	at, decl *token.Pos
	len      int32
	kind     NameKind
}

// refsAtOnce is how many names a part of Refs has room for.
const refsAtOnce = 1024

// Add notes a name of n bytes. decl is nil where it is declared nowhere.
func (r *Refs) Add(at, decl *token.Pos, n int, kind NameKind) {
	last := len(r.parts) - 1
	if last < 0 || len(r.parts[last]) == refsAtOnce {
		r.parts = append(r.parts, make([]ref, 0, refsAtOnce))
		last++
	}
	r.parts[last] = append(r.parts[last], ref{at, decl, int32(n), kind})
}

// All yields the names, in no order; one may come twice.
func (r *Refs) All() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for _, part := range r.parts {
			for _, n := range part {
				out := Ref{At: *n.at, Len: int(n.len), Kind: n.kind}
				if n.decl != nil {
					out.Decl = *n.decl
				}
				if !yield(out) {
					return
				}
			}
		}
	}
}

// NameKind says what a name stands for.
type NameKind int32

const (
	NoName       NameKind = iota
	BuiltInName           // what the language declares: a type, a category, `run.id`, a field of a failure
	KeyName               // what a json has under it: declared nowhere
	MachineName           //
	ParamName             // a parameter of a machine
	FieldName             // a field of the context
	EnumName              //
	ValueName             // of an enum
	RecordName            //
	MemberName            // a field of a record
	EventName             //
	PayloadName           // a field of an event
	CategoryName          //
	ActivityName          //
	GuardName             //
	ArgumentName          // a parameter of an activity or a guard
	CostName              // of all machines of a unit: its declaration is where it first stands
	LabelName             // of a machine: its declaration is where it first stands
	StateName             //
	TerminalName          //
	ElementName           // an element of a list or its index, behind `for`
)

// String is what a name of that kind is called in messages.
func (k NameKind) String() string {
	return [...]string{
		"name", "built-in name", "key", "machine", "parameter", "field", "enum", "value", "record", "field", "event", "field",
		"category", "activity", "guard", "parameter", "cost", "label", "state", "terminal", "element",
	}[k]
}
