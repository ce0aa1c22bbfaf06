package replay

import (
	"errors"
	"math/big"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// timetable makes the run keep to the times that the rows say.
func (p *player) timetable() {
	for _, row := range p.w.Path {
		at, _ := time.ParseDuration(row.At) // the last row has none
		p.times = append(p.times, int64(at))
	}
}

// keepTo notes when the input of row i comes. The second round of a loop takes the
// time that the first took.
func (p *player) keepTo(r *run, i, round int) {
	r.row, r.at = i, 0
	if p.times == nil {
		return
	}
	r.at = p.times[i]
	if last := len(p.times) - 2; round == 1 {
		before := int64(0)
		if p.w.Loop > 0 {
			before = p.times[p.w.Loop-1]
		}
		r.at += p.times[last] - before
	}
}

// jittered is how long a timer waits that may wait from least to most: until the row
// in which it fires, or as long as it can. Without times it does not wait longer than
// it must.
func (r *run) jittered(t *ir.Timer, least int64) int64 {
	if t.Jitter == nil || r.plan == nil || r.plan.times == nil {
		return least
	}
	share := new(big.Rat).Add(big.NewRat(1, 1), t.Jitter)
	share.Mul(share, new(big.Rat).SetInt64(least))
	most := new(big.Int).Quo(share.Num(), share.Denom()).Int64()
	for i := r.row + 1; i < len(r.plan.times); i++ {
		if r.plan.w.Path[i].Input == "after "+t.DelayText() {
			if wait := r.plan.times[i] - r.now; wait >= least && wait <= most {
				return wait
			}
			break
		}
	}
	return most
}

// checkpointOf is the activity that notes in row how far it has come; nil where the
// row is something else.
func checkpointOf(r *run, row diag.Step) *ir.Do {
	name, ok := strings.CutSuffix(row.Input, " checkpoint")
	if !ok {
		return nil
	}
	for _, d := range r.leaf.Dos {
		if d.Label == name || d.Label == "" && d.Activity.Name == name {
			return d
		}
	}
	return nil
}

// maxCheckpoints is the most checkpoints that one row may stand for.
const maxCheckpoints = 10_000

// checkpoint lets d note how far it has come, as often as it takes to keep idle
// timers from firing, and for the last time at the moment given.
func (r *run) checkpoint(d *ir.Do, last int64) error {
	at := r.attemptOf(&input{silent: d})
	if at < 0 || r.done || r.looked < len(r.kept) {
		return errors.New("no attempt can say that")
	}
	for next := max(r.now, r.attempts[at].started); ; next = min(last, r.idleDue()-1) {
		last = max(last, next)
		if r.now = next; r.due() != nil {
			return errors.New("a timer comes first")
		}
		r.restartIdle()
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
	first := int64(forLong)
	for _, a := range r.timers {
		if a.timer.Idle {
			first = min(first, a.due)
		}
	}
	return first
}
