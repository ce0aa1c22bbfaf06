package neverfires

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// retries reports the retries whose wait is always cut short, in every state in
// which they apply.
func retries(p *check.Pass) {
	type forestalled struct {
		leaf *ir.State
		by   *ir.Timer
	}
	g := p.SmallProduct()
	known := map[*ir.Arm]forestalled{}
	var order []*ir.Arm
	for leaf, in := range p.Inputs() {
		for _, c := range in.Choices {
			if in.Do == nil || c.Arm == nil || c.Arm.Kind != ir.Retry {
				continue
			}
			found, seen := known[c.Arm]
			switch {
			case !seen:
				order = append(order, c.Arm)
				known[c.Arm] = forestalled{leaf, timing.EndsBefore(leaf, timing.LeastWait(c.Arm))}
			case found.by != nil && found.leaf != leaf && timing.EndsBefore(leaf, timing.LeastWait(c.Arm)) == nil:
				known[c.Arm] = forestalled{leaf, nil}
			}
		}
	}
	for _, a := range order {
		k := known[a]
		f := check.Finding{
			State:   k.leaf,
			Span:    a.Span,
			Message: "this retry never runs its activity again: in every run something else comes before its wait is over",
			Help:    "Shorten its backoff, or lengthen the timer.",
		}
		switch {
		case k.by != nil:
			f.Message = "this retry never runs its activity again: " + named(k.by, nil) + " comes before its wait is over"
			f.Related = []diag.Related{{Span: k.by.Span, Message: "this one comes first"}}
		case g == nil || !g.Timed() || !g.AlwaysVain(a):
			continue
		}
		f.Witness = p.PathTo(k.leaf)
		p.Report(f)
	}
}
