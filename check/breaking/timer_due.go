package breaking

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A timer that is new starts when a run is moved, and one that runs goes on. So due at once
// is what counts from elsewhere: a deadline, the time of the budget, and what waits for
// nothing.
var timerDue = &Rule{
	Name: "timer-due", Family: Runs, run: runTimerDue,
	Summary: "a timer may be due the moment an unfinished run is moved",
}

const timerHelp = "Such a run takes the timer's arm at once when it is moved. Move it before, or give it a later time in the mapping."

func runTimerDue(p *pair) {
	before := map[string]*ir.Timer{}
	for i, name := range ir.TimerNames(p.old) {
		before[p.within(p.old.Timers[i].State, name)] = p.old.Timers[i]
	}
	told := map[*ir.Timer]bool{}
	names := ir.TimerNames(p.new)
	p.stays(func(_, is *ir.State) {
		for _, s := range is.Chain() {
			for _, t := range s.Timers {
				was := before[names[t.ID]]
				if told[t] || !mayBeDue(was, t) {
					continue
				}
				told[t] = true
				pt := Point{New: t.Span, Message: check.Quote(names[t.ID]) + " may be due as soon as a run is moved", Help: timerHelp, Bites: Bites{State: leafPath(s)}}
				if was != nil {
					pt.Old = was.Span
				}
				p.report(pt)
			}
		}
	})
}

// mayBeDue reports whether t, which was before, if it was there, may be due when a run is
// moved.
func mayBeDue(was, t *ir.Timer) bool {
	switch {
	case t.Budget:
		return was == nil || t.Delay < was.Delay
	case was != nil:
		return false
	case t.Var != nil:
		return t.Var.Type.Kind == ir.Time || t.Var.Type.Range == nil || t.Var.Type.Range.Lo <= 0
	}
	return t.Delay == 0
}
