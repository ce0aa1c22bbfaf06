package golang

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// stepper writes what takes steps, apart from Take.
func (c *corePrinter) stepper() {
	p := c.p
	c.t(`// @MStepper takes steps. It has memory that the next one uses again. It is for one
// goroutine at a time.
type @MStepper struct {`)
	if len(c.m.Guards) > 0 {
		p.f("Guards %sGuards", c.m.Name)
	}
	if c.publishes() {
		p.f("Messages []%sOutMessage // what was published", c.m.Name)
	}
	if slices.ContainsFunc(c.m.src.Arms, func(a *ir.Arm) bool { return a.Backoff != nil && a.Backoff.By != nil }) {
		p.f("Wait time.Duration // before the attempt of the last retry that computes it")
	}
	p.f("\nrefused %sStepRefused", c.m.Name)
	if c.readsNow() {
		p.f("now time.Time")
	}
	if c.fails() {
		p.f("why string // the first thing that could not be computed")
	}
	if c.saved {
		p.f("was %sCore // before what may not be computed", c.m.Name)
		if c.publishes() {
			p.f("published int // how many messages were there then")
		}
	}
	if c.holds {
		p.f("holds bool")
	}
	if c.redirects {
		p.f("turns int // leaves that a require has turned away from")
	}
	for _, g := range c.m.src.Guards {
		if c.asks(g) {
			p.f("asked%s []%s%sVerdict", exported(g.Name), c.m.low, exported(g.Name))
		}
	}
	p.f("}\n")
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
	return slices.ContainsFunc(exprsOf(c.m.src), func(e ir.Expr) bool { return ir.Find(e, is) != nil })
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
	keep, drop := "", ""
	if c.publishes() {
		keep, drop = "\n\tt.published = len(t.Messages)", "\n\tt.Messages = t.Messages[:t.published]"
	}
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
	t.was = *s` + keep + `
}

// undo goes back to there.
func (t *@MStepper) undo(s *@MCore, in *@MStepInput) error {
	*s = t.was` + drop + `
	return t.refuse(s, in, t.why)
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
