package machine

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// View is a run as an operator sees it. Its JSON form is stable.
type View struct {
	Run        string  `json:"run"`
	Machine    string  `json:"machine"`
	Definition string  `json:"definition"` // hash of the version
	State      string  `json:"state"`
	Status     Status  `json:"status"`
	Outcome    Outcome `json:"outcome,omitempty"`
	Seq        int64   `json:"seq"` // number of history records
	Visit      int64   `json:"visit"`
	Paused     bool    `json:"paused,omitempty"`
	Cancelled  bool    `json:"cancelled,omitempty"` // cancel has been taken

	Started time.Time `json:"started"`
	Entered time.Time `json:"entered"` // when State was entered
	Updated time.Time `json:"updated"` // time of the last step

	Params json.RawMessage `json:"params"`
	Data   json.RawMessage `json:"data"` // fields that are not set are absent
	// Returns are the values that the run has returned, by name: what the terminal in
	// which it has ended returns. Absent where that returns nothing.
	Returns json.RawMessage `json:"returns,omitempty"`

	Events     []EventView    `json:"events"` // those that the run may take now
	Activities []ActivityView `json:"activities,omitempty"`
	Elements   []ElementsView `json:"elements,omitempty"` // of the activities that run for each element of a list
	Timers     []TimerView    `json:"timers,omitempty"`
	Bounds     []BoundView    `json:"bounds,omitempty"` // of which something has been used
	Halt       *HaltView      `json:"halt,omitempty"`
	Queued     []string       `json:"queued,omitempty"`      // what came while the run was paused, as in history
	Deferred   []string       `json:"deferred,omitempty"`    // events that are kept until a state takes them
	Costs      []CostView     `json:"costs,omitempty"`       // what the run has used, or may
	Uncounted  int64          `json:"uncounted,omitempty"`   // costs that were reported and count for nothing: see StepView
	OverBudget bool           `json:"over_budget,omitempty"` // a cost, or the time, is more than the machine's budget
	Repeated   bool           `json:"repeated,omitempty"`    // the answer that Send gave to the same event before
	End        *EndView       `json:"end,omitempty"`         // of a run that ended in failure; given by Engine.Get alone
	Pause      *PauseView     `json:"pause,omitempty"`       // of a paused run; given by Engine.Get alone

	// Tags are given by Engine.Get and Start alone: they are of the run, and its machine does not
	// know of them.
	Tags map[string]string `json:"tags,omitempty"`

	// Given by Engine.Get alone: the run that it is a child of, and the children that it has
	// left behind, and that have yet to end.
	Parent string      `json:"parent,omitempty"`
	Left   []ChildView `json:"left,omitempty"`
}

// ChildView is a child as its parent sees it.
type ChildView struct {
	Run    string    `json:"run"`
	State  string    `json:"state"`
	Status Status    `json:"status"`
	Paused bool      `json:"paused,omitempty"`
	Halt   *HaltView `json:"halt,omitempty"`

	// Actor and Reason say who has paused it, and why.
	Actor  string `json:"actor,omitempty"`
	Reason string `json:"reason,omitempty"`

	// Below is the nearest run below the child that is halted or paused, where the child is neither.
	Below *ChildView `json:"below,omitempty"`
}

