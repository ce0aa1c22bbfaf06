package data

import "github.com/fsmc-dev/fsmc/lang/ir"

// FlowOf is between what the numbers of m lie in a leaf, by the flow alone; not there where
// they have no value.
func FlowOf(m *ir.Machine) func(leaf *ir.State, v *ir.Var) (r ir.Range, there bool) {
	f := flowOf(m)
	return func(leaf *ir.State, v *ir.Var) (ir.Range, bool) {
		x, there := f.at[leaf][v]
		return ir.Range{Lo: x.lo, Hi: x.hi}, there
	}
}

// Followed reports whether v is one of these numbers.
func Followed(v *ir.Var) bool { return isNumber(v) }
