package chart

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// Build makes a machine of c, and one for each region of a parallel state.
func Build(c *Chart) (*foreign.Result, error) {
	b := &builder{chart: c, draft: &foreign.Draft{}, report: &foreign.Report{Format: c.Format}, machines: foreign.NewNames()}
	name := b.machines.Title(c.Name)
	b.machine(c.Root, name, strings.TrimSpace(foreign.Renamed(c.Name, name)+"\n"+c.Doc))
	return foreign.Finish(b.draft, b.report)
}

type builder struct {
	chart    *Chart
	draft    *foreign.Draft
	report   *foreign.Report
	machines *foreign.Names
}

// made is a machine that is being made of a root.
type made struct {
	*builder
	root    *State
	m       *foreign.Machine
	names   map[*State]string
	states  *foreign.Names
	events  *foreign.Names
	calls   *foreign.Names
	waits   *foreign.Names // fields of delays
	known   []string       // events of the original, in order
	fails   bool           // a failure leads to Failed
	failed  string
	item    *foreign.Item
	cur     *foreign.State
	finals  []*State // that are terminals
	exit    []Action // of the chart itself, which happens where a run ends
	guarded map[string]bool
}

// machine makes root a machine.
func (b *builder) machine(root *State, name, doc string) *made {
	m := &made{builder: b, root: root, m: &foreign.Machine{Name: name, Doc: doc},
		names: map[*State]string{}, states: foreign.NewNames(), events: foreign.NewNames(), calls: foreign.NewNames(), waits: foreign.NewNames(), guarded: map[string]bool{}}
	if root == b.chart.Root {
		m.m.Fields, m.exit = b.chart.Fields, root.Exit
	}
	if root.Parallel {
		wrap := &State{Key: "Regions", Line: root.Line, Parallel: true, Children: root.Children, Done: root.Done}
		end := &State{Key: "Done", Final: true}
		wrap.Done = []*Transition{{Target: end}}
		root = &State{Key: root.Key, Doc: root.Doc, Line: root.Line, Children: []*State{wrap, end}, On: root.On, After: root.After, Entry: root.Entry, Exit: root.Exit, Lost: root.Lost}
		wrap.Parent, end.Parent = root, root
		m.root = root
	}
	if len(root.Children) == 0 {
		root = within(root)
		m.root = root
	}
	m.collect()
	m.item = b.report.Item(name, root.Line)
	top := &foreign.State{}
	m.cur = top
	m.body(root)
	m.m.States = append(m.m.States, m.statesOf(root)...)
	m.m.Initial = top.Initial
	m.m.Lines = top.Lines
	if m.fails {
		m.m.Lines = append(m.m.Lines, "on failed -> "+m.failed)
		m.m.States = append(m.m.States, &foreign.State{Name: m.failed, Terminal: "failure"})
	}
	b.draft.Machines = append(b.draft.Machines, m.m)
	return m
}

// within is root with a state inside, which does what only a state with none inside can.
func within(root *State) *State {
	outer := *root
	only := &State{Key: "Only", Line: root.Line, Parent: &outer, Invokes: root.Invokes, Always: root.Always}
	outer.Children, outer.Invokes, outer.Always = []*State{only}, nil, nil
	return &outer
}

// reads reports whether text reads data that this machine does not have: those of the chart are in
// the machine around it.
func (m *made) reads(text string) bool {
	return m.m.Fields == nil && slices.ContainsFunc(m.chart.Fields, func(f foreign.Field) bool {
		return slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return !foreign.Valid("x" + string(r)) }), f.Name)
	})
}

// inside calls f for the states of this machine: those of regions are in others.
func (m *made) inside(s *State, f func(*State)) {
	f(s)
	if s.Parallel && s != m.root {
		return
	}
	for _, c := range s.Children {
		m.inside(c, f)
	}
}

// collect names states and events.
func (m *made) collect() {
	m.inside(m.root, func(s *State) {
		if s != m.root && !s.History {
			m.names[s] = m.name(s)
		}
		for _, t := range s.On {
			for _, e := range t.Events {
				if !strings.Contains(e, "*") && !slices.Contains(m.known, e) {
					m.known = append(m.known, e)
				}
			}
		}
	})
	m.failed = m.states.TitleFor("\x00Failed", "Failed")
	for _, e := range m.known {
		m.m.Events = append(m.m.Events, foreign.Decl{Text: m.events.Title(e), Doc: other(e, m.events.Title(e))})
	}
}

