// Package ambiguouslabel finds retries that do not say which activity they
// mean.
package ambiguouslabel

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Rule is the record of ambiguous-label.
var Rule = &check.Rule{
	Name:     "ambiguous-label",
	Group:    check.Completeness,
	Severity: diag.Error,
	Summary:  "an unlabelled trigger that several activities of a state raise is retried",
	Run:      run,
}

// retried is a trigger without a label with an arm that retries.
type retried struct {
	trigger *ir.Trigger
	arm     *ir.Arm
}

// Handlers of the leaf and around it count alike, and what a more precise one
// takes away is counted for that one alone: the table has it so. Each trigger
// is reported once, for the first leaf in which it is ambiguous.
func run(p *check.Pass) {
	known := map[*ir.Trigger]bool{}
	for _, s := range p.Leaves() {
		if len(s.Dos) < 2 {
			continue
		}
		raisers := map[retried][]*ir.Do{}
		var order []retried
		for in := range p.Table().Inputs(s) {
			for i, c := range in.Choices {
				if in.Do == nil || c.Arm == nil || c.Arm.Kind != ir.Retry || c.Arm.Handler == nil {
					continue
				}
				r := retried{trigger: unlabelled(c.Arm.Handler, in.Case), arm: c.Arm}
				passed := check.Want(in, i, explore.MayPass, explore.Any)
				if r.trigger == nil || slices.Contains(raisers[r], in.Do) || explore.Possible(in, passed).Verdict == guard.Unsat {
					continue // what is tried before takes everything
				}
				if raisers[r] == nil {
					order = append(order, r)
				}
				raisers[r] = append(raisers[r], in.Do)
			}
		}
		for _, r := range order {
			if len(raisers[r]) > 1 && !known[r.trigger] {
				known[r.trigger] = true
				report(p, s, r, raisers[r])
			}
		}
	}
}

// unlabelled is the trigger of h that c meets, where none with a label does.
func unlabelled(h *ir.Handler, c ir.Case) *ir.Trigger {
	var found *ir.Trigger
	for _, t := range h.Triggers {
		if !t.Means(c) {
			continue
		}
		if t.Label != "" {
			return nil
		}
		if found == nil {
			found = t
		}
	}
	return found
}

func report(p *check.Pass, s *ir.State, r retried, raisers []*ir.Do) {
	var names []string
	related := []diag.Related{{Span: r.arm.Span, Message: "it is retried here"}}
	example := "first"
	for _, d := range raisers {
		if !slices.Contains(names, d.Activity.Name) {
			names = append(names, d.Activity.Name)
		}
		if d.Label != "" && example == "first" {
			example = d.Label
		}
		related = append(related, diag.Related{Span: d.Span, Message: check.Quote(d.Activity.Name) + " may raise it"})
	}
	who := check.And(names)
	if len(names) == 1 {
		who = check.Quote(names[0]) + ", which runs several times"
	}
	p.Report(check.Finding{
		State:   s,
		Span:    r.trigger.Span,
		Message: check.Quote(r.trigger.Text()) + " is retried, and in " + check.Quote(s.Path) + " it may come from " + who,
		Help:    "Name each activity with `as`, and say which one is meant, such as `on " + example + "." + r.trigger.Text() + " retry …`.",
		Related: related,
	})
}
