package machine

import "time"

// Next is the input that a run must take before any new one. `over_budget` comes
// first, by name of the cost, and then `done`: they belong to the step that raised them. Then come the timers that are
// due at now, earliest first, of equals the inner first and then by name; then
// the events that have been kept and not been looked at since a state was
// entered, and at last what came while the run was paused, in that order. A
// halted or paused run has none; one that is over only kept and queued ones, which
// are dropped.
func (m *Machine) Next(s *Snapshot, now time.Time) (Input, bool) {
	switch {
	case s.State < 0 || s.Status == Halted || !s.PausedAt.IsZero():
		return Input{}, false
	case s.Status == Running && len(s.OverDue) > 0:
		return Input{Kind: OverBudgetInput, Over: s.OverDue[0]}, true
	case s.Status == Running && s.DoneDue:
		return Input{Kind: DoneInput}, true
	case s.Status == Running:
		if i := m.dueAlarm(s, stepTime(s, now)); i >= 0 {
			return Input{Kind: TimerInput, Timer: s.Alarms[i].Timer}, true
		}
	}
	if s.KeptNext < len(s.Kept) {
		kept := &s.Kept[s.KeptNext]
		return Input{Kind: KeptInput, Event: kept.Event, Data: kept.Data, ID: kept.ID}, true
	}
	if len(s.Queue) > 0 {
		in := s.Queue[0]
		in.Queued = true
		return in, true
	}
	return Input{}, false
}

// dueAlarm is the index of the timer that fires next, or -1.
func (m *Machine) dueAlarm(s *Snapshot, now time.Time) int {
	best := -1
	rank := func(i int) int { return m.ranks[s.Alarms[i].Timer] }
	for i := range s.Alarms {
		due := s.Alarms[i].Due
		switch {
		case due.After(now):
		case best < 0, due.Before(s.Alarms[best].Due),
			due.Equal(s.Alarms[best].Due) && rank(i) < rank(best):
			best = i
		}
	}
	return best
}

// tooMany tells in records without a code that a run would have followed no end of
// steps.
const tooMany = "more steps follow at once than are allowed"

// Settle takes, at the time now, every input that must be taken before a new
// one, and gives the commands and records of all these steps in order. A run
// that does not settle within MaxFollowing steps is halted.
func (m *Machine) Settle(s *Snapshot, now time.Time, ask Ask) (*Snapshot, []Command, []*Record, error) {
	return m.settle(s, now, ask, nil, nil)
}

// Advance settles s, takes in, and settles again: what belongs into one durable
// write. Where in itself is refused, the error says so, and what was due before
// it is given all the same: it has happened, and should be written if there
// are records.
func (m *Machine) Advance(s *Snapshot, in Input, now time.Time, ask Ask) (*Snapshot, []Command, []*Record, error) {
	var commands []Command
	var records []*Record
	if in.Kind != StartInput {
		var err error
		if s, commands, records, err = m.Settle(s, now, ask); err != nil {
			return s, commands, records, err
		}
	}
	next, more, record, err := m.Step(s, in, now, ask)
	if err != nil {
		return s, commands, records, err
	}
	commands = joined(commands, more)
	if record != nil {
		records = append(records, record)
	}
	return m.settle(next, now, ask, commands, records)
}

// settle appends to commands and records.
func (m *Machine) settle(s *Snapshot, now time.Time, ask Ask, commands []Command, records []*Record) (*Snapshot, []Command, []*Record, error) {
	for steps := 0; ; {
		in, ok := m.Next(s, now)
		if !ok {
			return s, commands, records, nil
		}
		kept := in.Kind == KeptInput // there is an end of those in any case
		if steps == MaxFollowing && !kept && !in.Queued {
			t := m.newStep(s, in, stepTime(s, now), ask)
			t.halt(&Cause{Code: TooManySteps})
			return t.next, append(commands, t.commands...), append(records, t.record), nil
		}
		next, more, record, err := m.Step(s, in, now, ask)
		if err != nil {
			return s, commands, records, err
		}
		s, commands = next, joined(commands, more)
		if record != nil {
			records = append(records, record)
		}
		switch {
		case in.Queued:
			steps = 0 // a new input, of which there is an end too
		case !kept:
			steps++
		}
	}
}

// joined is a and behind it b, which is not used again: mostly a is empty.
func joined(a, b []Command) []Command {
	if len(a) == 0 {
		return b
	}
	return append(a, b...)
}
