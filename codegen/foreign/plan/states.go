package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// planner makes a Chart.
type planner struct {
	chart *Chart
	m     *ir.Machine

	nodes    map[*ir.State]*Node    // of states, composites and terminals
	before   map[*ir.State]*Node    // of leaves with `require`: the node that decides
	counters map[*ir.Arm]string     // their Vars
	visits   map[*ir.State][]string // the Vars of counters that live for a visit of a leaf
	restarts map[*ir.State][]string // the Vars of counters that live until a state is entered from outside
	taken    map[string]bool        // names of data
	item     *foreign.Item          // of the state at hand
	cancel   string                 // the Var that says that `cancel` was taken; empty where nothing takes it
	delays   int
}

// Make plans the chart of m, which has no errors of names and types.
func Make(m *ir.Machine, format string) *Chart {
	p := &planner{
		chart: &Chart{Machine: m, Report: &foreign.Report{Format: format, Machines: []string{m.Name}}}, m: m,
		nodes: map[*ir.State]*Node{}, before: map[*ir.State]*Node{}, counters: map[*ir.Arm]string{},
		visits: map[*ir.State][]string{}, restarts: map[*ir.State][]string{}, taken: map[string]bool{},
	}
	for _, v := range slices.Concat(m.Inputs(), m.Fields) {
		p.taken[v.Name] = true
	}
	for _, d := range m.Dos {
		if c := d.Activity.Machine; c != nil && !slices.Contains(p.chart.Children, c) {
			p.chart.Children = append(p.chart.Children, c)
		}
	}
	p.count()
	p.chart.Root = p.frame(m.Root, nil)
	p.fill(m.Root)
	p.machineNotes()
	return p.chart
}

// variable makes a datum of the chart, with a name that no other has.
func (p *planner) variable(want, initial, about string) string {
	name := foreign.Free(p.taken, want, "%s_%d")
	p.chart.Vars = append(p.chart.Vars, &Var{Name: name, Initial: initial, About: about})
	return name
}

// count makes a counter for each arm that has one, and decides what starts it again.
func (p *planner) count() {
	for _, a := range p.m.Arms {
		if a.Max == nil && a.Kind != ir.Retry {
			continue
		}
		name := p.variable("taken", "0", fmt.Sprintf("how often %s was taken: line %d", a.StepText(), a.Span.Start.Line))
		p.counters[a] = name
		switch s := a.Restart(); {
		case s == p.m.Root: // which is entered once
		case s != nil:
			p.restarts[s] = append(p.restarts[s], name)
		case a.Scope.Kind == ir.PerVisit:
			for _, s := range p.m.States {
				if s.Kind == ir.Leaf && s.Inside(a.State) {
					p.visits[s] = append(p.visits[s], name)
				}
			}
		}
	}
	if len(p.restarts) > 0 {
		p.chart.From = p.variable("left", `""`, "the leaf that was left last")
	}
	for _, s := range p.m.States {
		if p.cancel == "" && s.WaitsFor(ir.OnCancel) {
			p.cancel = p.variable("cancelled", "false", "whether cancel was taken")
		}
	}
}

// frame makes the nodes of s and what is inside it, without what leads from one to another.
func (p *planner) frame(s *ir.State, parent *Node) *Node {
	n := &Node{Name: s.Name, Path: s.Path, Doc: s.Doc, Of: s, Parent: parent}
	p.nodes[s] = n
	switch s.Kind {
	case ir.Terminal:
		n.Kind = Final
	case ir.Composite:
		n.Kind = Compound
		for _, c := range s.Children {
			child := p.frame(c, n)
			if c.Require != nil {
				decide := &Node{Name: p.sibling(s, c.Name+"_require"), Doc: "Decides whether " + c.Name + " is entered.", Parent: n}
				decide.Path = ir.Joined(s.Path, decide.Name)
				p.before[c] = decide
				n.Children = append(n.Children, decide)
			}
			n.Children = append(n.Children, child)
		}
	}
	return n
}

// sibling is a name that no state in s has.
func (p *planner) sibling(s *ir.State, want string) string {
	for slices.ContainsFunc(s.Children, func(c *ir.State) bool { return c.Name == want }) {
		want += "_"
	}
	return want
}

// to is the node that is entered where an arm leads to s.
func (p *planner) to(s *ir.State) *Node { return cmp.Or(p.before[s], p.nodes[s]) }

// fill gives the node of s, and those inside, what they do.
func (p *planner) fill(s *ir.State) {
	n := p.nodes[s]
	item := p.item
	defer func() { p.item = item }()
	p.item = p.chart.Report.Item(cmp.Or(s.Path, s.Name), s.Span.Start.Line)
	if vars := p.restarts[s]; len(vars) > 0 {
		n.Entry = append(n.Entry, Action{Kind: Reset, Vars: vars, Outside: s})
	}
	if s.Kind == ir.Leaf && len(p.visits[s]) > 0 {
		n.Entry = append(n.Entry, Action{Kind: Reset, Vars: p.visits[s]})
	}
	n.Entry = p.block(n.Entry, s.Entry)
	if s.Kind == ir.Leaf && p.chart.From != "" {
		n.Exit = append(n.Exit, Action{Kind: Set, Var: p.chart.From, Text: fmt.Sprintf("%q", s.Path)})
	}
	n.Exit = p.block(n.Exit, s.Exit)
	if s.Initial != nil {
		n.Initial = p.to(s.Initial)
	}
	if s.Kind != ir.Terminal {
		p.events(s, n)
		p.timers(s, n)
	}
	if len(s.Defer) > 0 {
		p.note(n, p.item.Lost, "what it defers is dropped: %s", ir.UsesText(s.Defer))
	}
	if s.Kind == ir.Leaf {
		p.leaf(s, n)
	}
	if decide := p.before[s]; decide != nil {
		decide.Always = []*Arm{
			{When: []Cond{{Expr: s.Require.Cond}}, Target: n},
			{Target: p.to(s.Require.Target)},
		}
	}
	for _, c := range s.Children {
		p.fill(c)
	}
}

func (p *planner) block(actions []Action, b *ir.Block) []Action {
	if b == nil || len(b.Assigns)+len(b.Publishes) == 0 {
		return actions
	}
	for e := range b.Exprs() {
		p.unsaid(e)
	}
	return append(actions, Action{Kind: Effects, Block: b})
}

// note keeps what is guessed or lost at n, as a comment and in the report.
func (p *planner) note(n *Node, grade func(string, ...any) string, format string, args ...any) {
	if text := strings.TrimPrefix(grade(format, args...), "// "); !slices.Contains(n.Notes, text) {
		n.Notes = append(n.Notes, text)
	}
}

// machineNotes says what of the machine as a whole has no form in a statechart.
func (p *planner) machineNotes() {
	p.item = p.chart.Report.Items[0]
	if costs := p.m.Enforced(); len(costs) > 0 {
		p.note(p.chart.Root, p.item.Lost, "nobody counts what attempts cost: over_budget does not come for %s", strings.Join(costs, ", "))
	}
	if of := Renamed(p.m); of != "" {
		p.note(p.chart.Root, p.item.Part, "the field type of %s is called type_: type is the name of the event there", of)
	}
	for _, a := range p.m.Activities {
		if a.Limit != (ir.Limit{}) {
			p.note(p.chart.Root, p.item.Data, "how many attempts of %s may run in all runs together", a.Name)
		}
	}
}
