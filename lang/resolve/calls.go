package resolve

import (
	"maps"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// A machine that is called is to its caller an activity: its parameters are those of the
// machine, its results the terminals, each an event with what the terminal returns. So
// results, arms, fan-outs and labels need no case for it.

// call is that a machine calls another one.
type call struct {
	callee   *resolver
	do       *ast.Do // the first that does
	activity *ir.Activity
	exits    map[string]*ir.Event // by the name of the terminal
	by       *ir.Import           // which brings it; nil where it stands in the same file
	known    map[*ir.Var]bool     // of what it takes and returns: whether the caller knows the type
}

// callable is a machine that a file knows.
type callable struct {
	file *file // in which it stands
	src  *ast.Machine
	imp  *ir.Import // which brings it; nil for one of the file
}

// call is a call of src; nil where the file knows no such machine.
func (f *file) call(src *ast.Do) *call {
	c, ok := f.callables[src.Activity.Text]
	if !ok {
		return nil
	}
	if c.imp != nil {
		c.imp.Used = true
	}
	return &call{callee: c.file.resolverOf(c.src), do: src, by: c.imp, known: map[*ir.Var]bool{}}
}

// resolverOf is the resolver of a machine of f, with what it declares.
func (f *file) resolverOf(src *ast.Machine) *resolver {
	if known := f.resolvers[src]; known != nil {
		return known
	}
	f.declare()
	f.resolveImports()
	f.completeRecords()
	r := newResolver(f.unit, src)
	r.file, r.enums.outer, r.records.outer = f, f.imported, f.importedRecords
	f.resolvers[src] = r
	r.declarations()
	r.m.Incomplete = r.m.Incomplete || f.faulty
	if !f.named {
		f.outside = append(f.outside, r)
	}
	return r
}

// findCalls finds the machines that the states call, once.
func (r *resolver) findCalls() {
	if r.calls != nil {
		return
	}
	r.calls = map[string]*call{}
	for _, n := range r.nodes {
		for src := range ast.Of[*ast.Do](n.items) {
			if src.Machine && present(src.Activity) && r.calls[src.Activity.Text] == nil {
				if c := r.file.call(src); c != nil {
					r.calls[src.Activity.Text] = c
				}
			}
		}
	}
}

// declareCalls declares the machines that the states call, in the order of their names.
func (r *resolver) declareCalls() {
	r.findCalls()
	for _, c := range r.inOrder() {
		r.declareCall(c)
	}
}

// addCosts notes what the machines that r calls, and that these call, may spend. Where r has
// a budget that is of costs of r, too: those of a run are those of its tree.
func (r *resolver) addCosts() {
	held := false
	for range ast.Of[*ast.Budget](r.src.Items) {
		held = true
	}
	for _, c := range r.inOrder() {
		c.activity.Below = c.callee.spent()
		for _, name := range c.activity.Below {
			if held {
				r.costs.keep(name, true)
			}
		}
	}
}

// spent are the costs that a run of r, and those below it, may spend, by name.
func (r *resolver) spent() []string {
	names := map[string]bool{}
	known := map[*resolver]bool{r: true}
	for next := []*resolver{r}; len(next) > 0; next = next[1:] {
		for _, a := range next[0].m.Activities {
			for _, cost := range a.Costs {
				names[cost.Name] = true
			}
		}
		next[0].findCalls()
		for _, c := range next[0].inOrder() {
			if !known[c.callee] {
				known[c.callee] = true
				next = append(next, c.callee)
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// declareCall declares a machine that is called as an activity, and its terminals as
// events.
func (r *resolver) declareCall(c *call) {
	m := c.callee.m
	if first := r.callables.first(ir.Exported(m.Name)); first != nil {
		r.report(duplicateName, c.do.Activity.Span(), "machine "+quote(m.Name)+" is called here, and "+r.callables.kind+" "+quote(first.Text)+" has its name",
			"Rename the activity or the guard.", related(first.Span(), "it is declared here"))
	}
	a := &ir.Activity{
		Name: m.Name, Machine: m, Params: r.paramsOf(c), Fails: []*ir.Category{r.cancelled()},
		Doc: m.Doc, Span: c.do.Activity.Span(), Index: len(r.m.Activities),
	}
	c.activity, c.exits = a, map[string]*ir.Event{}
	r.m.Activities = append(r.m.Activities, a)
	for _, s := range m.Root.Children {
		if s.Kind != ir.Terminal {
			continue
		}
		e := &ir.Event{
			Name: m.Name + "." + s.Name, Terminal: s, Raisers: []*ir.Activity{a},
			Doc: s.Doc, Span: s.Span, Index: len(r.m.Events),
		}
		r.payload[e] = map[string]*ir.EventField{}
		r.partial[e] = m.Incomplete // it may return what could not be read
		var returns []*ir.Var
		for _, ref := range s.Returns {
			returns = append(returns, ref.Var)
		}
		wholes := map[*ir.Field]*ir.Field{}
		for i, v := range r.handedOver(c, returns) {
			f := &ir.EventField{Slot: v.Slot, Index: i}
			f.Whole = returned(v.Whole, wholes)
			if v.Whole == nil {
				f.Within = nil
			} else if v.Whole != f.Whole {
				f.Within = v.Within[1:]
			}
			f.Optional = len(f.Within) > 0
			e.Fields = append(e.Fields, f)
			if r.payload[e][v.Declared()] == nil {
				r.payload[e][v.Declared()] = &ir.EventField{Slot: ir.Slot{Name: v.Declared(), Type: v.DeclaredType(), Doc: f.Doc, Span: f.Span}, Index: i}
			}
		}
		a.Results = append(a.Results, e)
		c.exits[s.Name] = e
		r.m.Events = append(r.m.Events, e)
	}
}

// returned is w where a terminal returns it: then it is there. Made keeps those that are not w itself.
func returned(w *ir.Field, made map[*ir.Field]*ir.Field) *ir.Field {
	if w == nil || !w.Optional {
		return w
	}
	if made[w] == nil {
		there := *w
		there.Optional = false
		made[w] = &there
	}
	return made[w]
}

// paramsOf are the parameters of a machine that is called, as an activity has them.
func (r *resolver) paramsOf(c *call) []*ir.Param {
	var out []*ir.Param
	for _, v := range r.handedOver(c, c.callee.m.Params) {
		out = append(out, &ir.Param{Slot: v.Slot})
	}
	return out
}

// handedOver are vars, which a machine takes from those that call it, or returns to them, as
// r knows them: of a type that it does not know, one whose type is Invalid.
func (r *resolver) handedOver(c *call, vars []*ir.Var) []*ir.Var {
	var out []*ir.Var
	unknown := false
	for i, v := range vars {
		if i == 0 || !v.Together(vars[i-1]) {
			known, asked := c.known[v]
			if !asked {
				known = r.knows(c, v)
				c.known[v] = known
			}
			unknown = !known
			if unknown {
				out = append(out, &ir.Var{Slot: ir.Slot{Name: v.Declared(), Type: invalid, Optional: v.Optional, Span: v.Span}})
			}
		}
		if !unknown {
			out = append(out, v)
		}
	}
	return out
}

// knows reports whether r knows the type of v, which a machine that it calls takes or
// returns; else that is reported.
func (r *resolver) knows(c *call, v *ir.Var) bool {
	inner, at := v.DeclaredType().Innermost(), c.do.Activity.Span()
	what := quote(v.Declared()) + " of machine " + quote(c.callee.m.Name)
	switch {
	case inner.Kind == ir.EnumKind && !inner.Enum.OfFile:
		r.foreign(at, what, "enum", inner.Enum.Name, inner.Enum.Span)
		return false
	case inner.Kind == ir.EnumKind:
		return r.useEnum(inner.Enum, at, what)
	case inner.Kind != ir.RecordKind:
		return true
	case !inner.Record.OfFile:
		r.foreign(at, what, "record", inner.Record.Name, inner.Record.Span)
		return false
	}
	if known, ok := r.records.lookup(inner.Record.Name); ok && known != inner.Record {
		r.otherType(at, what, "record", inner.Record.Name, inner.Record.Span, known.Span)
		return false
	}
	r.useRecord(inner.Record, at)
	return true
}

// foreign reports that what, which a machine takes from those that call it, or returns to
// them, has a type that is declared inside that machine.
func (r *resolver) foreign(at token.Span, what, kind, name string, declared token.Span) {
	r.report(typeMismatch, at, what+" is of "+kind+" "+quote(name)+", which is declared inside that machine",
		"Declare the "+kind+" in a file, outside its machines.", related(declared, "it is declared here"))
}

// cancelled is the category of a child that ended in no terminal.
func (r *resolver) cancelled() *ir.Category {
	if c := r.categories.names[ir.Cancelled]; c != nil {
		return c
	}
	c := &ir.Category{Name: ir.Cancelled}
	r.categories.keep(c.Name, c)
	r.m.Categories = slices.Insert(r.m.Categories, len(r.m.Categories)-len(builtinCategories), c)
	for i, other := range r.m.Categories {
		other.Index = i
	}
	return c
}

// doMachine resolves the machine that d calls, and what it may not have; nil where the
// machine is unknown.
func (r *resolver) doMachine(d *ir.Do, src *ast.Do) *ir.Activity {
	name := src.Activity
	if !present(name) {
		return nil
	}
	if src.Scope != nil {
		r.mismatch(src.Scope.Span(), "`per` on a machine: each time it is called, a run of its own begins", "Remove `per`.")
		d.Scope = ir.Scope{Kind: ir.PerVisit}
	}
	for _, l := range src.Limits {
		if l.Name != "timeout" {
			r.mismatch(l.Span(), quote(l.Name)+" on a machine: a run reports no such thing to the one that calls it", "Remove it, or write a `timeout`.")
		}
	}
	d.Heartbeat, d.Progress = nil, nil
	if c := r.calls[name.Text]; c != nil {
		r.refer(name, ir.MachineName, &c.callee.m.Span.Start)
		return c.activity
	}
	if _, other := r.callables.names[name.Text]; other {
		kind, help := "an activity", "Write `do "+name.Text+"(…)`."
		if r.callables.names[name.Text] {
			kind, help = "a guard", "Call a machine here; guards are asked in `when`."
		}
		r.report(unknownName, name.Span(), quote(name.Text)+" is "+kind+", and no machine", help)
		return nil
	}
	r.unknownMachine(name)
	return nil
}

// unknownMachine reports that no machine is called name: one that another file of the
// unit declares needs an import.
func (r *resolver) unknownMachine(name *ast.Name) {
	if other := r.declaring[name.Text]; other != nil {
		r.report(unknownName, name.Span(), "machine "+quote(name.Text)+" is not known in this file", "Import the file that declares it.",
			related(other.Span(), "it is declared here"))
		return
	}
	r.unknown("machine", name, near(r, name.Text, r.file.callables))
}

// labelOf is how the arms of n call d: a machine without `as` by its name. Where that is
// taken it is reported, and the label is empty.
func (r *resolver) labelOf(n *node, d *ir.Do, src *ast.Do, labels *space[bool]) string {
	name := src.Label
	if name == nil && d.Activity.Machine != nil {
		name = src.Activity
		if unlabelled, taken := labels.names[name.Text]; taken && unlabelled {
			r.report(ambiguousLabel, name.Span(), r.says(n)+" calls machine "+quote(name.Text)+" twice without a label",
				"Write `as` and a name of its own behind each, so that the arms can tell them apart.")
			return ""
		}
	}
	if present(src.Label) {
		r.referShared(src.Label, ir.LabelName, r.labelNames)
	}
	if name == nil || !claim(r, labels, name, src.Label == nil) {
		return ""
	}
	return name.Text
}

// exitsOf resolves a trigger that names the terminal of a machine, by a label of n or by
// the name of the machine: a trigger for each machine that is meant. It is false where
// src is no such trigger.
func (r *resolver) exitsOf(n *node, src *ast.Trigger) ([]*ir.Trigger, bool) {
	if src.Kind != "event" || !present(src.Label) || !present(src.Name) || len(r.calls) == 0 {
		return nil, false
	}
	label, byLabel := src.Label.Text, false
	var called []*ir.Activity
	for _, d := range r.labelled(n, label) {
		if d.Activity.Machine == nil || d.Activity.Name != label {
			byLabel = true
		}
		if d.Activity.Machine != nil && !slices.Contains(called, d.Activity) {
			called = append(called, d.Activity)
		}
	}
	if c := r.calls[label]; c != nil && !byLabel {
		called = []*ir.Activity{c.activity}
		r.refer(src.Label, ir.MachineName, &c.callee.m.Span.Start)
	}
	if len(called) == 0 {
		return nil, false
	}
	var out []*ir.Trigger
	if e := r.events.names[src.Name.Text]; e != nil && byLabel {
		if t := r.trigger(n, src); t != nil {
			out = append(out, t)
		}
	}
	names := map[string]bool{}
	for _, a := range called {
		exits := r.calls[a.Name].exits
		for name := range exits {
			names[name] = true
		}
		if e := exits[src.Name.Text]; e != nil {
			r.refer(src.Name, ir.TerminalName, &e.Span.Start)
			t := &ir.Trigger{Kind: ir.OnEvent, Event: e, Span: src.Span()}
			if byLabel {
				r.label(n, t, src.Label)
			}
			t.Element = r.elementOf(n, t)
			out = append(out, t)
		}
	}
	if len(out) == 0 && !called[0].Machine.Incomplete {
		help := "It has no terminal at all: say there how a run ends."
		if len(names) > 0 {
			help = "Name one of its terminals: " + strings.Join(slices.Sorted(maps.Keys(names)), ", ") + "."
		}
		r.misspelt(unknownName, src.Name.Span(), "machine "+quote(called[0].Name)+" has no terminal "+quote(src.Name.Text), help, near(r, src.Name.Text, names))
	}
	return out, true
}
