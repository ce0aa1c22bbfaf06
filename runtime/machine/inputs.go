package machine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// What comes from outside speaks of events, activities and categories by their names.
// The functions of this file make an Input of it, or say why there is none. MaxPayload
// of them is the most bytes of a payload, where an engine takes fewer than the limit.

// ExternalEvent is an event sent to a run from outside.
type ExternalEvent struct {
	Name string
	Data json.RawMessage // the object of its fields; empty for none
	// ID makes sending idempotent: an id is accepted once for each run, and
	// gives the first answer again afterwards; with another name or payload it
	// is refused. A refused event is not remembered. Empty for an event that may be taken again.
	ID string
	// IfSeq refuses the event where the run's sequence number is another;
	// 0 for any.
	IfSeq  int64
	Actor  string // who sent it; stands in history
	Reason string // why
}

// Oversized says that a payload has more than so many bytes, or nothing.
func Oversized(payload json.RawMessage, maxPayload int) string {
	if len(payload) <= maxPayload {
		return ""
	}
	return "it has " + strconv.Itoa(len(payload)) + " bytes, more than the " + strconv.Itoa(maxPayload) + " that are allowed"
}

// StartInput starts a run at the time started, with the object of its parameters. The
// error is a *Rejected.
func (m *Machine) StartInput(params json.RawMessage, started time.Time, maxPayload int) (Input, error) {
	if why := Oversized(params, maxPayload); why != "" {
		return Input{}, &Rejected{Input: StartInput, Why: "parameters: " + why}
	}
	values, err := m.DecodeParams(params)
	if err != nil {
		return Input{}, &Rejected{Input: StartInput, Why: err.Error(), Err: err}
	}
	return Input{Kind: StartInput, Data: values, Token: tokenOf(started), Semantics: sinceFirst(m.semantics)}, nil
}

// tokenOf tells a run apart from others of its id, which started at other times.
func tokenOf(started time.Time) string { return strconv.FormatUint(uint64(started.UnixMicro()), 36) }

// SeedOf decides the jitter of a run: runs with different ids differ.
func SeedOf(run string) uint64 { return fnv(run) }

// EventInput reads an event for the run as it stands. The error is a *Rejected.
func (m *Machine) EventInput(s *Snapshot, event ExternalEvent, maxPayload int) (Input, error) {
	in := Input{Kind: EventInput, ID: event.ID, Actor: event.Actor, Reason: event.Reason}
	index, ok := m.index.events.find(event.Name)
	if !ok {
		return in, m.rejectUnknown(s, event.Name)
	}
	in.Event = index
	if s.Status.Over() {
		return in, nil // refused by the step, whatever the payload
	}
	if why := Oversized(event.Data, maxPayload); why != "" {
		return in, m.Reject(s, &in, why, nil)
	}
	if m.def.Events[index].Internal {
		return in, nil // refused by the step, which says why
	}
	var err error
	if in.Data, err = m.DecodePayload(index, event.Data); err != nil {
		return in, m.Reject(s, &in, err.Error(), err)
	}
	return in, nil
}

func (m *Machine) rejectUnknown(s *Snapshot, name string) *Rejected {
	var names []string
	for _, e := range m.def.Events {
		if !e.Internal {
			names = append(names, e.Name)
		}
	}
	why := fmt.Sprintf("machine %q has no such event%s", m.def.Name, DidYouMean(name, names))
	return m.rejectNamed(s, name, why, nil)
}

// rejectNamed refuses an event of which no more than its name is known.
func (m *Machine) rejectNamed(s *Snapshot, name, why string, err error) *Rejected {
	r := m.Reject(s, &Input{}, why, err)
	r.Input, r.Event = EventInput, name
	return r
}

