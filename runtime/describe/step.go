package describe

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Notes are what a step's line does not say.
func Notes(s *runtime.StepView) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	message := strings.TrimSpace(s.Message)
	first, rest, _ := strings.Cut(message, "\n")
	switch {
	case s.Activity != "":
		name := s.Activity
		if s.Index != nil {
			name = machine.ElementName(name, *s.Index)
		}
		add("%s, attempt %d%s", name, s.Attempt, After(": ", Plain(first, 200)))
	case first != "":
		add("%s", Plain(first, 200))
	}
	said := Stderr(message, s.Stderr)
	if said != nil {
		rest = "" // it is the end of the same
	}
	for line := range strings.Lines(rest) {
		add("  %s", Plain(line, 200))
	}
	for i, line := range said {
		if i == 0 {
			add("on standard error:")
		}
		add("  %s", line)
	}
	if s.Checkpoint {
		add("the next attempt begins with its checkpoint")
	}
	if s.AllowOverBudget {
		add("the run may pass the budget that has halted it")
	}
	if s.Queued {
		add("it came while the run was paused")
	}
	for i := range s.Costs {
		add("used %s", Cost(&s.Costs[i]))
	}
	for i := range s.Below {
		add("its runs used %s", Cost(&s.Below[i]))
	}
	for _, c := range s.Uncounted {
		add("not counted: cost %s: %s", Plain(strconv.Quote(c.Name), 100), Plain(c.Spent, 100))
	}
	if len(s.Data) > len("{}") {
		add("with %s", Plain(string(s.Data), 100))
	}
	if s.Returns != nil {
		add("returned %s", Plain(string(s.Returns), 100))
	}
	if s.After != nil && len(s.After.Params) > len("{}") {
		add("params now %s", Plain(string(s.After.Params), 100))
	}
	if s.After != nil && len(s.After.Data) > len("{}") {
		add("data now %s", Plain(string(s.After.Data), 100))
	}
	if s.Max > 0 {
		add("%s, used %d of %d", s.Text, s.Count, s.Max)
	}
	for _, p := range s.Passed {
		add("not taken, %s: %s", p.Why, p.Text)
	}
	for _, g := range s.Guards {
		add("guard %s%s is %t", g.Guard, Plain(string(g.Args), 100), g.Answer)
	}
	if s.Wait != "" {
		add("again in %s", Duration(s.Wait))
	}
	if len(s.Redirects) > 0 {
		add("redirected by the require of %s", strings.Join(s.Redirects, ", "))
	}
	if s.Actor != "" || s.Reason != "" {
		sent := "sent"
		if s.Kind == machine.StartInput {
			sent = "started"
		}
		add("%s%s%s", sent, After(" by ", Joined(s.Actor, 80)), After(": ", Joined(s.Reason, 200)))
	}
	return out
}

// Cost is what a run has used of something: "tokens 61000 of 60000, over budget".
func Cost(c *machine.CostView) string {
	text := c.Name + " " + c.Spent
	if c.Budget != "" {
		text += " of " + c.Budget
	}
	if c.Reserved != "" {
		text += ", " + c.Reserved + " more declared by attempts under way"
	}
	if c.Over {
		text += ", over budget"
	}
	if c.Passed {
		text += ", over_budget taken"
	}
	return text
}

// Due says when a timer fires: "due 12:00:00", or of a paused run "1h left".
func Due(t *machine.TimerView, now time.Time) string {
	if left, err := time.ParseDuration(t.Left); err == nil {
		return Short(left) + " left"
	}
	return "due " + When(t.Due, now)
}

// Then is what a failure led to: "-> Failed", "retried".
func Then(r *runtime.FailureStats) string {
	if r.Effect == machine.Moved {
		return "-> " + r.To
	}
	return string(r.Effect)
}

// Stderr are the lines of what a failed attempt wrote to standard error, unless the message
// of the failure has them.
func Stderr(message, stderr string) []string {
	var lines []string
	if strings.Contains(message, strings.TrimSpace(stderr)) {
		return nil
	}
	for line := range strings.Lines(stderr) {
		lines = append(lines, Plain(line, 200))
	}
	return lines
}
