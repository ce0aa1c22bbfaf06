package asl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// machine is one machine that is being made: a definition, a branch of a Parallel, or what
// a Map runs for each element.
type machine struct {
	*reader
	def    *foreign.Value
	m      *foreign.Machine
	parent *machine // nil for a definition

	fields, calls, events, states *foreign.Names

	data, errorField, causeField string
	kept                         []keep            // what ResultPaths keep, longest paths first
	vars                         map[string]string // of JSONata
	tested                       map[string]bool   // paths whose presence or type a Choice asks for
	compared                     map[string]string // the kind of the comparisons of a path
	typed                        map[string]string // fields by path and type
	guards                       map[string]bool
	spelled                      map[string][]string // categories, as the original spells them where that is otherwise
	errorPaths                   map[string]bool     // where a Catch keeps the name of an error
	unfit                        map[string]string   // places that may have no value that fits a type, and why
	typedReads                   []typedRead

	succeeded, failed      string // the terminals that no state of the original stands for
	usesSucceeded, mayFail bool
	usesFailed             bool

	outer     []*foreign.Value // the errors that the states name in which it runs
	inherited []keep           // what its input has beside the data, with the fields of the parent
	needs     bool             // it reads what is inherited
	without   bool             // it has no fields for what is inherited, since it does not read it
	beside    bool             // it may end with something kept beside the data

	around []string // what it reads of the machines around it
	hands  bool     // what is not computed is handed to an activity; see handed

	whole       bool // the data is read as a whole where something is kept beside it
	machineItem *foreign.Item

	item *foreign.Item  // of the state at hand
	cur  *foreign.State // likewise
}

// keep is a place of the data that has a field of its own.
type keep struct {
	path   []string
	field  string
	scalar bool // all that is kept there are constants that are no objects, behind a key "value"
}

func (r *reader) machine(name string, def *foreign.Value) error {
	m := newMachine(r, nil, name, def)
	if err := m.build(); err != nil {
		return err
	}
	r.draft.Machines = append(r.draft.Machines, m.m)
	return nil
}

// endBeside notes that what is kept beside the data is there at an end.
func (m *machine) endBeside() {
	if len(m.kept) > 0 {
		m.whole, m.beside, m.needs = true, true, true
	}
}

// returns are the fields that a success returns.
func (m *machine) returns() string {
	fields := []string{m.data}
	for _, k := range slices.Backward(m.kept) {
		if m.beside {
			fields = append(fields, k.field)
		}
	}
	return strings.Join(fields, ", ")
}

// returned is what a machine that is called has returned, in the form in which the data is read as a whole.
func (m *machine) returned() string {
	if !m.beside {
		return "event." + m.data
	}
	members := []member{{"data", expr{text: "event." + m.data}}}
	for _, k := range slices.Backward(m.kept) {
		members = append(members, member{k.field, expr{text: "event." + k.name()}})
	}
	return object(members).text
}

// returnedAs is what it has returned, and a field holds.
func (m *machine) returnedAs(field string) expr {
	e := expr{text: field}
	if !m.beside {
		return e
	}
	e.kept, e.members = m.kept, []member{{"data", expr{text: field + ".data"}}}
	for _, k := range m.kept {
		e.members = append(e.members, member{k.field, expr{text: field + "." + k.field}})
	}
	return e
}

func newMachine(r *reader, parent *machine, name string, def *foreign.Value) *machine {
	m := &machine{reader: r, def: def, parent: parent,
		m:      &foreign.Machine{Name: name, Params: "input json"},
		fields: foreign.NewNames("input", "item", "index", "around"), calls: foreign.NewNames(), events: foreign.NewNames(), states: foreign.NewNames(),
		vars: map[string]string{}, tested: map[string]bool{}, compared: map[string]string{}, typed: map[string]string{}, guards: map[string]bool{},
		spelled: map[string][]string{}, errorPaths: map[string]bool{}, unfit: map[string]string{},
	}
	m.data, m.errorField, m.causeField = m.fields.SnakeFor("\x00data", "data"), m.fields.SnakeFor("\x00error", "error_name"), m.fields.SnakeFor("\x00cause", "error_cause")
	m.m.Doc = def.Get("Comment").Str()
	return m
}

