package describe

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Sentence says in one line what a run waits for, since when, until when, at
// which attempt, and what went wrong last.
func Sentence(v *runtime.View, now time.Time) string {
	if v.Status == runtime.Finished {
		return fmt.Sprintf("%s at %s (%s)%s", ended(v), When(v.Updated, now), Ago(v.Updated, now), endedBy(v.End))
	}
	if v.Status == runtime.Ending {
		return fmt.Sprintf("%s is over in %s since %s (%s)%s", v.Run, v.State, When(v.Entered, now), Ago(v.Entered, now), leftBehind(v))
	}
	where := fmt.Sprintf("%s is in %s since %s (%s)", v.Run, v.State, When(v.Entered, now), Ago(v.Entered, now))
	switch {
	case v.Halt != nil:
		return where + halted(v.Halt) + leftBehind(v)
	case v.Paused:
		return where + paused(v.Pause) + underWay(v, now) + queued(v) + deferred(v)
	}
	return where + waitsFor(v, now) + leftBehind(v) + deferred(v) + untilWhen(v, now)
}

// Stands says where a run is after a command, without times.
func Stands(v *runtime.View) string {
	switch {
	case v.Status == runtime.Finished:
		return ended(v) + endedBy(v.End)
	case v.Status == runtime.Ending:
		return fmt.Sprintf("%s is over in %s, and waits for its children to end", v.Run, v.State)
	case v.Halt != nil:
		return fmt.Sprintf("%s is in %s%s", v.Run, v.State, halted(v.Halt))
	case v.Paused:
		return fmt.Sprintf("%s is in %s%s%s%s", v.Run, v.State, paused(v.Pause), queued(v), deferred(v))
	}
	return fmt.Sprintf("%s is in %s%s", v.Run, v.State, deferred(v))
}

// halted says what a halted run could not take, and why.
func halted(h *machine.HaltView) string {
	return fmt.Sprintf(", halted: %s could not be taken: %s", h.Input, Plain(h.Reason, 200))
}

// paused says that a run is paused, by whom, and why.
func paused(p *machine.PauseView) string {
	if p == nil {
		return ", paused"
	}
	return ", paused" + After(" by ", Joined(p.Actor, 80)) + After(": ", Joined(p.Reason, 200))
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
	return ": " + end.Input + After(" of ", end.Activity) + After(": ", Plain(end.Message, 200))
}

// waitsFor names the activities that a run waits for, or else the events.
func waitsFor(v *runtime.View, now time.Time) string {
	var parts []string
	for i := range v.Elements {
		parts = append(parts, elementsPhrase(&v.Elements[i]))
	}
	told, more := map[string]int{}, 0 // of elements, by their do
	for i := range v.Activities {
		a := &v.Activities[i]
		if do, _, element := machine.CutElement(a.Do); element {
			if told[do]++; told[do] > maxElementsTold {
				more++
				continue
			}
		}
		parts = append(parts, activityPhrase(a, now))
	}
	if more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	if n := len(parts) - 1; n > 0 {
		return ", " + strings.Join(parts[:n], "; ") + "; and " + parts[n]
	} else if n == 0 {
		return ", " + parts[0]
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
		text = fmt.Sprintf(", with %s due at %s", cmp.Or(first.Text, first.Name), When(first.Due, now))
	}
	if ends != nil {
		text += fmt.Sprintf(", until %s at the latest (%s)", When(ends.Due, now), cmp.Or(ends.Text, ends.Name))
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

// Returned says on a line what a run has returned; empty where it has nothing.
func Returned(v *runtime.View) string {
	if v.Returns == nil {
		return ""
	}
	return fmt.Sprintf("%s returned %s", v.Run, Plain(string(v.Returns), 1000))
}

// Status is how a run fares, in one word.
func Status(r *runtime.RunRow) string {
	switch {
	case r.Status == runtime.Finished:
		return string(r.Outcome)
	case r.Paused:
		return "paused"
	}
	return string(r.Status)
}

// OtherMachine says that a run is not of the machine with which it was asked for.
func OtherMachine(run, machine, wanted string) string {
	return fmt.Sprintf("run %q belongs to machine %q, not to %q", run, machine, wanted)
}
