package requireviolated

import "github.com/fsmc-dev/fsmc/lang/ir"

// What a host guard answers is not the machine's to keep, so a `require` that
// asks one is violated only where the data alone makes it false.

// granted is e with every host guard answering so that e tends to want.
func granted(e ir.Expr, want bool) ir.Expr {
	if len(ir.GuardCalls(e)) == 0 {
		return e
	}
	switch e := e.(type) {
	case *ir.Unary:
		return &ir.Unary{E: e.E, Op: e.Op, X: granted(e.X, !want)}
	case *ir.Binary:
		if e.Op == ir.OpAnd || e.Op == ir.OpOr {
			return &ir.Binary{E: e.E, Op: e.Op, X: granted(e.X, want), Y: granted(e.Y, want)}
		}
	}
	truth := &ir.Const{Kind: ir.Bool}
	if want {
		truth.Int = 1
	}
	return &ir.Lit{E: ir.E{T: e.Type(), At: e.Span()}, Value: truth}
}
