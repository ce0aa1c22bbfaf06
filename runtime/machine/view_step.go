package machine

import (
	"encoding/json"
	"slices"
	"time"
)

// StepView is one line of a run's history, for people and their scripts. Its
// JSON form is stable; durations are in Go's form.
type StepView struct {
	Seq    int64     `json:"seq"`
	At     time.Time `json:"at"`
	Kind   InputKind `json:"kind"`
	Input  string    `json:"input"` // as written in a trigger: "StartReview", "failed(timeout)"
	From   string    `json:"from,omitempty"`
	To     string    `json:"to"`
	Effect Effect    `json:"effect"`

	Data json.RawMessage `json:"data,omitempty"` // payload of the event, or the parameters of a start
	// Returns are the values that the run has returned, by name; of a move into a terminal.
	Returns json.RawMessage `json:"returns,omitempty"`
	After   *AfterView      `json:"after,omitempty"` // what a migration has made of the run's values

	Arm       string        `json:"arm,omitempty"`
	Text      string        `json:"text,omitempty"` // of the arm, as written
	Count     int64         `json:"count,omitempty"`
	Max       int64         `json:"max,omitempty"`
	Passed    []PassedView  `json:"passed,omitempty"`
	Guards    []VerdictView `json:"guards,omitempty"`
	Redirects []string      `json:"redirects,omitempty"` // leaves that a false require turned away from
	Wait      string        `json:"wait,omitempty"`      // before a retry
	Held      string        `json:"held,omitempty"`      // how long the run had been in From

	Activity string    `json:"activity,omitempty"` // of a result or failure
	Attempt  int       `json:"attempt,omitempty"`
	Index    *int      `json:"index,omitempty"` // of the element, where the activity runs for those of a list
	Key      string    `json:"key,omitempty"`
	Category string    `json:"category,omitempty"`
	Message  string    `json:"message,omitempty"` // of a failure; of a halt, and of what is dropped: why
	Stderr   string    `json:"stderr,omitempty"`  // of a failure: the end of what the attempt wrote to standard error
	Code     CauseCode `json:"code,omitempty"`    // of a halt, and of what is dropped: why

	Worker string     `json:"worker,omitempty"` // who held the attempt
	Took   string     `json:"took,omitempty"`   // from its claim until it returned
	Costs  []CostView `json:"costs,omitempty"`  // what the attempt has used
	Below  []CostView `json:"below,omitempty"`  // what a child, and those below it, have used since it last said so
	// Uncounted is what it has reported besides, and what counts for nothing, as it stood.
	Uncounted []CostView `json:"uncounted,omitempty"`
	Queued    bool       `json:"queued,omitempty"` // it came while the run was paused
	// Checkpoint says of an attempt that was lost that the next one begins with its checkpoint.
	Checkpoint bool `json:"checkpoint,omitempty"`
	// AllowOverBudget says of a retry that the run may pass the budget that has halted it.
	AllowOverBudget bool `json:"allow_over_budget,omitempty"`

	EventID string `json:"event_id,omitempty"`
	Actor   string `json:"actor,omitempty"`
	Reason  string `json:"reason,omitempty"` // that the sender gave
}

// AfterView are the values of a run by the definition to which it has moved.
type AfterView struct {
	Params json.RawMessage `json:"params"`
	Data   json.RawMessage `json:"data"`
}

// ofAttempts are the inputs that speak of an attempt.
var ofAttempts = []InputKind{ResultInput, FailureInput, LateInput, LostInput, ReturnInput, BeginInput, SpentInput, ToldInput}

// PassedView is an arm that was tried and not taken.
type PassedView struct {
	Arm  string    `json:"arm"`
	Text string    `json:"text"`
	Code CauseCode `json:"code,omitempty"`
	Why  string    `json:"why"` // in words
}

// VerdictView is what a host guard answered.
type VerdictView struct {
	Guard  string          `json:"guard"`
	Args   json.RawMessage `json:"args"`
	Answer bool            `json:"answer"`
}

