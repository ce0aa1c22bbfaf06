package scxml

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/plan"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Target writes SCXML.
var Target = foreign.Target{Name: "scxml", Summary: "SCXML with data and conditions in ECMAScript", Write: write}

func write(m *ir.Machine) *foreign.Result {
	w := &writer{report: &foreign.Report{Format: "scxml"}}
	w.Line("<!-- %s, a machine of fsmc. Made by fsmc export.", m.Name)
	for _, l := range strings.Split(conventions, "\n") {
		w.Line("     %s", l)
	}
	w.machine(m)
	return &foreign.Result{Text: []byte(w.String()), Report: w.report}
}

const conventions = `Durations are milliseconds, and times are milliseconds since 1970. An invoke of type "activity"
is a program's: it ends with the event done.invoke.ID, whose data have a type, the name of
its result, or with failed.invoke.ID, whose data have a category. For each element of a list
done.element.ID.RESULT and done.element.ID.failed come first. Messages go to #_parent. -->`

// writer holds a text in the making.
type writer struct {
	plan.Lines
	report *foreign.Report

	m        *ir.Machine
	c        *plan.Chart
	names    map[*ir.Var]string
	node     *plan.Node
	activity string // which has failed, in the arms of that
	limit    bool   // a limit of time is what it has failed by
}

// comment writes text as a comment, in which no two hyphens may stand.
func (w *writer) comment(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for strings.Contains(line, "--") {
			line = strings.ReplaceAll(line, "--", "- -")
		}
		if line != "" {
			w.Line("<!-- %s -->", strings.TrimSuffix(strings.Map(printable, line), "-"))
		}
	}
}

// printable is r where XML allows it, and else a mark that stands for it.
func printable(r rune) rune {
	if r < ' ' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
		return '\uFFFD'
	}
	return r
}

// attribute is ` name="value"`, and nothing without a value. A value with quotes stands between
// the others.
func attribute(name, value string) string {
	if value == "" {
		return ""
	}
	var b strings.Builder
	xml.EscapeText(&b, []byte(value))
	text, quote := strings.ReplaceAll(b.String(), "&gt;", ">"), `"`
	if strings.Contains(value, `"`) && !strings.Contains(value, "'") {
		text, quote = strings.ReplaceAll(text, "&#34;", `"`), "'"
	}
	return " " + name + "=" + quote + text + quote
}

// name gives each datum a name.
func (w *writer) name() {
	w.names = map[*ir.Var]string{}
	taken := append(slices.Clone(plan.Reserved), "block_", "part_", "key_")
	for _, v := range w.c.Vars {
		taken = append(taken, v.Name)
	}
	for _, g := range w.m.Guards {
		taken = append(taken, g.Name)
	}
	for _, v := range slices.Concat(w.m.Inputs(), w.m.Fields) {
		name := strings.ReplaceAll(v.Name, ".", "_")
		for slices.Contains(taken, name) || strings.HasPrefix(name, "_") {
			name = strings.TrimLeft(name, "_") + "_"
		}
		w.names[v] = name
		taken = append(taken, name)
	}
}

