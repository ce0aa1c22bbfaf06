package runtime

import (
	"bytes"
	"errors"
	"fmt"
)

// Replay takes the inputs of a run's records, from the first, at their times
// and with their verdicts, and gives the snapshot that they lead to: bit for
// bit the one that the run had after the last of them. A record that does not
// come out as it stands in history is an error.
func (m *Machine) Replay(run string, seed uint64, records []*Record) (*Snapshot, error) {
	s := m.NewSnapshot(run, seed)
	for i, r := range records {
		next, err := m.replayStep(s, r)
		if err != nil {
			return nil, fmt.Errorf("record %d of run %q does not replay: %w", i+1, run, err)
		}
		if s, err = m.replaySilent(next); err != nil {
			return nil, fmt.Errorf("after record %d of run %q: %w", i+1, run, err)
		}
	}
	return s, nil
}

// errUnanswered is the answer to a guard that no record answers.
var errUnanswered = errors.New("history has no verdict of it")

func (m *Machine) replayStep(s *Snapshot, r *Record) (*Snapshot, error) {
	ask := func(guard int, args []Value) (bool, error) {
		for i := range r.Verdicts {
			if v := &r.Verdicts[i]; v.Guard == guard && ListValue(v.Args...).Equal(ListValue(args...)) {
				return v.Answer, nil
			}
		}
		return false, errUnanswered
	}
	if r.Effect == HaltedBy && r.Reason == tooMany {
		t := m.newStep(s, r.Input, stepTime(s, r.At), ask)
		t.halt(tooMany)
		return t.next, m.sameRecord(t.record, r)
	}
	next, _, got, err := m.Step(s, r.Input, r.At, ask)
	switch {
	case err != nil:
		return nil, err
	case got == nil:
		return nil, errors.New("the input leaves no record")
	case r.Effect == HaltedBy && got.Effect == HaltedBy:
		// What a host guard said when it failed is in the record alone.
		got.Reason = r.Reason
		if s.Halt == nil {
			next.Halt.Reason = r.Reason
		}
	}
	return next, m.sameRecord(got, r)
}

func (m *Machine) sameRecord(got, want *Record) error {
	g, w := m.EncodeRecord(got), m.EncodeRecord(want)
	if bytes.Equal(g, w) {
		return nil
	}
	return fmt.Errorf("history has %s, replay gives %s", w, g)
}

// replaySilent takes the steps that leave no record: kept events that are
// deferred again. One whose guard must be asked is not silent.
func (m *Machine) replaySilent(s *Snapshot) (*Snapshot, error) {
	for {
		in, ok := m.Next(s, s.Now)
		if !ok || in.Kind != KeptInput {
			return s, nil
		}
		next, _, record, err := m.Step(s, in, s.Now, nil)
		if err != nil {
			return nil, err
		}
		if record != nil {
			return s, nil
		}
		s = next
	}
}