// StepView shows a record of a run of m.
func (m *Machine) StepView(r *Record) StepView {
	d, in := m.def, &r.Input
	v := StepView{
		Seq: r.Seq, At: r.At, Kind: in.Kind, Input: m.Describe(*in), To: d.States[r.To].Path, Effect: r.Effect,
		Data: m.payloadText(in), Count: r.Count, Attempt: in.Attempt, Key: in.Key, Message: in.Message,
		EventID: in.ID, Actor: in.Actor, Reason: in.Reason,
	}
	if in.Migration != nil {
		v.From, v.After = in.Migration.From, m.afterView(in.Migration)
	}
	if r.From >= 0 {
		v.From, v.Held = d.States[r.From].Path, r.Held.String()
	}
	if r.Arm >= 0 {
		arm := &d.Arms[r.Arm]
		if v.Arm, v.Text = arm.Name, arm.Text; arm.Max != nil {
			v.Max = *arm.Max
		}
	}
	if r.Effect == Retried {
		v.Wait = r.Wait.String()
	}
	if r.Cause != nil {
		v.Code, v.Message = r.Cause.Code, r.Cause.String()
	}
	v.Worker, v.Queued, v.Checkpoint, v.AllowOverBudget = in.Worker, in.Queued, in.Checkpoint, in.Allow
	if in.Took > 0 {
		v.Took = in.Took.String()
	}
	v.Costs, v.Below, v.Uncounted = costsOf(in.Cost), costsOf(in.Below), costsOf(in.Uncounted)
	switch {
	case in.Kind == ToldInput && in.Key == "":
	case slices.Contains(ofAttempts, in.Kind):
		v.Activity = d.Activities[d.Dos[in.Do].Activity].Name
		if d.Dos[in.Do].Fan != nil {
			v.Index = &in.Index
		}
	}
	if in.Kind == FailureInput {
		v.Category, v.Stderr = d.Categories[in.Category], in.Stderr
	}
	if len(r.Returns) > 0 {
		v.Returns = encodeFields(m.states[r.To].returned, r.Returns)
	}
	v.Passed, v.Guards = m.PassedViews(r.Passed), m.verdictViews(r.Verdicts)
	for _, s := range r.Redirects {
		v.Redirects = append(v.Redirects, d.States[s].Path)
	}
	return v
}

// afterView is nil for a migration whose snapshot is damaged: that is for replay to
// say, and the line has more to tell.
func (m *Machine) afterView(g *Migration) *AfterView {
	s, err := m.DecodeSnapshot(g.Snapshot)
	if err != nil {
		return nil
	}
	params, _ := m.EncodeParams(s.Params) // they are of their types, else the snapshot would be refused
	return &AfterView{Params: params, Data: m.EncodeData(s)}
}

func (m *Machine) PassedViews(passed []Passed) (views []PassedView) {
	for _, p := range passed {
		views = append(views, PassedView{Arm: m.def.Arms[p.Arm].Name, Text: m.def.Arms[p.Arm].Text, Code: p.Why.Code(), Why: p.Why.String()})
	}
	return views
}

func (m *Machine) verdictViews(verdicts []Verdict) (views []VerdictView) {
	for _, a := range verdicts {
		g := &m.def.Guards[a.Guard]
		views = append(views, VerdictView{Guard: g.Name, Args: encodeFields(g.Params, a.Args), Answer: a.Answer})
	}
	return views
}

func costsOf(costs []Cost) (views []CostView) {
	for _, c := range costs {
		views = append(views, CostView{Name: c.Name, Spent: c.Amount})
	}
	return views
}

// payloadText is what an input carries, or nothing.
func (m *Machine) payloadText(in *Input) json.RawMessage {
	switch in.Kind {
	case StartInput:
		return encodeFields(m.def.Params, in.Data)
	case EventInput, KeptInput, ResultInput:
		if in.Event >= 0 {
			return encodeFields(m.def.Events[in.Event].Fields, in.Data)
		}
	}
	return nil
}
