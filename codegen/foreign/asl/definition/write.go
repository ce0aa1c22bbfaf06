// Package definition writes machines in the Amazon States Language, with JSONata.
//
// In the order in which to read: write.go is the definition, tasks.go leaves with activities, many.go
// those with several or with a list, retries.go, waits.go leaves that wait, ways.go what leads from
// one to another, query.go expressions.
package definition

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/codegen/foreign/plan"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Target writes the Amazon States Language.
var Target = foreign.Target{Name: "asl", Summary: "the Amazon States Language of AWS Step Functions, with JSONata", Write: write}

// write makes a definition of m. The data are variables. A leaf is one state, or several that
// follow each other: Task, Map or Parallel for what it runs, Choice for what its ends lead to, Wait
// for a timer, and a Task that waits for its token where it waits for events from outside. What
// states around a leaf say stands in the leaf, and the blocks of a transition are one Assign.
func write(m *ir.Machine) *foreign.Result {
	w := &writer{
		m: m, report: &foreign.Report{Format: "asl", Machines: []string{m.Name}}, taken: map[string]bool{},
		vars: map[*ir.Var]string{}, counters: map[*ir.Arm]string{}, sending: map[string]string{},
	}
	w.item = w.report.Item(m.Name, m.Span.Start.Line)
	w.name()
	for _, s := range m.States {
		w.taken[s.Path] = true
	}
	start := w.begin()
	for _, s := range m.States {
		first := len(w.states)
		switch s.Kind {
		case ir.Leaf:
			w.leaf(s)
			w.lead(first, s)
		case ir.Terminal:
			w.terminal(s)
			w.lead(first, s)
		}
	}
	w.prune(start)
	definition := obj{}
	if m.Doc != "" || len(w.notes) > 0 {
		definition = append(definition, member{"Comment", strings.TrimSpace(m.Doc + "\n" + strings.Join(w.notes, "\n"))})
	}
	definition = append(definition, member{"QueryLanguage", "JSONata"}, member{"StartAt", start})
	if w.timeout > 0 {
		definition = append(definition, member{"TimeoutSeconds", w.timeout})
	}
	text, err := encoded(append(definition, member{"States", w.states}))
	if err != nil {
		panic(err) // strings, numbers and lists always have a JSON form
	}
	var b bytes.Buffer
	json.Indent(&b, text, "", "  ")
	b.WriteByte('\n')
	return &foreign.Result{Text: b.Bytes(), Report: w.report}
}

// encoded is a value in its JSON form, without escapes for HTML.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// writer makes one definition.
type writer struct {
	m        *ir.Machine
	report   *foreign.Report
	item     *foreign.Item // of the state at hand
	notes    []string      // of the machine
	pending  []string      // of the state at hand, for its Comment
	states   obj
	taken    map[string]bool // names of states
	vars     map[*ir.Var]string
	counters map[*ir.Arm]string // variables
	timeout  int64              // seconds that a run may last
	sending  map[string]string  // states that send a message, by what they are
}

// name names the variables.
func (w *writer) name() {
	taken := map[string]bool{"states": true}
	unique := func(want string) string { return foreign.Free(taken, want, "%s_%d") }
	for _, v := range slices.Concat(w.m.Params, w.m.Fields) {
		w.vars[v] = "$" + unique(strings.ReplaceAll(v.Name, ".", "_"))
	}
	for _, v := range w.m.Own {
		w.vars[v] = "$states.context.Execution.Name"
		if v.Type.Kind == ir.Time {
			w.vars[v] = "$toMillis($states.context.Execution.StartTime)"
		}
	}
	for _, a := range w.m.Arms {
		if (a.Max != nil || a.Kind == ir.Retry) && !w.native(a) {
			w.counters[a] = unique("taken")
		}
	}
}

// query writes expressions where nothing has changed yet.
func (w *writer) query() *query {
	return &query{vars: w.vars, now: map[*ir.Var]string{}, event: "$states.input", asked: map[string]string{}, item: "$states.context.Map.Item.Value"}
}

// free is a name of a state that no other has. The format allows 80 characters.
func (w *writer) free(want string) string {
	runes := []rune(want)
	return foreign.Free(w.taken, string(runes[:min(len(runes), 70)]), "%s (%d)")
}

func (w *writer) add(name string, o obj) { w.states = append(w.states, member{name, o}) }

func (w *writer) note(grade func(string, ...any) string, format string, args ...any) {
	text := strings.TrimPrefix(grade(format, args...), "// ")
	if w.item == w.report.Items[0] {
		w.notes = append(w.notes, text)
	} else if !slices.Contains(w.pending, text) {
		w.pending = append(w.pending, text)
	}
}

