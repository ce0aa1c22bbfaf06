package golang

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// GenerateTests gives the Go test file that walks machines along the runs of
// their covers: every arm is taken, in the state and with the effect on the state
// that is expected. It stands in the package of the file that Generate makes.
func GenerateTests(machines []*ir.Machine, o Options, cover func(*ir.Machine) *ir.Cover) ([]byte, diag.List) {
	f, list := newPlan(machines, o)
	if list.HasErrors() {
		return nil, list
	}
	p := newPrinter()
	for _, m := range f.Machines {
		(&coverPrinter{p: p, m: m, core: &corePrinter{p: p, m: m, plan: m.core}}).machine(cover(m.src))
	}
	return p.oneFile(f), nil
}

// coverPrinter writes the test of one machine.
type coverPrinter struct {
	p    *printer
	m    *machinePlan
	core *corePrinter
}

func (c *coverPrinter) machine(cover *ir.Cover) {
	c.p.use("testing", "time")
	guards, set := "", ""
	if len(c.m.Guards) > 0 {
		guards, set = "\n\tguards @mCoverGuards", "stepper.Guards = step.guards\n"
	}
	c.core.t(`// @mCoverStep is an input, and what comes of it.
type @mCoverStep struct {
	after time.Duration // since the start
	in @MStepInput
	arm @MArm
	to @MState` + guards + `
}

// @mCoverRun is a run from the start.
type @mCoverRun struct {
	params @MParams
	steps []@mCoverStep
}
`)
	c.guards()
	c.runs(cover)
	c.core.t(`// Test@MCover takes every arm of @q at least once.
func Test@MCover(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, run := range @mCover {
		var stepper @MStepper
		core := New@MCore(run.params)
		if err := stepper.Start(&core, @MStepTimeOf(start)); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		for k := range run.steps {
			step := &run.steps[k]
			` + set + `from := core.State
			arm, err := stepper.Take(&core, &step.in, @MStepTimeOf(start.Add(step.after)))
			if err != nil {
				t.Fatalf("run %d, step %d: %v", i, k, err)
			}
			if arm != step.arm || core.State != step.to {
				t.Fatalf("run %d, step %d: %v in %v led to %v, want %v to %v", i, k, arm, from, core.State, step.arm, step.to)
			}
		}
	}
}
`)
}

// guards writes a host that says what a run relies on.
func (c *coverPrinter) guards() {
	if len(c.m.Guards) == 0 {
		return
	}
	c.core.t("// @mCoverGuards answers by the name of a guard.\ntype @mCoverGuards map[string]bool\n")
	for _, g := range c.m.Guards {
		var params []string
		for _, q := range g.Params {
			c.p.typesUsed(q.Type)
			params = append(params, "_ "+q.Type)
		}
		c.p.f("func (g %sCoverGuards) %s(%s) (bool, error) { return g[%s], nil }\n", c.m.low, g.Method, strings.Join(params, ", "), quote(g.Name))
	}
}

func (c *coverPrinter) runs(cover *ir.Cover) {
	c.core.t(`// @mCover are runs that together take every arm that some run takes. Each is the
// shortest to an arm that those behind it do not take.`)
	for _, a := range cover.Missed {
		c.p.f("// No run is known to take %s.", oneLine(c.m.core.Arms[a.ID].Value))
	}
	c.core.t("var @mCover = []@mCoverRun{")
	for _, run := range cover.Runs {
		c.p.f("{\nparams: %s,\nsteps: []%sCoverStep{", c.fields(c.m.Params, run.Params), c.m.low)
		for i := range run.Steps {
			c.step(&run.Steps[i])
		}
		c.p.f("},\n},")
	}
	c.p.f("}\n")
}

func (c *coverPrinter) step(s *ir.CoverStep) {
	after, _ := time.ParseDuration(s.After) // the checker wrote it
	delay, _ := durationLiteral(int64(after))
	if after == 0 {
		delay = "0"
	}
	guards := ""
	for _, g := range c.m.Guards {
		for call, answer := range s.Guards {
			if answer && strings.HasPrefix(call, g.Name+"(") {
				guards += quote(g.Name) + ": true,"
			}
		}
	}
	if guards != "" {
		guards = ", guards: " + c.m.low + "CoverGuards{" + strings.TrimSuffix(guards, ",") + "}"
	}
	c.p.f("{after: %s, in: %s, arm: %s, to: %s%s},", delay, c.input(s), c.arm(s), c.core.stateConst(s.To), guards)
}

