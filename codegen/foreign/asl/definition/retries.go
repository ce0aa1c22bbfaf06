package definition

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/codegen/foreign/plan"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// native reports whether the retries of a are those of a Task: always, a number of times for each
// visit, after a failure, with nothing else done.
func (w *writer) native(a *ir.Arm) bool {
	if a.Kind != ir.Retry || a.Max == nil || a.When != nil || a.Block != nil || a.Scope.Kind != ir.PerVisit || a.Backoff.By != nil || a.Handler == nil {
		return false
	}
	for _, t := range a.Handler.Triggers {
		if t.Kind != ir.OnFailed {
			return false
		}
	}
	for _, s := range w.m.States {
		if s.Kind != ir.Leaf || !s.Inside(a.State) {
			continue
		}
		for _, c := range w.m.Cases(s) {
			i := slices.IndexFunc(w.m.Choices(s, c), func(c ir.Choice) bool { return c.Arm == a })
			if i > 0 || i == 0 && len(s.Dos) > 1 {
				return false
			}
		}
	}
	return true
}

// retries reports whether a failure in s may be tried again.
func (w *writer) retries(s *ir.State) bool {
	return slices.ContainsFunc(w.m.Cases(s), func(c ir.Case) bool {
		return slices.ContainsFunc(w.m.Choices(s, c), func(c ir.Choice) bool { return c.Arm != nil && c.Arm.Kind == ir.Retry })
	})
}

// retry is the retriers of d. One for all errors has to be the last, and before it what is not
// tried again has one of its own.
func (w *writer) retry(s *ir.State, d *ir.Do) (list []any) {
	type group struct {
		arm    *ir.Arm
		errors []string
		all    bool
	}
	var groups []*group
	var none, all []string
	for _, c := range w.m.FailuresOf(d) {
		choices := w.m.Choices(s, ir.Case{Kind: ir.CaseFailure, Do: d, Category: c})
		name := errorName(c)
		if len(choices) == 0 || choices[0].Arm == nil || !w.native(choices[0].Arm) {
			if name != "States.ALL" {
				none = append(none, name)
			}
			continue
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.arm == choices[0].Arm })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &group{arm: choices[0].Arm})
		}
		if name == "States.ALL" {
			groups[i].all = true
		} else {
			groups[i].errors = append(groups[i].errors, name)
		}
	}
	for _, g := range groups {
		if g.all {
			all = none
		}
	}
	if len(all) > 0 {
		list = append(list, obj{{"ErrorEquals", all}, {"MaxAttempts", int64(0)}})
	}
	for _, last := range []bool{false, true} {
		for _, g := range groups {
			if g.all == last {
				errors := g.errors
				if g.all {
					errors = []string{"States.ALL"}
				}
				list = append(list, w.retrier(g.arm, errors))
			}
		}
	}
	return list
}

// errorName is what a task fails with in a category.
func errorName(c *ir.Category) string {
	switch {
	case !c.BuiltIn:
		return c.Name
	case c.Name == ir.Timeout:
		return "States.Timeout"
	case c.Name == ir.Silent:
		return "States.HeartbeatTimeout"
	case c.Name == ir.Unknown:
		return "States.ALL"
	}
	return "fsmc." + c.Name // stalled, which nothing raises
}

func (w *writer) retrier(a *ir.Arm, errors []string) obj {
	b := a.Backoff
	factor, _ := b.Factor.Float64()
	o := obj{{"ErrorEquals", errors}, {"IntervalSeconds", w.seconds(b.First)}, {"MaxAttempts", *a.Max}}
	if b.First == b.Last {
		return append(o, member{"BackoffRate", int64(1)})
	}
	if factor < 1 {
		w.note(w.item.Part, "waits that become shorter: they stay as they are")
		factor = 1
	}
	o = append(o, member{"BackoffRate", factor})
	if last := w.seconds(b.Last); last > w.seconds(b.First) {
		o = append(o, member{"MaxDelaySeconds", last})
	}
	return o
}

// again is where a retry leads that is not a Task's own: a Wait, and then s again. What it adds to
// counts holds how long it waits.
func (w *writer) again(s *ir.State, a *ir.Arm, q *query, counts *obj) string {
	if len(s.Dos) != 1 || s.Dos[0].Fan != nil {
		w.note(w.item.Lost, "%s: only all that %s runs can run again", a.StepText(), s.Path)
	}
	b, ms := a.Backoff, ""
	switch {
	case b.By != nil:
		ms = q.expr(b.By, 0)
	case b.First == b.Last:
		ms = plan.Number(plan.Milliseconds(b.First))
	default:
		factor, _ := b.Factor.Float64()
		ms = fmt.Sprintf("$min([%s * $power(%s, $%s), %s])", plan.Number(plan.Milliseconds(b.First)), plan.Number(factor), w.counters[a], plan.Number(plan.Milliseconds(b.Last)))
	}
	name := "wait_" + w.counters[a]
	*counts = append(*counts, member{name, formula("$ceil((" + ms + ") / 1000)")})
	wait := w.free(s.Path + " waits")
	w.add(wait, obj{{"Type", "Wait"}, {"Seconds", formula("$" + name)}, {"Next", s.Path}})
	return wait
}
