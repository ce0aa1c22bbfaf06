package describe

import (
	"fmt"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// maxElementsTold is how many elements of an activity a sentence tells of one by one.
const maxElementsTold = 3

// elementsPhrase says how far an activity is with the elements of its list.
func elementsPhrase(v *machine.ElementsView) string {
	text := fmt.Sprintf("%s for %s: %d ended, %d open", v.Do[strings.LastIndexByte(v.Do, '.')+1:], Count(v.Count, "element"), v.Ended, v.Open)
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

// Attempt is what an attempt is of: an activity, or "r[3]" for an element.
func Attempt(activity, do string) string {
	if _, _, element := machine.CutElement(do); element {
		return do[strings.LastIndexByte(do, '.')+1:]
	}
	return activity
}

func activityPhrase(a *machine.ActivityView, now time.Time) string {
	name := Attempt(a.Activity, a.Do)
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
			name, When(*a.Since, now), attempt, a.Worker, When(*a.Lease, now), Ago(*a.Lease, now))
	case a.Worker != "" && a.Since != nil:
		text = fmt.Sprintf("%s running since %s (%s, at %s)", name, When(*a.Since, now), attempt, a.Worker)
	case a.State == machine.TaskWaiting && (a.Until == nil || !a.Until.After(now)):
		text = fmt.Sprintf("%s to be tried again when an element before it ends (%s)", name, attempt)
	case a.Until != nil && a.Until.After(now):
		text = fmt.Sprintf("%s to be tried again at %s (%s)", name, When(*a.Until, now), attempt)
	case a.Limit != nil && a.Limit.Opens != nil:
		text = fmt.Sprintf("%s held back by its limit of %s until %s (%s)", name, a.Limit.Text, When(*a.Limit.Opens, now), attempt)
	case a.Limit != nil:
		text = fmt.Sprintf("%s held back by its limit of %s (%s)", name, a.Limit.Text, attempt)
	default:
		text = fmt.Sprintf("%s waiting for a worker (%s)", name, attempt)
	}
	if e := a.LastError; e != nil {
		text += ", last error " + e.Category + After(": ", Plain(e.Message, 120))
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
		return text + paused(&machine.PauseView{Actor: c.Actor, Reason: c.Reason})
	case c.Status == runtime.Ending:
		text += ", ending"
	}
	if c.Below != nil {
		text += ", waiting for " + childPhrase(c.Below)
	}
	return text
}

// Event is an event with its fields: "RateLimited { retry_after duration }".
func Event(e *machine.EventView) string {
	if len(e.Fields) == 0 {
		return e.Name
	}
	var fields []string
	for _, f := range e.Fields {
		fields = append(fields, f.Name+" "+f.Type)
	}
	return e.Name + " { " + strings.Join(fields, ", ") + " }"
}
