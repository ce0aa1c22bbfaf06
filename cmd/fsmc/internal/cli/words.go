package cli

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// sentence says in one line what a run waits for, since when, until when, at
// which attempt, and what went wrong last.
func sentence(v *runtime.View, now time.Time) string {
	if v.Status == runtime.Finished {
		return fmt.Sprintf("%s at %s (%s)%s", ended(v), when(v.Updated, now), ago(v.Updated, now), endedBy(v.End))
	}
	if v.Status == runtime.Ending {
		return fmt.Sprintf("%s is over in %s since %s (%s)%s", v.Run, v.State, when(v.Entered, now), ago(v.Entered, now), leftBehind(v))
	}
	where := fmt.Sprintf("%s is in %s since %s (%s)", v.Run, v.State, when(v.Entered, now), ago(v.Entered, now))
	switch {
	case v.Halt != nil:
		return where + halted(v.Halt) + leftBehind(v)
	case v.Paused:
		return where + ", paused" + underWay(v, now) + queued(v) + deferred(v)
	}
	return where + waitsFor(v, now) + leftBehind(v) + deferred(v) + untilWhen(v, now)
}

// stands says where a run is after a command, without times.
func stands(v *runtime.View) string {
	switch {
	case v.Status == runtime.Finished:
		return ended(v) + endedBy(v.End)
	case v.Status == runtime.Ending:
		return fmt.Sprintf("%s is over in %s, and waits for its children to end", v.Run, v.State)
	case v.Halt != nil:
		return fmt.Sprintf("%s is in %s%s", v.Run, v.State, halted(v.Halt))
	case v.Paused:
		return fmt.Sprintf("%s is in %s, paused%s%s", v.Run, v.State, queued(v), deferred(v))
	}
	return fmt.Sprintf("%s is in %s%s", v.Run, v.State, deferred(v))
}

// halted says what a halted run could not take, and why.
func halted(h *machine.HaltView) string {
	return fmt.Sprintf(", halted: %s could not be taken: %s", h.Input, plain(h.Reason, 200))
}

// underWay names the attempts that go on though the run is paused.
func underWay(v *runtime.View, now time.Time) string {
	text := ""
	for i := range v.Activities {
		if a := &v.Activities[i]; a.Worker != "" {
			text += ", " + activityPhrase(a, now)
		}
	}
	return text
}

// queued says what waits until a paused run resumes.
func queued(v *runtime.View) string {
	if len(v.Queued) == 0 {
		return ""
	}
	return ", with " + strings.Join(v.Queued, ", ") + " waiting until it resumes"
}

