package replay

import (
	"errors"
	"iter"
	"math"
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// due is the timer that fires next, if one is due by now.
func (r *run) due() *ir.Timer {
	if r.s.DoneDue {
		return nil
	}
	if in, due := r.next(); due && in.Kind == machine.TimerInput {
		return r.book.m.Timers[in.Timer]
	}
	return nil
}

// least is how long a timer waits that starts now, without its jitter.
func (r *run) least(t *ir.Timer, s *machine.Snapshot) int64 {
	if t.Var == nil {
		return t.Delay
	}
	v := s.Data
	if t.Var.Param {
		v = s.Params
	}
	if t.Var.Type.Kind == ir.Time {
		return max(0, since(v[t.Var.Index].Time())-r.now)
	}
	return max(0, v[t.Var.Index].Int())
}

// limitOf is how long an attempt of d must run before it can fail with c.
func limitOf(d *ir.Do, c *ir.Category) int64 {
	if limit := d.Limit(c.Name); c.BuiltIn && limit != nil {
		return *limit
	}
	return 0
}

// jittered is how long a timer waits that may wait from least to most: until the row
// in which it fires, or as long as it can. Without times it does not wait longer than
// it must.
func (r *run) jittered(t *ir.Timer, least int64) int64 {
	if r.plan == nil || r.plan.times == nil {
		return least
	}
	share := new(big.Rat).Add(big.NewRat(1, 1), t.Jitter)
	share.Mul(share, new(big.Rat).SetInt64(least))
	most := new(big.Int).Quo(share.Num(), share.Denom()).Int64()
	for i, round := range r.ahead() {
		if r.plan.w.Path[i].Input.Fires() == t {
			if wait := r.plan.timeAt(i, round) - r.now; wait >= least && wait <= most {
				return wait
			}
			break
		}
	}
	return most
}

// ahead are the rows whose inputs are still to come, each with its round: behind the last row
// of a loop comes its first one again.
func (r *run) ahead() iter.Seq2[int, int] {
	return func(yield func(row, round int) bool) {
		end, loop := len(r.plan.w.Path)-1, r.plan.w.Loop // the last row has no input
		for i := r.row + 1; i < end; i++ {
			if !yield(i, r.round) {
				return
			}
		}
		for i := loop; loop >= 0 && r.round == 0 && i < end; i++ {
			if !yield(i, 1) {
				return
			}
		}
	}
}

// maxCheckpoints is the most checkpoints that one row may stand for.
const maxCheckpoints = 10_000

// checkpoint lets d note how far it has come, as often as it takes to keep idle
// timers from firing, and for the last time at the moment given.
func (r *run) checkpoint(d *ir.Do, last int64) error {
	attempt := slices.IndexFunc(r.s.Tasks, func(t machine.Task) bool {
		return t.Do == d.ID && t.State == machine.TaskOpen && (d.Fan == nil || r.startOf(&t) <= r.now)
	})
	if attempt < 0 || r.s.DoneDue || r.pending() != nil {
		return errors.New("no attempt can say that")
	}
	for next := max(r.now, r.startOf(&r.s.Tasks[attempt])); ; next = min(last, r.idleDue()-1) {
		last = max(last, next)
		if r.now = next; r.due() != nil {
			return errors.New("a timer comes first")
		}
		if in, starts := r.book.x.ProgressInput(r.s, r.clock()); starts {
			if err := r.step(in, nil, nil); err != nil {
				return err
			}
		}
		if r.now == last {
			return nil
		}
		if r.steps++; r.steps > maxCheckpoints {
			return errors.New("that takes too many checkpoints")
		}
	}
}

// idleDue is when the first idle timer is due.
func (r *run) idleDue() int64 {
	first := int64(math.MaxInt64)
	for _, a := range r.s.Alarms {
		if r.book.m.Timers[a.Timer].Idle {
			first = min(first, since(a.Due))
		}
	}
	return first
}
