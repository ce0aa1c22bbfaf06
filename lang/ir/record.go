package ir

import (
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// Record is a type declared by its fields.
type Record struct {
	Name   string
	Fields []*Field
	OfFile bool // it stands in a file, outside its machines
	Used   bool // of a file: a machine of the unit uses it
	Doc    string
	Span   token.Span
	Decl   token.Span // of the whole declaration, with its comment
}

// Within are r and the records in it, each once.
func (r *Record) Within() []*Record {
	all := []*Record{r}
	for i := 0; i < len(all); i++ {
		for _, f := range all[i].Fields {
			if inner := f.Type.Innermost().Record; inner != nil && !slices.Contains(all, inner) {
				all = append(all, inner)
			}
		}
	}
	return all
}

// Places is where r and the types in it are declared.
func (r *Record) Places() []token.Span {
	var out []token.Span
	for _, inner := range r.Within() {
		out = append(out, inner.Span)
		for _, f := range inner.Fields {
			if e := f.Type.Innermost().Enum; e != nil {
				out = append(out, e.Span)
			}
		}
	}
	return out
}

// Field is a field of a record, an event or a context, or a parameter, as it is declared. A run
// has of one with a record type its leaves. Those that are Optional aside, they are set and unset
// together, and of each record there is one that is not Optional: it says whether the record is
// set. So it is of a record that may be absent, within what is around it. Nothing but the edges
// (JSON, generated structs) knows more than these.
type Field struct {
	Name     string
	Type     *Type
	Optional bool // it may be absent
	Doc      string
	Span     token.Span
}

// Within is what has to be there for a leaf to be, the outermost first: the records around it
// that may be absent, and it itself, if that may be absent from the record around it. A leaf
// is set and unset together with the last of these. They are given by their names. Of what is no
// leaf of a record, and may be absent, it is its own name.
type Within []string

// Group is the last of w, with which a leaf is set and unset; empty where it is always there.
func (w Within) Group() string {
	if len(w) == 0 {
		return ""
	}
	return w[len(w)-1]
}

// Of is w of a leaf of what is called name, in front of whose names that is put, and which may be
// absent where optional.
func (w Within) Of(name string, optional bool) Within {
	var out Within
	if optional {
		out = append(out, name)
	}
	for _, inner := range w {
		out = append(out, Joined(name, inner))
	}
	return out
}

// AnyBelow reports whether data, values by the names of leaves, has any of the record called name.
func AnyBelow(data map[string]any, name string) bool {
	for leaf, v := range data {
		if v != nil && strings.HasPrefix(leaf, name+".") {
			return true
		}
	}
	return false
}

// Of is the Within of l as a leaf of w.
func (w *Field) Of(l RecordLeaf) Within { return l.Within.Of(w.Name, w.Optional) }

// RecordLeaf is a part of a record that is no record itself.
type RecordLeaf struct {
	Path     string // "total", "address.city"
	Type     *Type
	Optional bool   // it may be absent from the record: Within is not empty
	Within   Within // by paths
	Doc      string
}

// Leaves are the parts of a record, in order; those of what has another type are it
// alone, with an empty path.
func (t *Type) Leaves() []RecordLeaf {
	if t.Kind != RecordKind {
		return []RecordLeaf{{Type: t}}
	}
	var out []RecordLeaf
	for _, f := range t.Record.Fields {
		for _, l := range f.Type.Leaves() {
			if l.Path == "" {
				l.Doc = f.Doc
			}
			l.Path, l.Within = Joined(f.Name, l.Path), l.Within.Of(f.Name, f.Optional)
			l.Optional = len(l.Within) > 0
			out = append(out, l)
		}
	}
	return out
}

// FirstSure is the index of the first leaf of t that is there whenever a value of t is.
func (t *Type) FirstSure() int {
	return max(0, slices.IndexFunc(t.Leaves(), func(l RecordLeaf) bool { return !l.Optional }))
}

// Innermost is the type of what lists of t have in them, however deep; t itself where it is no list.
func (t *Type) Innermost() *Type {
	for t.Kind == List && t.Elem != nil {
		t = t.Elem
	}
	return t
}

// Joined is the name of what has that path in what is called name; either may be empty.
func Joined(name, path string) string {
	if name == "" || path == "" {
		return name + path
	}
	return name + "." + path
}

// Count is the number of leaves of t.
func (t *Type) Count() int {
	if t.Kind != RecordKind {
		return 1
	}
	n := 0
	for _, f := range t.Record.Fields {
		n += f.Type.Count()
	}
	return n
}

// Heads are the fields or parameters that tell whether v is there: of what it is within the first
// leaf that is set and unset together with it, the outermost first. Where it is within nothing
// that is v itself.
func (v *Var) Heads() []*Var {
	if v.heads == nil {
		return []*Var{v}
	}
	return v.heads
}

// FindHeads notes the Heads of vars, all parameters or all fields of a machine.
func FindHeads(vars []*Var) {
	type group struct {
		of   *Field
		name string
	}
	first := map[group]*Var{}
	for _, v := range vars {
		if g := (group{v.Whole, v.Within.Group()}); v.Whole != nil && first[g] == nil {
			first[g] = v
		}
	}
	for _, v := range vars {
		for _, name := range v.Within {
			if head := first[group{v.Whole, name}]; head != nil {
				v.heads = append(v.heads, head)
			}
		}
	}
}

// Declared are those of vars by which declared fields and parameters are told apart: of
// each record the first leaf alone that is set whenever the record is.
func Declared(vars []*Var) []*Var {
	var out []*Var
	for i, v := range vars {
		switch {
		case v.Whole == nil:
			out = append(out, v)
		case i == 0 || !v.Together(vars[i-1]):
			out = append(out, vars[i+v.Whole.Type.FirstSure()])
		}
	}
	return out
}

// Together reports whether v and w are one field, or leaves of one.
func (v *Var) Together(w *Var) bool { return v == w || v.Whole != nil && v.Whole == w.Whole }

// RecordLit is a record made of its leaves, in order. What reads a field of a record
// type as a whole is one, too.
type RecordLit struct {
	E
	Leaves  []Expr
	Written string // where it reads a field as a whole: "order", "event.order"
}

// argsText writes what is handed over for params, the leaves of a record as one.
func argsText(params []*Param, args []Expr) string {
	if len(args) != len(params) {
		return Listed(args, ExprText) // of a machine with errors
	}
	var parts []string
	for _, p := range Declarations(params) {
		n := p.Type.Count()
		parts = append(parts, wholeText(p.Type, args[:n]))
		args = args[n:]
	}
	return strings.Join(parts, ", ")
}

// wholeText writes a value of type t by its leaves: as the field that all of them are
// read of, where it is one.
func wholeText(t *Type, leaves []Expr) string {
	if t.Kind != RecordKind {
		return exprText(leaves[0], 0)
	}
	whole := ""
	for i, l := range t.Leaves() {
		_, isVar := leaves[i].(*VarRef)
		_, isField := leaves[i].(*FieldRef)
		_, isElement := leaves[i].(*FanRef)
		_, isFit := leaves[i].(*Fit)
		from, ok := strings.CutSuffix(exprText(leaves[i], 0), "."+l.Path)
		if !ok || !isVar && !isField && !isElement && !isFit || i > 0 && from != whole {
			return exprText(&RecordLit{E: E{T: t}, Leaves: leaves}, 0)
		}
		whole = from
	}
	return whole
}

// Leaves are the expressions of the leaves of e, in order: e alone, unless it is a record.
func Leaves(e Expr) []Expr {
	if r, ok := e.(*RecordLit); ok {
		return r.Leaves
	}
	return []Expr{e}
}
