package golang_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// glue writes what lets the driver of testdata/diff see a run on the generated
// core of m as the interpreter's own.
func glue(pkg string, m *ir.Machine, definition string) string {
	g := &gluer{m: m, name: ir.Exported(m.Name)}
	var b strings.Builder
	fmt.Fprintf(&b, `package %[1]s

import (
	"encoding/json"
	"errors"
	"reflect"
	"time"

	"gentest/diff"
	"github.com/fsmc-dev/fsmc/runtime"
)

var _ json.RawMessage

var Machine = runtime.MustCompile(%[2]q)

type subject struct {
	t %[3]sStepper
	s %[3]sSnapshot
}

func New(run string, seed uint64) diff.Subject { return &subject{s: New%[3]sSnapshot(run, seed)} }

func each[A, B any](list []A, turn func(A) B) []B {
	out := make([]B, len(list))
	for i, v := range list {
		out[i] = turn(v)
	}
	return out
}

func unset(set bool, v runtime.Value) runtime.Value {
	if set {
		return v
	}
	return runtime.Unset
}

func used(counters any, place int) int64 {
	f := reflect.ValueOf(counters).Field(place)
	if f.CanInt() {
		return f.Int()
	}
	return int64(f.Uint())
}

func when(t %[3]sStepTime) time.Time { return t.Time() }

func (x *subject) Step(in runtime.Input, now time.Time, ask runtime.Ask) error {
	core := fromInput(in)
%[4]s	return ended(x.t.Step(&x.s, &core, now))
}

func (x *subject) Settle(now time.Time, ask runtime.Ask) error {
%[4]s	return ended(x.t.Settle(&x.s, now))
}

func ended(err error) error {
	var refused *%[3]sStepRefused
	switch {
	case errors.As(err, &refused):
		_ = refused.Error()
		return diff.ErrRefused
	case errors.Is(err, Err%[3]sFenced):
		return runtime.ErrFenced
	case err != nil:
		return diff.ErrOther
	}
	return nil
}

// JSON is what is written of the run, which goes on with what is read back.
func (x *subject) JSON() ([]byte, error) {
	out, err := x.s.MarshalJSON()
	if err == nil {
		err = x.s.UnmarshalJSON(out)
	}
	if again, _ := x.s.MarshalJSON(); err == nil && string(again) != string(out) {
		err = errors.New("written again it is " + string(again))
	}
	return out, err
}

func (x *subject) Next(now time.Time) (runtime.Input, bool) {
	in, ok := x.s.Next(now)
	return toInput(&in), ok
}
`, pkg, definition, g.name, g.guards())
	g.inputs(&b)
	g.snapshot(&b)
	g.commands(&b)
	return b.String()
}

type gluer struct {
	m    *ir.Machine
	name string
}

func (g *gluer) hasDos() bool    { return len(g.m.Dos) > 0 }
func (g *gluer) hasTimers() bool { return len(g.m.Timers) > 0 }

// toValue is a runtime.Value of the Go expression x.
func (g *gluer) toValue(t *ir.Type, x string) string {
	switch t.Kind {
	case ir.Bool:
		return "runtime.BoolValue(" + x + ")"
	case ir.Int:
		return "runtime.IntValue(" + x + ")"
	case ir.Float:
		return "runtime.FloatValue(" + x + ")"
	case ir.Duration:
		return "runtime.DurationValue(" + x + ")"
	case ir.Time:
		return "runtime.TimeValue(" + x + ")"
	case ir.EnumKind:
		return "runtime.EnumValue(" + x + ".String())"
	case ir.JSON:
		return "runtime.JSONValue(string(" + x + "))"
	case ir.List:
		return fmt.Sprintf("runtime.ListValue(each(%s, func(v %s) runtime.Value { return %s })...)", x, g.goType(t.Elem), g.toValue(t.Elem, "v"))
	}
	return "runtime.StringValue(" + x + ")"
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
		return "func() (e " + g.goType(t) + ") { _ = e.UnmarshalText([]byte(" + x + ".Text())); return }()"
	case ir.JSON:
		return "json.RawMessage(" + x + ".Text())"
	case ir.List:
		return fmt.Sprintf("each(%s.List(), func(v runtime.Value) %s { return %s })", x, g.goType(t.Elem), g.fromValue(t.Elem, "v"))
	}
	return x + ".Text()"
}

