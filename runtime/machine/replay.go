package machine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Replay takes the inputs of a run's records, from the first, at their times
// and with their verdicts, and gives the snapshot that they lead to: bit for
// bit the one that the run had after the last of them. A record that does not
// come out as it stands in history is a *Difference.
func (m *Machine) Replay(run string, seed uint64, records []*Record) (*Snapshot, error) {
	r := m.NewReplay(run, seed)
	for _, record := range records {
		if err := r.Take(record); err != nil {
			return nil, err
		}
	}
	return r.Snapshot(), nil
}

// Replay is a run that is lived through again, record by record, in memory that
// does not grow with its history.
type Replay struct {
	m *Machine
	s *Snapshot
}

// NewReplay begins the replay of a run, before its first record. Seed is that of
// its snapshot.
func (m *Machine) NewReplay(run string, seed uint64) *Replay {
	return &Replay{m: m, s: m.NewSnapshot(run, seed)}
}

// Continue goes on by another definition, as after a migration.
func (r *Replay) Continue(m *Machine) { r.m = m }

// Snapshot is the run after the last record that was taken.
func (r *Replay) Snapshot() *Snapshot { return r.s }

// Take takes the next record. Its error is a *Difference, after which the
// replay stands where it stood.
func (r *Replay) Take(record *Record) error {
	next, err := r.m.replayStep(r.s, record)
	if err == nil {
		next, err = r.m.replaySilent(next)
	}
	if err == nil {
		r.s = next
		return nil
	}
	if _, differs := errors.AsType[*Difference](err); differs {
		return err
	}
	return &Difference{Run: r.s.Run, Seq: r.s.Seq + 1, Err: err}
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
	// That the input of such a halt could be taken, and how many came before it, are
	// no part of its record.
	if r.Effect == HaltedBy && (r.Cause.code() == TooManySteps || r.Cause.code() == "" && r.Cause.String() == tooMany) {
		t := m.newStep(s, r.Input, stepTime(s, r.At), ask)
		t.halt(r.Cause)
		return t.next, m.sameRecord(s, t.record, r)
	}
	next, _, got, err := m.Step(s, r.Input, r.At, ask)
	switch {
	case err != nil:
		return nil, err
	case got == nil:
		return nil, errors.New("the input leaves no record")
	case r.Effect == HaltedBy && got.Effect == HaltedBy:
		if got.Cause = got.Cause.asIn(r.Cause); s.Halt == nil {
			next.Halt.Cause = got.Cause
		}
	case r.Effect == Dropped && got.Effect == Dropped:
		got.Cause = got.Cause.asIn(r.Cause)
	}
	got.Passed = passedAsIn(got.Passed, r.Passed)
	return next, m.sameRecord(s, got, r)
}

// sameRecord compares what a step from s gives with what history has.
func (m *Machine) sameRecord(s *Snapshot, got, want *Record) error {
	g, w := m.EncodeRecord(got), m.EncodeRecord(want)
	if bytes.Equal(g, w) {
		return nil
	}
	return Differs(s.Run, s.Seq+1, "", w, g)
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

// Difference says where the history of a run does not replay to what is stored:
// the first place.
type Difference struct {
	Run string `json:"run"`
	// Seq is of the record; for the run's row and snapshot that of its last.
	Seq int64 `json:"seq"`
	// Field is the member that differs, from "record", "snapshot", or the name
	// of a table: `snapshot.data.total`, `runs.state`. With Err it is empty, or
	// "work" where the history replays and a task or timer is missing or too many.
	Field    string          `json:"field,omitempty"`
	Stored   json.RawMessage `json:"stored,omitempty"`   // nil where there is none
	Replayed json.RawMessage `json:"replayed,omitempty"` // nil where there is none
	Err      error           `json:"-"`                  // why the record cannot be taken at all, or what is wrong with the work
}

// WorkField is the Field of a Difference in what stands beside the run.
const WorkField = "work"

// Error names the run, the step, and what differs.
func (d *Difference) Error() string {
	if d.Err != nil && d.Field == WorkField {
		return fmt.Sprintf("run %q replays, and has other tasks or timers: %v", d.Run, d.Err)
	}
	if d.Err != nil {
		return fmt.Sprintf("record %d of run %q does not replay: %v", d.Seq, d.Run, d.Err)
	}
	return fmt.Sprintf("record %d of run %q does not replay: %s is %s in the store and %s by replay",
		d.Seq, d.Run, d.Field, orNothing(d.Stored), orNothing(d.Replayed))
}

// Unwrap is why the record cannot be taken.
func (d *Difference) Unwrap() error { return d.Err }

func orNothing(text json.RawMessage) string {
	if text == nil {
		return "nothing"
	}
	return shorten(string(text))
}
