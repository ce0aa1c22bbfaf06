package scxml

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign/plan"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// arms writes a transition for each arm; all take place only where test holds, which may be empty.
func (w *writer) arms(event, test string, arms []*plan.Arm) {
	for _, a := range arms {
		w.arm(event, test, a)
	}
}

func (w *writer) arm(event, test string, a *plan.Arm) {
	var conds []string
	if test != "" {
		conds = append(conds, test)
	}
	for _, c := range a.When {
		conds = append(conds, w.cond(c))
	}
	if len(conds) > 1 {
		for i, c := range conds {
			conds[i] = "(" + c + ")"
		}
	}
	target, inner := "", ""
	if a.Target != nil {
		target = id(a.Target)
		for n := a.Target.Parent; n != nil; n = n.Parent {
			if n == w.node {
				inner = "internal"
			}
		}
		if w.node.Parent == nil && a.Target.Kind == plan.Final {
			inner = "" // it stands outside of the state around all others
		}
	}
	tag := "transition" + attribute("event", event) + attribute("cond", strings.Join(conds, " && ")) + attribute("target", target) + attribute("type", inner)
	if len(a.Actions) == 0 {
		w.Line("<%s/>", tag)
		return
	}
	w.Open("<%s>", tag)
	w.actions(a.Actions)
	w.Close("</transition>")
}

func (w *writer) cond(c plan.Cond) string {
	switch {
	case c.Below != "":
		return fmt.Sprintf("%s < %d", c.Below, c.Limit)
	case c.Unless != "":
		return "!" + c.Unless
	}
	return w.script().Expr(c.Expr)
}

func (w *writer) actions(actions []plan.Action) {
	for _, a := range actions {
		switch a.Kind {
		case plan.Effects:
			for _, p := range a.Block.Publishes {
				w.publish(p)
			}
			w.assign(a.Block.Assigns)
		case plan.Count:
			w.set(a.Var, a.Var+" + 1")
		case plan.Set:
			w.set(a.Var, a.Text)
		case plan.Wait:
			w.set(a.Var, w.script().Backoff(a.Backoff, a.Counter))
		case plan.Reset:
			w.reset(a)
		}
	}
}

func (w *writer) set(name, value string) {
	w.Line("<assign%s%s/>", attribute("location", name), attribute("expr", value))
}

func (w *writer) reset(a plan.Action) {
	if a.Outside != nil {
		path := plan.Quote(a.Outside.Path)
		w.Open("<if%s>", attribute("cond", fmt.Sprintf("%s !== %s && !%s.startsWith(%s)", w.c.From, path, w.c.From, plan.Quote(a.Outside.Path+"."))))
		defer w.Close("</if>")
	}
	for _, v := range a.Vars {
		w.set(v, "0")
	}
}

func (w *writer) publish(p *ir.Publish) {
	fields := w.script().Fields(p)
	tag := "send" + attribute("event", p.Event.Name) + attribute("target", "#_parent")
	if len(fields) == 0 {
		w.Line("<%s/>", tag)
		return
	}
	w.Line("<%s><content%s/></send>", tag, attribute("expr", "("+plan.Object(fields)+")"))
}

// assign writes the effects of a block, which happen at once: where one reads what another one
// before it has assigned, all values are computed first.
func (w *writer) assign(assigns []*ir.Assign) {
	var names, values []string
	var assigned []*ir.Var
	depends := false
	for _, a := range assigns {
		if a.Keeps {
			continue
		}
		value := "undefined"
		if a.Value != nil {
			value = w.script().Expr(a.Value)
			depends = depends || reads(a.Value, assigned)
		}
		names, values, assigned = append(names, w.names[a.Var]), append(values, value), append(assigned, a.Var)
	}
	if depends {
		w.set("block_", "["+strings.Join(values, ", ")+"]")
	}
	for i, name := range names {
		if depends {
			values[i] = fmt.Sprintf("block_[%d]", i)
		}
		w.set(name, values[i])
	}
}

func reads(e ir.Expr, vars []*ir.Var) bool {
	return slices.ContainsFunc(ir.Vars(e), func(v *ir.Var) bool { return slices.Contains(vars, v) })
}

// call writes what runs while a state is active, and what becomes of its ends.
func (w *writer) call(c *plan.Call) {
	kind, src := "activity", c.Name
	switch {
	case c.Fan:
		src = c.Name + " for " + c.Do.Fan.List.Name
	case c.Machine != nil:
		kind, src = "scxml", ""
	}
	w.Open("<invoke%s%s%s>", attribute("type", kind), attribute("id", c.ID), attribute("src", src))
	start := w.Len()
	if c.Fan {
		w.param("items", w.names[c.Do.Fan.List])
		if c.Do.Fan.Limit > 0 {
			w.param("limit", fmt.Sprint(c.Do.Fan.Limit))
		}
	}
	for _, p := range plan.Nested(w.script().Args(c.Do.Activity.Params, c.Do.Args), plan.Object) {
		w.param(p.Path, p.Value)
	}
	if kind == "scxml" {
		w.Open("<content>")
		w.machine(c.Machine)
		w.Close("</content>")
	}
	w.end("invoke", start)
	w.ends(c)
}

func (w *writer) param(name, expr string) {
	w.Line("<param%s%s/>", attribute("name", name), attribute("expr", expr))
}

func (w *writer) ends(c *plan.Call) {
	for _, r := range c.Results {
		event, test := "done.invoke."+c.ID, ""
		if c.Fan {
			event = "done.element." + c.Event(r.Event.Exit())
		} else if len(c.Results) > 1 {
			test = "_event.data.type === " + plan.Quote(r.Event.Exit())
		}
		w.arms(event, test, r.Arms)
	}
	w.arms("done.invoke."+c.ID, "", c.Nothing)
	event := "failed.invoke." + c.ID
	if c.Fan {
		event = "done.element." + c.Event("failed")
	}
	w.activity = c.Name
	for _, e := range c.Failures {
		w.arms(event, e.Test("_event.data.category", len(c.Failures)), e.Arms)
	}
	w.activity = ""
}
