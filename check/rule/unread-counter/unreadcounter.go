// Package unreadcounter finds counters by which nothing is decided.
package unreadcounter

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of unread-counter. One that nothing reads at all, or that has no end
// at all, is told once.
var Rule = &check.Rule{
	Name:     "unread-counter",
	Group:    check.Promises,
	Severity: diag.Hint,
	Summary:  "a counter that is raised, and by which nothing is decided",
	Run:      run,
	Sound:    true,
	Absence:  true,
	SilencedBy: []check.Silence{
		{Rule: "never-read", At: check.SameField},
		{Rule: "out-of-range", At: check.SameField},
	},
}

func run(p *check.Pass) {
	m := p.Machine
	raised, used := raisedIn(m), check.ReadIn(m, false)
	for _, v := range ir.Declared(m.Fields) {
		at := raised[v]
		if at == nil || used[v] {
			continue
		}
		name := check.Quote(v.Declared())
		p.Report(check.Finding{
			Field:   v,
			Span:    v.Span,
			Message: "field " + name + " counts, and no guard reads it: it bounds nothing",
			Help:    "Compare it in a guard, such as `when " + v.Declared() + " < 3`; write `max 3` behind the arm instead; or suppress this finding if it is counted only to be told.",
			Related: []diag.Related{{Span: at.Span, Message: "it is raised here"}},
		})
	}
}

// raisedIn says of each variable that counts up where it first does, but for arms that
// have a bound of their own.
func raisedIn(m *ir.Machine) map[*ir.Var]*ir.Assign {
	out := map[*ir.Var]*ir.Assign{}
	for b, arm := range m.Blocks() {
		if arm != nil && arm.Max != nil {
			continue
		}
		for _, a := range b.Assigns {
			if a.Var.Type.Kind == ir.Int && out[a.Var] == nil && flat.EffectOf(a, flat.Declared).Step > 0 {
				out[a.Var] = a
			}
		}
	}
	return out
}
