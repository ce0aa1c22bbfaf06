package xstate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/plan"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Target writes XState.
var Target = foreign.Target{Name: "xstate", Summary: "XState 5: a JavaScript module with a machine made by setup", Write: write}

// write makes a module of m and the machines that it calls, those that are called first.
func write(m *ir.Machine) *foreign.Result {
	var charts []*plan.Chart
	report := collect(m, map[*ir.Machine]bool{}, &charts)
	w := &writer{imports: map[string]bool{"setup": true}, names: map[*ir.Machine]string{}}
	for _, c := range charts {
		w.names[c.Machine] = w.constant(c.Machine.Name)
		w.machine(c)
	}
	return &foreign.Result{Text: []byte(w.head(m.Name) + w.String()), Report: report}
}

func collect(m *ir.Machine, seen map[*ir.Machine]bool, charts *[]*plan.Chart) *foreign.Report {
	seen[m] = true
	c := plan.Make(m, "xstate")
	for _, child := range c.Children {
		if !seen[child] {
			r := collect(child, seen, charts)
			c.Report.Machines = append(c.Report.Machines, r.Machines...)
			c.Report.Items = append(c.Report.Items, r.Items...)
		}
	}
	*charts = append(*charts, c)
	return c.Report
}

// writer holds a module in the making.
type writer struct {
	plan.Lines
	imports map[string]bool
	names   map[*ir.Machine]string // of the constants that are the machines
	said    bool                   // event is read

	c        *plan.Chart
	setup    map[string]*section
	node     *plan.Node
	activity string // which has failed, in the arms of that
}

// section is one part of what setup is given: implementations by their names.
type section struct {
	names []string
	texts map[string]string
}

// comment writes text as a comment. What ends a line in JavaScript alone is a blank.
func (w *writer) comment(text string) {
	for line := range strings.Lines(strings.NewReplacer("\r", " ", "\u2028", " ", "\u2029", " ").Replace(text)) {
		w.Line("// %s", strings.TrimSpace(line))
	}
}

// taken are names of the module that no machine can have.
var taken = append([]string{"and", "assign", "emit", "fromCallback", "fromPromise", "not", "or", "raise", "setup", "said"}, plan.Reserved...)

// constant is a name for a machine that nothing else in the module has.
func (w *writer) constant(name string) string {
	known := slices.AppendSeq(slices.Clone(taken), maps.Values(w.names))
	for slices.Contains(known, name) {
		name += "_"
	}
	return name
}

// implement notes an implementation, and is its name.
func (w *writer) implement(part, name, text string) string {
	s := w.setup[part]
	if s == nil {
		s = &section{texts: map[string]string{}}
		w.setup[part] = s
	}
	for i, want := 2, name; s.texts[name] != "" && s.texts[name] != text; i++ {
		name = fmt.Sprintf("%s (%d)", want, i)
	}
	if s.texts[name] == "" {
		s.names, s.texts[name] = append(s.names, name), text
	}
	return name
}

// head is what stands above the machines.
func (w *writer) head(name string) string {
	imports := slices.Sorted(maps.Keys(w.imports))
	text := "// " + name + ", a machine of fsmc, for XState 5. Made by fsmc export.\n" +
		"//\n// Durations are milliseconds, and times are milliseconds since 1970.\n" +
		"import { " + strings.Join(imports, ", ") + " } from \"xstate\";\n"
	if w.said {
		text += `
// said is what has the fields of an event, of a result, or of a failure. An activity that fails
// rejects with an error that has a category.
const said = (event) => {
  if (event.type.startsWith("xstate.done.actor.")) return event.output;
  if (event.type.startsWith("xstate.after.")) return { category: "timeout", message: "", attempt: 1 };
  if (!event.type.startsWith("xstate.error.actor.")) return event;
  const { category = "unknown", message = "" } = event.error ?? {};
  return { category, message, attempt: 1 };
};
`
	}
	return text
}

func (w *writer) machine(c *plan.Chart) {
	w.c, w.setup = c, map[string]*section{}
	outer := w.Lines
	w.Lines = plan.Lines{Depth: 1}
	w.config()
	config := w.String()
	w.Lines = outer
	w.Line("")
	w.comment(c.Machine.Doc)
	w.Open("export const %s = setup({", w.names[c.Machine])
	for _, part := range []string{"actors", "guards", "actions", "delays"} {
		s := w.setup[part]
		if s == nil {
			continue
		}
		w.Open("%s: {", part)
		for _, name := range s.names {
			if s.texts[name] == name {
				w.Line("%s,", name)
			} else {
				w.Line("%s: %s,", plan.Key(name), s.texts[name])
			}
		}
		w.Close("},")
	}
	w.Depth--
	w.WriteString("}).createMachine({\n" + config + "});\n")
}

func (w *writer) config() {
	m := w.c.Machine
	w.Line("id: %s,", plan.Quote(m.Name))
	w.context()
	w.inside(w.c.Root)
	w.Line("output: ({ event }) => event.output,")
}