func (g *gluer) goType(t *ir.Type) string {
	switch t.Kind {
	case ir.EnumKind:
		return g.name + ir.Exported(t.Enum.Name)
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

func (g *gluer) inputs(b *strings.Builder) {
	n := g.name
	fmt.Fprintf(b, "func fromInput(in runtime.Input) %[1]sStepInput {\nvar out %[1]sStepInput\nswitch in.Kind {\n", n)
	fmt.Fprintf(b, "case runtime.StartInput:\nout.Kind = %[1]sInputStart\nif len(in.Data) > 0 {\n", n)
	for i, p := range g.m.Params {
		fmt.Fprintf(b, "out.Params.%s = %s\n", ir.Exported(p.Name), g.fromValue(p.Type, fmt.Sprintf("in.Data[%d]", i)))
	}
	fmt.Fprintf(b, "}\ncase runtime.DoneInput:\nout.Kind = %[1]sInputDone\ncase runtime.KeptInput:\nout.Kind = %[1]sInputKept\n", n)
	fmt.Fprintf(b, "case runtime.CancelInput:\nout.Kind, out.Force = %[1]sInputCancel, in.Force\ncase runtime.EventInput:\nout.Kind = %[1]sInputEvent\n", n)
	if g.hasTimers() {
		fmt.Fprintf(b, "case runtime.TimerInput:\nout.Kind, out.Timer = %[1]sInputTimer, %[1]sTimerName(in.Timer+1)\n", n)
	}
	if g.hasDos() {
		fmt.Fprintf(b, `case runtime.ResultInput:
	out.Kind, out.Task = %[1]sInputResult, task(in)
	if in.Event < 0 {
		out.Kind = %[1]sInputEnded
	}
case runtime.FailureInput:
	out.Kind, out.Task, out.Category, out.Message = %[1]sInputFailure, task(in), %[1]sFailureCategory(in.Category+1), in.Message
`, n)
	}
	b.WriteString("}\n")
	if len(g.m.Events) > 0 {
		b.WriteString("if in.Event >= 0 && (in.Kind == runtime.EventInput || in.Kind == runtime.ResultInput) {\n")
		fmt.Fprintf(b, "out.Event = %sEvent(in.Event)\nswitch in.Event {\n", n)
		for i, e := range g.m.Events {
			fmt.Fprintf(b, "case %d:\n", i)
			for k, f := range e.Fields {
				fmt.Fprintf(b, "out.Data.%s.%s = %s\n", ir.Exported(e.Name), ir.Exported(f.Name), g.fromValue(f.Type, fmt.Sprintf("in.Data[%d]", k)))
			}
		}
		b.WriteString("}\n}\n")
	}
	b.WriteString("return out\n}\n\n")
	if g.hasDos() {
		fmt.Fprintf(b, "func task(in runtime.Input) %[1]sDoTask {\nreturn %[1]sDoTask{Do: %[1]sDoName(in.Do+1), Attempt: int32(in.Attempt), Execution: diff.Execution(in.Key)}\n}\n\n", n)
	}
	fmt.Fprintf(b, "func toInput(in *%[1]sStepInput) runtime.Input {\nvar out runtime.Input\nswitch in.Kind {\n", n)
	kinds := "Event Done Kept Cancel Start"
	if g.hasDos() {
		kinds += " Result Failure"
		fmt.Fprintf(b, "case %sInputEnded:\nout.Kind, out.Event = runtime.ResultInput, -1\n", n)
	}
	for _, k := range strings.Fields(kinds) {
		fmt.Fprintf(b, "case %[1]sInput%[2]s:\nout.Kind = runtime.%[2]sInput\n", n, k)
	}
	if g.hasTimers() {
		fmt.Fprintf(b, "case %[1]sInputTimer:\nout.Kind, out.Timer = runtime.TimerInput, int(in.Timer)-1\n", n)
	}
	b.WriteString("}\nout.Force = in.Force\n")
	if g.hasDos() {
		fmt.Fprintf(b, `if in.Task.Do != 0 {
	out.Do, out.Attempt = int(in.Task.Do)-1, int(in.Task.Attempt)
	out.Key = diff.Key(Machine, "run", out.Do, in.Task.Execution)
	if in.Kind == %[1]sInputFailure {
		out.Category, out.Message = int(in.Category)-1, in.Message
	}
}
`, n)
	}
	if len(g.m.Events) > 0 {
		fmt.Fprintf(b, "switch in.Kind {\ncase %[1]sInputEvent, %[1]sInputKept, %[1]sInputResult:\nout.Event = int(in.Event)\n}\n", n)
	}
	b.WriteString("return out\n}\n\n")
	if len(g.m.Guards) == 0 {
		return
	}
	b.WriteString("type host struct{ ask runtime.Ask }\n\n")
	for i, q := range g.m.Guards {
		var params, args []string
		for k, p := range q.Params {
			params = append(params, fmt.Sprintf("p%d %s", k, g.goType(p.Type)))
			args = append(args, g.toValue(p.Type, fmt.Sprintf("p%d", k)))
		}
		fmt.Fprintf(b, "func (h host) %s(%s) (bool, error) {\nreturn h.ask(%d, []runtime.Value{%s})\n}\n\n",
			ir.Exported(q.Name), strings.Join(params, ", "), i, strings.Join(args, ", "))
	}
}

func (g *gluer) payload(b *strings.Builder, in string) {
	fmt.Fprintf(b, "func payload(event %sEvent, data *%sStepPayload) []runtime.Value {\nswitch event {\n", g.name, g.name)
	for i, e := range g.m.Events {
		var values []string
		for _, f := range e.Fields {
			values = append(values, g.toValue(f.Type, "data."+ir.Exported(e.Name)+"."+ir.Exported(f.Name)))
		}
		fmt.Fprintf(b, "case %d:\nreturn []runtime.Value{%s}\n", i, strings.Join(values, ", "))
	}
	b.WriteString("}\nreturn nil\n}\n\n")
}

func (g *gluer) snapshot(b *strings.Builder) {
	n := g.name
	var states, params, data []string
	for _, s := range g.m.States {
		if s.Kind != ir.Composite {
			states = append(states, fmt.Sprint(s.ID))
		}
	}
	for _, p := range g.m.Params {
		params = append(params, g.toValue(p.Type, "s.Params."+ir.Exported(p.Name)))
	}
	for _, f := range g.m.Fields {
		x := "s.Data." + ir.Exported(f.Name)
		if f.Default != nil {
			data = append(data, g.toValue(f.Type, x))
		} else {
			data = append(data, "unset("+x+".Set, "+g.toValue(f.Type, x+".Value")+")")
		}
	}
	fmt.Fprintf(b, `var states = []int{%[2]s}

func (x *subject) Snapshot() *runtime.Snapshot {
	s := &x.s
	out := &runtime.Snapshot{
		Run: s.Run, Seq: s.Seq, State: -1, Visit: s.Visit, Status: runtime.Running, Started: when(s.Started), Entered: when(s.Entered),
		Now: when(s.Now), DoneDue: s.DoneDue, Cancelled: s.Cancelled, Seed: s.Seed, Outcome: runtime.Outcome(s.Outcome()),
		Counters: make([]int64, len(Machine.Definition().Arms)),
		Data: []runtime.Value{%[3]s},
	}
	if s.Status != %[1]sRunStatusNotStarted {
		out.State = states[s.State]
		out.Params = []runtime.Value{%[4]s}
	}
	switch s.Status {
	case %[1]sRunStatusHalted:
		out.Status = runtime.Halted
		out.Halt = &runtime.Halt{Input: toInput(&s.Halt.Input)}
	case %[1]sRunStatusFinished:
		out.Status = runtime.Finished
	}
`, n, strings.Join(states, ", "), strings.Join(data, ", "), strings.Join(params, ", "))
	place := 0
	for _, a := range g.m.Arms {
		if a.Max != nil || a.Kind == ir.Retry {
			fmt.Fprintf(b, "out.Counters[%d] = used(s.Used, %d)\n", a.ID, place)
			place++
		}
	}
	if g.hasDos() {
		b.WriteString(`for i := range s.Tasks {
	if s.Tasks[i].Do != 0 {
		out.Tasks = append(out.Tasks, toTask(s.Tasks[i]))
	}
}
`)
	}
	k := 0
	for _, d := range g.m.Dos {
		if d.Scope.Kind != ir.PerVisit {
			fmt.Fprintf(b, "if e := s.Executions[%d]; e.Attempt > 0 {\nout.Executions = append(out.Executions, runtime.Execution{Do: %d, Key: diff.Key(Machine, s.Run, %d, e.Execution), Attempt: int(e.Attempt)})\n}\n", k, d.ID, d.ID)
			k++
		}
	}
	if g.hasTimers() {
		idle := "0"
		for _, t := range g.m.Timers {
			if t.Idle {
				idle = "s.Idle[i]"
			}
		}
		fmt.Fprintf(b, "for i := range s.Due {\nif timer := s.Timer(i); timer != 0 {\nout.Alarms = append(out.Alarms, runtime.Alarm{Timer: int(timer) - 1, Due: when(s.Due[i]), Wait: %s})\n}\n}\n", idle)
	}
	for _, s := range g.m.States {
		if len(s.Defer) > 0 {
			data := ""
			if slices.ContainsFunc(g.m.Events, func(e *ir.Event) bool { return len(e.Fields) > 0 }) {
				data = ", Data: payload(s.Kept[i].Event, &s.Kept[i].Data)"
			}
			fmt.Fprintf(b, "out.KeptNext = s.KeptNext\nfor i := range s.Kept {\nout.Kept = append(out.Kept, runtime.Kept{Event: int(s.Kept[i].Event)%s})\n}\n", data)
			break
		}
	}
	b.WriteString("return out\n}\n\n")
	if g.hasDos() {
		fmt.Fprintf(b, `func toTask(k %[1]sDoTask) runtime.Task {
	out := runtime.Task{Do: int(k.Do) - 1, State: runtime.TaskEnded, Key: diff.Key(Machine, "run", int(k.Do)-1, k.Execution), Attempt: int(k.Attempt), NotBefore: when(k.NotBefore)}
	if k.Open {
		out.State = runtime.TaskOpen
	}
	return out
}

`, n)
	}
	for _, e := range g.m.Events {
		if len(e.Fields) > 0 {
			g.payload(b, "")
			break
		}
	}
}

func (g *gluer) commands(b *strings.Builder) {
	n := g.name
	fmt.Fprintf(b, "func (x *subject) Commands() []runtime.Command {\nvar out []runtime.Command\nfor _, c := range x.t.Commands {\nvar k runtime.Command\nswitch c.Kind {\n")
	if g.hasDos() {
		for _, k := range []string{"StartTask", "CancelTask", "EndTask"} {
			fmt.Fprintf(b, "case %[1]sCommand%[2]s:\nk.Kind, k.Task = runtime.%[2]s, toTask(c.Task)\n", n, k)
		}
	}
	if g.hasTimers() {
		fmt.Fprintf(b, "case %[1]sCommandSetTimer:\nk.Kind, k.Timer, k.Due = runtime.SetTimer, int(c.Timer)-1, when(c.Due)\n", n)
		fmt.Fprintf(b, "case %[1]sCommandDropTimer:\nk.Kind, k.Timer = runtime.DropTimer, int(c.Timer)-1\n", n)
	}
	published := map[bool]string{}
	for _, e := range g.m.Events {
		published[len(e.Fields) > 0] = ""
	}
	if publishes(g.m) {
		data := ""
		if _, some := published[true]; some {
			data = "k.Data = payload(m.Event, &m.Data)\n"
		}
		fmt.Fprintf(b, "case %sCommandPublish:\nm := &x.t.Messages[c.Message]\nk.Kind, k.Event, k.Message = runtime.SendOut, int(m.Event), m.ID(x.s.Run)\n%s", n, data)
	}
	fmt.Fprintf(b, "case %sCommandFinish:\nk.Kind = runtime.Finish\n}\nout = append(out, k)\n}\nreturn out\n}\n\n", n)
	b.WriteString("func (x *subject) Allowed() []int {\nvar out []int\n")
	if len(g.m.Events) > 0 {
		b.WriteString("for _, e := range x.s.Allowed() {\nout = append(out, int(e))\n}\n")
	}
	b.WriteString("return out\n}\n")
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
