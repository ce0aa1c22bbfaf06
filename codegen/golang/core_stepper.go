package golang

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// stepper writes what takes steps, apart from Take.
func (c *corePrinter) stepper() {
	asked := ""
	for _, g := range c.m.src.Guards {
		if c.asks(g) {
			asked += fmt.Sprintf("asked%[2]s []%[1]s%[2]sVerdict\n", c.m.low, exported(g.Name))
		}
	}
	waits := slices.ContainsFunc(c.m.src.Arms, func(a *ir.Arm) bool { return a.Backoff != nil && a.Backoff.By != nil })
	c.t(`// @MStepper takes steps. It has memory that the next one uses again. It is for one
// goroutine at a time.
type @MStepper struct {
` + when(len(c.m.Guards) > 0, "Guards @MGuards\n") +
		when(c.publishes(), "Messages []@MOutMessage // what was published\n") +
		when(waits, "Wait time.Duration // before the attempt of the last retry that computes it\n") + `
	refused @MStepRefused
` + when(c.readsNow(), "now time.Time\n") +
		when(c.fails(), "why string // the first thing that could not be computed\n") +
		when(c.saved, "was @MCore // before what may not be computed\n") +
		when(c.saved && c.publishes(), "published int // how many messages were there then\n") +
		when(c.holds, "holds bool\n") +
		when(c.redirects, "turns int // leaves that a require has turned away from\n") + asked + `}
`)
	c.undo()
}

// fails reports whether something may not be computed.
func (c *corePrinter) fails() bool { return c.fallible || c.redirects }

func (c *corePrinter) asks(g *ir.Guard) bool {
	return c.anyExpr(func(e ir.Expr) bool {
		call, ok := e.(*ir.Call)
		return ok && call.Guard == g
	})
}

// anyExpr reports whether is holds of some expression that a step reads, or of something in one.
func (c *corePrinter) anyExpr(is func(ir.Expr) bool) bool {
	return slices.ContainsFunc(exprsOf(c.m.src), func(e ir.Expr) bool { return ir.Has(e, is) })
}

// exprsOf lists the expressions of m that a step reads.
func exprsOf(m *ir.Machine) []ir.Expr {
	var out []ir.Expr
	for _, s := range m.States {
		out = slices.AppendSeq(out, s.Entry.Exprs())
		out = slices.AppendSeq(out, s.Exit.Exprs())
		if s.Require != nil {
			out = append(out, s.Require.Cond)
		}
	}
	for _, a := range m.Arms {
		out = slices.AppendSeq(out, a.Exprs())
	}
	return out
}

// undo writes how an input that cannot be computed leaves no trace.
func (c *corePrinter) undo() {
	if c.fails() {
		c.t(`// fail notes why the input cannot be taken.
func (t *@MStepper) fail(why string) {
	if t.why == "" {
		t.why = why
	}
}
`)
	}
	if c.saved {
		c.t(`// save keeps s as it is before what may not be computed.
func (t *@MStepper) save(s *@MCore) {
	t.was = *s
` + when(c.publishes(), "t.published = len(t.Messages)\n") + `}

// undo goes back to there.
func (t *@MStepper) undo(s *@MCore, in *@MStepInput) error {
	*s = t.was
` + when(c.publishes(), "t.Messages = t.Messages[:t.published]\n") + `	return t.refuse(s, in, t.why)
}
`)
	}
	if c.publishes() {
		c.t(`// publish gives a message out.
func (t *@MStepper) publish(message @MOutMessage) { t.Messages = append(t.Messages, message) }
`)
	}
	if c.redirects {
		c.t(fmt.Sprintf(`// goesRound reports whether requires lead round in a circle, and counts those
// that have turned the step away.
func (t *@MStepper) goesRound() bool {
	if t.why == "" && t.turns < %d {
		t.turns++
		return false
	}
	t.fail("the requires lead round in a circle")
	return true
}
`, len(c.m.src.States)))
	}
}