// build makes the machine, states in the order of the text.
func (m *machine) build() error {
	states := m.def.Get("States")
	if !states.Is(foreign.Object) || len(states.Members) == 0 {
		return m.def.Errorf("machine %q has no States", m.m.Name)
	}
	if err := language(m.def); err != nil {
		return err
	}
	m.machineItem = m.report.Item(m.m.Name, m.def.Line)
	m.item = m.machineItem
	m.m.Doc = m.noted(m.m.Doc, m.def.Others(inDefinitions...))
	for _, s := range states.Members {
		if s.Key == "QueryLanguage" && s.Value.Is(foreign.String) {
			return s.Value.Errorf("QueryLanguage is among the states: it belongs beside States, or into a state")
		}
		if !s.Value.Is(foreign.Object) {
			return s.Value.Errorf("state %q is not an object", s.Key)
		}
		if m.states.Find(s.Key) != "" {
			return s.Value.Errorf("state %q is there twice", s.Key)
		}
		m.states.Title(s.Key)
	}
	m.succeeded, m.failed = m.states.TitleFor("\x00Succeeded", "Succeeded"), m.states.TitleFor("\x00Failed", "Failed")
	m.scan(states)
	start, err := m.target(m.def.Get("StartAt"))
	if err != nil {
		return err
	}
	m.m.Initial = start
	for _, s := range states.Members {
		if err := m.state(s.Key, s.Value); err != nil {
			return err
		}
	}
	m.finish()
	return nil
}

// scan looks ahead for what states keep, ask for and may fail with.
func (m *machine) scan(states *foreign.Value) {
	for _, k := range m.inherited {
		if m.without {
			break
		}
		m.kept = append(m.kept, keep{path: k.path, field: m.fields.Snake(strings.Join(k.path, "_"))})
	}
	task := func(s foreign.Member) bool { return s.Value.Get("Type").Str() == "Task" }
	for _, names := range m.outer {
		if slices.ContainsFunc(states.Members, task) {
			m.categories(names) // so that what a Task fails with has the name that they look for
		}
	}
	for _, s := range states.Members {
		m.keepAt(s.Value.Get("ResultPath"), scalar(s.Value.Get("Result")))
		for _, c := range s.Value.Get("Catch").List() {
			m.keepAt(c.Get("ResultPath"), false)
			m.errorPaths[cmp.Or(c.Get("ResultPath").Str(), "$")+".Error"] = true
			m.variables(c.Get("Assign"))
			m.categories(c.Get("ErrorEquals"))
		}
		for _, c := range s.Value.Get("Retry").List() {
			m.categories(c.Get("ErrorEquals"))
		}
		m.variables(s.Value.Get("Assign"))
		for _, c := range s.Value.Get("Choices").List() {
			m.asks(c)
			m.variables(c.Get("Assign"))
		}
	}
	slices.SortStableFunc(m.kept, func(a, b keep) int { return len(b.path) - len(a.path) })
}

func (m *machine) keepAt(v *foreign.Value, scalar bool) {
	path, ok := plainPath(v.Str())
	if !ok || len(path) == 0 {
		return
	}
	i := slices.IndexFunc(m.kept, func(k keep) bool { return slices.Equal(k.path, path) })
	if i >= 0 {
		m.kept[i].scalar = m.kept[i].scalar && scalar
		return
	}
	m.kept = append(m.kept, keep{path, m.fields.Snake(strings.Join(path, "_")), scalar})
}

// scalar reports whether v is a string, a number or a bool.
func scalar(v *foreign.Value) bool {
	return v.Is(foreign.String) || v.Is(foreign.Number) || v.Is(foreign.Bool)
}

func (m *machine) variables(assign *foreign.Value) {
	if assign == nil {
		return
	}
	for _, v := range assign.Members {
		name := strings.TrimSuffix(v.Key, ".$")
		if m.vars[name] == "" {
			m.vars[name] = m.fields.Snake("$" + name)
			m.m.Fields = append(m.m.Fields, foreign.Field{Name: m.vars[name], Type: "json", Default: "null",
				Note: foreign.Comment(foreign.Renamed(name, m.vars[name]))})
		}
	}
}

// asks notes the paths whose presence a condition asks for: a typed field cannot be taken
// from them, since it has to have a value.
func (m *machine) asks(rule *foreign.Value) {
	for _, f := range rule.Members {
		path := rule.Get("Variable").Str()
		if strings.HasPrefix(f.Key, "Is") {
			m.tested[path] = true
		}
		for kind := range kinds {
			if strings.HasPrefix(f.Key, kind) {
				// What is compared as two types is of the other one, which is false and no error.
				m.tested[path] = m.tested[path] || m.compared[path] != "" && m.compared[path] != kind
				m.compared[path] = kind
			}
		}
		for _, inner := range f.Value.List() {
			if inner.Is(foreign.Object) {
				m.asks(inner)
			}
		}
	}
}

