// Package flat holds the flattened table of a machine: for each leaf the
// inputs that something can come of, and for each input the choices in the
// order in which they are tried. It is computed once for a machine and shared
// by the explorer and all rules.
//
// The table is what ir.Machine.Cases and ir.Machine.Choices say, laid out so
// that it grows with the text and not with leaves times events: an external
// event that no state from the leaf outwards mentions has no row (it is
// rejected); what a composite says about events, cancel and timers is held
// once for all leaves inside that say nothing of their own. And what never comes
// has no row: how runs of a machine end that none ends so, and what is raised for
// the elements of a list that is always empty.
package flat

import (
	"iter"
	"slices"

	"github.com/fsmc-dev/fsmc/check/stop"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Input is one input of a leaf. ID is a number of the case within the machine,
// for tables of one's own; see Table.Case.
type Input struct {
	ir.Case
	ID      int32
	Choices []ir.Choice // none: nothing takes it
}

// Effort is how far the values of wide ranges are told apart: that may take all the time.
type Effort uint8

const (
	AtFirst    Effort = iota // as far as costs little
	ForGuesses               // a path may be no run, for want of knowing values
	ForAnswers               // something is undecided, or said of values that no run is shown to have
)

// Table is the flattened table of one machine.
type Table struct {
	Machine *ir.Machine
	Stop    *stop.Stop // what works on the machine polls it
	Timed   bool       // to tell configurations apart by their times may; see explore
	Wide    Effort     // how far wide ranges are told apart; see explore
	Past    bool       // without that, the product is past the limit

	callees  []*Callee   // by activity: of one that calls a machine
	cases    []ir.Case   // by Input.ID
	enforced int         // how many costs the machine holds to their budget
	budget   *ir.Timer   // the time of the budget; nil where the machine is not held to it
	doFirst  []int32     // the ID of the first case of each do, and the one behind the last case
	spoken   []spoken    // by state: what it says itself
	rows     [][]Input   // by state: of a leaf its own, of a composite also those of the states around it
	repeats  []bool      // by leaf: some own row hides one of the parent's
	lost     [][]*ir.Arm // by state: see Lost
}

// New computes the table of m, with what is known of the machines that it calls, by activity:
// nil where that is no more than their text.
func New(m *ir.Machine, callees []*Callee) *Table {
	n := len(m.States)
	t := &Table{Machine: m, callees: callees, spoken: make([]spoken, n), rows: make([][]Input, n), repeats: make([]bool, n), lost: make([][]*ir.Arm, n)}
	t.number()
	for _, s := range m.States { // parents come before children
		t.lost[s.ID] = t.lostArms(s)
		t.spoken[s.ID] = listen(s)
		switch s.Kind {
		case ir.Composite:
			t.rows[s.ID] = t.compositeRows(s)
		case ir.Leaf:
			t.rows[s.ID] = t.leafRows(s)
		}
	}
	return t
}

// Inputs yields the inputs of leaf: its own first, then those about which only
// states around it say something.
func (t *Table) Inputs(leaf *ir.State) iter.Seq[Input] {
	return func(yield func(Input) bool) {
		for _, in := range t.rows[leaf.ID] {
			if !yield(in) {
				return
			}
		}
		if leaf.Parent == nil {
			return
		}
		for _, in := range t.rows[leaf.Parent.ID] {
			if t.repeats[leaf.ID] && t.spoken[leaf.ID].about(in.Case) {
				continue
			}
			if !yield(in) {
				return
			}
		}
	}
}

// Case is the case with the number id.
func (t *Table) Case(id int32) ir.Case { return t.cases[id] }

// EventID is the number of the case in which e comes from outside.
func (t *Table) EventID(e *ir.Event) int32 { return int32(e.Index) }

// number gives every case of the machine its ID: events, timers, done, cancel, the costs
// that it is held to, and then for each do its results and its failures.
func (t *Table) number() {
	m := t.Machine
	for _, e := range m.Events {
		t.cases = append(t.cases, ir.Case{Kind: ir.CaseEvent, Event: e})
	}
	for _, timer := range m.Timers {
		t.cases = append(t.cases, ir.Case{Kind: ir.CaseTimer, Timer: timer})
		if timer.Budget {
			t.budget = timer
		}
	}
	t.cases = append(t.cases, ir.Case{Kind: ir.CaseDone}, ir.Case{Kind: ir.CaseCancel})
	for _, name := range m.Enforced() {
		t.cases = append(t.cases, ir.Case{Kind: ir.CaseOverBudget, Cost: name})
	}
	t.enforced = len(t.cases) - int(t.cancelID()) - 1
	t.doFirst = []int32{int32(len(t.cases))}
	for _, d := range m.Dos {
		for _, e := range d.Activity.Results {
			t.cases = append(t.cases, ir.Case{Kind: ir.CaseResult, Event: e, Do: d})
		}
		for _, c := range m.FailuresOf(d) {
			t.cases = append(t.cases, ir.Case{Kind: ir.CaseFailure, Category: c, Do: d})
		}
		t.doFirst = append(t.doFirst, int32(len(t.cases)))
	}
}

// TimerID is the number of the case in which timer fires.
func (t *Table) TimerID(timer *ir.Timer) int32 { return int32(len(t.Machine.Events) + timer.ID) }

// Budget is the timer that is the time of the budget; nil where runs are not held to it.
func (t *Table) Budget() *ir.Timer { return t.budget }

// Held is what runs are held to the budget of: costs by name, and ir.BudgetTime.
func (t *Table) Held() []string {
	names := t.Machine.Enforced()
	if t.budget != nil {
		names = append(slices.Clip(names), ir.BudgetTime)
	}
	return names
}

func (t *Table) doneID() int32   { return int32(len(t.Machine.Events) + len(t.Machine.Timers)) }
func (t *Table) cancelID() int32 { return t.doneID() + 1 }

// OverBudgetID is the number of the case in which the cost passes its budget that stands in
// place at of those that the machine is held to.
func (t *Table) OverBudgetID(at int) int32 { return t.cancelID() + 1 + int32(at) }

// compositeRows are the external events, cancel and the timers about which s
// or a state around it says something.
func (t *Table) compositeRows(s *ir.State) []Input {
	rows := t.outsideRows(s)
	if s.Parent == nil {
		return rows
	}
	for _, in := range t.rows[s.Parent.ID] {
		if !t.spoken[s.ID].about(in.Case) {
			rows = append(rows, in)
		}
	}
	return rows
}

// leafRows are the rows that s has for itself.
func (t *Table) leafRows(s *ir.State) []Input {
	rows := t.outsideRows(s)
	t.repeats[s.ID] = len(rows) > len(s.Timers)
	for _, d := range s.Dos {
		if d.NeverRuns() {
			continue
		}
		for id := t.doFirst[d.ID]; id < t.doFirst[d.ID+1]; id++ {
			if c := t.cases[id]; c.Kind != ir.CaseResult || !t.Never(d.Activity, c.Event) {
				rows = append(rows, t.row(s, id))
			}
		}
	}
	if len(s.Dos) > 0 || s.IsChoice() {
		rows = append(rows, t.row(s, t.doneID()))
	}
	return rows
}

// outsideRows are the external events, cancel, what is over its budget and the timers of s
// itself.
func (t *Table) outsideRows(s *ir.State) []Input {
	var rows []Input
	for _, e := range t.spoken[s.ID].events {
		rows = append(rows, t.row(s, t.EventID(e)))
	}
	if len(t.spoken[s.ID].on[ir.OnCancel]) > 0 {
		rows = append(rows, t.row(s, t.cancelID()))
	}
	if len(t.spoken[s.ID].on[ir.OnOverBudget]) > 0 {
		for i := range t.enforced {
			if id := t.OverBudgetID(i); t.spoken[s.ID].about(t.cases[id]) {
				rows = append(rows, t.row(s, id))
			}
		}
		if c := t.budget; s.Parent != nil && c != nil && t.spoken[s.ID].about(t.cases[t.TimerID(c)]) {
			rows = append(rows, t.row(s, t.TimerID(c)))
		}
	}
	for _, timer := range s.Timers {
		id := t.TimerID(timer)
		rows = append(rows, Input{Case: t.cases[id], ID: id, Choices: t.Machine.Choices(s, t.cases[id])})
	}
	return rows
}

func (t *Table) row(s *ir.State, id int32) Input {
	return Input{Case: t.cases[id], ID: id, Choices: t.choices(s, t.cases[id])}
}

// choices is what ir.Machine.Choices gives, from s outwards.
func (t *Table) choices(s *ir.State, c ir.Case) []ir.Choice {
	var out []ir.Choice
	for ; s != nil; s = s.Parent {
		out = t.spoken[s.ID].appendChoices(out, s, c)
	}
	return out
}
