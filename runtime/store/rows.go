package store

import (
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// RunOf is the run of a snapshot, as stores have it.
func RunOf(m *machine.Machine, s *machine.Snapshot) RunRow {
	return RunRow{
		Run:        s.Run,
		Machine:    m.Definition().Name,
		Definition: m.Hash(),
		State:      m.Definition().States[s.State].Path,
		Status:     s.Status,
		Outcome:    s.Outcome,
		Paused:     !s.PausedAt.IsZero(),
		Seq:        s.Seq,
		Snapshot:   m.EncodeSnapshot(s),
		Started:    s.Started,
		Entered:    s.Entered,
		Updated:    s.Now,
		Root:       s.Run,
	}
}

// HistoryOf is a line of the history of a run, as stores have it.
func HistoryOf(m *machine.Machine, run string, r *machine.Record) HistoryRow {
	row := HistoryRow{
		Run:    run,
		Seq:    r.Seq,
		At:     r.At,
		Kind:   r.Input.Kind,
		Input:  m.Describe(r.Input),
		To:     m.Definition().States[r.To].Path,
		Effect: r.Effect,
		Record: m.EncodeRecord(r),
	}
	if r.Input.Migration != nil {
		row.From = r.Input.Migration.From
	}
	if r.From >= 0 {
		row.From = m.Definition().States[r.From].Path
	}
	return row
}