// finish declares what the states have used.
func (m *machine) finish() {
	m.sayUnfit()
	entry := []string{m.data + " = " + m.given(nil)}
	fields := []foreign.Field{{Name: m.data, Type: "json", Default: "null", Note: m.dataNote()}}
	for _, k := range slices.Backward(m.kept) {
		fields = append(fields, foreign.Field{Name: k.field, Type: "json", Default: "null", Note: "// $." + strings.Join(k.path, ".")})
		if !k.scalar {
			entry = append(entry, k.field+" = "+m.given(k.path))
		}
	}
	m.m.Fields = append(fields, m.m.Fields...)
	m.m.Lines = append(m.m.Lines, "entry { "+strings.Join(entry, ", ")+" }")
	m.timeLimit()
	if m.mayFail {
		m.m.Lines = append(m.m.Lines, "on failed -> "+m.fail("event.category", "event.message"))
	}
	if m.usesSucceeded {
		m.m.States = append(m.m.States, &foreign.State{Name: m.succeeded, Terminal: "success returns " + m.returns()})
	}
	if m.usesFailed {
		m.m.Fields = append(m.m.Fields, foreign.Field{Name: m.errorField, Type: "string", Default: `""`},
			foreign.Field{Name: m.causeField, Type: "string", Default: `""`})
		m.m.States = append(m.m.States, &foreign.State{Name: m.failed, Terminal: fmt.Sprintf("failure returns %s, %s", m.errorField, m.causeField)})
	}
}

// given is what the input has at a path. Of a branch it may have the form in which the data is
// read as a whole.
func (m *machine) given(path []string) string {
	text := "input"
	if len(m.inherited) > 0 {
		text = "input.data"
	}
	for _, k := range m.inherited { // longest paths first
		if len(path) >= len(k.path) && slices.Equal(path[:len(k.path)], k.path) {
			text, path = "input."+k.field, path[len(k.path):]
			break
		}
	}
	return strings.Join(append([]string{text}, path...), ".")
}

func (m *machine) dataNote() string {
	note := "// What flows from state to state: `$` of the original."
	if m.whole {
		note += "\n" + m.machineItem.Part("where `$` is read as a whole it is an object: \"data\", and beside it what a ResultPath keeps")
	}
	return note
}

func (m *machine) timeLimit() {
	if t := m.def.Get("TimeoutSeconds"); t.Is(foreign.Number) && m.parent == nil {
		name := m.states.TitleFor("\x00TimedOut", "TimedOut")
		m.m.Lines = append(m.m.Lines, "after "+foreign.Seconds(t.Float(1))+" -> "+name)
		m.m.States = append(m.m.States, &foreign.State{Name: name, Terminal: "failure"})
	}
}

// field declares a field that the original does not have, and is its name.
func (m *machine) field(words, typ, value, note string) string {
	name := m.fields.SnakeFor("\x00"+words, words)
	m.m.Fields = append(m.m.Fields, foreign.Field{Name: name, Type: typ, Default: value, Note: note})
	return name
}

// behind begins a state that the original does not have, called like the current one and word, which
// it returns.
func (m *machine) behind(word string) (before *foreign.State) {
	before = m.cur
	name := before.Name + word
	m.cur = &foreign.State{Name: m.states.TitleFor("\x00"+name, name)}
	m.m.States = append(m.m.States, m.cur)
	return before
}

// fail is a step to the terminal of failures.
func (m *machine) fail(err, cause string) string {
	m.usesFailed = true
	return fmt.Sprintf("%s { %s = %s, %s = %s }", m.failed, m.errorField, err, m.causeField, cause)
}

// target is the name of the state that v names.
func (m *machine) target(v *foreign.Value) (string, error) {
	name := v.Str()
	if m.def.Get("States").Get(name) == nil {
		return "", v.Errorf("state %q is not there", name)
	}
	return m.states.Title(name), nil
}

// next is where a state leads: its Next, or the end.
func (m *machine) next(st *foreign.Value) (string, error) {
	if n := st.Get("Next"); n != nil && st.Get("End").True() {
		return "", st.Errorf("state %q has both Next and End", m.item.Place)
	} else if n != nil {
		return m.target(n)
	}
	if !st.Get("End").True() {
		return "", st.Errorf("state %q has neither Next nor End", m.item.Place)
	}
	m.usesSucceeded = true
	return m.succeeded, nil
}

func (m *machine) lost(format string, args ...any) { m.cur.Add(m.item.Data(format, args...)) }
func (m *machine) gone(what string)                { m.cur.Add(m.item.Lost("%s", what)) }
func (m *machine) part(format string, args ...any) { m.cur.Add(m.item.Part(format, args...)) }

// language refuses a QueryLanguage that is none.
func language(v *foreign.Value) error {
	if l := v.Get("QueryLanguage"); l != nil && l.Str() != "JSONata" && l.Str() != "JSONPath" {
		return l.Errorf("QueryLanguage is JSONPath or JSONata")
	}
	return nil
}

// jsonata reports whether a state speaks JSONata.
func (m *machine) jsonata(st *foreign.Value) bool {
	language := st.Get("QueryLanguage").Str()
	for at := m; language == "" && at != nil; at = at.parent {
		language = at.def.Get("QueryLanguage").Str()
	}
	return language == "JSONata"
}
