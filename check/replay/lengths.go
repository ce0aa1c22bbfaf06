package replay

import (
	"iter"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// longest is the longest text or list that is tried.
const longest = 4096

// lengthsAsked are the lengths that may make a difference where the machine asks for
// one: the constants with which it is compared, the ends of the ranges into which it is
// put, and one more than each.
func (b *book) lengthsAsked() []int64 {
	if b.asked != nil {
		return b.asked
	}
	b.asked = []int64{}
	any := false
	note := func(n int64) {
		for _, n := range []int64{n, n + 1} {
			if 0 < n && n <= longest && !slices.Contains(b.asked, n) {
				b.asked = append(b.asked, n)
			}
		}
	}
	noteRange := func(t *ir.Type) {
		if t.Kind == ir.Int && t.Range != nil && t.Range.Hi < longest {
			note(t.Range.Hi)
		}
	}
	for _, to := range b.puts() {
		if to.Len != nil {
			any = true
			note(to.Len.Lo - 1)
			note(to.Len.Hi)
		}
	}
	for e := range ir.Parts(b.m.Exprs()) {
		switch e := e.(type) {
		case *ir.Len:
			any = true
		case *ir.Binary:
			for _, sides := range [][2]ir.Expr{{e.X, e.Y}, {e.Y, e.X}} {
				if k := ir.Value(sides[1]); k != nil && k.Kind == ir.Int && hasLength(sides[0]) {
					note(k.Int)
				}
			}
		}
	}
	if !any {
		return b.asked
	}
	for block := range b.m.Blocks() {
		for _, a := range block.Assigns {
			if hasLength(a.Value) {
				b.copied = true
				noteRange(a.Var.Type)
			}
		}
	}
	for _, e := range b.m.Events {
		for _, f := range e.Fields {
			noteRange(f.Type)
		}
	}
	return b.asked
}

// puts are the values that effects put somewhere, each with the type that it has there.
func (b *book) puts() iter.Seq2[ir.Expr, *ir.Type] {
	return func(yield func(ir.Expr, *ir.Type) bool) {
		for block := range b.m.Blocks() {
			for _, a := range block.Assigns {
				if a.Value != nil && !yield(a.Value, a.Var.Type) {
					return
				}
			}
			for _, p := range block.Publishes {
				for i, v := range p.Values {
					if !yield(v, p.Event.Fields[i].Type) {
						return
					}
				}
			}
		}
	}
}

// hasLength reports whether e reads a length.
func hasLength(e ir.Expr) bool {
	return ir.Has(e, func(e ir.Expr) bool { _, is := e.(*ir.Len); return is })
}

// ofLength is a text or a list of type t and length n.
func ofLength(t *ir.Type, n int64) machine.Value {
	if t.Kind == ir.String {
		return machine.StringValue(strings.Repeat("x", int(n)))
	}
	return machine.ListValue(slices.Repeat([]machine.Value{plain(t.Elem)}, int(n))...)
}

// narrowed are lists of type t that some place to which a list is copied does not take,
// because of their items: it has smaller ranges. The items are all the same, and as few as t has.
func (b *book) narrowed(t *ir.Type) []machine.Value {
	var out []machine.Value
	if t.Kind != ir.List || t.Elem == nil {
		return nil
	}
	for value, to := range b.puts() {
		if to.Kind == ir.List && value.Type().Elem != nil && value.Type().Same(t) {
			out = append(out, ofItems(t, misfits(t.Elem, to.Elem))...)
		}
	}
	return out
}

// misfits are values of type t that are just out of a range of type to, of which t is a wider form.
func misfits(t, to *ir.Type) (out []machine.Value) {
	if t.Kind == ir.List && t.Elem != nil {
		out = ofItems(t, misfits(t.Elem, to.Elem))
	}
	r := to.Limits()
	if r == nil {
		return out
	}
	for _, n := range []int64{r.Lo - 1, r.Hi + 1} {
		v := machine.Unset
		switch {
		case t.Kind != ir.List:
			v = constant(t, &ir.Const{Kind: t.Kind, Int: n})
		case n >= 0:
			v = ofLength(t, n)
		}
		if v.IsSet() && fits(t, v) {
			out = append(out, v)
		}
	}
	return out
}

// ofItems are lists of type t, for each of items one that has nothing but it.
func ofItems(t *ir.Type, items []machine.Value) (out []machine.Value) {
	for _, item := range items {
		if list := machine.ListValue(slices.Repeat([]machine.Value{item}, int(max(1, t.LeastLen())))...); fits(t, list) {
			out = append(out, list)
		}
	}
	return out
}
