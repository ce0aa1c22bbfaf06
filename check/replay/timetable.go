package replay

import (
	"errors"
	"math/big"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// timetable makes the run keep to the times that the rows say, those of a cycle in
// both laps.
func (p *player) timetable() {
	for _, row := range p.w.Path {
		p.times = append(p.times, timeOf(row.At)) // the last row has none
	}
	for _, at := range p.w.Again {
		p.second = append(p.second, timeOf(at))
	}
}

func timeOf(text string) int64 {
	at, _ := time.ParseDuration(text)
	return int64(at)
}

// keepTo notes when the input of row i comes.
func (p *player) keepTo(r *run, i, round int) {
	r.row, r.round, r.at = i, round, 0
	if p.times != nil {
		r.at = p.timeAt(i, round)
	}
}

// timeAt is when row i comes. Where it is not said of the second lap that takes the
// time that the first took.
func (p *player) timeAt(i, round int) int64 {
	switch {
	case round == 0:
		return p.times[i]
	case i-p.w.Loop < len(p.second):
		return p.second[i-p.w.Loop]
	case p.w.Loop > 0:
		return p.times[i] + p.times[len(p.times)-2] - p.times[p.w.Loop-1]
	}
	return p.times[i] + p.times[len(p.times)-2]
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
			if wait := r.plan.timeAt(i, r.round) - r.now; wait >= least && wait <= most {
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
	if at < 0 || r.done || r.looked < len(r.deferred) {
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