// deferred says which events are kept for a later state, and how many of each.
func deferred(v *runtime.View) string {
	var names []string
	counts := map[string]int{}
	for _, name := range v.Deferred {
		if counts[name]++; counts[name] == 1 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	for i, name := range names {
		if n := counts[name]; n > 1 {
			names[i] = fmt.Sprintf("%s %d times", name, n)
		}
	}
	return ", with " + strings.Join(names, ", ") + " deferred"
}

// ended says how a finished run ended.
func ended(v *runtime.View) string {
	switch {
	case v.Outcome == runtime.Cancelled && v.Cancelled:
		return fmt.Sprintf("%s was cancelled and ended in %s", v.Run, v.State)
	case v.Outcome == runtime.Cancelled: // in a terminal that says so
		return fmt.Sprintf("%s ended in %s as cancelled", v.Run, v.State)
	}
	return fmt.Sprintf("%s ended in %s with %s", v.Run, v.State, v.Outcome)
}

// endedBy says what a run ended with: ": failed(auth) of fetch: the key is old".
func endedBy(end *machine.EndView) string {
	if end == nil {
		return ""
	}
	return ": " + end.Input + after(" of ", end.Activity) + after(": ", plain(end.Message, 200))
}

// waitsFor names the activities that a run waits for, or else the events.
func waitsFor(v *runtime.View, now time.Time) string {
	var parts []string
	for i := range v.Elements {
		parts = append(parts, elementsPhrase(&v.Elements[i]))
	}
	told := map[string]int{} // of elements, by their do
	for i := range v.Activities {
		a := &v.Activities[i]
		if do, _, element := machine.CutElement(a.Do); element {
			if told[do]++; told[do] > maxElementsTold {
				continue
			}
		}
		parts = append(parts, activityPhrase(a, now))
	}
	if len(parts) > 0 {
		return ", " + strings.Join(parts, "; and ")
	}
	for _, e := range v.Events {
		parts = append(parts, e.Name)
	}
	if len(parts) > 0 {
		return ", waiting for " + strings.Join(parts, " or ")
	}
	return ", waiting"
}

// untilWhen names the first timer that will end the wait, and one before it that
// will not, or that may start again before it is due.
func untilWhen(v *runtime.View, now time.Time) string {
	var first, ends *machine.TimerView
	for i := range v.Timers {
		t := &v.Timers[i]
		if first == nil || t.Due.Before(first.Due) {
			first = t
		}
		if t.Ends && !t.Idle && (ends == nil || t.Due.Before(ends.Due)) {
			ends = t
		}
	}
	text := ""
	if first != nil && (ends == nil || first.Due.Before(ends.Due)) {
		text = fmt.Sprintf(", with %s due at %s", cmp.Or(first.Text, first.Name), when(first.Due, now))
	}
	if ends != nil {
		text += fmt.Sprintf(", until %s at the latest (%s)", when(ends.Due, now), cmp.Or(ends.Text, ends.Name))
	}
	return text
}

// maxElementsTold is how many elements of an activity a sentence tells of one by one.
const maxElementsTold = 3

// elementsPhrase says how far an activity is with the elements of its list.
func elementsPhrase(v *machine.ElementsView) string {
	text := fmt.Sprintf("%s for %s: %d ended, %d open", v.Do[strings.LastIndexByte(v.Do, '.')+1:], countOf(v.Count, "element"), v.Ended, v.Open)
	if v.Waiting > 0 {
		text += fmt.Sprintf(", %d to be tried again", v.Waiting)
	}
	if v.Left > 0 {
		text += fmt.Sprintf(", %d not begun", v.Left)
	}
	if v.Limit > 0 {
		text += fmt.Sprintf(" (%d at once)", v.Limit)
	}
	return text
}

// attemptName is what an attempt is of: an activity, or "r[3]" for an element.
func attemptName(activity, do string) string {
	if _, _, element := machine.CutElement(do); element {
		return do[strings.LastIndexByte(do, '.')+1:]
	}
	return activity
}

func activityPhrase(a *machine.ActivityView, now time.Time) string {
	name := attemptName(a.Activity, a.Do)
	attempt := fmt.Sprintf("attempt %d", a.Attempt)
	if a.Of > 0 {
		attempt += fmt.Sprintf(" of %d", a.Of)
	}
	var text string
	switch {
	case a.Child != nil:
		text = fmt.Sprintf("%s running as %s (%s)", name, childPhrase(a.Child), attempt)
	case a.Worker != "" && a.Since != nil && a.Lease != nil && a.Lease.Before(now):
		text = fmt.Sprintf("%s taken at %s (%s) by %s, whose lease ran out at %s (%s)",
			name, when(*a.Since, now), attempt, a.Worker, when(*a.Lease, now), ago(*a.Lease, now))
	case a.Worker != "" && a.Since != nil:
		text = fmt.Sprintf("%s running since %s (%s, at %s)", name, when(*a.Since, now), attempt, a.Worker)
	case a.State == machine.TaskWaiting && (a.Until == nil || !a.Until.After(now)):
		text = fmt.Sprintf("%s to be tried again when an element before it ends (%s)", name, attempt)
	case a.Until != nil && a.Until.After(now):
		text = fmt.Sprintf("%s to be tried again at %s (%s)", name, when(*a.Until, now), attempt)
	case a.Limit != nil && a.Limit.Opens != nil:
		text = fmt.Sprintf("%s held back by its limit of %s until %s (%s)", name, a.Limit.Text, when(*a.Limit.Opens, now), attempt)
	case a.Limit != nil:
		text = fmt.Sprintf("%s held back by its limit of %s (%s)", name, a.Limit.Text, attempt)
	default:
		text = fmt.Sprintf("%s waiting for a worker (%s)", name, attempt)
	}
	if e := a.LastError; e != nil {
		text += fmt.Sprintf(", last error %s: %s", e.Category, plain(e.Message, 120))
	}
	return text
}

// childPhrase says where a child is, and why it does not go on.
func childPhrase(c *machine.ChildView) string {
	text := c.Run + ", in " + c.State
	switch {
	case c.Halt != nil:
		return text + halted(c.Halt)
	case c.Paused:
		return text + ", paused"
	case c.Status == runtime.Ending:
		return text + ", ending"
	}
	return text
}

// leftBehind names the children that a run has left behind, and that have yet to end.
func leftBehind(v *runtime.View) string {
	var parts []string
	for i := range v.Left {
		if i == maxElementsTold {
			parts = append(parts, fmt.Sprintf("%d more", len(v.Left)-i))
			break
		}
		parts = append(parts, childPhrase(&v.Left[i]))
	}
	if len(parts) == 0 {
		return ""
	}
	return ", waiting until these have ended: " + strings.Join(parts, "; ")
}

// eventText is an event with its fields: "RateLimited { retry_after duration }".
func eventText(e *machine.EventView) string {
	if len(e.Fields) == 0 {
		return e.Name
	}
	var fields []string
	for _, f := range e.Fields {
		fields = append(fields, f.Name+" "+f.Type)
	}
	return e.Name + " { " + strings.Join(fields, ", ") + " }"
}

// plain is text from outside on one line that does nothing to a terminal: its
// last line that says anything, control characters replaced, cut after limit
// characters. The last line of an error is the one that names it.
func plain(text string, limit int) string {
	text = strings.TrimSpace(text)
	text = strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	text = strings.ReplaceAll(printable(text), "\t", "\uFFFD")
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// joined is text of a person on one line: all its lines, and otherwise plain.
func joined(text string, limit int) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return plain(strings.Join(lines, " "), limit)
}

// countOf is a number of things: "1 run", "2 runs".
func countOf[N int | int64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