// PauseView says who has paused a run, and why.
type PauseView struct {
	Actor  string `json:"actor,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// EndView is the input with which a run ended.
type EndView struct {
	Input    string `json:"input"`              // as in history: "failed(auth)", "after 48h"
	Activity string `json:"activity,omitempty"` // of a result or failure
	Message  string `json:"message,omitempty"`  // of a failure
}

// CostView is what a run has used of something. Amounts are exact decimals.
type CostView struct {
	Name   string `json:"name"`
	Spent  string `json:"spent"`
	Budget string `json:"budget,omitempty"` // the most that its machine allows
	Over   bool   `json:"over,omitempty"`

	// Of runs that are held to the budget:
	Reserved string `json:"reserved,omitempty"` // what attempts under way may still use, by what they declare
	Passed   bool   `json:"passed,omitempty"`   // over_budget was taken: the budget holds nothing back any more
}

// EventView is an event that a run may take.
type EventView struct {
	Name   string      `json:"name"`
	Fields []FieldView `json:"fields,omitempty"`
}

// FieldView is a field with its type as written in a machine.
type FieldView struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// ActivityView is an activity of the present visit that has not ended. What is
// known of its worker is given by Engine.Get alone.
type ActivityView struct {
	Do       string     `json:"do"`
	Activity string     `json:"activity"`
	Key      string     `json:"key"`
	Attempt  int        `json:"attempt"`
	Of       int64      `json:"of,omitempty"`    // the most attempts of an execution, where that is known
	Until    *time.Time `json:"until,omitempty"` // a retry waits until then
	State    TaskState  `json:"state,omitempty"` // "waiting" for an element that is tried again and has no place to run in yet

	Worker     string          `json:"worker,omitempty"` // empty where no one holds it
	Since      *time.Time      `json:"since,omitempty"`  // when the worker took it
	Lease      *time.Time      `json:"lease,omitempty"`  // until when the worker holds it; where that is past, it is gone
	Beat       *time.Time      `json:"beat,omitempty"`   // last sign of life
	Checkpoint json.RawMessage `json:"checkpoint,omitempty"`
	Progress   *time.Time      `json:"progress,omitempty"` // when the checkpoint was made, by this attempt or an earlier one
	Lost       int             `json:"lost,omitempty"`     // how often a worker of the attempt was lost
	Limit      *LimitView      `json:"limit,omitempty"`    // where the attempt waits because of one
	LastError  *ErrorView      `json:"last_error,omitempty"`
	Child      *ChildView      `json:"child,omitempty"` // of a machine that is called: the run that does it
}

// ElementsView is how far an activity is that runs for each element of a list.
type ElementsView struct {
	Do       string `json:"do"`
	Activity string `json:"activity"`
	Count    int    `json:"count"`
	Limit    int64  `json:"limit,omitempty"` // so many run at once
	Ended    int    `json:"ended"`
	Open     int    `json:"open"`    // they have a place to run in; each is one of the activities
	Waiting  int    `json:"waiting"` // to be tried again, without a place; each is one of the activities too
	Left     int    `json:"left"`    // have not begun
}

// LimitView is a limit of an activity over all runs that lets no attempt begin now.
type LimitView struct {
	Text  string     `json:"text"`            // as written: "5 per 1m", "10 at once"
	Opens *time.Time `json:"opens,omitempty"` // of a rate: when it lets an attempt begin
}

// ErrorView is the last failure of an activity.
type ErrorView struct {
	Category string    `json:"category"`
	Message  string    `json:"message"`
	Stderr   string    `json:"stderr,omitempty"` // the end of what the attempt wrote to standard error
	Attempt  int       `json:"attempt"`
	At       time.Time `json:"at"`
}

// TimerView is a running timer.
type TimerView struct {
	Name string    `json:"name"`
	Text string    `json:"text,omitempty"` // the name as its machine is written, where that is not the name: "Idle after 7d"
	Due  time.Time `json:"due"`
	Left string    `json:"left,omitempty"` // while the run is paused: what is left of it when the run resumes, whatever Due says
	Idle bool      `json:"idle,omitempty"` // it starts again with every input that the run takes, and every checkpoint
	Ends bool      `json:"ends,omitempty"` // it takes the run out of its state, whatever the data
}

// BoundView is a bound of which something has been used.
type BoundView struct {
	Arm  string `json:"arm"`
	Text string `json:"text"`         // as written: "-> AwaitingRetry max 5"
	Of   string `json:"of,omitempty"` // the element that has used it
	Used int64  `json:"used"`
	Max  int64  `json:"max"`
}

// HaltView is why a run stands still.
type HaltView struct {
	Code   CauseCode `json:"code,omitempty"` // not of a halt from before there were codes
	Reason string    `json:"reason"`         // in words
	Input  string    `json:"input"`          // what it could not take
}

// View is what the snapshot alone tells.
func (m *Machine) View(s *Snapshot) View {
	d := m.def
	params, _ := m.EncodeParams(s.Params) // they fitted when the run started
	v := View{
		Run: s.Run, Machine: d.Name, Definition: m.hash, State: d.States[s.State].Path,
		Status: s.Status, Outcome: s.Outcome, Seq: s.Seq, Visit: s.Visit,
		Paused: !s.PausedAt.IsZero(), Cancelled: s.Cancelled,
		Started: s.Started, Entered: s.Entered, Updated: s.Now,
		Params: params, Data: m.EncodeData(s), Events: m.eventViews(m.Allowed(s)),
	}
	for i := range s.Tasks {
		if s.Tasks[i].State != TaskEnded && s.Tasks[i].Attempt > 0 {
			v.Activities = append(v.Activities, m.activityView(s, &s.Tasks[i]))
		}
	}
	for i := range s.Lists {
		v.Elements = append(v.Elements, m.elementsView(s, &s.Lists[i]))
	}
	for _, a := range s.Alarms {
		v.Timers = append(v.Timers, m.timerView(s, &a))
	}
	for i, used := range s.Counters {
		if arm := &d.Arms[i]; used > 0 && arm.Max != nil {
			v.Bounds = append(v.Bounds, BoundView{Arm: arm.Name, Text: arm.Text, Used: used, Max: *arm.Max})
		}
	}
	for _, x := range s.Tries {
		if arm := &d.Arms[x.Arm]; arm.Max != nil {
			of := m.TaskName(&Task{Do: x.Do, Index: x.Index})
			v.Bounds = append(v.Bounds, BoundView{Arm: arm.Name, Text: arm.Text, Of: of, Used: x.Used, Max: *arm.Max})
		}
	}
	if s.Halt != nil {
		v.Halt = &HaltView{Code: s.Halt.Cause.code(), Reason: s.Halt.Cause.String(), Input: m.Describe(s.Halt.Input)}
	}
	for i := range s.Queue {
		v.Queued = append(v.Queued, m.Describe(s.Queue[i]))
	}
	for i := range s.Kept {
		v.Deferred = append(v.Deferred, d.Events[s.Kept[i].Event].Name)
	}
	v.Costs, v.Uncounted = m.CostViews(s), s.Uncounted
	until := s.Now
	if s.Status == Finished && d.States[s.State].Kind == TerminalState {
		until = s.Entered // something may have come late
		if returned := m.states[s.State].returned; len(returned) > 0 {
			v.Returns = encodeFields(returned, m.returned(s.State, s.Params, s.Data))
		}
	}
	v.OverBudget = slices.ContainsFunc(v.Costs, func(c CostView) bool { return c.Over }) || m.OverTime(s, until)
	return v
}

// CostViews are what the run has used, and what its budget names, by name.
func (m *Machine) CostViews(s *Snapshot) []CostView {
	views := costsOf(s.Spent)
	if m.def.Budget == nil {
		return views
	}
	for _, c := range m.def.Budget.Costs {
		i := slices.IndexFunc(views, func(v CostView) bool { return v.Name == c.Name })
		if i < 0 {
			i = len(views)
			views = append(views, CostView{Name: c.Name, Spent: "0"})
		}
		views[i].Budget, views[i].Over = c.Amount, compareAmounts(views[i].Spent, c.Amount) > 0
		if reserved := m.Reserved(s, c.Name); reserved != "0" {
			views[i].Reserved = reserved
		}
		views[i].Passed = slices.Contains(s.OverDone, c.Name)
	}
	slices.SortFunc(views, func(a, b CostView) int { return strings.Compare(a.Name, b.Name) })
	return views
}

func (m *Machine) eventViews(events []int) []EventView {
	views := make([]EventView, 0, len(events))
	for _, e := range events {
		views = append(views, EventView{m.events[e].Name, slices.Clone(m.events[e].Fields)})
	}
	return views
}

// eventViews are those of all events.
func (d *Definition) eventViews() []EventView {
	views := make([]EventView, len(d.Events))
	for e := range d.Events {
		views[e].Name = d.Events[e].Name
		for i := range d.Events[e].Fields {
			f := &d.Events[e].Fields[i]
			views[e].Fields = append(views[e].Fields, FieldView{f.Name, d.FieldType(f)})
		}
	}
	return views
}

func (m *Machine) activityView(s *Snapshot, t *Task) ActivityView {
	do := &m.def.Dos[t.Do]
	v := ActivityView{
		Do: m.TaskName(t), Activity: m.def.Activities[do.Activity].Name,
		Key: t.Key, Attempt: t.Attempt, Of: m.attempts(s.State, t.Do),
	}
	if !t.NotBefore.IsZero() {
		v.Until = new(t.NotBefore)
	}
	if t.State != TaskOpen { // which is usual
		v.State = t.State
	}
	return v
}

func (m *Machine) elementsView(s *Snapshot, list *List) ElementsView {
	do := &m.dos[list.Do]
	v := ElementsView{Do: do.Name, Activity: m.def.Activities[do.Activity].Name, Limit: do.Fan.Limit}
	from, to := s.elements(list.Do)
	for i := range s.Tasks[from:to] {
		v.Count++
		switch t := &s.Tasks[from+i]; {
		case t.State == TaskEnded:
			v.Ended++
		case t.State == TaskOpen:
			v.Open++
		case t.Attempt > 0:
			v.Waiting++
		default:
			v.Left++
		}
	}
	return v
}

// attempts is the most that a visit of the leaf gives to an execution of a do:
// the first, and one for each use of the retries that its failures can meet. A
// retry with a block does not count, since it begins another execution. It is 0
// where that has no bound, or where the bounds, or the execution itself, are not
// those of the visit.
func (m *Machine) attempts(leaf, do int) int64 {
	if m.def.Dos[do].Scope.Kind != PerVisit {
		return 0
	}
	total := int64(1)
	seen := map[int]bool{}
	for _, h := range m.def.States[leaf].Handlers {
		if h.Kind != FailureInput || h.Do != do {
			continue
		}
		for _, a := range h.Arms {
			arm := &m.def.Arms[a]
			if arm.Kind != RetryArm || arm.Block != nil || seen[a] {
				continue
			}
			if seen[a] = true; arm.Max == nil || arm.Scope.Kind != PerVisit {
				return 0
			}
			total += *arm.Max
		}
	}
	return total
}

// OverTime reports whether the run has then taken longer than its machine's budget.
func (m *Machine) OverTime(s *Snapshot, then time.Time) bool {
	b := m.def.Budget
	return b != nil && b.Time != nil && then.Sub(s.Started) > time.Duration(*b.Time)
}

func (m *Machine) timerView(s *Snapshot, a *Alarm) TimerView {
	timer := &m.def.Timers[a.Timer]
	v := TimerView{Name: timer.Name, Due: a.Due, Idle: timer.Idle, Ends: m.leaves(s.State, m.handlers[inputKey{state: s.State, kind: TimerInput, a: a.Timer}])}
	if timer.Source != "" {
		// The name ends in how long it runs, and perhaps in more words.
		v.Text = strings.Replace(timer.Name, "after "+DurationText(time.Duration(timer.Delay)), "after "+timer.Source, 1)
	}
	if !s.PausedAt.IsZero() && !m.isDeadline(a.Timer) {
		v.Left = DurationText(max(a.Due.Sub(s.PausedAt), 0))
	}
	return v
}

// leaves reports whether whichever of the arms is taken leads to another state. The
// last one that is looked at has neither a guard nor a bound.
func (m *Machine) leaves(leaf int, arms []int) bool {
	for _, a := range arms {
		arm := &m.def.Arms[a]
		if arm.Kind != GotoArm || slices.Contains(m.states[leaf].path, arm.Target) {
			return false
		}
		if arm.When == nil && arm.Max == nil {
			return true
		}
	}
	return false
}
