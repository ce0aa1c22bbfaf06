package cli

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// provedBounds is the worst case of m as the generators take it; nil where it
// is not known.
func provedBounds(m *ir.Machine) *ir.Bounds {
	w := check.Bounds(m, explore.DefaultLimit)
	if w == nil {
		return nil
	}
	bound := func(f check.Figure) ir.Bound {
		return ir.Bound{Name: f.Name, Most: f.Amount, Exact: f.Exact, Why: w.Why(f.Name)}
	}
	all := func(figures []check.Figure) (out []ir.Bound) {
		for _, f := range figures {
			out = append(out, bound(f))
		}
		return out
	}
	return &ir.Bounds{Steps: bound(w.Steps), Time: bound(w.Time), Costs: all(w.Costs), Attempts: all(w.Activities)}
}