func (w *writer) machine(m *ir.Machine) {
	outer := *w
	w.m, w.c = m, plan.Make(m, "scxml")
	w.name()
	w.report.Machines = append(w.report.Machines, w.c.Report.Machines...)
	w.report.Items = append(w.report.Items, w.c.Report.Items...)
	w.comment(m.Doc)
	root := w.c.Root
	initial := id(root.Initial)
	wrapped := len(root.On)+len(root.After)+len(root.Entry) > 0
	if wrapped {
		initial = w.root()
	}
	w.Open(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript"%s%s>`, attribute("name", m.Name), attribute("initial", initial))
	w.data()
	w.functions()
	if wrapped {
		w.Open("<state%s%s>", attribute("id", initial), attribute("initial", id(root.Initial)))
		w.inside(root, func(n *plan.Node) bool { return n.Kind != plan.Final })
		w.Close("</state>")
	} else {
		w.comment(strings.Join(root.Notes, "\n"))
	}
	for _, n := range root.Children {
		if n.Kind == plan.Final || !wrapped {
			w.state(n)
		}
	}
	w.Close("</scxml>")
	w.m, w.c, w.names, w.node = outer.m, outer.c, outer.names, outer.node
}

// root is the id of the state around all that are not final.
func (w *writer) root() string {
	name := w.m.Name
	for slices.ContainsFunc(w.m.Root.Children, func(s *ir.State) bool { return s.Name == name }) {
		name += "-"
	}
	return name
}

// id is that of a node. Names have no hyphens, and the tokens of an event's name end at dots.
func id(n *plan.Node) string { return strings.ReplaceAll(n.Path, ".", "-") }

func (w *writer) data() {
	if len(w.names)+len(w.c.Vars) == 0 {
		return
	}
	w.Open("<datamodel>")
	for _, v := range slices.Concat(w.m.Inputs(), w.m.Fields) {
		w.Line("<data%s%s/>", attribute("id", w.names[v]), attribute("expr", plan.First(v, "_sessionid")))
	}
	for _, v := range w.c.Vars {
		w.comment(v.About)
		w.Line("<data%s%s/>", attribute("id", v.Name), attribute("expr", v.Initial))
	}
	w.Line(`<data id="block_"/>`)
	w.Close("</datamodel>")
}

// functions writes those that expressions call: a host guard is one that a program replaces.
func (w *writer) functions() {
	w.Open("<script>")
	w.Line(`function part_(x, name) { return x === undefined || x === null ? undefined : x[name]; }`)
	w.Line(`function key_(x, name) { x = part_(x, name); return x === undefined ? null : x; }`)
	for _, g := range w.m.Guards {
		w.Line("function %s(args) { throw new Error(%s); }", g.Name, plan.Quote(g.Name+": a program answers it"))
	}
	w.Close("</script>")
}

func (w *writer) state(n *plan.Node) {
	w.comment(n.Doc)
	word := cmp.Or(map[plan.Kind]string{plan.Parallel: "parallel", plan.Final: "final"}[n.Kind], "state")
	initial := ""
	if n.Initial != nil {
		initial = id(n.Initial)
	}
	w.Open("<%s%s%s>", word, attribute("id", id(n)), attribute("initial", initial))
	start := w.Len()
	w.inside(n, func(*plan.Node) bool { return true })
	w.end(word, start)
}

// end closes an element that was opened at start; one with nothing in it closes itself.
func (w *writer) end(word string, start int) {
	if w.CutEmpty(start, ">\n") {
		w.WriteString("/>\n")
		return
	}
	w.Close("</" + word + ">")
}

// inside writes what is in n, with those states that belong there.
func (w *writer) inside(n *plan.Node, belongs func(*plan.Node) bool) {
	outer := w.node
	w.node = n
	defer func() { w.node = outer }()
	w.comment(strings.Join(n.Notes, "\n"))
	var starts, ends []string
	for _, d := range n.After {
		starts = append(starts, "<send"+attribute("event", event(d))+attribute("id", timer(d))+w.delay(d)+"/>")
		ends = append(ends, "<cancel"+attribute("sendid", timer(d))+"/>")
	}
	w.steps("onentry", n.Entry, starts)
	w.steps("onexit", n.Exit, ends)
	if n.Kind == plan.Final && n.Of != nil {
		w.outcome(n)
	}
	if n.Call != nil {
		w.call(n.Call)
	}
	for _, h := range n.On {
		w.arms(h.Event, "", h.Arms)
	}
	w.arms("", "", n.Always)
	for _, d := range n.After {
		w.timed(d)
	}
	w.arms("done.state."+id(n), "", n.Done)
	for _, c := range n.Children {
		if belongs(c) {
			w.state(c)
		}
	}
}

// steps writes executable content, and lines behind it.
func (w *writer) steps(word string, actions []plan.Action, lines []string) {
	if len(actions)+len(lines) == 0 {
		return
	}
	w.Open("<%s>", word)
	w.actions(actions)
	for _, l := range lines {
		w.Line("%s", l)
	}
	w.Close("</" + word + ">")
}

func (w *writer) outcome(n *plan.Node) {
	w.comment(n.Of.Outcome)
	w.Line("<donedata><content%s/></donedata>", attribute("expr", "("+plan.Object(plan.Outcomes(n.Of, w.script().Var))+")"))
}

// event is what a timer sends when it is due, and timer the id of that.
func event(d *plan.Delay) string {
	if d.Raises != "" {
		return d.Raises
	}
	return "done." + timer(d)
}

func timer(d *plan.Delay) string { return fmt.Sprintf("delay.%d", d.ID) }

func (w *writer) delay(d *plan.Delay) string {
	switch {
	case d.Holder != "":
		return attribute("delayexpr", milliseconds(d.Holder))
	case d.Var != nil, d.Jitter > 0:
		return attribute("delayexpr", milliseconds(w.script().Delay(d)))
	}
	return attribute("delay", plan.Number(plan.Milliseconds(d.Wait))+"ms")
}

func milliseconds(expr string) string { return "(" + expr + `) + "ms"` }

// timed writes the arms of a timer that does not raise an event for others.
func (w *writer) timed(d *plan.Delay) {
	if d.Raises != "" {
		return
	}
	w.activity, w.limit = d.Failed, d.Failed != ""
	w.arms(event(d), "", d.Arms)
	w.activity, w.limit = "", false
}

// script writes expressions over the data and `_event`.
func (w *writer) script() *plan.Script {
	event := "_event.data"
	if w.limit {
		event = `({ category: "timeout", message: "", attempt: 1 })`
	}
	return &plan.Script{
		Var: func(v *ir.Var) string { return w.names[v] }, Event: event, Activity: w.activity, Old: true,
		Guard: func(g *ir.Guard, args []plan.Property) string { return g.Name + "(" + plan.Object(args) + ")" },
	}
}
