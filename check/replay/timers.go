package replay

import (
	"fmt"
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// startTimers starts the timers of s, which is entered.
func (r *run) startTimers(s *ir.State) error {
	for _, t := range s.Timers {
		wait := t.Delay
		if t.Var != nil {
			v := r.value(t.Var)
			if !v.set {
				return fmt.Errorf("%q is not set", t.Var.Name)
			}
			wait = v.n
			if t.Var.Type.Kind == ir.Time {
				wait = v.n - epoch - r.now
			}
		}
		a := alarm{timer: t, wait: r.jittered(t, max(0, wait))}
		a.due = r.now + a.wait
		if a.due < r.now {
			a.due = math.MaxInt64
		}
		r.timers = append(r.timers, a)
	}
	return nil
}

// spend takes away a timer that has fired.
func (r *run) spend(t *ir.Timer) {
	r.timers = slices.DeleteFunc(r.timers, func(a alarm) bool { return a.timer == t })
}

// restartIdle starts the idle timers again; a deadline stays where it is.
func (r *run) restartIdle() {
	for i := range r.timers {
		if a := &r.timers[i]; a.timer.Idle && (a.timer.Var == nil || a.timer.Var.Type.Kind != ir.Time) {
			a.due = r.now + a.wait
		}
	}
}