func (c *coverPrinter) arm(s *ir.CoverStep) string {
	if s.Arm != nil {
		return c.m.core.Arms[s.Arm.ID].Name
	}
	leaf := s.To // neither ignore nor defer leaves it
	for _, choice := range c.m.src.Choices(leaf, s.Input) {
		if choice.Arm == nil && choice.Defer {
			return c.m.Name + "ArmDeferred"
		}
	}
	return c.m.Name + "ArmIgnored"
}

// input is what comes as a Go value.
func (c *coverPrinter) input(s *ir.CoverStep) string {
	n := c.m.Name
	task := func() string { return ", Task: " + n + "DoTask{Do: " + c.m.core.Dos[s.Input.Do.ID].Name + "}" }
	switch k := s.Input; k.Kind {
	case ir.CaseEvent, ir.CaseResult:
		e := c.m.ev[k.Event]
		kind, data := "Event", ""
		if s.Kept {
			kind = "Kept"
		}
		if k.Kind == ir.CaseResult {
			kind, data = "Result", task()
		}
		if len(e.Payload.Fields) > 0 {
			data += ", Data: " + n + "StepPayload{" + exported(e.Name) + ": " + c.fields(e.Payload, s.Data) + "}"
		}
		return n + "StepInput{Kind: " + n + "Input" + kind + ", Event: " + e.Const + data + "}"
	case ir.CaseFailure:
		return n + "StepInput{Kind: " + n + "InputFailure" + task() + ", Category: " + c.core.category(k.Category) + "}"
	case ir.CaseTimer:
		return n + "StepInput{Kind: " + n + "InputTimer, Timer: " + c.m.core.Timers[k.Timer.ID].Name + "}"
	case ir.CaseCancel:
		return n + "CancelInput(false)"
	}
	return n + "StepInput{Kind: " + n + "InputDone}"
}

// fields is a struct with the values of data, and something that fits for the
// rest.
func (c *coverPrinter) fields(s *structPlan, data map[string]any) string {
	var parts []string
	for _, f := range s.Fields {
		v := c.fitting(f.typ)
		if given, ok := data[f.JSON]; ok {
			text, err := json.Marshal(given)
			if err != nil {
				panic("golang: a value of a cover has no JSON form: " + err.Error())
			}
			v = c.value(f.typ, text)
		}
		parts = append(parts, f.Name+": "+v)
	}
	return s.Type + "{" + strings.Join(parts, ", ") + "}"
}

// fitting is some value of t.
func (c *coverPrinter) fitting(t *ir.Type) string {
	switch t.Kind {
	case ir.Int:
		if t.Range != nil {
			return strconv.FormatInt(t.Range.Lo, 10)
		}
		return "0"
	case ir.Duration:
		most := int64(time.Hour)
		if t.Range != nil {
			most = t.Range.Hi
		}
		code, _ := durationLiteral(most)
		return code
	case ir.Bool:
		return "false"
	case ir.Float:
		return "0"
	case ir.Time:
		return "time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)"
	case ir.EnumKind:
		return c.m.enum[t.Enum].Values[0].Name
	case ir.List:
		return "nil"
	case ir.JSON:
		return "nil"
	}
	return `""`
}

// value is a value of t, given in its JSON form, as Go.
func (c *coverPrinter) value(t *ir.Type, text []byte) string {
	var s string
	switch t.Kind {
	case ir.Int, ir.Float, ir.Bool:
		return string(text)
	case ir.JSON:
		c.p.use("encoding/json")
		return "json.RawMessage(" + quote(string(text)) + ")"
	case ir.List:
		var items []json.RawMessage
		must(json.Unmarshal(text, &items))
		out := c.m.goType(t) + "{"
		for _, item := range items {
			out += c.value(t.Elem, item) + ", "
		}
		return strings.TrimSuffix(out, ", ") + "}"
	}
	must(json.Unmarshal(text, &s))
	switch t.Kind {
	case ir.Duration:
		d, err := time.ParseDuration(s)
		must(err)
		code, _ := durationLiteral(int64(d))
		return code
	case ir.Time:
		at, err := time.Parse(time.RFC3339, s)
		must(err)
		return fmt.Sprintf("time.UnixMicro(%d).UTC()", at.UnixMicro())
	case ir.EnumKind:
		return c.m.enumValue(t.Enum, s)
	}
	return quote(s)
}

// must stops at a value that the checker cannot have written.
func must(err error) {
	if err != nil {
		panic("golang: a value of a cover does not fit its type: " + err.Error())
	}
}
