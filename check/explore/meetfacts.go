package explore

import (
	"math"

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
	case n.dom.sort == byLength && n.valued():
		return guard.And(guard.IsSet(n.v), n.length(code))
	case !n.valued(), !n.dom.tellsValues():
		return guard.IsSet(n.v)
	case n.dom.sort == byValue:
		return guard.And(guard.IsSet(n.v), guard.Equal(n.v, &ir.Const{Kind: n.typ.Kind, Int: code}))
	case shown:
		return guard.And(guard.IsSet(n.v), guard.Equal(n.v, n.dom.sampleConst(code)))
	}
	return guard.And(guard.IsSet(n.v), n.region(code))
}

// length holds where n, a list, is as long as code says.
func (n *node) length(code int64) guard.Formula {
	op, number := ir.OpEq, &ir.Type{Kind: ir.Int}
	if code == n.dom.most {
		op = ir.OpGe
	}
	return guard.Read(&ir.Binary{
		E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: op,
		X: &ir.Len{E: ir.E{T: number}, X: &ir.VarRef{E: ir.E{T: n.typ}, Var: n.v}},
		Y: &ir.Lit{E: ir.E{T: number}, Value: &ir.Const{Kind: ir.Int, Int: code}},
	}, nil).Holds
}

// judged is fact for a guard.Judge; regions is what n.regions says.
func (n *node) judged(words []uint64, regions []guard.Value) guard.Value {
	code, set := n.slot.load(words)
	switch {
	case !set:
		return guard.Unset()
	case !n.valued(), !n.dom.tellsValues():
		return guard.Some()
	case n.dom.sort == byLength:
		return guard.Some()
	case n.dom.sort == byValue:
		return guard.From(code, code)
	}
	return regions[code]
}

// regions says of each region of n where its values lie; it is nil for data that
// is not held by region.
func (n *node) regions() []guard.Value {
	if !n.valued() || n.dom.sort != byRegion {
		return nil
	}
	out := make([]guard.Value, n.dom.size())
	for code := range out {
		out[code] = n.dom.extent(int64(code))
	}
	return out
}

// extent is where the values of a region lie.
func (d *domain) extent(code int64) guard.Value {
	before, at := code/2-1, code/2 // the cuts around a gap
	switch d.kind {
	case ir.Int, ir.Duration:
		if code%2 == 1 {
			return guard.From(d.ints[at], d.ints[at])
		}
		lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
		if before >= 0 {
			lo = d.ints[before] + 1
		}
		if int(at) < len(d.ints) {
			hi = d.ints[at] - 1
		}
		return guard.From(lo, hi)
	case ir.Float:
		if code%2 == 1 {
			return guard.Float(d.floats[at])
		}
		lo, hi := math.Inf(-1), math.Inf(1)
		if before >= 0 {
			lo = d.floats[before]
		}
		if int(at) < len(d.floats) {
			hi = d.floats[at]
		}
		return guard.Between(lo, hi)
	case ir.String:
		return guard.Text(d.sampleText(code))
	}
	return guard.Some()
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
