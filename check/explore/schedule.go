package explore

import (
	"time"

	"github.com/fsmc-dev/fsmc/check/zone"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// schedule finds the moments of a path: the earliest at which its inputs can come,
// as the least solution of what zones say of them step by step.
type schedule struct {
	count int // of moments; moment 0 is the start of the run
	rules []rule
	now   int               // the moment of the last input
	due   map[*ir.Timer]int // of the timers that run
	wait  map[*ir.Timer]started
	start map[*ir.Do]int // from when on its attempt may say something
	rows  []int          // by row of the witness: its moment
}

// rule says that moment b comes at least so long after moment a, and if they must
// differ, not at that very time.
type rule struct {
	a, b   int
	after  int64
	differ bool
}

func newSchedule() *schedule {
	return &schedule{count: 1, due: map[*ir.Timer]int{}, wait: map[*ir.Timer]started{}, start: map[*ir.Do]int{}}
}

func (s *schedule) moment() int {
	s.count++
	return s.count - 1
}

func (s *schedule) after(a, b int, wait int64, differ bool) {
	s.rules = append(s.rules, rule{a, b, wait, differ})
}

// comes adds the moment of an input in the leaf at hand, as row of the witness; l is
// its edge, nil where it has none. Urgent says that no time passes before it.
func (s *schedule) comes(c ir.Case, l *Label, do *ir.Do, urgent bool, row int) {
	v := s.moment()
	s.after(s.now, v, 0, false)
	if urgent {
		s.after(v, s.now, 0, false)
	}
	switch {
	case l != nil && l.Kind == Checkpoint:
		first := s.moment() // of several, of which the last one is at v
		s.after(s.now, first, 0, false)
		s.after(first, v, 0, false)
		s.after(s.start[do], first, 0, false)
		for t, due := range s.due {
			s.after(first, due, 0, true)
			if !t.Idle {
				s.after(v, due, 0, true)
			}
		}
	case c.Kind == ir.CaseTimer && do == nil:
		for t, due := range s.due {
			if t == c.Timer {
				s.after(due, v, 0, false)
				s.after(v, due, 0, false)
			} else {
				s.after(v, due, 0, firstOfEquals(t, c.Timer))
			}
		}
		delete(s.due, c.Timer)
	case c.Kind == ir.CaseDone && do == nil:
	default:
		for _, due := range s.due {
			s.after(v, due, 0, true)
		}
		if do == nil {
			do = c.Do
		}
		if do != nil {
			limit := int64(0)
			if c.Kind == ir.CaseFailure {
				limit, _ = earliestOf(c)
			}
			s.after(s.start[do], v, limit, false)
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
	v := s.moment()
	s.after(s.now, v, 0, false)
	s.after(s.start[do], v, 0, false)
	for _, due := range s.due {
		s.after(v, due, 0, true)
	}
	s.start[do], s.now = v, v
}

// letStart adds that the input at hand, with which leaf is left, comes when its
// attempts have started, unless an edge of their own says whether they do.
func (s *schedule) letStart(leaf *ir.State, c *clocks) {
	for i, d := range leaf.Dos {
		if start, known := s.start[d]; known && !c.waitCounts(leaf, i) {
			s.after(start, s.now, 0, false)
		}
	}
}

// starts adds that a timer starts now, or starts again.
func (s *schedule) starts(b started) {
	if b.timer.Var != nil && b.timer.Var.Type.Kind != ir.Duration && b.timer.Ahead == nil || b.least > longestKept {
		return
	}
	due := s.moment()
	s.after(s.now, due, b.least, false)
	if b.most != zone.Infinite {
		s.after(due, s.now, -b.most, false)
	}
	s.due[b.timer], s.wait[b.timer] = due, b
}

// goesOn adds what starts with the step along an edge.
func (s *schedule) goesOn(l Label, from, leaf *ir.State, in ir.Case, found *sought) {
	switch l.Kind {
	case Started, Moved:
		for t := range s.due {
			if t.State.Depth > int(l.Kept) {
				delete(s.due, t)
			}
		}
		clear(s.start)
		for _, d := range leaf.Dos {
			s.start[d] = s.now
		}
	case Retried:
		s.start[in.Do] = s.moment()
		s.after(s.now, s.start[in.Do], found.wait, false)
	}
	if found.restarts {
		for t := range s.due {
			if t.Idle {
				s.starts(s.wait[t])
			}
		}
	}
	for _, b := range found.begun {
		s.starts(b)
	}
}

// insert makes room for a row, which comes at the moment of the row that was there.
func (s *schedule) insert(row int) {
	if row < len(s.rows) {
		s.rows = append(s.rows[:row+1], s.rows[row:]...)
	}
}

// gaps are by how much moments that must differ do: as much as reads well, and at
// least what can be told apart.
var gaps = []time.Duration{time.Millisecond, time.Microsecond, 1}

// maxRounds is how often all rules are gone through at most.
const maxRounds = 1000

// solve is the moment of every row; nil where there is none, as of a path that is
// none in time.
func (s *schedule) solve() []time.Duration {
	for _, gap := range gaps {
		if at := s.solveWith(int64(gap)); at != nil {
			out := make([]time.Duration, len(s.rows))
			for i, v := range s.rows {
				out[i] = time.Duration(at[v])
			}
			return out
		}
	}
	return nil
}

func (s *schedule) solveWith(gap int64) []int64 {
	at := make([]int64, s.count)
	for range maxRounds {
		changed := false
		for _, r := range s.rules {
			least := at[r.a] + r.after
			if r.differ {
				least += gap
			}
			if at[r.b] < least {
				at[r.b], changed = least, true
			}
		}
		if at[0] > 0 {
			return nil
		}
		if !changed {
			return at
		}
	}
	return nil
}
