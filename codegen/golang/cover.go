package golang

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// coverTest gives the Go test file that takes machines along the runs of their
// covers: every arm is taken, in the state and with the effect on the state that is
// expected. The binding's walks the machine itself, with package fsmtest; the core's
// walks the core.
func coverTest(f *filePlan, cover func(*ir.Machine) *ir.Cover) []byte {
	p := &printer{}
	for _, m := range f.Machines {
		c := &coverPrinter{p: p, m: m}
		if f.Core {
			c.core = &corePrinter{p: p, m: m, plan: m.core}
			c.coreTest(walkable(cover(m.src)))
		} else {
			c.test(walkable(cover(m.src)))
		}
	}
	return p.file(f)
}

// walkable is a cover without the runs in which activities make checkpoints, which the tests do not.
func walkable(all *ir.Cover) *ir.Cover {
	cover := &ir.Cover{Missed: slices.Clone(all.Missed)}
	taken := map[*ir.Arm]bool{nil: true}
	var left []ir.CoverStep
	for _, run := range all.Runs {
		if run.Checkpoints {
			left = append(left, run.Steps...)
			continue
		}
		cover.Runs = append(cover.Runs, run)
		for _, s := range run.Steps {
			taken[s.Arm] = true
		}
	}
	for _, s := range left {
		if !taken[s.Arm] {
			taken[s.Arm] = true
			cover.Missed = append(cover.Missed, s.Arm)
		}
	}
	return cover
}

// coverPrinter writes the test of one machine.
type coverPrinter struct {
	p    *printer
	m    *machinePlan
	core *corePrinter // of a core
}

// test writes the test of a machine that the runtime runs.
func (c *coverPrinter) test(cover *ir.Cover) {
	p, m := c.p, c.m
	var taken ir.StableNames
	arms, dos, timers := ir.ArmNames(m.src, &taken), ir.DoNames(m.src), ir.TimerNames(m.src)
	uses := ir.UseNames(m.src, &taken)
	p.f("// Test%sCover takes every arm of %s that some run takes. Each path is the shortest to", m.Name, m.src.Name)
	p.f("// an arm that those behind it do not take.")
	for _, a := range cover.Missed {
		p.f("// No generated test takes %q.", oneLine(arms[a.ID]))
	}
	p.f("func Test%[1]sCover(t *testing.T) {\nfsmtest.Walk(t, %[1]sMachine(), %[2]sPaths...)\n}\n", m.Name, m.low)
	p.f("var %sPaths = []fsmtest.Path{", m.low)
	for _, run := range cover.Runs {
		id := c.idOf(run.Params)
		p.f("{%sParams: %s, Steps: []fsmtest.Step{", when(id != "", "ID: "+id+", "), c.fields(m.Params, run.Params))
		for i := range run.Steps {
			s := &run.Steps[i]
			input, data := c.named(s, timers)
			arm := ""
			switch {
			case s.Arm != nil:
				arm = ", Arm: " + quote(arms[s.Arm.ID])
			case !s.Ends():
				arm = ", Arm: " + quote(uses[c.aside(s).Use])
			}
			do := ""
			if d := s.Input.Do; d != nil {
				name := dos[d.ID]
				if s.Element >= 0 {
					name += "[" + strconv.Itoa(s.Element) + "]"
				}
				do = ", Do: " + quote(name)
			}
			guards := c.saidYes(s)
			yes := when(len(guards) > 0, ", Yes: []string{"+strings.Join(guards, ", ")+"}")
			p.f("{%sInput: %s%s%s%s%s, To: %s},", c.after(s), quote(input), do, data, yes, arm, quote(s.To.Path))
		}
		p.f("}},")
	}
	p.f("}\n")
}

// idOf is the id of the run whose data are params, as a Go string; empty where the
// machine does not read it.
func (c *coverPrinter) idOf(params map[string]any) string {
	if c.m.src.OwnVar(ir.RunID) == nil {
		return ""
	}
	id, given := params[ir.OwnName(ir.RunID)].(string)
	if !given {
		id = "run"
	}
	return quote(id)
}

