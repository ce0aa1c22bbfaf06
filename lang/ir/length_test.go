package ir_test

import (
	"math"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

func TestListLength(t *testing.T) {
	number := &ir.Type{Kind: ir.Int}
	list := &ir.VarRef{E: ir.E{T: &ir.Type{Kind: ir.List, Elem: number}}, Var: &ir.Var{Slot: ir.Slot{Name: "l"}}}
	lit := func(n int64) ir.Expr {
		return &ir.Lit{E: ir.E{T: number}, Value: &ir.Const{Kind: ir.Int, Int: n}}
	}
	length := &ir.Len{E: ir.E{T: number}, X: list}
	sum := func(x ir.Expr, op ir.Op, y ir.Expr) ir.Expr {
		return &ir.Binary{E: ir.E{T: number}, Op: op, X: x, Y: y}
	}
	text := &ir.Len{E: ir.E{T: number}, X: &ir.VarRef{E: ir.E{T: &ir.Type{Kind: ir.String}}}}
	for _, c := range []struct {
		x    ir.Expr
		op   ir.Op
		y    ir.Expr
		want ir.Op // "" for none
		k    int64
	}{
		{length, ir.OpLt, lit(7), ir.OpLt, 7},
		{lit(7), ir.OpLt, length, ir.OpGt, 7},
		{sum(length, ir.OpAdd, lit(2)), ir.OpLe, lit(7), ir.OpLe, 5},
		{sum(length, ir.OpSub, lit(2)), ir.OpGe, lit(7), ir.OpGe, 9},
		{sum(lit(2), ir.OpAdd, length), ir.OpEq, lit(7), ir.OpEq, 5},
		{sum(lit(9), ir.OpSub, length), ir.OpGt, lit(2), ir.OpLt, 7},
		{sum(length, ir.OpAdd, lit(-2)), ir.OpLt, lit(math.MaxInt64), "", 0},
		{sum(length, ir.OpAdd, lit(math.MinInt64)), ir.OpLt, lit(-1), "", 0},
		{length, ir.OpLt, length, "", 0},
		{text, ir.OpLt, lit(7), "", 0},
	} {
		e := &ir.Binary{E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: c.op, X: c.x, Y: c.y}
		x, op, k, ok := ir.ListLength(e)
		if ok != (c.want != "") || op != c.want || k != c.k || ok && x != ir.Expr(list) {
			t.Errorf("%s: %v %d %v", ir.ExprText(e), op, k, ok)
		}
	}
}
