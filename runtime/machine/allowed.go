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
	for e := range m.def.Events {
		if m.mayTake(s, m.handlers[inputKey{state: s.State, kind: EventInput, a: e}]) {
			events = append(events, e)
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
			return m.label(in.Do) + "ended"
		}
		return m.label(in.Do) + m.eventName(in.Event)
	case FailureInput:
		category := "?"
		if in.Category >= 0 && in.Category < len(m.def.Categories) {
			category = m.def.Categories[in.Category]
		}
		return m.label(in.Do) + "failed(" + category + ")"
	case TimerInput:
		if in.Timer < 0 || in.Timer >= len(m.def.Timers) {
			return "after ?"
		}
		return "after " + m.delayText(&m.def.Timers[in.Timer])
	case OverBudgetInput:
		return "over_budget(" + in.Over + ")"
	case BeginInput, SpentInput:
		return m.label(in.Do) + string(in.Kind)
	case LateInput:
		return m.label(in.Do) + "late " + in.Message
	case LostInput:
		return m.label(in.Do) + "lost"
	case ReturnInput:
		return m.label(in.Do) + "released"
	}
	return string(in.Kind)
}

// DescribeEnd is Describe of a result or failure, without the label of what raised it.
func (m *Machine) DescribeEnd(in *Input) string {
	return strings.TrimPrefix(m.Describe(*in), m.label(in.Do))
}

func (m *Machine) eventName(event int) string {
	if event < 0 || event >= len(m.def.Events) {
		return "?"
	}
	return m.def.Events[event].Name
}

// label is what stands before the name of what a do raises.
func (m *Machine) label(do int) string {
	if do < 0 || do >= len(m.dos) || m.dos[do].Label == "" {
		return ""
	}
	return m.dos[do].Label + "."
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
// JSON object by the names of its parameters.
func (m *Machine) TaskArgs(s *Snapshot, do int, now time.Time, ask Ask) (json.RawMessage, error) {
	if do < 0 || do >= len(m.dos) {
		return nil, fmt.Errorf("there is no do %d", do)
	}
	e := &env{machine: m, run: s, params: s.Params, data: s.Data, now: stepTime(s, now).UnixMicro(), source: noSource, ask: ask}
	code := &m.dos[do]
	values := make([]Value, len(code.args))
	for i, arg := range code.args {
		var err error
		if values[i], err = arg.value(e); err != nil {
			return nil, fmt.Errorf("the arguments of %q: %w", code.Name, err)
		}
	}
	args, err := m.def.encodeObject(m.def.Activities[code.Activity].Params, values)
	if err != nil {
		return nil, fmt.Errorf("the arguments of %q: %w", code.Name, err)
	}
	return args, nil
}
