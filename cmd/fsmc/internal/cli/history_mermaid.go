package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// writeSequence draws what happened to a run as a sequence diagram of Mermaid:
// what came from outside, from activities and from timers, and where the run
// went. A state stands as a note where it is entered.
//
// History says when an attempt ended and when a retry began to wait. A first
// attempt began with the step that entered the state, or with a retry that
// began a new execution: that is the last such step before its end.
func writeSequence(w io.Writer, row *runtime.RunRow, steps []runtime.StepView) error {
	s := &sequence{run: row.Run, activities: map[string]string{}}
	s.participants(steps)
	s.begins = beginnings(steps)
	for i := range steps {
		s.step(&steps[i])
		for _, activity := range s.begins[i] {
			s.line("run->>%s: start", s.activities[activity])
		}
	}
	s.end(row)
	_, err := w.Write(s.out.Bytes())
	return err
}

// sequence is a diagram under way.
type sequence struct {
	out        bytes.Buffer
	run        string
	activities map[string]string // names of participants, by activity
	begins     map[int][]string  // activities that begin with a step
}

func (s *sequence) line(format string, args ...any) { fmt.Fprintf(&s.out, "    "+format+"\n", args...) }

// participants declares those that take part, in the order of the columns.
func (s *sequence) participants(steps []runtime.StepView) {
	s.out.WriteString("sequenceDiagram\n")
	s.line("actor outside")
	s.line("participant run as %s", diagramText(s.run))
	var timers bool
	for i := range steps {
		timers = timers || steps[i].Kind == machine.TimerInput
		if name := steps[i].Activity; name != "" && s.activities[name] == "" {
			s.activities[name] = fmt.Sprintf("activity%d", len(s.activities)+1)
			s.line("participant %s as %s", s.activities[name], diagramText(name))
		}
	}
	if timers {
		s.line("participant timers")
	}
}

// beginnings says with which steps first attempts began.
func beginnings(steps []runtime.StepView) map[int][]string {
	begins := map[int][]string{}
	last := 0
	seen := map[string]bool{}
	for i := range steps {
		if s := &steps[i]; s.Activity != "" && !seen[s.Key] {
			seen[s.Key] = true
			if s.Attempt == 1 && s.Kind != machine.BeginInput { // which is drawn itself
				begins[last] = append(begins[last], s.Activity)
			}
		}
		if steps[i].Effect == machine.Moved || steps[i].Effect == machine.Retried {
			last = i
		}
	}
	return begins
}

// step draws one line of history, and what it did.
func (s *sequence) step(h *runtime.StepView) {
	text := h.Input
	if len(h.Data) > len("{}") {
		text += " " + describe.Plain(string(h.Data), 60)
	}
	if h.Kind == machine.FailureInput {
		text += describe.After(": ", describe.Plain(h.Message, 60))
	}
	if h.Actor != "" {
		text += " by " + describe.Joined(h.Actor, 40)
	}
	if h.Kind == machine.BeginInput {
		s.line("run->>%s: %s", s.activities[h.Activity], diagramText(text))
	} else {
		s.line("%srun: %s", s.arrow(h), diagramText(text))
	}
	switch {
	case h.Effect == machine.Begun:
	case h.Effect == machine.HaltedBy:
		s.line("Note over run: halted: %s", diagramText(describe.Plain(h.Message, 80)))
	case h.Effect == machine.Retried && h.Activity != "":
		again := "again"
		if wait := describe.Duration(h.Wait); wait != "" {
			again += " in " + wait
		}
		s.line("run->>%s: %s", s.activities[h.Activity], diagramText(again))
	case h.Effect == machine.Moved || h.From != h.To:
		s.line("Note over run: %s", diagramText(h.To))
	default:
		s.line("Note right of run: %s", diagramText(string(h.Effect)))
	}
}

// arrow is from where an input came, with a head that says how it went.
func (s *sequence) arrow(h *runtime.StepView) string {
	switch {
	case h.Kind == machine.FailureInput:
		return s.activities[h.Activity] + "--x"
	case h.Activity != "":
		return s.activities[h.Activity] + "-->>"
	case h.Kind == machine.TimerInput:
		return "timers->>"
	case h.Kind == machine.DoneInput || h.Kind == machine.KeptInput:
		return "run->>"
	}
	return "outside->>"
}

// end says how the run stands.
func (s *sequence) end(row *runtime.RunRow) {
	switch {
	case row.Status == runtime.Finished:
		s.line("run->>outside: %s", diagramText(string(row.Outcome)))
	case row.Paused:
		s.line("Note over run: paused")
	}
}

// diagramText is text as Mermaid shows it: what could be read as syntax is
// written by its number, as #35; for "#". An empty text is a blank.
func diagramText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case strings.ContainsRune(` _.,()/=:"'{}`, r) || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case unicode.IsControl(r) || r == unicode.ReplacementChar:
			b.WriteRune(' ')
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	if strings.TrimSpace(b.String()) == "" {
		return "#32;"
	}
	return b.String()
}
