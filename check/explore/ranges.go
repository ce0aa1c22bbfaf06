package explore

import "github.com/fsmc-dev/fsmc/lang/ir"

// MayLeaveRange reports whether some effect of m, as it stands, could leave the
// range of its field: it computes the value, sets a constant outside, or copies
// from where more values fit.
func MayLeaveRange(m *ir.Machine) bool {
	t := newTracked(m)
	may := false
	t.assigns(func(a *ir.Assign, arm *ir.Arm) {
		r := a.Var.Type.Range
		if r == nil || a.Value == nil || may {
			return
		}
		if c := literal(a.Value); c != nil {
			may = !r.Contains(c.Int)
			return
		}
		if staysInside(a) {
			return
		}
		sources := t.refs(a.Value, arm)
		may = len(sources) == 0
		for _, source := range sources {
			may = may || narrows(source, t.vars[a.Var])
		}
	})
	return may
}

// staysInside reports whether a is `v = min(v + c, hi)` or `v = max(v - c, lo)`
// with the ends of v's own range.
func staysInside(a *ir.Assign) bool {
	x, r := effectOf(a, nil), a.Var.Type.Range
	if x.clamp == nil || r.Lo >= r.Hi {
		return false
	}
	return x.step > 0 && *x.clamp == r.Hi || x.step < 0 && *x.clamp == r.Lo
}
