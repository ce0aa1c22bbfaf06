package golang_test

import (
	"fmt"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// glue writes what lets the driver of testdata/diff see the generated core of m
// through the runtime's types.
func glue(pkg string, m *ir.Machine, definition string) string {
	g := &gluer{m: m, name: ir.Exported(m.Name)}
	var b strings.Builder
	fmt.Fprintf(&b, `package %[1]s

import (
	"encoding/json"
	"reflect"
	"time"

	"gentest/diff"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

var _ json.RawMessage

var Machine = runtime.MustCompile(%[2]q)

type subject struct {
	t %[3]sStepper
	s %[3]sCore
}

func New() diff.Subject { return &subject{s: New%[3]sCore(%[3]sParams{}%[7]s)} }

func each[A, B any](list []A, turn func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = turn(v)
	}
	return out
}

func unset(set bool, v machine.Value) machine.Value {
	if set {
		return v
	}
	return machine.Unset
}

func used(counters any, place int) int64 {
	f := reflect.ValueOf(counters).Field(place)
	if f.CanInt() {
		return f.Int()
	}
	return int64(f.Uint())
}

func (x *subject) Start(params []machine.Value, now time.Time, ask machine.Ask) error {
	s := &x.s
%[4]s	if len(params) > 0 {
%[5]s	}
	return x.t.Start(s, now)
}

func (x *subject) Take(in machine.Input, now time.Time, ask machine.Ask) (string, error) {
%[4]s	core := fromInput(in)
	arm, err := x.t.Take(&x.s, &core, now)
	if err != nil {
		return "", err
	}
	_ = arm
	return %[6]s, nil
}

func (x *subject) State() string { return x.s.State.String() }
`, pkg, definition, g.name, g.guards(), g.params(), g.armText(), g.id())
	g.inputs(&b)
	g.state(&b)
	return b.String()
}

// id is the argument with the id that drive.go gives its runs, if the core takes one.
func (g *gluer) id() string {
	if g.m.OwnVar(ir.RunID) == nil {
		return ""
	}
	return `, "run"`
}

type gluer struct {
	m    *ir.Machine
	name string
}

// toValue is a machine.Value of the Go expression x.
func (g *gluer) toValue(t *ir.Type, x string) string {
	switch t.Kind {
	case ir.Bool:
		return "machine.BoolValue(" + x + ")"
	case ir.Int:
		return "machine.IntValue(" + x + ")"
	case ir.Float:
		return "machine.FloatValue(" + x + ")"
	case ir.Duration:
		return "machine.DurationValue(" + x + ")"
	case ir.Time:
		return "machine.TimeValue(" + x + ")"
	case ir.EnumKind:
		return "machine.EnumValue(" + x + ".String())"
	case ir.JSON:
		return "machine.JSONValue(string(" + x + "))"
	case ir.List:
		return fmt.Sprintf("machine.ListValue(each(%s, func(v %s) machine.Value { return %s })...)", x, g.goType(t.Elem), g.toValue(t.Elem, "v"))
	case ir.RecordKind:
		var leaves []string
		for _, l := range t.Leaves() {
			leaves = append(leaves, g.load(l.Type, t, x, false, l.Path))
		}
		return "machine.RecordValue(" + strings.Join(leaves, ", ") + ")"
	}
	return "machine.StringValue(" + x + ")"
}

// place is where a leaf stands in Go, and the optional values around it, the outermost first.
func place(t *ir.Type, x string, optional bool, path string) (value string, around []string) {
	for {
		if optional {
			around = append(around, x)
			x += ".Value"
		}
		if path == "" {
			return x, around
		}
		name, rest, _ := strings.Cut(path, ".")
		for _, f := range t.Record.Fields {
			if f.Name == name {
				x += "." + ir.Exported(name)
				t, optional, path = f.Type, f.Optional, rest
				break
			}
		}
	}
}

// store gives the value at from to a leaf in x, or leaves it unset.
func (g *gluer) store(t, declared *ir.Type, x string, optional bool, path, from string) string {
	value, around := place(declared, x, optional, path)
	text := ""
	for _, o := range around {
		text += o + ".Set = true\n"
	}
	text += value + " = " + g.fromValue(t, from) + "\n"
	if around != nil {
		return "if " + from + ".IsSet() {\n" + text + "}\n"
	}
	return text
}

// load is a machine.Value of a leaf in x.
func (g *gluer) load(t, declared *ir.Type, x string, optional bool, path string) string {
	value, around := place(declared, x, optional, path)
	if around == nil {
		return g.toValue(t, value)
	}
	return "unset(" + strings.Join(around, ".Set && ") + ".Set, " + g.toValue(t, value) + ")"
}

// whole is what a field of an event is a leaf of, in x.
func whole(f *ir.EventField, x string) (declared *ir.Type, in string, optional bool, path string) {
	optional = f.Optional
	if declared = f.Type; f.Whole != nil {
		declared, optional = f.Whole.Type, f.Whole.Optional
	}
	first, path := f.Name, ""
	if f.Whole != nil {
		first, path, _ = strings.Cut(f.Name, ".")
	}
	return declared, x + "." + ir.Exported(first), optional, path
}

// wholeOf is the same of a parameter, a field, or something that is returned.
func (g *gluer) wholeOf(v *ir.Var, x string, returned bool) (declared *ir.Type, in string, optional bool, path string) {
	path = strings.TrimPrefix(strings.TrimPrefix(v.Name, v.Declared()), ".")
	for _, d := range ir.Declared(append(g.m.Params[:len(g.m.Params):len(g.m.Params)], g.m.Fields...)) {
		optional = optional || d.Together(v) && d.MayBeUnset()
	}
	return v.DeclaredType(), x + "." + ir.Exported(v.Declared()), optional && !returned, path
}

// selector is how Go selects the leaf of a record.
func selector(name string) string {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		parts[i] = ir.Exported(p)
	}
	return strings.Join(parts, ".")
}

