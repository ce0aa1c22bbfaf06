package resolve

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// keepRest adds to b, for each record of which it assigns places and not all that have to be
// set, that one of these keeps its value: a record of which the run has no value is read then.
// Of a record all of them are set or none, and so it is of one in it that may be absent.
func (r *resolver) keepRest(b *ir.Block) {
	assigned := map[*ir.Var]bool{}
	for _, a := range b.Assigns {
		assigned[a.Var] = true
	}
	type group struct {
		of   *ir.Field
		name string // of a record in it that may be absent; empty for it
	}
	seen := map[group]bool{}
	for _, a := range slices.Clip(b.Assigns) {
		if a.Var.Whole == nil {
			continue
		}
		for _, name := range slices.Concat(ir.Within{""}, a.Var.Within) {
			g := group{a.Var.Whole, name}
			if seen[g] {
				continue
			}
			seen[g] = true
			if kept := r.kept(a.Var, name, assigned); kept != nil && kept.MayBeUnset() {
				b.Assigns = append(b.Assigns, &ir.Assign{
					Var: kept, Value: &ir.VarRef{E: ir.E{T: kept.Type, At: a.Span}, Var: kept}, Span: a.Span, Keeps: true,
				})
			}
		}
	}
}

// kept is the first leaf of the record of which v is one that is set together with what has
// that name in it, and that is not assigned; nil where all are.
func (r *resolver) kept(v *ir.Var, group string, assigned map[*ir.Var]bool) *ir.Var {
	at := v.Index
	for at > 0 && r.m.Fields[at-1].Whole == v.Whole {
		at--
	}
	for ; at < len(r.m.Fields) && r.m.Fields[at].Whole == v.Whole; at++ {
		if leaf := r.m.Fields[at]; leaf.Within.Group() == group && !assigned[leaf] {
			return leaf
		}
	}
	return nil
}
