package check

import (
	"iter"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Expressions yields every expression of m, whole ones only: see ir.Walk for
// what stands inside.
func Expressions(m *ir.Machine) iter.Seq[ir.Expr] {
	return func(yield func(ir.Expr) bool) {
		ok := true
		give := func(e ir.Expr) {
			if ok && e != nil {
				ok = yield(e)
			}
		}
		for b := range Blocks(m) {
			for _, a := range b.Assigns {
				give(a.Value)
			}
			for _, p := range b.Publishes {
				for _, v := range p.Values {
					give(v)
				}
			}
		}
		for _, a := range m.Arms {
			give(a.When)
			if a.Backoff != nil {
				give(a.Backoff.By)
			}
		}
		for _, d := range m.Dos {
			for _, arg := range d.Args {
				give(arg)
			}
		}
		for _, s := range m.States {
			if s.Require != nil {
				give(s.Require.Cond)
			}
		}
	}
}

// Blocks yields every block of effects of m.
func Blocks(m *ir.Machine) iter.Seq[*ir.Block] {
	return func(yield func(*ir.Block) bool) {
		for _, s := range m.States {
			if s.Entry != nil && !yield(s.Entry) || s.Exit != nil && !yield(s.Exit) {
				return
			}
		}
		for _, a := range m.Arms {
			if a.Block != nil && !yield(a.Block) {
				return
			}
		}
	}
}
