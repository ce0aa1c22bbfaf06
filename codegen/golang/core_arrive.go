package golang

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// arrive writes what entering each leaf starts: its timers, those of the states
// around it that were entered too, and its activities.
func (c *corePrinter) arrive() string {
	var branches []branch
	for _, s := range c.m.src.States {
		body := ""
		switch s.Kind {
		case ir.Leaf:
			body = c.arrival(s)
		case ir.Terminal:
			body = "t.end(s)\n"
		}
		if body != "" {
			branches = append(branches, branch{[]string{c.stateConst(s)}, body})
		}
	}
	for _, a := range c.m.src.Arms {
		c.late = c.late || a.Backoff != nil && a.Backoff.By != nil
	}
	x := &exprs{c: c}
	var first strings.Builder
	for _, timer := range c.m.src.Root.Timers {
		c.printTimer(&first, x, timer)
	}
	c.late = c.late || x.fails
	kept := ""
	if c.plan.deferred {
		kept = "s.KeptNext = 0\n"
	}
	text := `// arrive begins a visit of the leaf that has been entered.
func (t *@MStepper) arrive(s *@MSnapshot) {
	s.Status, s.DoneDue = @MRunStatusRunning, false
	if s.Halt != nil {
		s.Halt = nil
	}
	s.Entered = t.now
	s.Visit++
	` + kept + choose("s.State", branches, len(branches) == len(c.m.States)) + `}
`
	if first.Len() > 0 {
		text += `
// arriveFirst begins the first visit: it starts the timers of the machine too.
func (t *@MStepper) arriveFirst(s *@MSnapshot) {
	` + first.String() + `t.arrive(s)
}
`
	}
	return text
}

// arrival starts the timers of every state entered, outermost first, and the
// activities of the leaf.
func (c *corePrinter) arrival(leaf *ir.State) string {
	var b strings.Builder
	x := &exprs{c: c}
	if leaf.IsChoice() {
		b.WriteString("s.DoneDue = true\n")
	}
	for _, s := range path(c.m.src.Root, leaf) {
		var timers strings.Builder
		for _, timer := range s.Timers {
			c.printTimer(&timers, x, timer)
		}
		switch {
		case timers.Len() == 0:
		case s == leaf:
			b.WriteString(timers.String())
		default:
			fmt.Fprintf(&b, "if t.kept < %d {\n%s}\n", s.Depth, timers.String())
		}
	}
	c.late = c.late || x.fails
	b.WriteString(c.clearPlaces(c.plan.places(leaf)))
	for i, d := range leaf.Dos {
		do := c.plan.Dos[d.ID].Name
		if e, outlives := c.plan.executions[d]; outlives {
			fmt.Fprintf(&b, "t.start(s, %d, t.resume(s, %d, %s))\n", i, e, do)
		} else {
			fmt.Fprintf(&b, "t.start(s, %d, %sDoTask{Do: %s, Open: true, Execution: t.seq, Attempt: 1})\n", i, c.m.Name, do)
		}
	}
	return b.String()
}

// clearPlaces drops the timers of the leaf that was left, behind the first used
// ones.
func (c *corePrinter) clearPlaces(used int) string {
	var b strings.Builder
	for i := used; i < c.plan.alarms && c.plan.alarms-used <= 2; i++ {
		fmt.Fprintf(&b, "s.Due[%d] = 0\n", i)
	}
	if c.plan.alarms-used > 2 {
		fmt.Fprintf(&b, "clear(s.Due[%d:])\n", used)
	}
	if c.plan.idle && used < c.plan.alarms {
		fmt.Fprintf(&b, "clear(s.Idle[%d:])\n", used)
	}
	return b.String()
}

func (c *corePrinter) printTimer(b *strings.Builder, x *exprs, timer *ir.Timer) {
	slot := c.plan.slot[timer]
	fmt.Fprintf(b, "// %s\n", oneLine(timer.Text()))
	if timer.Var != nil && timer.Var.Type.Kind == ir.Time {
		c.printDeadline(b, x, timer)
		return
	}
	var wait string
	switch {
	case timer.Var == nil:
		c.p.use("time")
		wait, _ = durationLiteral(timer.Delay)
	case timer.Var.Type.Range == nil:
		wait = "max(" + x.variable(timer.Var) + ", 0)"
		x.fails = true
	case timer.Var.Type.Range.Lo < 0:
		wait = "max(" + x.variable(timer.Var) + ", 0)"
	default:
		wait = x.variable(timer.Var)
	}
	if c.plan.idle {
		idle := "0"
		if timer.Idle {
			idle = wait
			wait = fmt.Sprintf("s.Idle[%d]", slot)
		}
		fmt.Fprintf(b, "s.Idle[%d] = %s\n", slot, idle)
	}
	if hasJitter(timer) {
		wait = c.lengthened(timer, wait)
	}
	fmt.Fprintf(b, "s.Due[%d] = t.due(%s)\n", slot, wait)
}

// printDeadline starts a timer that runs until a time. It never starts anew.
func (c *corePrinter) printDeadline(b *strings.Builder, x *exprs, timer *ir.Timer) {
	slot, at := c.plan.slot[timer], x.variable(timer.Var)
	x.fails = true
	if c.plan.idle {
		fmt.Fprintf(b, "s.Idle[%d] = 0\n", slot)
	}
	if hasJitter(timer) {
		fmt.Fprintf(b, "s.Due[%d] = t.deadlinePast(%s, %s)\n", slot, at, c.jitter(timer))
	} else {
		fmt.Fprintf(b, "s.Due[%d] = t.deadline(%s)\n", slot, at)
	}
}

func hasJitter(timer *ir.Timer) bool { return timer.Jitter != nil && timer.Jitter.Sign() > 0 }

// lengthened is a wait with the timer's jitter.
func (c *corePrinter) lengthened(timer *ir.Timer, wait string) string {
	return fmt.Sprintf("%sLengthen(%s, %s)", c.m.low, wait, c.jitter(timer))
}

// jitter is the timer's jitter, and which share of it falls to this step.
func (c *corePrinter) jitter(timer *ir.Timer) string {
	jitter, _ := timer.Jitter.Float64()
	return fmt.Sprintf("%s, t.timerShare(s, %s)", floatLiteral(jitter), c.plan.Timers[timer.ID].Name)
}
