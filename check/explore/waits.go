package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// readWaits notes as read the durations that say how long a timer or a retry waits,
// unless they are computed.
func (t *tracked) readWaits() {
	note := func(v *ir.Var) {
		if v != nil && v.Type.Kind == ir.Duration && !t.vars[v].computed {
			t.vars[v].read = true
		}
	}
	for _, timer := range t.m.Timers {
		note(timer.Var)
	}
	for _, a := range t.m.Arms {
		if a.Backoff != nil {
			if ref, ok := a.Backoff.By.(*ir.VarRef); ok {
				note(ref.Var)
			}
		}
	}
}

// constants are the values that v may hold, where nothing but constants is assigned to
// it; nil where something else is.
func (t *tracked) constants(v *ir.Var) []int64 {
	if v.Param {
		return nil
	}
	var out []int64
	if v.Default != nil {
		out = append(out, v.Default.Int)
	}
	others := false
	t.assigns(func(a *ir.Assign, _ *ir.Arm) {
		if a.Var != v || a.Value == nil {
			return
		}
		if c := ir.Value(a.Value); c != nil {
			out = append(out, c.Int)
		} else {
			others = true
		}
	})
	if others {
		return nil
	}
	return out
}

// waitWithin is the least and the most that a timer which reads data waits, given what
// its type alone says of that.
func (t *tracked) waitWithin(timer *ir.Timer, least, most int64) (int64, int64) {
	if list := t.constants(timer.Var); list != nil {
		least, most = max(0, slices.Min(list)), max(0, slices.Max(list))
		if most > 0 && timer.Jitter != nil {
			most = timing.Lengthened(most, timer.Jitter)
		}
	}
	return least, most
}