// named is an input as package fsmtest calls it, and the field with its data.
func (c *coverPrinter) named(s *ir.CoverStep, timers []string) (input, data string) {
	if s.Ends() {
		return "result", ""
	}
	switch k := s.Input; k.Kind {
	case ir.CaseEvent, ir.CaseResult:
		e, kind := c.m.ev[k.Event], "event "
		switch {
		case k.Kind == ir.CaseResult:
			kind = "result "
		case s.Deferred:
			return "kept " + e.Name, ""
		}
		if len(e.Payload.Fields) > 0 {
			data = ", Data: " + c.fields(e.Payload, s.Data)
		}
		return kind + e.Name, data
	case ir.CaseFailure:
		return "failure " + k.Category.Name, ""
	case ir.CaseTimer:
		return "timer " + timers[k.Timer.ID], ""
	case ir.CaseCancel:
		return "cancel", ""
	case ir.CaseOverBudget:
		return "over_budget " + k.Cost, ""
	}
	return "done", ""
}

// after is the field with the time of a step, or nothing for that of the start.
func (c *coverPrinter) after(s *ir.CoverStep) string {
	after, _ := time.ParseDuration(s.After) // the checker wrote it
	if after == 0 {
		return ""
	}
	delay, _ := durationLiteral(int64(after))
	return "After: " + delay + ", "
}

// aside is the `ignore` or `defer` that a step meets where it takes no arm.
func (c *coverPrinter) aside(s *ir.CoverStep) ir.Choice {
	for _, choice := range c.m.src.Choices(s.To, s.Input) { // neither leaves the leaf
		if choice.Arm == nil {
			return choice
		}
	}
	panic("golang: a step of a cover that nothing takes")
}

// saidYes are the guards that say yes to a step, as Go strings.
func (c *coverPrinter) saidYes(s *ir.CoverStep) []string {
	var out []string
	for _, g := range c.m.Guards {
		for call, answer := range s.Guards {
			if answer && strings.HasPrefix(call, g.Name+"(") && !slices.Contains(out, quote(g.Name)) {
				out = append(out, quote(g.Name))
			}
		}
	}
	return out
}

// fields is a struct with the values of data, and something that fits for the
// rest.
func (c *coverPrinter) fields(s *structPlan, data map[string]any) string {
	var parts []string
	for _, f := range s.Fields {
		if value := c.said(f.typ, f.Optional, f.JSON, data); value != "" {
			parts = append(parts, f.Name+": "+value)
		}
	}
	return s.Type + "{" + strings.Join(parts, ", ") + "}"
}

// said is a value of type t, with that of data under its name, or of its leaves under theirs, and
// something that fits for the rest. It is empty for what may be absent, and is.
func (c *coverPrinter) said(t *ir.Type, optional bool, name string, data map[string]any) string {
	given, ok := data[name]
	switch {
	case optional && given == nil && !ir.AnyBelow(data, name):
		return ""
	case optional:
		return c.there(t, c.said(t, false, name, data))
	case t.Kind == ir.RecordKind:
		return c.composed(t, func(f *ir.Field) string {
			return c.said(f.Type, f.Optional, name+"."+f.Name, data)
		})
	case !ok:
		return c.fitting(t)
	}
	text, err := json.Marshal(given)
	must(err)
	return c.value(t, text)
}

// there is value, of type t, where one may be absent.
func (c *coverPrinter) there(t *ir.Type, value string) string {
	return c.m.goTypeOf(t, true) + "{Value: " + value + ", Set: true}"
}

// composed is a record of type t by the values of its fields, but for those that are empty.
func (c *coverPrinter) composed(t *ir.Type, value func(f *ir.Field) string) string {
	var fields []string
	for _, f := range t.Record.Fields {
		if text := value(f); text != "" {
			fields = append(fields, exported(f.Name)+": "+text)
		}
	}
	return c.m.goType(t) + "{" + strings.Join(fields, ", ") + "}"
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
		if t.Len != nil && t.Len.Lo > 0 {
			return fmt.Sprintf("slices.Repeat(%s{%s}, %d)", c.m.goType(t), c.fitting(t.Elem), t.Len.Lo)
		}
		return "nil"
	case ir.JSON:
		return "nil"
	case ir.RecordKind:
		return c.composed(t, func(f *ir.Field) string {
			if f.Optional {
				return ""
			}
			return c.fitting(f.Type)
		})
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
		return "json.RawMessage(" + quote(string(text)) + ")"
	case ir.RecordKind:
		var members map[string]json.RawMessage
		must(json.Unmarshal(text, &members))
		return c.composed(t, func(f *ir.Field) string {
			member := members[f.Name]
			switch {
			case f.Optional && member == nil:
				return ""
			case f.Optional:
				return c.there(f.Type, c.value(f.Type, member))
			}
			return c.value(f.Type, member)
		})
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
