package golang

import (
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// coreTest writes the test of a core.
func (c *coverPrinter) coreTest(cover *ir.Cover) {
	id, guards := c.m.src.OwnVar(ir.RunID) != nil, len(c.m.Guards) > 0
	c.core.t(`// @mCoverStep is an input, and what comes of it.
type @mCoverStep struct {
	after time.Duration // since the start
	in @MStepInput
	arm @MArm
	to @MState
` + when(guards, "guards @mCoverGuards\n") + `}

// @mCoverRun is a run from the start.
type @mCoverRun struct {
	params @MParams
` + when(id, "id string\n") + `	steps []@mCoverStep
}
`)
	c.coreGuards()
	c.coreRuns(cover)
	c.core.t(`// Test@MCover takes every arm of @q at least once.
func Test@MCover(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, run := range @mCover {
		var stepper @MStepper
		core := New@MCore(run.params` + when(id, ", run.id") + `)
		if err := stepper.Start(&core, start); err != nil {
			t.Fatalf("run %d: %v", i, err)
		}
		for k := range run.steps {
			step := &run.steps[k]
			` + when(guards, "stepper.Guards = step.guards\n") + `from := core.State
			arm, err := stepper.Take(&core, &step.in, start.Add(step.after))
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

// coreGuards writes a host that says what a run relies on.
func (c *coverPrinter) coreGuards() {
	if len(c.m.Guards) == 0 {
		return
	}
	c.core.t("// @mCoverGuards answers by the name of a guard.\ntype @mCoverGuards map[string]bool\n")
	for _, g := range c.m.Guards {
		var params []string
		for _, q := range g.Params {
			params = append(params, "_ "+q.Type)
		}
		c.p.f("func (g %sCoverGuards) %s(%s) (bool, error) { return g[%s], nil }\n", c.m.low, g.Method, strings.Join(params, ", "), quote(g.Name))
	}
}

func (c *coverPrinter) coreRuns(cover *ir.Cover) {
	c.core.t(`// @mCover are runs that together take every arm that some run takes. Each is the
// shortest to an arm that those behind it do not take.`)
	for _, a := range cover.Missed {
		c.p.f("// None of them takes %s.", oneLine(c.m.core.Arms[a.ID].Value))
	}
	c.core.t("var @mCover = []@mCoverRun{")
	for _, run := range cover.Runs {
		id := c.idOf(run.Params)
		c.p.f("{\nparams: %s,%s\nsteps: []%sCoverStep{", c.fields(c.m.Params, run.Params), when(id != "", "\nid: "+id+","), c.m.low)
		for i := range run.Steps {
			c.coreStep(&run.Steps[i])
		}
		c.p.f("},\n},")
	}
	c.p.f("}\n")
}

func (c *coverPrinter) coreStep(s *ir.CoverStep) {
	yes := c.saidYes(s)
	guards := when(len(yes) > 0, ", guards: "+c.m.low+"CoverGuards{"+strings.Join(yes, ": true, ")+": true}")
	arm := c.m.Name + "ArmIgnored"
	switch {
	case s.Arm != nil:
		arm = c.m.core.Arms[s.Arm.ID].Name
	case c.aside(s).Defer:
		arm = c.m.Name + "ArmDeferred"
	}
	after := strings.Replace(c.after(s), "After", "after", 1)
	c.p.f("{%sin: %s, arm: %s, to: %s%s},", after, c.coreInput(s), arm, c.core.stateConst(s.To), guards)
}

// coreInput is what comes as a Go value.
func (c *coverPrinter) coreInput(s *ir.CoverStep) string {
	n := c.m.Name
	do := func() string { return ", Do: " + c.m.core.Dos[s.Input.Do.ID].Name }
	switch k := s.Input; k.Kind {
	case ir.CaseEvent, ir.CaseResult:
		e := c.m.ev[k.Event]
		kind, data := "Event", ""
		if k.Kind == ir.CaseResult {
			kind, data = "Result", do()
		}
		if len(e.Payload.Fields) > 0 {
			data += ", Data: " + n + "StepPayload{" + pathName(e.Name) + ": " + c.fields(e.Payload, s.Data) + "}"
		}
		return n + "StepInput{Kind: " + n + "Input" + kind + ", Event: " + e.Const + data + "}"
	case ir.CaseFailure:
		return n + "StepInput{Kind: " + n + "InputFailure" + do() + ", Category: " + c.core.category(k.Category) + "}"
	case ir.CaseTimer:
		return n + "StepInput{Kind: " + n + "InputTimer, Timer: " + c.m.core.Timers[k.Timer.ID].Name + "}"
	case ir.CaseCancel:
		return n + "StepInput{Kind: " + n + "InputCancel}"
	case ir.CaseOverBudget:
		return n + "StepInput{Kind: " + n + "InputOverBudget, Cost: " + quote(k.Cost) + "}"
	}
	return n + "StepInput{Kind: " + n + "InputDone}"
}