// ResultInput is the end of an attempt that has raised the event of that name, or none
// where it is empty. Of the task the do, the key and the number of the attempt are read.
// The error says why the activity cannot raise that; Event is -1 where it has no such one.
func (m *Machine) ResultInput(t *Task, event string, data json.RawMessage, maxPayload int) (Input, error) {
	in := Input{Kind: ResultInput, Event: -1, Do: t.Do, Index: t.Index, Key: t.Key, Attempt: t.Attempt}
	activity := &m.def.Activities[m.def.Dos[t.Do].Activity]
	if activity.Callee != "" && isName(event) {
		event = activity.Name + "." + event
	}
	var names []string
	for _, r := range activity.Results {
		names = append(names, m.def.Events[r].Name)
		if m.def.Events[r].Name == event {
			in.Event = r
		}
	}
	switch {
	case event == "" && len(names) == 0:
		return in, nil
	case event == "":
		return in, fmt.Errorf("it names no event, expected %s", alternatives(names))
	case len(names) == 0:
		return in, fmt.Errorf("activity %q has nothing to say, found event %q", activity.Name, event)
	case in.Event < 0:
		return in, fmt.Errorf("activity %q does not raise %q, expected %s%s",
			activity.Name, event, alternatives(names), DidYouMean(event, names))
	}
	if why := Oversized(data, maxPayload); why != "" {
		return in, fmt.Errorf("event %q: %s", event, why)
	}
	var err error
	if in.Data, err = m.DecodePayload(in.Event, data); err != nil {
		return in, fmt.Errorf("event %q: %w", event, err)
	}
	return in, nil
}

// EndInput is ResultInput, or where the activity cannot raise that, the failure that says so.
func (m *Machine) EndInput(t *Task, event string, data json.RawMessage, maxPayload int) Input {
	in, err := m.ResultInput(t, event, data, maxPayload)
	if err != nil {
		return m.FailureInput(t, "unknown", "the result does not fit: "+err.Error())
	}
	return in
}

// FailureInput is the end of an attempt that has failed with the category of that name.
// Where its activity cannot fail with that, it is `unknown`, and the message says so. Of
// the task the do, the key and the number of the attempt are read.
func (m *Machine) FailureInput(t *Task, category, message string) Input {
	c, ok := m.index.categories.find(category)
	if !ok || !m.def.CanFail(&m.def.Dos[t.Do], c) {
		if category != "" {
			if message != "" {
				message = ": " + message
			}
			did := DidYouMean(category, m.def.FailureNames(&m.def.Dos[t.Do]))
			message = fmt.Sprintf("the activity cannot fail with category %q%s%s", category, did, message)
		}
		c = m.unknown
	}
	return Input{Kind: FailureInput, Do: t.Do, Index: t.Index, Key: t.Key, Attempt: t.Attempt, Category: c, Message: message}
}

// NoteInput notes what became of an attempt, by its kind: a LateInput has returned when it
// was not current any more, of a LostInput the worker was lost, a ReturnInput was released.
// Of the task the do, the key and the number of the attempt are read.
func NoteInput(kind InputKind, t *Task, message string) Input {
	return Input{Kind: kind, Do: t.Do, Index: t.Index, Key: t.Key, Attempt: t.Attempt, Message: CleanMessage(message)}
}

// Completion is how an operator ends an activity that was done outside.
type Completion struct {
	// Activity is the activity's name, or where the state has several attempts
	// of it open the label or the name of its `do`.
	Activity string
	Event    string          // that it raises; empty where it has nothing to say
	Data     json.RawMessage // the object of the event's fields
	Operator
}

// Operator is who steers a run, and why. Both stand in its history.
type Operator struct {
	Actor  string
	Reason string
}

// CompleteRefused is the Input of the *Rejected of a Complete.
const CompleteRefused InputKind = "complete"

