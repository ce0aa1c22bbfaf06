package xstate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign/plan"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// arms writes transitions under a key.
func (w *writer) arms(name string, arms []*plan.Arm) { w.given(name, nil, arms) }

// given writes transitions under a key; each takes place only where test holds, which may be nil.
func (w *writer) given(name string, test []string, arms []*plan.Arm) {
	if len(arms) > 0 {
		w.list(name, w.texts(test, arms))
	}
}

// list writes a key with one transition or several.
func (w *writer) list(name string, texts []string) {
	if len(texts) == 1 {
		w.Line("%s: %s,", plan.Key(name), texts[0])
		return
	}
	w.Open("%s: [", plan.Key(name))
	for _, t := range texts {
		w.Line("%s,", t)
	}
	w.Close("],")
}

func (w *writer) texts(test []string, arms []*plan.Arm) []string {
	var texts []string
	for _, a := range arms {
		texts = append(texts, w.arm(test, a))
	}
	return texts
}

func (w *writer) arm(test []string, a *plan.Arm) string {
	var parts []string
	guards := slices.Clone(test)
	for _, c := range a.When {
		guards = append(guards, w.cond(c))
	}
	if len(guards) > 0 {
		parts = append(parts, "guard: "+w.all(guards))
	}
	if a.Target != nil {
		parts = append(parts, "target: "+plan.Quote(w.target(a.Target)))
	}
	if a.Reenter {
		parts = append(parts, "reenter: true")
	}
	if actions := w.named(a.Actions); len(actions) > 0 {
		parts = append(parts, "actions: ["+strings.Join(actions, ", ")+"]")
	}
	if len(parts) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(parts, ", ") + " }"
}

// all is guards that have to hold together.
func (w *writer) all(guards []string) string {
	if len(guards) == 1 {
		return guards[0]
	}
	return w.join("and", guards...)
}

// target is how n is written where the arm stands.
func (w *writer) target(n *plan.Node) string {
	switch n.Parent {
	case w.node:
		return "." + n.Name
	case w.node.Parent:
		return n.Name
	}
	return "#" + w.c.Machine.Name + "." + n.Path
}

func (w *writer) cond(c plan.Cond) string {
	switch {
	case c.Below != "":
		return plan.Quote(w.implement("guards", fmt.Sprintf("%s < %d", c.Below, c.Limit), fmt.Sprintf("({ context }) => %s < %d", access(c.Below), c.Limit)))
	case c.Unless != "":
		return plan.Quote(w.implement("guards", "not "+c.Unless, "({ context }) => !"+access(c.Unless)))
	}
	return w.guard(c.Expr)
}

// guard is a condition of the machine: a host guard by its name, so that a program can provide it,
// and everything else with an implementation.
func (w *writer) guard(e ir.Expr) string {
	if len(ir.GuardCalls(e)) == 0 {
		return plan.Quote(w.implement("guards", ir.ExprText(e), w.function(w.script().Expr(e))))
	}
	switch e := e.(type) {
	case *ir.Call:
		return w.host(e)
	case *ir.Unary:
		return w.combine("not", e.X)
	case *ir.Binary:
		switch e.Op {
		case ir.OpAnd:
			return w.combine("and", e.X, e.Y)
		case ir.OpOr:
			return w.combine("or", e.X, e.Y)
		case ir.OpEq, ir.OpNe:
			return w.same(e)
		}
	}
	return plan.Quote(ir.ExprText(e))
}

func (w *writer) combine(op string, of ...ir.Expr) string {
	var guards []string
	for _, e := range of {
		guards = append(guards, w.guard(e))
	}
	return w.join(op, guards...)
}

func (w *writer) join(op string, guards ...string) string {
	w.imports[op] = true
	if op == "not" {
		return "not(" + guards[0] + ")"
	}
	return op + "([" + strings.Join(guards, ", ") + "])"
}

// same is `a == b` or `a != b` of booleans, one of which asks a host guard.
func (w *writer) same(e *ir.Binary) string {
	x, y := w.guard(e.X), w.guard(e.Y)
	both := w.join("or", w.join("and", x, y), w.join("and", w.join("not", x), w.join("not", y)))
	if e.Op == ir.OpNe {
		return w.join("not", both)
	}
	return both
}

