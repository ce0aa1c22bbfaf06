package resolve

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// keepRest adds to b, for each record of which it assigns places and not all that have to be
// set, that one of these keeps its value: a record of which the run has no value is read then.
// Of a record all of them are set or none.
func (r *resolver) keepRest(b *ir.Block) {
	assigned := map[*ir.Var]bool{}
	for _, a := range b.Assigns {
		assigned[a.Var] = true
	}
	seen := map[*ir.Whole]bool{}
	for _, a := range slices.Clip(b.Assigns) {
		if a.Var.Whole == nil || seen[a.Var.Whole] {
			continue
		}
		seen[a.Var.Whole] = true
		if kept := r.kept(a.Var, assigned); kept != nil && kept.Default == nil {
			b.Assigns = append(b.Assigns, &ir.Assign{
				Var: kept, Value: &ir.VarRef{E: ir.E{T: kept.Type, At: a.Span}, Var: kept}, Span: a.Span, Keeps: true,
			})
		}
	}
}

// kept is the first leaf that has to be set of the record of which v is one, and that is not
// assigned; nil where all are.
func (r *resolver) kept(v *ir.Var, assigned map[*ir.Var]bool) *ir.Var {
	at := v.Index
	for at > 0 && r.m.Fields[at-1].Whole == v.Whole {
		at--
	}
	for ; at < len(r.m.Fields) && r.m.Fields[at].Whole == v.Whole; at++ {
		if leaf := r.m.Fields[at]; !leaf.Optional && !assigned[leaf] {
			return leaf
		}
	}
	return nil
}
