package machine

import "time"

// StepInfo is one step of a run: one line of its history.
type StepInfo struct {
	Run     string
	Machine string
	Started time.Time // of the run; tells it apart from an earlier one of that id
	Seq     int64
	At      time.Time
	From    string // empty at start
	To      string
	Visit   int64  // of To: the number of leaves that the run has entered
	Input   string // as written in a trigger: "StartReview", "failed(timeout)", "after 24h"
	Effect  Effect
	Arm     string        // name of the arm taken; empty where none was
	Event   string        // of an event, also of a result: its name
	Guards  []VerdictView // what host guards answered
	Costs   []CostView    // what the attempt that ended has used
	Count   int64         // how often the bound of the arm has been used
	Passed  []PassedView  // arms that were tried before it, and why they were passed over
	Held    time.Duration // how long the run had been in From
	Took    time.Duration // from the input's arrival at the engine until it was durable
	Actor   string
	Reason  string // why it was sent; of a halt: why the run is halted
}

// StepInfo is what a line of the run's history tells an observer. When it was durable is the engine's to say.
func (m *Machine) StepInfo(s *Snapshot, r *Record) StepInfo {
	info := StepInfo{
		Run: s.Run, Machine: m.def.Name, Started: s.Started, Seq: r.Seq, At: r.At, To: m.def.States[r.To].Path, Visit: r.Visit,
		Guards: m.verdictViews(r.Verdicts), Costs: costsOf(r.Input.Cost),
		Input: m.Describe(r.Input), Effect: r.Effect, Count: r.Count, Passed: m.PassedViews(r.Passed),
		Held: r.Held, Actor: r.Input.Actor, Reason: r.Input.Reason,
	}
	if r.From >= 0 {
		info.From = m.def.States[r.From].Path
	}
	if r.Input.Migration != nil {
		info.From = r.Input.Migration.From
	}
	switch r.Input.Kind {
	case EventInput, KeptInput, ResultInput:
		if r.Input.Event >= 0 {
			info.Event = m.def.Events[r.Input.Event].Name
		}
	}
	if r.Arm >= 0 {
		info.Arm = m.def.Arms[r.Arm].Name
	}
	if r.Effect == HaltedBy {
		info.Reason = r.Cause.String()
	}
	return info
}
