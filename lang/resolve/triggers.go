package resolve

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// someWait stands for a duration that could not be understood: any that is not
// 0s, so that nothing looks as if it never waited.
const someWait = int64(time.Second)

// on resolves an `on` of n.
func (r *resolver) on(n *node, src *ast.On) {
	h := &ir.Handler{State: n.ir, Span: src.Span()}
	for _, t := range src.Triggers {
		if exits, ok := r.exitsOf(n, t); ok {
			h.Triggers = append(h.Triggers, exits...)
		} else if trigger := r.trigger(n, t); trigger != nil {
			h.Triggers = append(h.Triggers, trigger)
		}
	}
	n.ir.Handlers = append(n.ir.Handlers, h)
	sc := scope{arm: true, triggers: h.Triggers}
	h.Arms = r.arms(n, src.Arms, sc, ir.Arm{Handler: h})
}

// trigger resolves one trigger; nil where it names what is not declared.
func (r *resolver) trigger(n *node, src *ast.Trigger) *ir.Trigger {
	t := &ir.Trigger{Span: src.Span()}
	ok := true
	switch src.Kind {
	case "done":
		t.Kind = ir.OnDone
	case "cancel":
		t.Kind = ir.OnCancel
	case "failed":
		t.Kind = ir.OnFailed
		for _, name := range src.Categories {
			if c, ok := find(r, r.categories, name); ok {
				t.Categories = append(t.Categories, c)
			}
		}
		ok = len(t.Categories) > 0 || len(src.Categories) == 0
	case ir.OverBudget:
		ok = r.overBudget(t, src)
	default:
		t.Kind = ir.OnEvent
		if r.lostLabels[textOf(src.Label)] {
			return nil // it may be the terminal of a machine
		}
		t.Event, ok = r.eventOf(src.Name)
	}
	if src.Label != nil && (t.Kind == ir.OnEvent || t.Kind == ir.OnFailed) {
		ok = r.label(n, t, src.Label) && ok
	}
	if !ok {
		return nil
	}
	if t.Kind == ir.OnEvent || t.Kind == ir.OnFailed {
		t.Element = r.elementOf(n, t)
	}
	return t
}

// overBudget resolves a trigger `over_budget`: the event of that name where the machine
// declares one, as it did before there was the word, else the input.
func (r *resolver) overBudget(t *ir.Trigger, src *ast.Trigger) bool {
	if e, declared := r.events.names[ir.OverBudget]; declared {
		t.Kind, t.Event = ir.OnEvent, e
		if src.Label == nil {
			r.noteAs(&src.Node, ir.OverBudget, e)
		}
		if len(src.Categories) > 0 {
			r.mismatch(src.Span(), quote(ir.OverBudget)+" is an event of this machine, and takes no costs",
				"Rename the event, so that the word means what it says of budgets.")
		}
		return len(src.Categories) == 0
	}
	t.Kind = ir.OnOverBudget
	if src.Label != nil {
		r.mismatch(src.Label.Span(), quote(ir.OverBudget)+" is of the whole run, and takes no label", "Remove the label.")
	}
	for _, name := range src.Categories {
		switch name.Text {
		case "steps":
			r.mismatch(name.Span(), "steps are not spent, and are not held to their budget while a run goes on", "Bound the loops of the machine with `max`.")
			continue
		case ir.BudgetTime:
			r.referWord(name)
		default:
			if _, known := find(r, r.costs, name); !known {
				continue
			}
			r.referShared(name, ir.CostName, r.firstCosts)
		}
		if !slices.Contains(t.Costs, name.Text) {
			t.Costs = append(t.Costs, name.Text)
		}
	}
	return src.Label == nil && (len(t.Costs) > 0 || len(src.Categories) == 0)
}

// eventOf is the event that a trigger names. A category of failure in its place
// is reported as what it is.
func (r *resolver) eventOf(name *ast.Name) (*ir.Event, bool) {
	if _, event := r.events.names[textOf(name)]; event || !present(name) {
		return find(r, r.events, name)
	}
	if r.categories.names[name.Text] != nil {
		r.misspelt(unknownName, name.Span(), quote(name.Text)+" is a category of failure, and no event", "", "failed("+name.Text+")")
		return nil, false
	}
	if meant := r.meantExit(name); meant != "" {
		r.misspelt(unknownName, name.Span(), "unknown event "+quote(name.Text)+": it is a terminal of a machine that is called", "", meant)
		return nil, false
	}
	if meant := r.meantInput(name); meant != "" {
		r.misspelt(unknownName, name.Span(), "unknown event "+quote(name.Text), "", meant)
		return nil, false
	}
	return find(r, r.events, name)
}