func (g *gluer) fromValue(t *ir.Type, x string) string {
	switch t.Kind {
	case ir.Bool:
		return x + ".Bool()"
	case ir.Int:
		return x + ".Int()"
	case ir.Float:
		return x + ".Float()"
	case ir.Duration:
		return x + ".Duration()"
	case ir.Time:
		return x + ".Time()"
	case ir.EnumKind:
		values := ""
		for _, v := range t.Enum.Values {
			values += fmt.Sprintf("%q: %s%s,", v, g.goType(t), ir.Exported(v))
		}
		return "map[string]" + g.goType(t) + "{" + values + "}[" + x + ".Text()]"
	case ir.JSON:
		return "json.RawMessage(" + x + ".Text())"
	case ir.List:
		return fmt.Sprintf("each(%s.List(), func(v machine.Value) %s { return %s })", x, g.goType(t.Elem), g.fromValue(t.Elem, "v"))
	case ir.RecordKind:
		text := "func(v machine.Value) (r " + g.goType(t) + ") {\n"
		for i, l := range t.Leaves() {
			text += g.store(l.Type, t, "r", false, l.Path, fmt.Sprintf("v.List()[%d]", i))
		}
		return text + "return r\n}(" + x + ")"
	}
	return x + ".Text()"
}

func (g *gluer) goType(t *ir.Type) string {
	switch t.Kind {
	case ir.EnumKind:
		return g.name + ir.Exported(t.Enum.Name)
	case ir.RecordKind:
		return g.name + ir.Exported(t.Record.Name)
	case ir.List:
		return "[]" + g.goType(t.Elem)
	}
	return map[ir.Kind]string{ir.Bool: "bool", ir.Int: "int64", ir.Float: "float64", ir.String: "string",
		ir.Duration: "time.Duration", ir.Time: "time.Time", ir.JSON: "json.RawMessage"}[t.Kind]
}

func (g *gluer) guards() string {
	if len(g.m.Guards) == 0 {
		return ""
	}
	return "\tx.t.Guards = host{ask}\n"
}

func (g *gluer) params() string {
	var b strings.Builder
	for i, p := range g.m.Params {
		declared, x, optional, path := g.wholeOf(p, "s.Params", false)
		b.WriteString(g.store(p.Type, declared, x, optional, path, fmt.Sprintf("params[%d]", i)))
	}
	return b.String()
}

// armText is the name of an arm; the type of the arms of a machine without any has
// no names.
func (g *gluer) armText() string {
	if len(g.m.Arms) == 0 {
		return `""`
	}
	return "arm.String()"
}

