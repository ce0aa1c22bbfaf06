package web

import (
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// visit is one stay of a run in a state.
type visit struct {
	state    string
	from, to time.Time
	seq      int64
	now      bool // it lasts
	attempts []attempt
}

// attempt is one of an activity, within a visit.
type attempt struct {
	from, to time.Time
	failed   bool
	title    string
}

// together are the attempts of a visit as one, where its bar is too narrow to point at each of them.
func (v *visit) together() attempt {
	all := attempt{from: v.from, to: v.to, title: describe.Count(len(v.attempts), "attempt")}
	failed := len(filtered(v.attempts, func(a attempt) bool { return a.failed }))
	if all.failed = failed > 0; all.failed {
		all.title += fmt.Sprintf(", %d failed", failed)
	}
	return all
}

// mostBars is how many visits are shown.
const mostBars = 12

// visits are the stays that some steps tell of; the last ones.
func visits(steps []runtime.StepView, v *runtime.View, now time.Time) (out []visit) {
	for i := range steps {
		step := &steps[i]
		if n := len(out); n > 0 {
			last := &out[n-1]
			if step.Activity != "" {
				took, _ := time.ParseDuration(step.Took)
				last.attempts = append(last.attempts, attempt{step.At.Add(-took), step.At, step.Kind == machine.FailureInput,
					fmt.Sprintf("%s, attempt %d: %s, %s", step.Activity, step.Attempt, step.Input, describe.Short(took))})
			}
			if step.Effect == machine.Moved || step.From != step.To || step.Effect == machine.Stopped {
				last.to, last.now = step.At, false
			}
		}
		if step.Effect == machine.Moved || step.From != step.To {
			out = append(out, visit{state: step.To, from: step.At, to: step.At, seq: step.Seq, now: true})
		}
	}
	if n := len(out); n > 0 && out[n-1].now {
		if out[n-1].to = now; v != nil && v.Status == runtime.Finished {
			out = out[:n-1] // it is not in its terminal for any time
		}
	}
	if len(out) > mostBars {
		out = out[len(out)-mostBars:]
	}
	return out
}

// The sizes of the bars.
const (
	barsWide  = 480
	barsLabel = 150
	barHigh   = 20
	barNarrow = 8 // in which attempts are not told apart
)

// bars draws a bar for each visit on one axis of time, with the attempts inside.
func bars(steps []runtime.StepView, v *runtime.View, now time.Time) template.HTML {
	if v != nil && v.Updated.After(now) {
		now = v.Updated
	}
	list := visits(steps, v, now)
	if len(list) == 0 {
		return ""
	}
	begin, end := list[0].from, list[len(list)-1].to
	span := max(end.Sub(begin), time.Millisecond)
	room := barsWide - barsLabel
	x := func(t time.Time) int {
		return barsLabel + int(int64(room)*int64(min(max(t.Sub(begin), 0), span)/time.Microsecond)/max(1, int64(span/time.Microsecond)))
	}
	var b strings.Builder
	high := len(list)*barHigh + 18
	fmt.Fprintf(&b, `<svg class="bars" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">`, barsWide, high, barsWide, high,
		quoted(fmt.Sprintf("Time in each of the last %s", describe.Count(len(list), "visit"))))
	for i := range list {
		one := &list[i]
		y := i * barHigh
		class := "bar"
		if one.now {
			class += " now"
		}
		left, right := x(one.from), x(one.to)
		fmt.Fprintf(&b, `<g class="%s"><title>%s</title><text x="%d" y="%d">%s</text><rect x="%d" y="%d" width="%d"/>`,
			class, quoted(one.state+": "+describe.Short(one.to.Sub(one.from))), barsLabel-8, y+14, quoted(shortened(one.state, 22)), left, y+4, max(2, right-left))
		if len(one.attempts) > 1 && right-left < barNarrow {
			one.attempts = []attempt{one.together()}
		}
		for _, a := range one.attempts {
			kind := "attempt"
			if a.failed {
				kind = "failed"
			}
			fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%d"><title>%s</title></rect>`, kind, x(a.from), y+7, max(2, x(a.to)-x(a.from)), quoted(a.title))
		}
		b.WriteString("</g>")
	}
	fmt.Fprintf(&b, `<path class="axis" d="M%d %dH%d"/><text class="axis" x="%d" y="%d">0</text><text class="axis end" x="%d" y="%d">%s</text></svg>`,
		barsLabel, high-16, barsWide, barsLabel, high-3, barsWide, high-3, quoted(describe.Short(span)))
	return template.HTML(b.String()) // numbers, and texts that are quoted
}

// shortened is text cut to so many characters, at its front: the end of a path says more.
func shortened(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return "…" + string(r[len(r)-most+1:])
	}
	return text
}
