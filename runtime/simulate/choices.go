package simulate

import (
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Choice is a move that the run may take where it stands.
type Choice struct {
	Move   Move
	Fields []machine.Field    // that its data has; nil for none
	In     time.Duration      // until it can come
	Steps  []machine.StepView // that it leads to; nil where that depends on its data, or on what a host guard answers; empty where only time passes
}

// maxElements is of how many elements of one list there are choices. All can be named.
const maxElements = 3

// Choices are the moves that the run may take where it stands: events from outside, the ends of
// attempts, what time brings, and cancel.
func (s *Simulation) Choices() []Choice {
	at := s.last()
	if at.snapshot.Status == machine.Finished {
		return nil
	}
	var list []Choice
	add := func(c Choice) {
		if len(c.Fields) == 0 {
			c.Steps = s.leadsTo(c.Move)
		}
		list = append(list, c)
	}
	d := s.machine.Definition()
	for _, e := range s.machine.Allowed(at.snapshot) {
		add(Choice{Move: Move{Kind: machine.EventInput, Name: d.Events[e].Name}, Fields: d.Events[e].Fields})
	}
	elements := map[int]int{}
	for _, t := range at.snapshot.HandedOut() {
		if elements[t.Do]++; d.Dos[t.Do].Fan != nil && elements[t.Do] > maxElements {
			continue
		}
		s.endings(&t, add)
	}
	if !at.snapshot.PausedAt.IsZero() {
		add(Choice{Move: Move{Kind: machine.ResumeInput}})
	}
	if next := s.nextMoment(at); !next.IsZero() {
		add(Choice{Move: Move{Kind: machine.TimerInput}, In: next.Sub(at.now)})
	}
	if !at.snapshot.Cancelled {
		add(Choice{Move: Move{Kind: machine.CancelInput}})
	}
	return list
}

// endings are the ways in which an attempt may end.
func (s *Simulation) endings(t *machine.Task, add func(Choice)) {
	d := s.machine.Definition()
	name, in := s.Name(t), max(t.NotBefore.Sub(s.Now()), 0)
	results := d.Activities[d.Dos[t.Do].Activity].Results
	for _, e := range results {
		add(Choice{Move: Move{Kind: machine.ResultInput, Do: name, Name: d.Events[e].Name}, Fields: d.Events[e].Fields, In: in})
	}
	if len(results) == 0 {
		add(Choice{Move: Move{Kind: machine.ResultInput, Do: name}, In: in})
	}
	for _, category := range s.categories(t.Do) {
		add(Choice{Move: Move{Kind: machine.FailureInput, Do: name, Name: category}, In: in})
	}
}

// leadsTo are the steps that a move would lead to, where no host guard is asked.
func (s *Simulation) leadsTo(move Move) []machine.StepView {
	silent := *s
	silent.guard = nil
	next := state{snapshot: s.last().snapshot, now: s.last().now, move: move}
	if err := silent.make(&next); err != nil {
		return nil
	}
	return s.views(next.records)
}
