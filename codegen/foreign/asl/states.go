package asl

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/foreign"
)

// state makes one state of the original.
func (m *machine) state(key string, st *foreign.Value) error {
	m.item = m.report.Item(key, st.Line)
	m.cur = &foreign.State{Name: m.states.Title(key), Doc: m.doc(key, st)}
	m.m.States = append(m.m.States, m.cur)
	if err := cmp.Or(language(st), lawful(key, st)); err != nil {
		return err
	}
	m.unread(st)
	switch kind := st.Get("Type"); kind.Str() {
	case "Task":
		return m.task(key, st)
	case "Pass":
		return m.pass(key, st)
	case "Choice":
		return m.choice(st)
	case "Wait":
		return m.wait(key, st)
	case "Succeed":
		return m.succeed(st)
	case "Fail":
		return m.failState(st)
	case "Map":
		return m.each(key, st)
	case "Parallel":
		return m.parallel(key, st)
	default:
		if kind == nil {
			return st.Errorf("state %q has no Type", key)
		}
		return kind.Errorf("state %q is of type %q, which is not of the Amazon States Language", key, kind.Str())
	}
}

// lawful refuses a state that lacks what it has to have, or has what means nothing in it.
func lawful(key string, st *foreign.Value) error {
	switch kind := st.Get("Type").Str(); kind {
	case "Task":
		if st.Get("Resource") == nil {
			return st.Errorf("state %q is a Task without a Resource", key)
		}
	case "Succeed", "Fail":
		for _, name := range []string{"Next", "End"} {
			if v := st.Get(name); v != nil {
				return v.Errorf("state %q is a %s, which ends the execution: it has no %s", key, kind, name)
			}
		}
	}
	if err := least(key, st, 1, "TimeoutSeconds", "HeartbeatSeconds"); err != nil {
		return err
	}
	for _, r := range st.Get("Retry").List() {
		if err := cmp.Or(least(key, r, 1, "IntervalSeconds", "BackoffRate", "MaxDelaySeconds"), least(key, r, 0, "MaxAttempts")); err != nil {
			return err
		}
	}
	return nil
}

// least refuses numbers in v that are too small.
func least(key string, v *foreign.Value, n float64, names ...string) error {
	for _, name := range names {
		if of := v.Get(name); of.Is(foreign.Number) && of.Float(n) < n {
			return of.Errorf("%s in state %q is %s, and it is at least %g", name, key, of.Text, n)
		}
	}
	return nil
}

func (m *machine) doc(key string, st *foreign.Value) string {
	lines := []string{}
	if key != m.states.Title(key) {
		lines = append(lines, foreign.Quote(key))
	}
	if c := st.Get("Comment").Str(); c != "" {
		lines = append(lines, c)
	}
	return strings.Join(lines, "\n")
}

func (m *machine) task(key string, st *foreign.Value) error {
	next, err := m.next(st)
	if err != nil {
		return err
	}
	resource := st.Get("Resource").Str()
	args := m.handed(func() expr { return m.arguments(st) })
	m.cur.Add("do " + m.call(key, resource, "result json") + "(" + m.asJSON(args) + ")" + m.limits(st))
	m.cur.Add("on " + m.events.Title(key+" done") + " " + m.step(next, m.output(st, expr{text: answer})))
	return m.failures(st, "", m.taskCategories(st))
}

// call declares the activity of a state and its event, and is its name.
func (m *machine) call(key, resource, result string) string {
	name := m.calls.Snake(key)
	done := m.events.Title(key + " done")
	m.m.Events = append(m.m.Events, foreign.Decl{Text: done + " { " + result + " }"})
	m.m.Activities = append(m.m.Activities, foreign.Decl{Text: name + "(request json) -> " + done, Doc: resource})
	return name
}

// limits is the timeout and the heartbeat of a Task.
func (m *machine) limits(st *foreign.Value) string {
	text := ""
	for _, l := range []struct{ word, key string }{{"timeout", "TimeoutSeconds"}, {"heartbeat", "HeartbeatSeconds"}} {
		switch v := st.Get(l.key); {
		case v.Is(foreign.Number):
			m.long(v)
			text += " " + l.word + " " + foreign.Seconds(v.Float(1))
		case v != nil || st.Get(l.key+"Path") != nil:
			m.part("the %s is read from the data in the original; an hour is a guess", l.word)
			text += " " + l.word + " 1h"
		}
	}
	return text
}

func (m *machine) pass(key string, st *foreign.Value) error {
	next, err := m.next(st)
	if err != nil {
		return err
	}
	result, lost := m.computed(func() expr { return m.passes(st) })
	if lost != nil {
		return m.passedBy(key, st, next)
	}
	effects := m.passesOn(st, result)
	if st.Get("Result") == nil && st.Get("Parameters") == nil && st.Get("InputPath") == nil && st.Get("ResultPath") == nil && !m.jsonata(st) && st.Get("OutputPath") == nil {
		effects = m.assigned(st, scope{})
	}
	m.cur.Add("on done " + m.step(next, effects))
	return nil
}

// passesOn is the effects of what a Pass has made, which in JSONata is its output.
func (m *machine) passesOn(st *foreign.Value, made expr) []string {
	if m.jsonata(st) {
		return m.becomes(made, m.assigned(st, scope{result: &expr{text: m.data}}))
	}
	return m.output(st, made)
}

