package machine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Allowed lists the external events that the run may take where it stands, in
// declaration order: those with an arm whose bound is not used up and which no
// unconditional `reject` forestalls. Guards are not asked: they may depend on
// the event.
func (m *Machine) Allowed(s *Snapshot) []int {
	if s.State < 0 || s.Status != Running {
		return nil
	}
	var events []int
	for _, h := range m.states[s.State].external {
		if m.mayTake(s, h.arms) {
			events = append(events, h.event)
		}
	}
	return events
}

func (m *Machine) mayTake(s *Snapshot, arms []int) bool {
	for _, a := range arms {
		arm := &m.arms[a]
		switch {
		case arm.bounded && s.Counters[a] >= arm.max:
		case arm.Kind != RejectArm:
			return true
		case arm.when == nil:
			return false
		}
	}
	return false
}

// Describe writes an input as a trigger is written, for histories: "StartReview",
// "a.Found", "failed(timeout)", "after 24h", "done". An attempt that ended with
// nothing to say is "ended".
func (m *Machine) Describe(in Input) string {
	switch in.Kind {
	case EventInput, KeptInput:
		return m.eventName(in.Event)
	case ResultInput:
		if in.Event < 0 {
			return m.label(&in) + "ended"
		}
		label, name := m.label(&in), m.eventName(in.Event)
		if _, terminal, ofChild := strings.Cut(name, "."); ofChild && label != "" {
			name = terminal
		}
		return label + name
	case FailureInput:
		category := "?"
		if in.Category >= 0 && in.Category < len(m.def.Categories) {
			category = m.def.Categories[in.Category]
		}
		return m.label(&in) + "failed(" + category + ")"
	case TimerInput:
		if in.Timer < 0 || in.Timer >= len(m.def.Timers) {
			return "after ?"
		}
		if t := &m.def.Timers[in.Timer]; !t.Budget {
			return "after " + m.delayText(t)
		}
		return "over_budget(time)"
	case OverBudgetInput:
		return "over_budget(" + in.Over + ")"
	case BeginInput, SpentInput:
		return m.label(&in) + string(in.Kind)
	case ToldInput:
		if in.Key == "" {
			return string(SpentInput)
		}
		return m.label(&in) + string(SpentInput)
	case LateInput:
		return m.label(&in) + "late " + in.Message
	case LostInput:
		return m.label(&in) + "lost"
	case ReturnInput:
		return m.label(&in) + "released"
	}
	return string(in.Kind)
}

// DescribeEnd is Describe of a result or failure, without the label of what raised it.
func (m *Machine) DescribeEnd(in *Input) string {
	return strings.TrimPrefix(m.Describe(*in), m.label(in))
}

func (m *Machine) eventName(event int) string {
	if event < 0 || event >= len(m.def.Events) {
		return "?"
	}
	return m.def.Events[event].Name
}

// label is what stands before the name of what an attempt has raised: the label of its
// do, and always which element it was of.
func (m *Machine) label(in *Input) string {
	if in.Do < 0 || in.Do >= len(m.dos) {
		return ""
	}
	switch do := &m.dos[in.Do]; {
	case do.Fan != nil:
		return ElementName(cmp.Or(do.Label, m.def.Activities[do.Activity].Name), in.Index) + "."
	case do.Label != "":
		return do.Label + "."
	}
	return ""
}

func (m *Machine) delayText(t *Timer) string {
	text := cmp.Or(t.Source, DurationText(time.Duration(t.Delay)))
	switch {
	case t.Var == nil:
	case t.Var.Op == "param":
		text = m.def.Params[t.Var.Index].Name
	case t.Var.Op == "field":
		text = m.def.Fields[t.Var.Index].Name
	default:
		text = t.Name
	}
	if t.Idle {
		text += " idle"
	}
	return text
}

// TaskArgs reads the arguments of an activity, as an attempt of it starts: a
// JSON object by the names of its parameters. Of the task the do and the element are read.
func (m *Machine) TaskArgs(s *Snapshot, t *Task, now time.Time, ask Ask) (json.RawMessage, error) {
	if t.Do < 0 || t.Do >= len(m.dos) {
		return nil, fmt.Errorf("there is no do %d", t.Do)
	}
	e := &env{machine: m, run: s, params: s.Params, data: s.Data, now: stepTime(s, now).UnixMicro(), source: noSource, ask: ask}
	code := &m.dos[t.Do]
	if code.Fan != nil {
		items := s.list(t.Do).Items.List()
		if t.Index < 0 || t.Index >= len(items) {
			return nil, fmt.Errorf("there is no element %d of %q", t.Index, code.Name)
		}
		e.index, e.item = IntValue(int64(t.Index)), items[t.Index]
	}
	values := make([]Value, len(code.args))
	for i, arg := range code.args {
		var err error
		if values[i], err = arg.value(e); err != nil {
			return nil, fmt.Errorf("the arguments of %q: %w", m.TaskName(t), err)
		}
	}
	args, err := m.def.encodeObject(m.def.Activities[code.Activity].Params, values)
	if err != nil {
		return nil, fmt.Errorf("the arguments of %q: %w", m.TaskName(t), err)
	}
	return args, nil
}