// CompleteInput ends an open activity by hand, as if it had returned. The error is a
// *Rejected.
func (m *Machine) CompleteInput(s *Snapshot, c *Completion, maxPayload int) (Input, error) {
	refuse := func(why string, err error) (Input, error) {
		r := m.Reject(s, &Input{Kind: CompleteRefused}, why, err)
		return Input{}, r
	}
	if s.Status != Running {
		err := map[Status]error{Halted: ErrHalted, Ending: ErrFinished, Finished: ErrFinished}[s.Status]
		return refuse(err.Error(), err)
	}
	t, why := m.openActivity(s, c.Activity)
	if why != "" {
		return refuse(why, nil)
	}
	if s.inQueue(t) {
		return refuse("it has returned, and is taken when the run resumes", nil)
	}
	in, err := m.ResultInput(t, c.Event, c.Data, maxPayload)
	if err != nil {
		return refuse(err.Error(), err)
	}
	in.Actor, in.Reason = c.Actor, c.Reason
	return in, nil
}

// openActivity finds the open task that an operator means, or says why not.
func (m *Machine) openActivity(s *Snapshot, name string) (found *Task, why string) {
	do, element, why := m.openDo(s, name)
	switch {
	case why != "":
		return nil, why
	case m.dos[do].Fan == nil:
		return &s.Tasks[slices.IndexFunc(s.Tasks, func(t Task) bool { return t.Do == do })], ""
	}
	from, to := s.elements(do)
	n := to - from
	of, index, _ := CutElement(name)
	switch example := ElementName(of, 0); {
	case !element:
		return nil, fmt.Sprintf("%q runs for each element of a list; name one, from %q to %q", name, example, ElementName(of, n-1))
	case index >= n:
		return nil, fmt.Sprintf("there is no %s: the list has %d, and the first is %s", name, n, example)
	}
	t := &s.Tasks[from+index]
	switch {
	case t.State == TaskEnded:
		return nil, name + " has ended"
	case t.Attempt == 0:
		return nil, fmt.Sprintf("%s has not begun: limit %d is reached", name, m.dos[do].Fan.Limit)
	case t.State == TaskWaiting:
		return nil, fmt.Sprintf("%s is tried again when there is a place for it: limit %d is reached", name, m.dos[do].Fan.Limit)
	}
	return t, ""
}

// openDo finds the do, of those that have not ended, that an operator means by its label, its
// name or its activity, and reports whether one of its elements is meant; or it says why not.
func (m *Machine) openDo(s *Snapshot, name string) (do int, element bool, why string) {
	of, _, isElement := CutElement(name)
	do = -1
	several := ""
	var open []string
	for _, d := range m.def.States[s.State].Dos {
		if !slices.ContainsFunc(s.Tasks, func(t Task) bool { return t.Do == d && t.State != TaskEnded }) {
			continue
		}
		code := &m.dos[d]
		activity, element, named := m.def.Activities[code.Activity].Name, false, name
		if code.Fan != nil && isElement {
			element, named = true, of
		}
		open = append(open, activity)
		switch {
		case named == code.Name || named == code.Label:
			return d, element, ""
		case named != activity:
		case do >= 0:
			several = fmt.Sprintf("several attempts of activity %q are open; the label or the name of its do says which: %q or %q",
				named, m.dos[do].Name, code.Name)
		default:
			do = d
		}
	}
	switch {
	case several != "":
		return -1, false, several
	case do >= 0:
		return do, isElement && m.dos[do].Fan != nil, ""
	case len(open) == 0:
		return -1, false, fmt.Sprintf("activity %q is not open there, and no other is", name)
	}
	return -1, false, fmt.Sprintf("activity %q is not open there, expected %s%s", name, alternatives(open), DidYouMean(name, open))
}

// Refusal is why the run would refuse an operator's pause, resume, cancel or retry;
// nil where it would take it, or has nothing to do. What only taking it can tell is not
// known: what is due before it, what a guard says, and whether there is a state in which
// a failed run can continue.
func (m *Machine) Refusal(s *Snapshot, kind InputKind, now time.Time) error {
	in := Input{Kind: kind}
	if s.standsAlready(&in) || kind == RetryInput && s.Status == Finished && s.Outcome == Failed {
		return nil
	}
	return m.admit(s, &in, stepTime(s, now))
}
