package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Nothing is known of elements, and so not whether they have what may be absent in them: that is a
// free choice, and for each part one in a step.

// partComes compiles whether an element has what e, a part of it, is within.
func (c *compiler) partComes(e *ir.FieldRef, arm *ir.Arm) test {
	var all []test
	for i, name := range e.Within {
		asked := &ir.IsSet{
			E: ir.E{T: &ir.Type{Kind: ir.Bool}, At: e.At}, Asked: name,
			Field: &ir.FieldRef{E: e.E, Name: e.Name, Optional: true, Within: e.Within[:i+1]},
		}
		all = append(all, c.free(ir.ExprText(asked), false, false, asked, arm))
	}
	return func(s *Step) bool { return !slices.ContainsFunc(all, func(there test) bool { return !there(s) }) }
}

// ofElement reports whether e, read in arm, is a part of an element that may be absent.
func (c *compiler) ofElement(e *ir.FieldRef, arm *ir.Arm) bool {
	return e.Optional && e.IsElement() && len(c.t.Refs(e, arm)) == 0
}

// touchPart compiles the read of e, a part of an element that may be absent.
func (c *compiler) touchPart(e *ir.FieldRef, arm *ir.Arm) func(*Step) {
	comes := c.partComes(e, arm)
	part := &ir.EventField{Slot: ir.Slot{Name: e.Name, Type: e.T, Optional: true, Within: e.Within, Span: e.At}}
	return func(s *Step) {
		if !comes(s) {
			s.fail(Fault{Absent: part, At: e.At})
		}
	}
}

// choosePart chooses what n is of the element at hand. Of the list it is not known.
func (s *Step) choosePart(n *data.Node) (code int64) {
	v := &s.Program.Packing.Visits[s.From.ID]
	asked := s.Oracle.asked
	switch {
	case n.Field.Name != ir.IndexField:
		code = s.chooseCode(n)
	case len(v.open[s.In.Place]) > 1:
		return s.groupOf(s.In.Place).code // any element that is open may come
	default:
		code = s.chooseIndex(n)
	}
	s.Guess = s.Guess || s.Oracle.asked > asked
	return code
}

// chooseIndex chooses the index n of the element at hand.
func (s *Step) chooseIndex(n *data.Node) int64 {
	codes, known := s.indexes[n]
	switch {
	case n.Few() && len(n.Peers) > 0:
		codes = slices.DeleteFunc(slices.Clone(s.fewOf(n)), func(i int64) bool { return i >= n.Do.Fan.Most })
	case !known:
		for i := int64(0); i < n.Do.Fan.Most; i++ {
			code, last := n.Group(i)
			codes, i = append(codes, code), last
		}
		s.indexes[n] = codes
	}
	return codes[s.Oracle.Choose(len(codes))]
}

// Index holds where the index of an element compares with n by op; input is what guards are read on.
func Index(op ir.Op, n int64, input *ir.Case) guard.Formula {
	return indexIs(op, &ir.Lit{E: ir.E{T: &ir.Type{Kind: ir.Int}}, Value: &ir.Const{Kind: ir.Int, Int: n}}, input)
}

func indexIs(op ir.Op, n ir.Expr, input *ir.Case) guard.Formula {
	return guard.Read(&ir.Binary{
		E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: op,
		X: &ir.FieldRef{E: ir.E{T: &ir.Type{Kind: ir.Int}}, Name: ir.IndexField}, Y: n,
	}, input).Holds
}

// InList holds where the index of an element of f is one of its list; always, where that may
// be another list by then.
func InList(f *ir.Fan, input *ir.Case) guard.Formula {
	if !f.List.Param || f.List.Always() != nil {
		return guard.And()
	}
	return indexIs(ir.OpLt, &ir.Len{E: ir.E{T: &ir.Type{Kind: ir.Int}}, X: &ir.VarRef{E: ir.E{T: f.List.Type}, Var: f.List}}, input)
}

// truth is what is known of e, a comparison, whatever the data is.
func (c *compiler) truth(e *ir.Binary, arm *ir.Arm) flat.Truth {
	if known := flat.Guard(e); known != flat.Unknown || !Reads(e, ir.IndexField) || arm == nil || arm.Handler == nil {
		return known
	}
	read, all := guard.Read(e, nil), guard.Or()
	for _, t := range arm.Handler.Triggers {
		if t.Do == nil || t.Do.Fan == nil || t.Kind == ir.OnEvent && t.Event.Has(ir.IndexField) {
			return flat.Unknown
		}
		all = guard.Or(all, InList(t.Do.Fan, nil))
	}
	switch {
	case guard.Satisfy(all, read.Holds).Verdict == guard.Unsat:
		return flat.False
	case guard.Satisfy(all, read.Fails).Verdict == guard.Unsat:
		return flat.True
	}
	return flat.Unknown
}

// Reads reports whether e reads the field of `event` called name.
func Reads(e ir.Expr, name string) bool {
	found := false
	ir.Walk(e, func(e ir.Expr) bool {
		ref, ok := e.(*ir.FieldRef)
		found = found || ok && ref.Name == name
		return true
	})
	return found
}
