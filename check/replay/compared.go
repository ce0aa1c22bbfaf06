package replay

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Where a guard compares a field of an event, or its length, with other data, the values that
// make a difference are those beside what the run holds: of `event.sec - last >= 60`, with 20
// in last, 80 is one.

// beside are more values of type t to try for a field of c that is called name.
func (p *player) beside(r *run, c ir.Case, name string, t *ir.Type) (out []machine.Value) {
	var numbers []int64
	for _, choice := range p.book.choicesOf(r.leaf, c) {
		if choice.Arm != nil && comparesWithData(choice.Arm.When, name) {
			numbers = append(numbers, r.numbersIn(choice.Arm.When, t.Kind)...)
		}
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		switch {
		case t.Kind == ir.Int, t.Kind == ir.Duration, t.Kind == ir.Time:
			out = append(out, number(t, n))
		case n < 0 || n > longest:
		case t.Kind == ir.String:
			out = append(out, ofLength(t, n))
		case t.Kind == ir.List:
			out = append(out, p.listsLong(t, n)...)
		}
	}
	return fitting(t, out)
}

// comparesWithData reports whether e, a guard, compares the field of the event that is called name
// with other data.
func comparesWithData(e ir.Expr, name string) bool {
	return ir.Has(e, func(e ir.Expr) bool {
		if b, ok := e.(*ir.Binary); !ok || b.Op == ir.OpAnd || b.Op == ir.OpOr {
			return false
		}
		reads, others := false, false
		for part := range ir.PartsOf(e) {
			switch part := part.(type) {
			case *ir.FieldRef:
				reads = reads || part.Name == name
				others = others || part.Name != name
			case *ir.VarRef:
				others = true
			}
		}
		return reads && others
	})
}

// numbersIn are numbers that make a difference to e: what the run holds of it, the constants,
// and both together; each with its neighbours. Those of another kind than kind are left out;
// of texts and lists they are lengths.
func (r *run) numbersIn(e ir.Expr, kind ir.Kind) (out []int64) {
	unit, apart := int64(1), kind
	switch kind {
	case ir.String, ir.List:
		kind, apart = ir.Int, ir.Int
	case ir.Time:
		unit, apart = 1000, ir.Duration
	}
	held, offsets := []int64{}, []int64{0}
	ir.Walk(e, func(e ir.Expr) bool {
		if k := ir.Value(e); k != nil {
			if k.Kind == kind {
				held = append(held, k.Int)
			}
			if k.Kind == apart {
				offsets = append(offsets, k.Int)
			}
			return false
		}
		switch e := e.(type) {
		case *ir.VarRef:
			if v := r.value(e.Var); v.IsSet() && e.Var.Type.Kind == kind {
				held = append(held, content(e.Var.Type, v))
			}
		case *ir.Len:
			if ref, ok := e.X.(*ir.VarRef); ok && kind == ir.Int {
				v := r.value(ref.Var)
				held = append(held, int64(len(v.Text())+len(v.List())))
			}
		}
		return true
	})
	for _, n := range held {
		for _, k := range offsets {
			for _, near := range []int64{-unit, 0, unit} {
				out = append(out, n+k+near, n-k+near)
			}
		}
	}
	return out
}