// host is a host guard: by its name, with its arguments as params.
func (w *writer) host(e *ir.Call) string {
	g := e.Guard
	w.implement("guards", g.Name, missing("guards", g.Name, "", ""))
	if len(e.Args) == 0 {
		return plan.Quote(g.Name)
	}
	params := plan.Object(w.script().Args(g.Params, e.Args))
	return fmt.Sprintf("{ type: %s, params: %s }", plan.Quote(g.Name), w.function("("+params+")"))
}

// missing is what stands for what a program provides.
func missing(part, name, open, end string) string {
	return fmt.Sprintf("%s() => { throw new Error(%s); }%s", open,
		plan.Quote(fmt.Sprintf("provide({ %s: { %s } }) is missing", part, plan.Key(name))), end)
}

// function is a function of the data and the event that computes text.
func (w *writer) function(text string) string {
	switch event := strings.Contains(text, "said(event)"); {
	case event:
		w.said = true
		return "({ context, event }) => " + text
	case strings.Contains(text, "context"):
		return "({ context }) => " + text
	}
	return "() => " + text
}

// actions writes a list of actions under a key.
func (w *writer) actions(name string, actions []plan.Action) {
	if named := w.named(actions); len(named) > 0 {
		w.Line("%s: [%s],", name, strings.Join(named, ", "))
	}
}

// named gives each action an implementation, and is their names, in quotes.
func (w *writer) named(actions []plan.Action) []string {
	var names []string
	add := func(name, text string) { names = append(names, plan.Quote(w.implement("actions", name, text))) }
	for _, a := range actions {
		switch a.Kind {
		case plan.Effects:
			for _, p := range a.Block.Publishes {
				w.publish(p, add)
			}
			w.assign(a.Block.Assigns, add)
		case plan.Count:
			add(a.Var+" + 1", w.assigned([]plan.Property{{Path: a.Var, Value: access(a.Var) + " + 1"}}))
		case plan.Set:
			add(a.Var+" = "+a.Text, w.assigned([]plan.Property{{Path: a.Var, Value: a.Text}}))
		case plan.Wait:
			wait := w.script().Backoff(a.Backoff, access(a.Counter))
			add(a.Var+" by "+a.Counter, w.assigned([]plan.Property{{Path: a.Var, Value: wait}}))
		case plan.Reset:
			w.reset(a, add)
		}
	}
	return names
}

func (w *writer) reset(a plan.Action, add func(name, text string)) {
	var zeros []plan.Property
	for _, v := range a.Vars {
		zeros = append(zeros, plan.Property{Path: v, Value: "0"})
	}
	name := strings.Join(a.Vars, ", ") + " = 0"
	if a.Outside == nil {
		add(name, w.assigned(zeros))
		return
	}
	w.imports["assign"] = true
	path := plan.Quote(a.Outside.Path)
	add(name+" from outside "+a.Outside.Path, fmt.Sprintf("assign(({ context }) => (%s === %s || %s.startsWith(%s) ? {} : %s))",
		access(w.c.From), path, access(w.c.From), plan.Quote(a.Outside.Path+"."), plan.Object(zeros)))
}

func (w *writer) publish(p *ir.Publish, add func(name, text string)) {
	w.imports["emit"] = true
	fields := append([]plan.Property{{Path: "type", Value: plan.Quote(p.Event.Name)}}, w.script().Fields(p)...)
	var values []string
	for i, v := range p.Values {
		values = append(values, p.Event.Fields[i].Name+" = "+ir.ExprText(v))
	}
	name := strings.TrimSuffix("publish "+p.Event.Name+" { "+strings.Join(values, ", ")+" }", " {  }")
	add(name, "emit("+w.function("("+plan.Object(fields)+")")+")")
}

func (w *writer) assign(assigns []*ir.Assign, add func(name, text string)) {
	var names []string
	var values []plan.Property
	for _, a := range assigns {
		if a.Keeps {
			continue
		}
		if text := a.Text(); !slices.Contains(names, text) {
			names = append(names, text)
		}
		value := "undefined"
		if a.Value != nil {
			value = w.script().Expr(a.Value)
		}
		values = append(values, plan.Property{Path: a.Var.Name, Value: value})
	}
	if len(values) > 0 {
		add(strings.Join(names, ", "), w.assigned(values))
	}
}

// assigned is an action that assigns values, all at once.
func (w *writer) assigned(values []plan.Property) string {
	w.imports["assign"] = true
	parts := ir.Listed(values, func(v plan.Property) string { return plan.Key(v.Path) + ": " + v.Value })
	return "assign(" + w.function("({ "+parts+" })") + ")"
}
