package requireviolated

import "github.com/fsmc-dev/fsmc/lang/ir"

// What a host guard answers is not the machine's to keep, so a `require` that
// asks one is violated only where the data alone makes it false.

// asksHost reports whether e asks a host guard.
func asksHost(e ir.Expr) bool {
	asks := false
	ir.Walk(e, func(e ir.Expr) bool {
		call, ok := e.(*ir.Call)
		asks = asks || ok && call.Guard != nil
		return true
	})
	return asks
}

// granted is e with every host guard answering so that e tends to want.
func granted(e ir.Expr, want bool) ir.Expr {
	if !asksHost(e) {
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
