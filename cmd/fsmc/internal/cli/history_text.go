package cli

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// noteIndent puts notes below the columns that say what happened.
const noteIndent = "        "

// writeHistory writes a table of steps, with the day above the first step of
// it, and what a step's line does not say on lines of their own below it. Where heads are
// given, the one of a step stands before the day, and above the first step that has it.
func writeHistory(w io.Writer, steps []runtime.StepView, heads []string) error {
	lines, err := stepLines(steps)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, lines[0])
	last := ""
	for i := range steps {
		head := day(steps[i].At.Local())
		if heads != nil {
			head = heads[i] + ", " + head
		}
		if head != last {
			last = head
			fmt.Fprintln(&out, head)
		}
		fmt.Fprintln(&out, lines[i+1])
		for _, note := range notes(&steps[i]) {
			fmt.Fprintf(&out, "%s%s\n", noteIndent, note)
		}
	}
	_, err = w.Write(out.Bytes())
	return err
}

// stepLines are the header and a line for each step, aligned.
func stepLines(steps []runtime.StepView) ([]string, error) {
	var table bytes.Buffer
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "   #\tTIME\tFROM\tINPUT\tTO\tEFFECT\tAFTER")
	for i := range steps {
		s := &steps[i]
		to := s.To
		if to == s.From && s.Effect != machine.Moved {
			to = ""
		}
		fmt.Fprintf(t, "%4d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			s.Seq, s.At.Local().Format("15:04:05.000"), s.From, s.Input, to, s.Effect, shortDuration(s.Held))
	}
	if err := t.Flush(); err != nil {
		return nil, err
	}
	lines := strings.Split(table.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines, nil
}

// shortDuration is a duration of the runtime's JSON for people; empty for none.
func shortDuration(text string) string {
	d, err := time.ParseDuration(text)
	if err != nil {
		return ""
	}
	return short(d)
}

// notes are what a step's line does not say.
func notes(s *runtime.StepView) []string {
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
		add("%s, attempt %d%s", name, s.Attempt, after(": ", plain(first, 200)))
	case first != "":
		add("%s", plain(first, 200))
	}
	for line := range strings.Lines(rest) {
		add("  %s", plain(line, 200))
	}
	if s.Queued {
		add("it came while the run was paused")
	}
	for i := range s.Costs {
		add("used %s", costText(&s.Costs[i]))
	}
	for i := range s.Below {
		add("its runs used %s", costText(&s.Below[i]))
	}
	for _, c := range s.Uncounted {
		add("not counted: cost %s: %s", plain(strconv.Quote(c.Name), 100), plain(c.Spent, 100))
	}
	if len(s.Data) > len("{}") {
		add("with %s", plain(string(s.Data), 100))
	}
	if s.Returns != nil {
		add("returned %s", plain(string(s.Returns), 100))
	}
	if s.After != nil && len(s.After.Params) > len("{}") {
		add("params now %s", plain(string(s.After.Params), 100))
	}
	if s.After != nil && len(s.After.Data) > len("{}") {
		add("data now %s", plain(string(s.After.Data), 100))
	}
	if s.Max > 0 {
		add("%s, used %d of %d", s.Text, s.Count, s.Max)
	}
	for _, p := range s.Passed {
		add("not taken, %s: %s", p.Why, p.Text)
	}
	for _, g := range s.Guards {
		add("guard %s%s is %t", g.Guard, plain(string(g.Args), 100), g.Answer)
	}
	if s.Wait != "" {
		add("again in %s", shortDuration(s.Wait))
	}
	if len(s.Redirects) > 0 {
		add("redirected by the require of %s", strings.Join(s.Redirects, ", "))
	}
	if s.Actor != "" || s.Reason != "" {
		sent := "sent"
		if s.Kind == machine.StartInput {
			sent = "started"
		}
		add("%s%s%s", sent, after(" by ", joined(s.Actor, 80)), after(": ", joined(s.Reason, 200)))
	}
	return out
}

// after is text behind lead, or nothing where there is no text.
func after(lead, text string) string {
	if text == "" {
		return ""
	}
	return lead + text
}