// passes is what a Pass makes of its input.
func (m *machine) passes(st *foreign.Value) expr {
	result, constant := expr{text: m.data}, st.Get("Result")
	if constant != nil {
		result = m.payload(constant, scope{})
	} else if !m.jsonata(st) {
		result = m.arguments(st)
	}
	if out := st.Get("Output"); m.jsonata(st) && out != nil {
		return m.payload(out, scope{result: &result})
	}
	return result
}

func (m *machine) succeed(st *foreign.Value) error {
	if m.parent != nil {
		m.usesSucceeded = true
		m.cur.Add("on done " + m.step(m.succeeded, m.output(st, expr{text: m.data})))
		return nil
	}
	if st.Get("OutputPath") != nil || st.Get("InputPath") != nil || st.Get("Output") != nil {
		m.cur.Doc += "\n" + strings.TrimPrefix(m.item.Part("the run returns all its data here"), "// ")
	}
	m.endBeside()
	m.cur.Terminal = "success returns " + m.returns()
	return nil
}

func (m *machine) failState(st *foreign.Value) error {
	err, cause := st.Get("Error"), st.Get("Cause")
	texts := []string{}
	for _, v := range []*foreign.Value{err, cause} {
		text := v.Str()
		if _, computed := jsonataText(v); computed {
			m.lost("%s is not computed", text)
		}
		texts = append(texts, foreign.Quote(text))
	}
	if st.Get("ErrorPath") != nil || st.Get("CausePath") != nil {
		m.lost("the error and its cause are read from the data in the original")
	}
	m.cur.Add("on done -> " + m.fail(texts[0], texts[1]))
	return nil
}

// wait makes a timer of a Wait. Seconds that are read from the data take a state of
// their own: a block reads what was there before it.
func (m *machine) wait(key string, st *foreign.Value) error {
	next, err := m.next(st)
	if err != nil {
		return err
	}
	effects := m.passed(st, st)
	if s := st.Get("Seconds"); s.Is(foreign.Number) {
		m.long(s)
		m.cur.Add("after " + foreign.Seconds(s.Float(1)) + " " + m.step(next, effects))
		return nil
	}
	if value, ok := m.waitValue(st, "Seconds"); ok {
		if constant, err := strconv.ParseFloat(value.text, 64); err == nil {
			m.cur.Add("after " + foreign.Seconds(constant) + " " + m.step(next, effects))
			return nil
		}
		if !isPath.MatchString(value.text) || value.text == "null" {
			m.gone("how long it waits; a minute is a guess")
			value.text = "60"
		}
		seconds, wait := m.field(key+" seconds", "int", "0", ""), m.field(key+" wait", "duration", "0s", "")
		m.readAs(value.text)
		m.cur.Add("entry { " + seconds + " = " + value.text + " }")
		before := m.behind("Waiting")
		before.Add("on done -> " + m.cur.Name + " { " + wait + " = " + seconds + " * 1s }")
		m.cur.Add("after " + wait + " " + m.step(next, effects))
		return nil
	}
	value, ok := m.waitValue(st, "Timestamp")
	if !ok {
		return st.Errorf("state %q says neither how long it waits nor until when", key)
	}
	if value.text == "null" {
		m.gone("until when it waits; a minute is a guess")
		m.cur.Add("after 1m " + m.step(next, effects))
		return nil
	}
	until := m.field(key+" until", "time", "", "")
	if strings.HasPrefix(value.text, `"`) {
		if at, err := strconv.Unquote(value.text); err == nil {
			if _, err := time.Parse(time.RFC3339, at); err != nil {
				return st.Errorf("state %q waits until %q, which is not a time as in 2030-01-31T06:00:00Z", key, at)
			}
		}
		at := m.field(key+" at", "json", `{"value": `+value.text+"}", "")
		value.text = at + ".value"
	}
	m.readAs(value.text)
	m.cur.Add("entry { "+until+" = "+value.text+" }", "after "+until+" "+m.step(next, effects))
	return nil
}

// long says that a time is longer than any here.
func (m *machine) long(seconds *foreign.Value) {
	if seconds.Float(0) > foreign.Year {
		m.part("%s seconds: a year is the longest time here", seconds.Text)
	}
}

func (m *machine) waitValue(st *foreign.Value, key string) (expr, bool) {
	if p := st.Get(key + "Path"); p != nil {
		return m.path(p.Str(), m.input(st)), true
	}
	if v := st.Get(key); v.Is(foreign.String) {
		return m.payload(v, scope{}), true
	}
	return expr{}, false
}

// passed is the effects of a state that hands its input on. What it assigns stands in by: in
// the state itself, or in a rule of a Choice, which assigns in its place.
func (m *machine) passed(st, by *foreign.Value) (effects []string) {
	if m.jsonata(st) {
		return m.jsonataOutput(by, expr{text: m.data})
	}
	out := cmp.Or(st.Get("OutputPath"), st.Get("InputPath"))
	if out != nil && out.Str() != "$" {
		effects = m.replace(m.outputOf(out))
	}
	return append(effects, m.assigned(by, scope{})...)
}
