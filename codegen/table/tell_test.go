package table_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// tell writes each record, and below it the commands of its step.
func (p *player) tell(commands []machine.Command, records []*machine.Record) []string {
	var out []string
	told := 0
	for _, r := range records {
		out = append(out, p.record(r))
		for _, c := range commands {
			if c.Seq == r.Seq {
				out = append(out, "    "+p.command(&c))
				told++
			}
		}
	}
	if told != len(commands) {
		p.t.Errorf("%s: %d commands belong to no record", p.line, len(commands)-told)
	}
	return out
}

func (p *player) record(r *machine.Record) string {
	text := p.m.Describe(r.Input) + ": " + string(r.Effect)
	switch {
	case r.From < 0:
		text += " to " + p.path(r.To)
	case r.From != r.To || r.Effect == machine.Moved:
		text += " " + p.path(r.From) + " -> " + p.path(r.To)
	default:
		text += " in " + p.path(r.To)
	}
	if r.Arm >= 0 {
		text += fmt.Sprintf(" by %q", p.d.Arms[r.Arm].Name)
	}
	if r.Count > 0 {
		text += fmt.Sprintf(", count %d", r.Count)
	}
	if r.Wait > 0 {
		text += ", wait " + r.Wait.String()
	}
	for _, s := range r.Redirects {
		text += ", turned away from " + p.path(s)
	}
	for _, passed := range r.Passed {
		text += fmt.Sprintf(", not %q: %s", p.d.Arms[passed.Arm].Name, passed.Why)
	}
	for _, v := range r.Verdicts {
		text += fmt.Sprintf(", guard %s said %v", p.d.Guards[v.Guard].Name, v.Answer)
	}
	if r.Input.Message != "" {
		text += fmt.Sprintf(", message %q", r.Input.Message)
	}
	if r.Returns != nil {
		text += ", returned " + string(p.m.StepView(r).Returns)
	}
	if r.Cause != nil {
		text += ", because " + r.Cause.String()
	}
	return text
}

func (p *player) command(c *machine.Command) string {
	switch c.Kind {
	case machine.StartTask, machine.CancelTask, machine.EndTask, machine.ReadyTask:
		text := fmt.Sprintf("%s %s #%d", c.Kind, c.Task.Key, c.Task.Attempt)
		if c.Kind == machine.StartTask && !c.Task.NotBefore.IsZero() {
			text += " " + p.when(c.Task.NotBefore)
		}
		return text
	case machine.SetTimer:
		return fmt.Sprintf("%s %q %s", c.Kind, p.d.Timers[c.Timer].Name, p.when(c.Due))
	case machine.DropTimer:
		return fmt.Sprintf("%s %q", c.Kind, p.d.Timers[c.Timer].Name)
	case machine.SendOut:
		data, err := p.m.EncodePayload(c.Event, c.Data)
		if err != nil {
			p.fatal(err)
		}
		return fmt.Sprintf("%s %s%s as %s", c.Kind, p.d.Events[c.Event].Name, data, c.Message)
	}
	return fmt.Sprintf("%s %s", c.Kind, c.Outcome)
}

// when tells a time as seen from now; as a date where it is very far off.
func (p *player) when(at time.Time) string {
	if at.After(p.now.AddDate(200, 0, 0)) {
		return "at " + at.Format(time.RFC3339Nano)
	}
	return "in " + at.Sub(p.now).String()
}

// changes tells what is otherwise than before, of what no command tells.
func (p *player) changes(before *machine.Snapshot) []string {
	var out []string
	for _, part := range []struct {
		name string
		text func(*machine.Snapshot) string
	}{{"data", p.data}, {"counters", p.counters}, {"kept", p.kept}, {"executions", p.executions}, {"spent", p.spent}} {
		if now := part.text(p.s); now != part.text(before) {
			out = append(out, part.name+" "+now)
		}
	}
	return out
}

func (p *player) data(s *machine.Snapshot) string { return string(p.m.EncodeData(s)) }

func (p *player) counters(s *machine.Snapshot) string {
	var out []string
	for a, n := range s.Counters {
		if n > 0 {
			out = append(out, fmt.Sprintf("%q %d", p.d.Arms[a].Name, n))
		}
	}
	return orNone(out)
}

func (p *player) kept(s *machine.Snapshot) string {
	var out []string
	for _, k := range s.Kept {
		out = append(out, p.d.Events[k.Event].Name)
	}
	return orNone(out)
}

func (p *player) spent(s *machine.Snapshot) string {
	var out []string
	for _, c := range p.m.CostViews(s) {
		text := c.Name + " " + c.Spent
		if c.Reserved != "" {
			text += " and " + c.Reserved
		}
		out = append(out, text)
	}
	return orNone(out)
}

func (p *player) executions(s *machine.Snapshot) string {
	var out []string
	for _, x := range s.Executions {
		out = append(out, fmt.Sprintf("%s #%d", x.Key, x.Attempt))
	}
	return orNone(out)
}

func (p *player) allowed() string {
	var out []string
	for _, e := range p.m.Allowed(p.s) {
		out = append(out, p.d.Events[e].Name)
	}
	return orNone(out)
}

func (p *player) path(state int) string {
	if path := p.d.States[state].Path; path != "" {
		return path
	}
	return p.d.Name
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