// begin adds the state that gives the data their first values and enters the first state.
func (w *writer) begin() string {
	w.machineNotes()
	q := w.query()
	var values obj
	for _, v := range w.m.Params {
		values = append(values, member{w.vars[v][1:], formula("[$states.input." + v.Name + ", null][0]")})
	}
	for _, v := range w.m.Fields {
		value := "null"
		if v.Default != nil {
			value = plan.Literal(v.Default)
		}
		values = append(values, member{w.vars[v][1:], formula(value)})
	}
	for _, a := range w.m.Arms {
		if name := w.counters[a]; name != "" {
			values = append(values, member{name, formula("0")})
		}
	}
	name := w.free("Start")
	ways := w.enter(nil, w.m.Root, nil, q.with(w.m.Root.Entry), nil)
	enter := w.follow("", w.m.Name, ways, "")
	w.states = append(obj{{name, pass(values, enter)}}, w.states...)
	return name
}

func (w *writer) machineNotes() {
	if of := plan.Renamed(w.m); of != "" {
		w.note(w.item.Part, "the field type of %s is called type_: type is the name of the event there", of)
	}
	if costs := w.m.Enforced(); len(costs) > 0 {
		w.note(w.item.Lost, "nobody counts what attempts cost: over_budget does not come for %s", strings.Join(costs, ", "))
	}
	if slices.ContainsFunc(w.m.States, func(s *ir.State) bool { return s.WaitsFor(ir.OnCancel) }) {
		w.note(w.item.Lost, "what cancel leads to: an execution that is stopped ends where it stands")
	}
	for _, t := range w.m.Root.Timers {
		w.runTimeout(t)
	}
}

// runTimeout makes a timer of the machine the time that a run may last.
func (w *writer) runTimeout(t *ir.Timer) {
	arm := t.Arms[0]
	switch {
	case t.Var != nil || t.Idle || arm.When != nil || arm.Kind != ir.Goto || arm.Target.Kind != ir.Terminal || arm.Target.Outcome == "success" || w.timeout > 0:
		w.note(w.item.Lost, "%s of the machine", t.Text())
	default:
		w.timeout = w.seconds(t.Delay)
		w.note(w.item.Part, "%s: a run fails with States.Timeout, and does not end in %s", t.Text(), arm.Target.Name)
	}
}

// prune leaves out the states to which nothing leads: the format allows none.
func (w *writer) prune(start string) {
	byName := map[string]any{}
	for _, s := range w.states {
		byName[s.key] = s.value
	}
	reached := map[string]bool{}
	var visit func(v any)
	to := func(name string) {
		if !reached[name] {
			reached[name] = true
			visit(byName[name])
		}
	}
	visit = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				visit(item)
			}
		case obj:
			for _, m := range v {
				if name, ok := m.value.(string); ok && (m.key == "Next" || m.key == "Default") {
					to(name)
				} else {
					visit(m.value)
				}
			}
		}
	}
	to(start)
	w.states = slices.DeleteFunc(w.states, func(m member) bool { return !reached[m.key] })
}

// lead puts the state of s in front of those from first on, with what is said of s.
func (w *writer) lead(first int, s *ir.State) {
	i := first + slices.IndexFunc(w.states[first:], func(m member) bool { return m.key == s.Path })
	state := w.states[i]
	if comment := strings.TrimSpace(s.Doc + "\n" + strings.Join(w.pending, "\n")); comment != "" {
		state.value = append(obj{{"Comment", comment}}, state.value.(obj)...)
	}
	w.pending = nil
	copy(w.states[first+1:i+1], w.states[first:i])
	w.states[first] = state
}

// seconds is ns nanoseconds in the unit of the format.
func (w *writer) seconds(ns int64) int64 {
	n, rounded := seconds(ns)
	if rounded {
		w.note(w.item.Part, "%s is rounded up to %ds", ir.FormatDuration(ns), n)
	}
	return n
}

// terminal adds the end of runs.
func (w *writer) terminal(s *ir.State) {
	w.item = w.report.Item(s.Path, s.Span.Start.Line)
	if s.Outcome == "success" {
		w.add(s.Path, obj{{"Type", "Succeed"}, {"Output", computed(plan.Outcomes(s, w.query().read))}})
		return
	}
	if len(s.Returns) > 0 {
		w.note(w.item.Data, "what it returns: %s", strings.TrimPrefix(s.ReturnsText(), "returns "))
	}
	w.add(s.Path, obj{{"Type", "Fail"}, {"Error", s.Name}, {"Cause", cmp.Or(s.Outcome, "failure") + " of " + w.m.Name}})
}
