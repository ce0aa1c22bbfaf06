package explore

import (
	"time"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/zone"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// schedule finds the moments of a path: the earliest at which its inputs can come,
// as the least solution of what zones say of them step by step.
type schedule struct {
	zone.Moments
	table *flat.Table
	now   int               // the moment of the last input
	due   map[*ir.Timer]int // of the timers that run
	wait  map[*ir.Timer]step.StartedTimer
	start map[*ir.Do]int // from when on its attempt may say something
	rows  []int          // by row of the witness: its moment
}

func newSchedule(t *flat.Table) *schedule {
	return &schedule{table: t, due: map[*ir.Timer]int{}, wait: map[*ir.Timer]step.StartedTimer{}, start: map[*ir.Do]int{}}
}

// comes adds the moment of an input in the leaf at hand, as row of the witness; l is
// its edge, nil where it has none. Urgent says that no time passes before it.
func (s *schedule) comes(c ir.Case, l *Label, do *ir.Do, urgent bool, row int) {
	v := s.Next()
	s.After(s.now, v, 0, false)
	if urgent {
		s.After(v, s.now, 0, false)
	}
	switch {
	case l != nil && l.Kind == Checkpoint:
		first := s.Next() // of several, of which the last one is at v
		s.After(s.now, first, 0, false)
		s.After(first, v, 0, false)
		s.After(s.start[do], first, 0, false)
		for t, due := range s.due {
			s.After(first, due, 0, true)
			if !t.Idle {
				s.After(v, due, 0, true)
			}
		}
	case c.Kind == ir.CaseTimer && do == nil:
		for t, due := range s.due {
			if t == c.Timer {
				s.After(due, v, 0, false)
				s.After(v, due, 0, false)
			} else {
				s.After(v, due, 0, timing.FirstOfEquals(t, c.Timer))
			}
		}
		delete(s.due, c.Timer)
	case c.Kind == ir.CaseDone && do == nil:
	default:
		for t, due := range s.due {
			s.After(v, due, 0, l != nil || s.wait[t].Least > 0) // what nothing takes may come in the moment in which a timer is due at once
		}
		if do == nil {
			do = c.Do
		}
		if do != nil {
			limit, _ := timing.Earliest(s.table, c)
			s.After(s.start[do], v, limit, false)
		}
	}
	s.now = v
	for len(s.rows) <= row {
		s.rows = append(s.rows, 0)
	}
	s.rows[row] = v
}

// begins adds the moment at which an attempt of do starts for which a retry waits.
func (s *schedule) begins(do *ir.Do) {
	v := s.Next()
	s.After(s.now, v, 0, false)
	s.After(s.start[do], v, 0, false)
	for _, due := range s.due {
		s.After(v, due, 0, true)
	}
	s.start[do], s.now = v, v
}

// letStart adds that the input at hand, with which leaf is left, comes when its
// attempts have started, unless an edge of their own says whether they do.
func (s *schedule) letStart(leaf *ir.State, c *step.Clocks) {
	for i, d := range leaf.Dos {
		if start, known := s.start[d]; known && !c.WaitCounts(leaf, i) {
			s.After(start, s.now, 0, false)
		}
	}
}

// starts adds that a timer starts now, or starts again.
func (s *schedule) starts(b step.StartedTimer) {
	if b.Timer.Var != nil && b.Timer.Var.Type.Kind != ir.Duration && b.Timer.Ahead == nil || b.Least > data.MaxWait {
		return
	}
	due := s.Next()
	s.After(s.now, due, b.Least, false)
	if b.Most != zone.Infinite {
		s.After(due, s.now, -b.Most, false)
	}
	s.due[b.Timer], s.wait[b.Timer] = due, b
}

// goesOn adds what starts with the step along an edge.
func (s *schedule) goesOn(l Label, leaf *ir.State, in ir.Case, found *sought) {
	switch l.Kind {
	case Started, Moved:
		for t := range s.due {
			if t.State.Depth > int(l.Shared) {
				delete(s.due, t)
			}
		}
		clear(s.start)
		for _, d := range leaf.Dos {
			s.start[d] = s.now
		}
	case Retried:
		s.start[in.Do] = s.Next()
		s.After(s.now, s.start[in.Do], found.wait, false)
	}
	if found.restarts {
		for t := range s.due {
			if t.Idle {
				s.starts(s.wait[t])
			}
		}
	}
	for _, b := range found.timers {
		s.starts(b)
	}
}

// later is a moment that comes so long after now, or later.
func (s *schedule) later(wait int64) int {
	v := s.Next()
	s.After(s.now, v, wait, false)
	return v
}

// insert makes room for a row, which comes at the moment of the row that was there.
func (s *schedule) insert(row int) {
	if row < len(s.rows) {
		s.rows = append(s.rows[:row+1], s.rows[row:]...)
	}
}

// solve is the moment of every row; nil where there is none, as of a path that is
// none in time.
func (s *schedule) solve() []time.Duration {
	at := s.Least()
	if at == nil {
		return nil
	}
	out := make([]time.Duration, len(s.rows))
	for i, v := range s.rows {
		out[i] = time.Duration(at[v])
	}
	return out
}