// meantExit is the terminal of a machine that is called which name, that is no event, was
// meant to be, with that machine; empty for none.
func (r *resolver) meantExit(name *ast.Name) string {
	for _, callee := range slices.Sorted(maps.Keys(r.calls)) {
		if r.calls[callee].exits[name.Text] != nil {
			return callee + "." + name.Text
		}
	}
	return ""
}

// meantInput is the input of the language that name, which is no event, was meant
// to be; empty for none.
func (r *resolver) meantInput(name *ast.Name) string {
	word := strings.ToLower(name.Text)
	switch {
	case word == "done" || word == "failed" || word == "cancel" || word == ir.OverBudget:
		return word
	case near(r, name.Text, r.events.names) == "":
		if meant, ok := diag.Nearest(word, []string{ir.OverBudget}); ok {
			return meant
		}
		return inputs[word]
	}
	return ""
}

// inputs are what people call the inputs that no event declares.
var inputs = map[string]string{
	"finished": "done", "completed": "done", "complete": "done", "success": "done", "succeeded": "done", "ok": "done",
	"failure": "failed", "fail": "failed", "error": "failed", "exception": "failed", "timed_out": "failed(timeout)",
	"canceled": "cancel", "cancelled": "cancel",
	"overbudget": "over_budget", "budget": "over_budget", "budget_exceeded": "over_budget",
}

// label resolves the label of t: that of an activity of n, or of one inside n.
func (r *resolver) label(n *node, t *ir.Trigger, name *ast.Name) bool {
	t.Label = name.Text
	if first := r.labelNames[name.Text]; first != nil {
		r.refer(name, ir.LabelName, &first.Pos)
	} else if c := r.calls[name.Text]; c != nil {
		r.refer(name, ir.MachineName, &c.callee.m.Span.Start)
	}
	bearers := r.labelled(n, name.Text)
	if len(bearers) == 1 {
		t.Do = bearers[0]
	}
	if len(bearers) == 0 && !r.lostLabels[name.Text] {
		r.unknown("label", name, near(r, name.Text, r.labels))
	}
	return len(bearers) > 0
}

// labelled lists the activities of n, and of the states inside it, that bear
// label. States are numbered so that those inside n follow upon it.
func (r *resolver) labelled(n *node, label string) []*ir.Do {
	if n.ir.Kind == ir.Leaf {
		for _, d := range n.ir.Dos {
			if d.Label == label {
				return []*ir.Do{d}
			}
		}
		return nil
	}
	all := r.labels[label]
	from := sort.Search(len(all), func(i int) bool { return all[i].State.ID >= n.ir.ID })
	to := sort.Search(len(all), func(i int) bool { return all[i].State.ID > n.last })
	return all[from:max(from, to)]
}

// after resolves an `after` of n.
func (r *resolver) after(n *node, src *ast.After) {
	t := &ir.Timer{State: n.ir, Idle: src.Idle, Jitter: r.ratOf(src.Jitter, nil), Span: src.Span()}
	r.delay(t, src.Delay)
	n.ir.Timers = append(n.ir.Timers, t)
	if !n.detached {
		t.ID = len(r.m.Timers)
		r.m.Timers = append(r.m.Timers, t)
	}
	t.Arms = r.arms(n, src.Arms, scope{arm: true, timer: true}, ir.Arm{Timer: t})
}

// delay resolves how long t runs: a duration, a duration field, or a time
// field.
func (r *resolver) delay(t *ir.Timer, src ast.Expr) {
	t.Delay = someWait
	if lit, ok := src.(*ast.Literal); ok {
		t.Delay, t.Source = r.durationOf(lit, someWait), lit.Text
		return
	}
	wait := r.expr(src, scope{})
	ref, isRef := wait.(*ir.VarRef)
	switch kind := wait.Type().Kind; {
	case isRef && ref.Var.Own:
		r.report("syntax", ref.Span(), `"after" takes a duration or the name of a field`, "Compute the time into a field first.")
	case isRef && (kind == ir.Duration || kind == ir.Time):
		t.Delay, t.Var = 0, ref.Var
	case !isBad(wait):
		r.mismatch(wait.Span(), "`after` wants a duration or a time, and "+quote(ir.ExprText(wait))+" is "+diag.Article(named(wait.Type())),
			"Write a duration such as 30s, or name a field of type duration or time.")
	}
}
