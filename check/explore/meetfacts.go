package explore

import (
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// fact is what words say of n: its value, where shown is set, else the region of
// its value.
func (n *node) fact(words []uint64, shown bool) guard.Formula {
	code, set := n.slot.load(words)
	switch {
	case !set:
		return guard.Not(guard.IsSet(n.v))
	case !n.valued(), !n.dom.tellsValues():
		return guard.IsSet(n.v)
	case n.dom.sort == byValue:
		return guard.And(guard.IsSet(n.v), guard.Equal(n.v, &ir.Const{Kind: n.typ.Kind, Int: code}))
	case shown:
		return guard.And(guard.IsSet(n.v), guard.Equal(n.v, n.dom.sampleConst(code)))
	}
	return guard.And(guard.IsSet(n.v), n.region(code))
}

// sampleConst is sample as a constant.
func (d *domain) sampleConst(code int64) *ir.Const {
	k := &ir.Const{Kind: d.kind}
	switch d.kind {
	case ir.Int, ir.Duration:
		k.Int = sampleInt(d.ints, code)
	case ir.Float:
		k.Float = sampleFloat(d.floats, code)
	case ir.String:
		k.Str = d.sampleText(code)
	}
	return k
}

// region holds where n, which is set, lies in region code.
func (n *node) region(code int64) guard.Formula {
	d := n.dom
	if d.kind == ir.String {
		if code < int64(len(d.texts)) {
			return guard.Equal(n.v, d.sampleConst(code))
		}
		var others []guard.Formula
		for i := range d.texts {
			others = append(others, guard.Not(guard.Equal(n.v, d.sampleConst(int64(i)))))
		}
		return guard.And(others...)
	}
	if code%2 == 1 {
		return guard.Equal(n.v, d.sampleConst(code))
	}
	var between []guard.Formula
	if code > 0 {
		between = append(between, n.compare(ir.OpGt, d.sampleConst(code-1)))
	}
	if code < d.size()-1 {
		between = append(between, n.compare(ir.OpLt, d.sampleConst(code+1)))
	}
	return guard.And(between...)
}

func (n *node) compare(op ir.Op, k *ir.Const) guard.Formula {
	return guard.Read(&ir.Binary{
		E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: op,
		X: &ir.VarRef{E: ir.E{T: n.typ}, Var: n.v},
		Y: &ir.Lit{E: ir.E{T: n.typ}, Value: k},
	}, nil).Holds
}
