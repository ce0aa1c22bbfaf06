package replay

import (
	"math/big"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// attemptOf is the place of the attempt that in is of, or -1.
func (r *run) attemptOf(in *input) int {
	d := in.Do
	if in.silent != nil {
		d = in.silent
	}
	return slices.IndexFunc(r.attempts, func(a attempt) bool { return d != nil && a.do == d && !a.ended })
}

// end notes that an attempt has nothing more to say in this visit.
func (r *run) end(at int) {
	if at < 0 {
		return
	}
	r.attempts[at].ended = true
	r.done = !slices.ContainsFunc(r.attempts, func(a attempt) bool { return !a.ended })
}

// failure is what can be read of a failed attempt.
func (r *run) failure(in *input, at int) map[string]value {
	text := func(s string) value { return value{set: true, s: s} }
	out := map[string]value{"category": text(in.Category.Name), "message": text(""), "activity": text(in.Do.Activity.Name), "attempt": number(1)}
	if at >= 0 {
		out["attempt"] = number(int64(r.attempts[at].number))
	}
	if message, ok := in.data["message"]; ok {
		out["message"] = message
	}
	return out
}

// retry runs the activity of attempt at again.
func (r *run) retry(e *env, in *input, a *ir.Arm, at int) error {
	if at < 0 {
		return errRefused
	}
	r.counters[a]++
	wait := r.backoff(a.Backoff, r.counters[a])
	if a.Backoff != nil && a.Backoff.By != nil {
		v, err := e.eval(a.Backoff.By)
		if err != nil {
			return err
		}
		wait = max(0, v.n)
	}
	if err := e.apply(a.Block); err != nil {
		return err
	}
	t := &r.attempts[at]
	t.number++
	if in.Kind != ir.CaseFailure || a.Block != nil {
		t.number = 1
	}
	t.started = r.now + wait
	return nil
}

// backoff is the k-th wait of b: the longest it can be, or the shortest.
func (r *run) backoff(b *ir.Backoff, k int64) int64 {
	if b == nil {
		b = &ir.Backoff{First: ir.UsualFirst, Last: ir.UsualLast, Factor: ir.UsualFactor, Jitter: ir.UsualJitter}
	}
	if b.By != nil {
		return 0
	}
	wait, last := new(big.Rat).SetInt64(b.First), new(big.Rat).SetInt64(b.Last)
	for ; k > 1 && wait.Cmp(last) < 0 && wait.Sign() > 0 && k < 1<<12; k-- {
		wait.Mul(wait, b.Factor)
	}
	if wait.Cmp(last) > 0 {
		wait = last
	}
	if b.Jitter != nil && !r.slow {
		wait.Mul(wait, new(big.Rat).Sub(big.NewRat(1, 1), b.Jitter))
	}
	return new(big.Int).Quo(wait.Num(), wait.Denom()).Int64()
}

// limitOf is how long an attempt of d must run before it can fail with c, and
// whether that is a matter of time.
func limitOf(d *ir.Do, c *ir.Category) (int64, bool) {
	limits := map[string]*int64{ir.Timeout: d.Timeout, ir.Silent: d.Heartbeat, ir.Stalled: d.Progress}
	if limit := limits[c.Name]; c.BuiltIn && limit != nil {
		return *limit, true
	}
	return 0, false
}
