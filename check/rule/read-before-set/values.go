package readbeforeset

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// constantsIn are the values of the literals in conditions.
func constantsIn(conditions []ir.Expr) []value {
	var out []value
	for _, cond := range conditions {
		ir.Walk(cond, func(e ir.Expr) bool {
			if l, ok := e.(*ir.Lit); ok {
				out = append(out, constant(l.Value))
			}
			return true
		})
	}
	return out
}

// fieldValues are the values to try for a field of the input: what is settled
// by the input itself, or what lies next to the constants near. None: nothing
// is known of it.
func fieldValues(in *flat.Input, name string, near []value) []value {
	if in.Kind == ir.CaseFailure {
		switch name {
		case "category":
			return []value{{known: true, kind: ir.String, s: in.Category.Name}}
		case "activity":
			return []value{{known: true, kind: ir.String, s: in.Do.Activity.Name}}
		}
		return nil
	}
	if in.Event == nil {
		return nil
	}
	f := in.Event.Field(name)
	if f == nil {
		return nil
	}
	switch t := f.Type; t.Kind {
	case ir.Bool:
		return []value{truth(true), truth(false)}
	case ir.EnumKind:
		var out []value
		for i, s := range t.Enum.Values {
			out = append(out, value{known: true, kind: ir.EnumKind, n: int64(i), s: s})
		}
		return out
	case ir.Int, ir.Duration:
		return numbers(t, near)
	case ir.Float:
		return floats(near)
	case ir.String:
		return texts(near)
	}
	return nil
}

func numbers(t *ir.Type, near []value) []value {
	all := []int64{0}
	if t.Range != nil {
		all = []int64{t.Range.Lo, t.Range.Hi}
	}
	for _, c := range near {
		if c.kind == ir.Int || c.kind == ir.Duration {
			all = append(all, max(c.n, math.MinInt64+1)-1, c.n, min(c.n, math.MaxInt64-1)+1)
		}
	}
	slices.Sort(all)
	var out []value
	for _, n := range slices.Compact(all) {
		if t.Range == nil || t.Range.Contains(n) {
			out = append(out, value{known: true, kind: t.Kind, n: n})
		}
	}
	return out
}

func floats(near []value) []value {
	all := []float64{0}
	for _, c := range near {
		if c.kind == ir.Float {
			all = append(all, c.f-1, c.f, c.f+1)
		}
	}
	slices.Sort(all)
	var out []value
	for _, f := range slices.Compact(all) {
		out = append(out, value{known: true, kind: ir.Float, f: f})
	}
	return out
}

// texts are the strings near, the empty one, and one that is none of them.
func texts(near []value) []value {
	all, other := []string{""}, "x"
	for _, c := range near {
		if c.kind == ir.String {
			all = append(all, c.s)
			other += c.s
		}
	}
	all = append(all, other)
	slices.Sort(all)
	var out []value
	for _, s := range slices.Compact(all) {
		out = append(out, value{known: true, kind: ir.String, s: s})
	}
	return out
}
