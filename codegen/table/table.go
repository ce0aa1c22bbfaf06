// Package table compiles a resolved machine to the definition that the runtime
// runs. It is the only package that knows both forms.
package table

import (
	"slices"
	"strconv"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Compile turns m, which has no errors, into its runtime definition. The same
// machine gives the same definition, byte for byte.
//
// Every `ignore E` and `defer E` of a state becomes an arm of its own, so that
// the runtime has one notion of what can happen with an input.
func Compile(m *ir.Machine) *machine.Definition {
	all := Tree(m)
	return all[len(all)-1].Definition
}

// CompileCalls is Compile with a guard of its own for each text of a call of a host
// guard, so that who is asked can tell them apart; calls has these texts.
func CompileCalls(m *ir.Machine) (d *machine.Definition, calls []string) {
	t := &tree{hashes: map[*ir.Machine]string{}}
	c := t.compiler(m)
	c.calls = map[string]int{}
	d = c.compile()
	return d, c.texts
}

// compiler is one for m. The machines that m calls are compiled first.
func (t *tree) compiler(m *ir.Machine) *compiler {
	for _, a := range m.Activities {
		if a.Machine != nil {
			t.add(a.Machine)
		}
	}
	c := &compiler{m: m, hashes: t.hashes, enums: map[*ir.Enum]int{}, kept: map[*ir.EventUse]int{}, events: map[*ir.State][][]int{}}
	for i, e := range m.Enums {
		c.enums[e] = i
	}
	return c
}

func (c *compiler) compile() *machine.Definition {
	m := c.m
	d := &machine.Definition{
		Format: machine.Format,
		Name:   m.Name,
		Doc:    m.Doc,
		Params: c.vars(m.Params),
		Fields: c.vars(m.Fields),
		Budget: budget(m.Budget),
		Enums:  each(m.Enums, func(e *ir.Enum) machine.Enum { return machine.Enum{Name: e.Name, Values: e.Values} }),
		Events: each(m.Events, func(e *ir.Event) machine.Event {
			return machine.Event{Name: e.Name, Fields: c.fields(ir.Slots(e.Fields)), Internal: !e.External(), Doc: e.Doc}
		}),
		Categories: each(m.Categories, func(k *ir.Category) string { return k.Name }),
		Activities: each(m.Activities, c.activity),
	}
	if c.calls == nil {
		d.Guards = each(m.Guards, func(g *ir.Guard) machine.Guard { return c.guard(g, g.Name) })
	}
	names := ir.DoNames(m)
	for i, do := range m.Dos {
		d.Dos = append(d.Dos, c.do(do, names[i]))
	}
	timerNames := ir.TimerNames(m)
	for i, t := range m.Timers {
		d.Timers = append(d.Timers, c.timer(t, timerNames[i]))
	}
	d.Arms = c.arms()
	d.States = each(m.States, c.state)
	d.Guards = append(d.Guards, c.called...)
	return d
}

func (c *compiler) guard(g *ir.Guard, name string) machine.Guard {
	return machine.Guard{Name: name, Params: c.params(g.Params)}
}

// each is what f makes of all in a list; nil for none.
func each[T, U any](list []T, f func(T) U) []U {
	var out []U
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

// indexOf is the guard that a call asks.
func (c *compiler) indexOf(call *ir.Call) int {
	if c.calls == nil {
		return call.Guard.Index
	}
	text := ir.ExprText(call)
	i, known := c.calls[text]
	if !known {
		i = len(c.texts)
		c.calls[text], c.texts = i, append(c.texts, text)
		c.called = append(c.called, c.guard(call.Guard, "call"+strconv.Itoa(i)))
	}
	return i
}

// compiler carries what the parts of one compilation share.
type compiler struct {
	m      *ir.Machine
	hashes map[*ir.Machine]string // of the machines that m calls
	enums  map[*ir.Enum]int
	kept   map[*ir.EventUse]int  // arm made for an ignore or a defer
	events map[*ir.State][][]int // see around

	calls  map[string]int // see CompileCalls; nil for Compile
	texts  []string
	called []machine.Guard
}

func (c *compiler) vars(vars []*ir.Var) []machine.Field {
	out := c.fields(ir.Slots(vars))
	for i, v := range vars {
		if v.Default != nil {
			out[i].Default = constant(v.Default)
		}
	}
	return out
}

func (c *compiler) fields(slots []*ir.Slot) []machine.Field { return each(slots, c.field) }

func (c *compiler) params(params []*ir.Param) []machine.Field {
	out := c.fields(ir.Slots(params))
	for i := range out {
		out[i].Doc = "" // which no definition has of a parameter
	}
	return out
}

func (c *compiler) field(s *ir.Slot) machine.Field {
	return machine.Field{Name: s.Name, Type: c.typ(s.Type), Doc: s.Doc, Optional: s.Optional, Within: within(s.Name, s.Within)}
}

// within is w of a leaf of that name, and nothing where that alone may be absent.
func within(name string, w ir.Within) []string {
	if len(w) == 1 && w[0] == name {
		return nil
	}
	return w
}

func (c *compiler) activity(a *ir.Activity) machine.Activity {
	out := machine.Activity{Name: a.Name, Callee: c.hashes[a.Machine], Params: c.params(a.Params), Costs: costs(a.Costs), Doc: a.Doc}
	out.Results = each(a.Results, func(e *ir.Event) int { return e.Index })
	out.Fails = each(a.Fails, func(k *ir.Category) int { return k.Index })
	for _, name := range c.m.Enforced() { // the caller's budget holds what the machine spends
		if slices.Contains(a.Below, name) {
			out.Costs = append(out.Costs, machine.Cost{Name: name, Amount: "0"})
		}
	}
	if l := a.Limit; l != (ir.Limit{}) {
		out.Limit = &machine.Limit{AtOnce: l.AtOnce, Rate: l.Rate, Window: l.Window}
	}
	return out
}

func (c *compiler) do(d *ir.Do, name string) machine.Do {
	return machine.Do{
		Fan:       c.fan(d.Fan),
		Name:      name,
		State:     d.State.ID,
		Activity:  d.Activity.Index,
		Label:     d.Label,
		Args:      c.exprs(d.Args),
		Scope:     scope(d.Scope),
		Timeout:   d.Timeout,
		Heartbeat: d.Heartbeat,
		Progress:  d.Progress,
	}
}

func (c *compiler) fan(f *ir.Fan) *machine.Fan {
	if f == nil {
		return nil
	}
	return &machine.Fan{List: c.variable(f.List), Limit: f.Limit}
}

func (c *compiler) timer(t *ir.Timer, name string) machine.Timer {
	out := machine.Timer{Name: name, State: t.State.ID, Delay: t.Delay, Budget: t.Budget, Idle: t.Idle, Jitter: ratio(t.Jitter)}
	if t.Var != nil {
		out.Delay, out.Var = 0, c.variable(t.Var)
	} else if !t.Budget && t.Source != t.DelayText() {
		out.Source = t.Source
	}
	return out
}

func (c *compiler) state(s *ir.State) machine.State {
	out := machine.State{
		Path:    s.Path,
		Kind:    stateKinds[s.Kind],
		Outcome: machine.Outcome(s.Outcome),
		Parent:  -1,
		Initial: -1,
		Entry:   c.block(s.Entry),
		Exit:    c.block(s.Exit),
		Choice:  s.IsChoice(),
		Doc:     s.Doc,
	}
	if s.Parent != nil {
		out.Parent = s.Parent.ID
	}
	if s.Initial != nil {
		out.Initial = s.Initial.ID
	}
	if s.Require != nil {
		out.Require = &machine.Require{Cond: c.expr(s.Require.Cond), Target: s.Require.Target.ID}
	}
	out.Returns = each(s.Returns, func(ref *ir.VarRef) *machine.Expr { return c.variable(ref.Var) })
	out.Dos = each(s.Dos, func(d *ir.Do) int { return d.ID })
	out.Timers = each(s.Timers, func(t *ir.Timer) int { return t.ID })
	if s.Kind == ir.Leaf {
		out.Handlers = c.handlers(s)
	}
	return out
}

var stateKinds = map[ir.StateKind]machine.StateKind{
	ir.Leaf:      machine.LeafState,
	ir.Composite: machine.CompositeState,
	ir.Terminal:  machine.TerminalState,
}
