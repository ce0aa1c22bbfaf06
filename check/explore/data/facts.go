package data

import (
	"math"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Fact is what words say of n: its value, where shown is set, else the region of
// its value.
func (n *Node) Fact(words []uint64, shown bool) guard.Formula {
	code, set := n.Slot.Load(words)
	switch {
	case !set:
		return guard.Not(guard.IsSet(n.Var))
	case n.Domain.Sort == ByLength && n.Valued():
		return guard.And(guard.IsSet(n.Var), n.length(code))
	case !n.Valued(), !n.Domain.TellsValues():
		return guard.IsSet(n.Var)
	case shown, n.Domain.Sort == ByValue && !n.Few():
		return guard.And(guard.IsSet(n.Var), guard.Equal(n.Var, n.sample(code)))
	case n.Domain.Sort == ByValue:
		lo, hi := n.Alike(code)
		return guard.And(guard.IsSet(n.Var), n.compare(ir.OpGe, n.sample(lo)), n.compare(ir.OpLe, n.sample(hi)))
	}
	return guard.And(guard.IsSet(n.Var), n.region(code))
}

// length holds where n, a list, is as long as code says.
func (n *Node) length(code int64) guard.Formula {
	op := ir.OpEq
	if code == n.Domain.Most {
		op = ir.OpGe
	}
	length := &ir.Len{E: ir.E{T: &ir.Type{Kind: ir.Int}}, X: &ir.VarRef{E: ir.E{T: n.Type}, Var: n.Var}}
	return compare(length, op, &ir.Const{Kind: ir.Int, Int: code}, nil)
}

// Judged is Fact for a guard.Judge; regions is what n.Regions says.
func (n *Node) Judged(words []uint64, regions []guard.Value) guard.Value {
	code, set := n.Slot.Load(words)
	switch {
	case !set:
		return guard.Unset()
	case n.Valued() && n.Domain.Sort == ByLength:
		if code == n.Domain.Most {
			return guard.From(code, math.MaxInt64)
		}
		return guard.From(code, code)
	case !n.Valued(), !n.Domain.TellsValues():
		return guard.Some()
	case n.Domain.Sort == ByValue:
		return guard.From(n.Alike(code))
	}
	return regions[code]
}

// Regions says of each region of n where its values lie; it is nil for data that
// is not held by region.
func (n *Node) Regions() []guard.Value {
	if !n.Valued() || n.Domain.Sort != ByRegion {
		return nil
	}
	out := make([]guard.Value, n.Domain.size())
	for code := range out {
		out[code] = n.Domain.extent(int64(code))
	}
	return out
}

// extent is where the values of a region lie.
func (d *Domain) extent(code int64) guard.Value {
	before, at := code/2-1, code/2 // the cuts around a gap
	switch d.Kind {
	case ir.Int, ir.Duration:
		return guard.From(d.between(code))
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

// region holds where n, which is set, lies in region code.
func (n *Node) region(code int64) guard.Formula {
	d := n.Domain
	if d.Kind == ir.String {
		if code < int64(len(d.texts)) {
			return guard.Equal(n.Var, d.sample(code))
		}
		var others []guard.Formula
		for i := range d.texts {
			others = append(others, guard.Not(guard.Equal(n.Var, d.sample(int64(i)))))
		}
		return guard.And(others...)
	}
	if code%2 == 1 {
		return guard.Equal(n.Var, d.sample(code))
	}
	var between []guard.Formula
	if code > 0 {
		between = append(between, n.compare(ir.OpGt, d.sample(code-1)))
	}
	if code < d.size()-1 {
		between = append(between, n.compare(ir.OpLt, d.sample(code+1)))
	}
	return guard.And(between...)
}

func (n *Node) compare(op ir.Op, k *ir.Const) guard.Formula {
	return compare(&ir.VarRef{E: ir.E{T: n.Type}, Var: n.Var}, op, k, nil)
}

// compare holds where e, which may read what comes with in, compares so with k.
func compare(e ir.Expr, op ir.Op, k *ir.Const, in *ir.Case) guard.Formula {
	return guard.Read(&ir.Binary{
		E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: op, X: e, Y: &ir.Lit{E: ir.E{T: e.Type()}, Value: k},
	}, in).Holds
}

// Tells reports whether code says what the value is, or one of a region in which nothing tells
// them apart: how long a timer waits also depends on when others are due.
func (d *Domain) Tells(code int64) bool {
	return d.Sort != Free && (d.Sort != ByRegion || d.Kind != ir.Duration || code%2 == 1)
}

// TellsValues reports whether a code of d says what the value is: itself, or
// one of a region in which nothing tells them apart.
func (d *Domain) TellsValues() bool {
	switch d.Kind {
	case ir.Bool, ir.EnumKind, ir.Int, ir.Duration, ir.Float, ir.String:
		return d.Sort != Free
	}
	return false
}

// CodeOf is the code of a value that a model of guards has for n.
func (n *Node) CodeOf(value any) int64 {
	k := &ir.Const{Kind: n.Type.Kind}
	switch v := value.(type) {
	case bool:
		if v {
			k.Int = 1
		}
	case int64:
		k.Int = v
	case float64:
		k.Float = v
	case string:
		k.Str = v
		if n.Type.Kind == ir.EnumKind {
			k.Int = int64(slices.Index(n.Type.Enum.Values, v))
		}
		if d, err := time.ParseDuration(v); err == nil && n.Type.Kind == ir.Duration {
			k.Int = int64(d)
		}
	}
	return n.Code(k)
}

// Between holds where e, a number that comes with in, lies from lo to hi, or where e, a boolean or a
// value of an enum, is lo.
func Between(e ir.Expr, lo, hi int64, in *ir.Case) guard.Formula {
	t := e.Type()
	if t.Kind == ir.Bool {
		g := guard.Read(e, in)
		if lo == 0 {
			return g.Fails
		}
		return g.Holds
	}
	end := func(op ir.Op, k int64) guard.Formula {
		return compare(e, op, &ir.Const{Kind: t.Kind, Int: k, Enum: t.Enum}, in)
	}
	if t.Kind == ir.EnumKind {
		return end(ir.OpEq, lo)
	}
	return guard.And(end(ir.OpGe, lo), end(ir.OpLe, hi))
}