// name is unique in the whole machine, so that a path means one state wherever it stands.
func (m *made) name(s *State) string {
	key := s.Key
	if m.states.Find(key) != "" && s.Parent != nil && s.Parent != m.root {
		key = s.Parent.Key + " " + key
	}
	for m.states.Find(key) != "" {
		key += " 2"
	}
	return m.states.Title(key)
}

// other is the original name of an event, which its senders know, where it is another.
func other(original, name string) string {
	if original == name {
		return ""
	}
	return foreign.Quote(original)
}

// path is the name of a target from the top; empty where it is in another machine.
func (m *made) path(s *State) string {
	if s.History {
		s = s.Parent
	}
	name := m.names[s]
	if name == "" {
		return ""
	}
	for s = s.Parent; s != nil && s != m.root; s = s.Parent {
		name = m.names[s] + "." + name
	}
	return name
}

func (m *made) lost(format string, args ...any) { m.cur.Add(m.item.Lost(format, args...)) }
func (m *made) part(format string, args ...any) { m.cur.Add(m.item.Part(format, args...)) }

// state makes s and what is inside it.
func (m *made) state(s *State) *foreign.State {
	item, cur := m.item, m.cur
	defer func() { m.item, m.cur = item, cur }()
	m.item = m.report.Item(s.Key, s.Line)
	out := &foreign.State{Name: m.names[s], Doc: strings.TrimSpace(foreign.Renamed(s.Key, m.names[s]) + "\n" + s.Doc)}
	m.cur = out
	if s.Final && s.Parent == m.root {
		m.terminal(s)
		return out
	}
	m.body(s)
	if s.Parallel {
		return out
	}
	out.States = m.statesOf(s)
	return out
}

// statesOf makes the states inside s. A history state is none: what leads to it says so.
func (m *made) statesOf(s *State) (states []*foreign.State) {
	for _, c := range s.Children {
		if !c.History {
			states = append(states, m.state(c))
		}
	}
	return states
}

// bad and stopped are what ends that are no successes are called.
var (
	bad     = regexp.MustCompile(`(?i)fail|error|abort|reject|denied|timed?_?out|expired`)
	stopped = regexp.MustCompile(`(?i)cancel`)
)

func (m *made) terminal(s *State) {
	m.finals = append(m.finals, s)
	m.cur.Terminal = "success"
	guess := ""
	switch {
	case bad.MatchString(s.Key):
		m.cur.Terminal, guess = "failure", "by its name this is the end of runs that fail"
	case stopped.MatchString(s.Key):
		m.cur.Terminal, guess = "cancelled", "by its name this is the end of runs that are cancelled"
	}
	if guess != "" {
		m.cur.Doc += "\n" + strings.TrimPrefix(m.item.Part("%s", guess), "// ")
	}
	for _, l := range s.Lost {
		m.cur.Doc += "\n" + strings.TrimPrefix(m.item.Data("%s", l), "// ")
	}
	if b := m.block(slices.Concat(s.Entry, s.Exit, m.exit)); b != "" {
		m.cur.Terminal += " " + b
	}
}

// body writes the members of s.
func (m *made) body(s *State) {
	for _, l := range s.Lost {
		m.lost("%s", l)
	}
	if len(s.Children) > 0 && !s.Parallel {
		m.cur.Initial = m.initial(s)
	}
	if b := m.block(s.Entry); b != "" {
		m.cur.Add("entry " + b)
	}
	if s != m.root {
		if b := m.block(s.Exit); b != "" {
			m.cur.Add("exit " + b)
		}
	} else if len(s.Exit) > 0 && m.exit == nil {
		m.lost("what it does when it is left")
	}
	m.handlers(s)
	for _, d := range s.After {
		m.timer(s, d)
	}
	switch leaf := len(s.Children) == 0; {
	case s.Parallel && s != m.root:
		m.regions(s)
	case !leaf && len(s.Invokes) > 0:
		m.lost("what it invokes: an activity runs in a state with no states inside")
	case leaf:
		m.leaf(s)
	}
}

// initial is the child in which s begins.
func (m *made) initial(s *State) string {
	to := cmp.Or(s.Initial, s.Children[0])
	child := to
	for child.Parent != s && child.Parent != nil {
		child = child.Parent
	}
	for at := child; at != to && len(at.Children) > 0; {
		if at = cmp.Or(at.Initial, at.Children[0]); to.Inside(at) {
			continue
		}
		m.lost("it begins in %q", to.Key)
		break
	}
	if child.History || m.names[child] == "" {
		i := slices.IndexFunc(s.Children, func(c *State) bool { return !c.History })
		child = s.Children[max(i, 0)]
	}
	return m.names[child]
}
