package machine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Errors that callers tell apart with errors.Is.
var (
	ErrConflict  = errors.New("the run has moved on")
	ErrExists    = errors.New("a run with this id exists")
	ErrFenced    = errors.New("the task is held under a newer lease")
	ErrDuplicate = errors.New("this event id has been accepted before")
	ErrFinished  = errors.New("the run has ended")
	ErrHalted    = errors.New("the run is halted")
)

// Rejected is the error of an input from outside that changed nothing.
type Rejected struct {
	Input   InputKind    // event, start, cancel, pause, resume or retry
	Event   string       // of an event
	State   string       // the leaf in which it was refused
	Why     string       // lower case, without a full stop
	Cause   *Cause       // what Why was made of, where the definition refuses it
	Passed  []PassedView // the arms for the event that were tried and not taken
	By      string       // the text of the arm that refuses it, if the arm has a guard
	Allowed []string     // the events that the state takes
	Err     error        // one of the errors above, or nil
}

// tellPassed is how many of the arms that were passed over the text names.
const tellPassed = 3

// Error names the input, the state, the reason and what is allowed there.
func (r *Rejected) Error() string {
	var b strings.Builder
	switch r.Input {
	case StartInput:
		b.WriteString("the start is refused")
	case EventInput:
		fmt.Fprintf(&b, "event %q is refused", r.Event)
	default:
		b.WriteString(string(r.Input) + " is refused")
	}
	if r.State != "" {
		fmt.Fprintf(&b, " in state %q", r.State)
	}
	if r.Why != "" {
		b.WriteString(": " + r.Why)
	}
	var arms []string
	if r.By != "" {
		arms = append(arms, "guard is true: "+r.By)
	}
	for i, p := range r.Passed {
		if i == tellPassed {
			arms = append(arms, fmt.Sprintf("and %d more", len(r.Passed)-i))
			break
		}
		arms = append(arms, p.Why+": "+p.Text)
	}
	if len(arms) > 0 {
		b.WriteString(": " + strings.Join(arms, "; "))
	}
	if _, payload := errors.AsType[*PayloadError](r.Err); payload && slices.Contains(r.Allowed, r.Event) {
		return b.String() // the event is allowed there, and only what came with it is wrong
	}
	if len(r.Allowed) > 0 {
		fmt.Fprintf(&b, "; allowed there: %s", strings.Join(r.Allowed, ", "))
	}
	return b.String()
}

// Unwrap is the sentinel behind the refusal.
func (r *Rejected) Unwrap() error { return r.Err }
