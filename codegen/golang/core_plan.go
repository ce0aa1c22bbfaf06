package golang

import (
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// corePlan is what the core needs beside the types: names for what the source does
// not name, and when counters begin again.
type corePlan struct {
	m *machinePlan

	Dos      []constPlan // by ir.Do.ID
	Timers   []constPlan // by ir.Timer.ID
	Arms     []constPlan // by ir.Arm.ID
	Counters map[*ir.Arm]string
	counted  []*ir.Arm // in source order

	fresh map[*ir.State][]*ir.Arm // counters that begin again where the state is entered
	visit map[*ir.State][]*ir.Arm // by leaf: counters that end with the visit

	deferred, ignored bool
}

func newCorePlan(m *machinePlan) *corePlan {
	c := &corePlan{m: m, Counters: map[*ir.Arm]string{}, fresh: map[*ir.State][]*ir.Arm{}, visit: map[*ir.State][]*ir.Arm{}}
	c.planDos()
	c.planTimers()
	c.planCounters()
	c.planArms()
	for _, s := range m.src.States {
		c.deferred = c.deferred || len(s.Defer) > 0
		c.ignored = c.ignored || len(s.Ignore) > 0
	}
	return c
}

// withoutJSON reports the first effect of m that a core cannot compute: it copies a json,
// and neither builds it nor takes it apart. What activities are given is no part of it.
func withoutJSON(m *ir.Machine) diag.List {
	for b := range m.Blocks() {
		for whole := range b.Exprs() {
			found := ir.Find(whole, func(e ir.Expr) bool {
				switch e := e.(type) {
				case *ir.Object, *ir.Array, *ir.Key, *ir.Fit, *ir.Text:
					return true
				case *ir.Binary:
					return e.T.Kind == ir.JSON
				}
				return false
			})
			if found != nil {
				return diag.List{{
					Rule: "not-yet", Severity: diag.Error, Span: found.Span(),
					Message: "a core cannot compute " + strconv.Quote(ir.ExprText(found)) + ": it copies a json, and neither builds it nor takes it apart",
					Help:    "Generate the binding to the runtime, without `--core`, or compute this in an activity.",
				}}
			}
		}
	}
	return nil
}

// unique numbers the second and later uses of a name.
func unique(taken map[string]bool, name string) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = name + strconv.Itoa(n)
	}
	taken[out] = true
	return out
}

// word keeps the letters and digits of text: "1h30m idle" is "1h30mIdle".
func word(text string) string {
	var b strings.Builder
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9')
	}) {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

func (c *corePlan) planDos() {
	names, taken := ir.DoNames(c.m.src), map[string]bool{}
	for i, d := range c.m.src.Dos {
		name := unique(taken, c.m.Name+"Do"+pathName(d.State.Path)+exported(d.Name()))
		c.Dos = append(c.Dos, constPlan{Name: name, Value: names[i]})
	}
}

func (c *corePlan) planTimers() {
	names, taken := ir.TimerNames(c.m.src), map[string]bool{}
	for i, t := range c.m.src.Timers {
		what := "After" + word(t.DelayText())
		switch {
		case t.Budget:
			what = "OverBudget"
		case t.Var != nil:
			what = "After" + pathName(t.Var.Name)
		}
		c.Timers = append(c.Timers, constPlan{Name: unique(taken, c.m.Name+"Timer"+pathName(t.State.Path)+what), Value: names[i]})
	}
}

func (c *corePlan) planCounters() {
	taken := map[string]bool{}
	for _, a := range c.m.src.Arms {
		if a.Max == nil && a.Kind != ir.Retry {
			continue
		}
		c.Counters[a] = unique(taken, armName(a))
		c.counted = append(c.counted, a)
		if s := a.Restart(); s != nil {
			c.fresh[s] = append(c.fresh[s], a)
		}
	}
	for _, leaf := range c.m.src.States {
		if leaf.Kind == ir.Leaf {
			c.visit[leaf] = c.visitCounters(leaf)
		}
	}
}

// armName joins the state in which an arm stands and its trigger.
func armName(a *ir.Arm) string {
	name := pathName(a.State.Path)
	if a.Timer != nil {
		name += "After" + word(a.Timer.DelayText())
	} else {
		name += "On" + word(a.Handler.Text())
	}
	if a.Index > 0 {
		name += "Else" + strconv.Itoa(a.Index)
	}
	return name
}

func (c *corePlan) planArms() {
	var stable ir.StableNames
	names, taken := ir.ArmNames(c.m.src, &stable), map[string]bool{}
	for _, own := range []string{"Ignored", "Deferred"} {
		taken[c.m.Name+"Arm"+own] = true
	}
	for i, a := range c.m.src.Arms {
		c.Arms = append(c.Arms, constPlan{Name: unique(taken, c.m.Name+"Arm"+armName(a)), Value: names[i]})
	}
}

// visitCounters are those of the retries that leaf can meet and that count per
// visit.
func (c *corePlan) visitCounters(leaf *ir.State) []*ir.Arm {
	var out []*ir.Arm
	seen := map[*ir.Arm]bool{}
	for _, k := range c.m.src.Cases(leaf) {
		for _, choice := range c.m.src.Choices(leaf, k) {
			if a := choice.Arm; a != nil && a.Kind == ir.Retry && a.Scope.Kind == ir.PerVisit && !seen[a] {
				seen[a] = true
				out = append(out, a)
			}
		}
	}
	return out
}

// counterType is the smallest type that holds the bound of a.
func counterType(a *ir.Arm) string {
	switch {
	case a.Max == nil || *a.Max > 1<<32-1:
		return "int64"
	case *a.Max > 1<<16-1:
		return "uint32"
	case *a.Max > 1<<8-1:
		return "uint16"
	}
	return "uint8"
}

// declareCore takes the names of the core.
func (m *machinePlan) declareCore(p *planner) {
	at := m.src.Span
	p.reserve(at, m.Name,
		"DoName", "TimerName", "FailureCategory", "Core", "Arm", "ArmIgnored", "ArmDeferred", "Counters", "InputKind", "InputStart",
		"InputEvent", "InputResult", "InputFailure", "InputTimer", "InputDone", "InputCancel", "StepInput", "StepPayload",
		"FailureInput", "OutMessage", "Stepper", "StepRefused",
	)
	if len(m.src.Enforced()) > 0 {
		p.declare(m.Name+"InputOverBudget", at)
	}
	p.reserve(at, m.low,
		"StateNames", "EventNames", "DoNameNames", "TimerNameNames", "FailureCategoryNames", "ArmNames",
		"CoverStep", "CoverRun", "CoverGuards", "Cover",
		"Value", "Add", "Sub", "Mul", "Finite", "Negative", "Join", "Append", "Size", "After", "Before", "InTime", "Between", "Earlier",
		"Later", "Widen", "WideTime", "Wide",
	)
	p.declare("New"+m.Name+"Core", at)
	for _, g := range m.Guards {
		p.declare(m.low+g.Method+"Verdict", g.src.Span)
	}
	for _, e := range m.Events {
		e.Input = m.Name + "On" + pathName(e.Name)
		if e.Sent || e.Raised {
			p.declare(e.Input, e.src.Span)
		}
	}
	for i, d := range m.src.Dos {
		p.declare(m.core.Dos[i].Name, d.Span)
	}
	for i, t := range m.src.Timers {
		p.declare(m.core.Timers[i].Name, t.Span)
	}
	for i, a := range m.src.Arms {
		p.declare(m.core.Arms[i].Name, a.Span)
	}
	for _, k := range m.src.Categories {
		p.declare(m.Name+"Category"+exported(k.Name), k.Span)
	}
}