func (g *gluer) inputs(b *strings.Builder) {
	n := g.name
	fmt.Fprintf(b, "func fromInput(in machine.Input) %[1]sStepInput {\nvar out %[1]sStepInput\nswitch in.Kind {\n", n)
	if len(g.m.Enforced()) > 0 {
		fmt.Fprintf(b, "case machine.OverBudgetInput:\nout.Kind, out.Cost = %[1]sInputOverBudget, in.Over\n", n)
	}
	fmt.Fprintf(b, "case machine.DoneInput:\nout.Kind = %[1]sInputDone\ncase machine.CancelInput:\nout.Kind = %[1]sInputCancel\n", n)
	fmt.Fprintf(b, "case machine.EventInput, machine.KeptInput:\nout.Kind = %[1]sInputEvent\n", n)
	if len(g.m.Timers) > 0 {
		fmt.Fprintf(b, "case machine.TimerInput:\nout.Kind, out.Timer = %[1]sInputTimer, %[1]sTimerName(in.Timer+1)\n", n)
	}
	if len(g.m.Dos) > 0 {
		fmt.Fprintf(b, `case machine.ResultInput:
	out.Kind, out.Do = %[1]sInputResult, %[1]sDoName(in.Do+1)
case machine.FailureInput:
	out.Kind, out.Do, out.Attempt = %[1]sInputFailure, %[1]sDoName(in.Do+1), int64(in.Attempt)
	out.Category, out.Message = %[1]sFailureCategory(in.Category+1), in.Message
`, n)
	}
	b.WriteString("}\n")
	if len(g.m.Events) > 0 {
		b.WriteString("switch in.Kind {\ncase machine.EventInput, machine.ResultInput, machine.KeptInput:\n")
		fmt.Fprintf(b, "out.Event = %sEvent(in.Event+1)\nswitch in.Event {\n", n)
		for i, e := range g.m.Events {
			fmt.Fprintf(b, "case %d:\n", i)
			for k, f := range e.Fields {
				declared, x, optional, path := whole(f, "out.Data."+strings.ReplaceAll(selector(e.Name), ".", ""))
				b.WriteString(g.store(f.Type, declared, x, optional && e.Terminal == nil, path, fmt.Sprintf("in.Data[%d]", k)))
			}
		}
		b.WriteString("}\n}\n")
	}
	b.WriteString("return out\n}\n\n")
	if len(g.m.Guards) == 0 {
		return
	}
	b.WriteString("type host struct{ ask machine.Ask }\n\n")
	for i, q := range g.m.Guards {
		var params, args []string
		for k, p := range ir.Declarations(q.Params) {
			typ := g.goType(p.Type)
			if p.Optional {
				typ = n + "Optional[" + typ + "]"
			}
			params = append(params, fmt.Sprintf("p%d %s", k, typ))
			for _, l := range p.Type.Leaves() {
				args = append(args, g.load(l.Type, p.Type, fmt.Sprintf("p%d", k), p.Optional, l.Path))
			}
		}
		fmt.Fprintf(b, "func (h host) %s(%s) (bool, error) {\nreturn h.ask(%d, []machine.Value{%s})\n}\n\n",
			ir.Exported(q.Name), strings.Join(params, ", "), i, strings.Join(args, ", "))
	}
}

// state writes what the driver compares.
func (g *gluer) state(b *strings.Builder) {
	var data []string
	for _, f := range g.m.Fields {
		declared, x, optional, path := g.wholeOf(f, "x.s.Data", false)
		data = append(data, g.load(f.Type, declared, x, optional, path))
	}
	fmt.Fprintf(b, "func (x *subject) Data() []machine.Value { return []machine.Value{%s} }\n\n", strings.Join(data, ", "))
	b.WriteString("func (x *subject) Counters() []int64 {\nout := make([]int64, len(Machine.Definition().Arms))\n")
	place := 0
	for _, a := range g.m.Arms {
		if a.Max != nil || a.Kind == ir.Retry {
			fmt.Fprintf(b, "out[%d] = used(x.s.Used, %d)\n", a.ID, place)
			place++
		}
	}
	b.WriteString("return out\n}\n\nfunc (x *subject) Messages() []machine.Command {\nvar out []machine.Command\n")
	if publishes(g.m) {
		b.WriteString("for _, m := range x.t.Messages {\nc := machine.Command{Kind: machine.SendOut, Event: int(m.Event) - 1}\nswitch c.Event {\n")
		for i, e := range g.m.Events {
			var values []string
			for _, f := range e.Fields {
				declared, x, optional, path := whole(f, "m.Data."+strings.ReplaceAll(selector(e.Name), ".", ""))
				values = append(values, g.load(f.Type, declared, x, optional && e.Terminal == nil, path))
			}
			if len(values) > 0 {
				fmt.Fprintf(b, "case %d:\nc.Data = []machine.Value{%s}\n", i, strings.Join(values, ", "))
			}
		}
		b.WriteString("}\nout = append(out, c)\n}\nx.t.Messages = nil\n")
	}
	b.WriteString("return out\n}\n\nfunc (x *subject) Allowed() []int {\nvar out []int\n")
	if len(g.m.Events) > 0 {
		b.WriteString("for _, e := range x.s.Allowed() {\nout = append(out, int(e)-1)\n}\n")
	}
	b.WriteString("return out\n}\n\nfunc (x *subject) Returned() []machine.Value {\n")
	for _, s := range g.m.States {
		if len(s.Returns) == 0 {
			continue
		}
		var values []string
		for _, ref := range s.Returns {
			declared, x, optional, path := g.wholeOf(ref.Var, "r", true)
			values = append(values, g.load(ref.Var.Type, declared, x, optional, path))
		}
		fmt.Fprintf(b, "if r, ok := x.s.%sResult(); ok {\nreturn []machine.Value{%s}\n}\n", ir.Exported(s.Name), strings.Join(values, ", "))
	}
	b.WriteString("return nil\n}\n")
}

func publishes(m *ir.Machine) bool {
	blocks := []*ir.Block{}
	for _, s := range m.States {
		blocks = append(blocks, s.Entry, s.Exit)
	}
	for _, a := range m.Arms {
		blocks = append(blocks, a.Block)
	}
	for _, b := range blocks {
		if b != nil && len(b.Publishes) > 0 {
			return true
		}
	}
	return false
}