// context writes the data: parameters, the values of the run itself, fields, and what the chart
// keeps.
func (w *writer) context() {
	m := w.c.Machine
	if len(m.Inputs())+len(m.Fields)+len(w.c.Vars) == 0 {
		return
	}
	w.Open("context: ({ input, self }) => ({")
	for _, v := range m.Params {
		w.Line("%s: %s,", plan.Key(v.Name), plan.Input("input", v.Name))
	}
	for _, v := range slices.Concat(m.Own, m.Fields) {
		w.Line("%s: %s,", plan.Key(v.Name), cmp.Or(plan.First(v, "self.id"), "undefined"))
	}
	for _, v := range w.c.Vars {
		w.Line("%s: %s, // %s", v.Name, v.Initial, v.About)
	}
	w.Close("}),")
}

// state writes n as a member of its parent's states.
func (w *writer) state(n *plan.Node) {
	w.Open("%s: {", n.Name)
	start := w.Len()
	w.inside(n)
	if w.CutEmpty(start, "\n") {
		w.WriteString("},\n")
		return
	}
	w.Close("},")
}

func (w *writer) inside(n *plan.Node) {
	outer := w.node
	w.node = n
	defer func() { w.node = outer }()
	if about := strings.TrimSpace(n.Doc + "\n" + strings.Join(n.Notes, "\n")); about != "" && n.Parent != nil || len(n.Notes) > 0 {
		if n.Parent == nil {
			about = strings.Join(n.Notes, "\n")
		}
		w.Line("description: %s,", plan.Quote(about))
	}
	switch n.Kind {
	case plan.Parallel:
		w.Line(`type: "parallel",`)
	case plan.Final:
		w.final(n)
	}
	if n.Initial != nil {
		w.Line("initial: %s,", plan.Quote(n.Initial.Name))
	}
	w.actions("entry", n.Entry)
	w.actions("exit", n.Exit)
	if n.Call != nil {
		w.invoke(n.Call)
	}
	w.events(n)
	w.arms("always", n.Always)
	w.after(n)
	w.arms("onDone", n.Done)
	if len(n.Children) > 0 {
		w.Open("states: {")
		for _, c := range n.Children {
			w.state(c)
		}
		w.Close("},")
	}
}

func (w *writer) final(n *plan.Node) {
	w.Line(`type: "final",`)
	if n.Of == nil {
		return
	}
	w.Line("tags: [%s],", plan.Quote(n.Of.Outcome))
	w.Line("output: ({ context }) => (%s),", plan.Object(plan.Outcomes(n.Of, w.script().Var)))
}

// events writes `on`, with what the elements of a list end with.
func (w *writer) events(n *plan.Node) {
	elements := n.Call != nil && n.Call.Fan
	if len(n.On) == 0 && !elements {
		return
	}
	w.Open("on: {")
	for _, h := range n.On {
		w.arms(h.Event, h.Arms)
	}
	if elements {
		w.elements(n.Call)
	}
	w.Close("},")
}

func (w *writer) after(n *plan.Node) {
	if len(n.After) == 0 {
		return
	}
	w.Open("after: {")
	seen := map[string]int{}
	for _, d := range n.After {
		key := w.delay(d)
		if seen[key]++; seen[key] > 1 {
			key = w.implement("delays", fmt.Sprintf("%s, %d", key, seen[key]), "({ context, event }) => "+w.script().Delay(d))
		}
		if d.Raises == "" {
			w.activity = d.Failed
			w.arms(key, d.Arms)
			w.activity = ""
			continue
		}
		w.imports["raise"] = true
		w.Line("%s: { actions: [%s] },", plan.Key(key), plan.Quote(w.implement("actions", "raise "+d.Raises, "raise({ type: "+plan.Quote(d.Raises)+" })")))
	}
	w.Close("},")
}

// delay is the name of a wait: its milliseconds, where these are an integer.
func (w *writer) delay(d *plan.Delay) string {
	switch ms := plan.Milliseconds(d.Wait); {
	case d.Holder != "":
		return w.implement("delays", d.Holder, "({ context }) => "+access(d.Holder))
	case d.Var != nil:
		return w.implement("delays", d.Var.Name, "({ context }) => "+w.script().Delay(d))
	case d.Jitter == 0 && ms == float64(int64(ms)):
		return plan.Number(ms)
	default:
		return w.implement("delays", fmt.Sprintf("%s ms", plan.Number(ms)), "() => "+w.script().Delay(d))
	}
}

func access(name string) string {
	if plan.Identifier(name) {
		return "context." + name
	}
	return "context[" + plan.Quote(name) + "]"
}

// script writes expressions over `context` and `event`.
func (w *writer) script() *plan.Script {
	return &plan.Script{Var: func(v *ir.Var) string { return access(v.Name) }, Event: "said(event)", Activity: w.activity}
}
