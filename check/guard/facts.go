package guard

import "github.com/fsmc-dev/fsmc/lang/ir"

// What is known of data from elsewhere (a path, a region, an effect) is said by
// these, and added with And.

// IsSet holds where v is set.
func IsSet(v *ir.Var) Formula { return Formula{set(v)} }

// Equal holds where v has the value k, which is of its type: a bool, int, float,
// duration, string or enum. Of an unset field it says nothing.
func Equal(v *ir.Var, k *ir.Const) Formula {
	x := newVariable(term{Var: v}, v.Type)
	switch k.Kind {
	case ir.Bool:
		is := factNode(fact{kind: boolean, term: x.term})
		return Formula{same(is, constant(k.Int != 0))}
	case ir.String:
		return Formula{equalText(x, k.Str)}
	}
	n := ordinalOf(k)
	return Formula{within(linear{plus: x}, &ir.Range{Lo: n, Hi: n})}
}
