package readbeforeset

import (
	"math"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// clock is the time of a run in nanoseconds: now, and since when each active
// state is, by its depth. The run wastes no time: what need not take any
// happens at once, what has a limit takes it in full.
type clock struct {
	now   int64
	since []int64
}

// entered is c after the states below domain down to leaf were entered.
func (c clock) entered(domain, leaf *ir.State) clock {
	since := append([]int64(nil), c.since[:domain.Depth+1]...)
	for len(since) <= leaf.Depth {
		since = append(since, c.now)
	}
	return clock{now: c.now, since: since}
}

// await is c when the input comes in leaf; false where it is not sure that
// nothing must come before. Of a timer whose wait is not written down, or has a
// jitter, that is sure only where there is no other.
func (c clock) await(leaf *ir.State, input ir.Case) (clock, bool) {
	at := c.now
	switch input.Kind {
	case ir.CaseTimer:
		if t := input.Timer; t.Var != nil || t.Jitter != nil {
			return c, c.onlyTimer(leaf, t)
		}
		at = max(c.now, c.due(input.Timer))
	case ir.CaseFailure:
		at = plus(c.now, limit(input))
	}
	return c, c.pass(leaf, at, input.Timer)
}

// limit is how long an attempt takes that fails as input says.
func limit(input ir.Case) int64 {
	limits := map[string]*int64{ir.Timeout: input.Do.Timeout, ir.Silent: input.Do.Heartbeat, ir.Stalled: input.Do.Progress}
	if input.Category != nil && limits[input.Category.Name] != nil {
		return *limits[input.Category.Name]
	}
	return 0
}

// due is when t fires at the earliest. One that is idle has just started anew.
func (c clock) due(t *ir.Timer) int64 {
	wait := t.Delay
	if t.Var != nil {
		wait = 0
		if r := t.Var.Type.Range; r != nil {
			wait = max(0, r.Lo)
		}
	}
	if t.Idle && (t.Var == nil || t.Var.Type.Kind == ir.Duration) {
		return plus(c.now, wait)
	}
	return plus(c.since[t.State.Depth], wait)
}

// pass lets the time go on to at, and reports whether no timer of leaf or
// around it can fire before: but for first, which fires then, before those of
// the same moment that stand further out or behind it.
func (c *clock) pass(leaf *ir.State, at int64, first *ir.Timer) bool {
	for s := leaf; s != nil; s = s.Parent {
		for _, t := range s.Timers {
			due := c.due(t)
			behind := first != nil && due == at && (s.Depth < first.State.Depth || s == first.State && t.ID > first.ID)
			if t != first && due <= at && !behind {
				return false
			}
		}
	}
	c.now = at
	return true
}

func (c clock) onlyTimer(leaf *ir.State, only *ir.Timer) bool {
	for s := leaf; s != nil; s = s.Parent {
		for _, t := range s.Timers {
			if t != only {
				return false
			}
		}
	}
	return true
}

// retry lets the wait of a retry pass; one that is read from data may be any.
func (c *clock) retry(leaf *ir.State, b *ir.Backoff) bool {
	if b.By != nil {
		return c.onlyTimer(leaf, nil)
	}
	return c.pass(leaf, plus(c.now, max(b.First, b.Last)), nil)
}

// spend lets the retries among the first of choices be used up by input.
func (c *clock) spend(leaf *ir.State, input ir.Case, choices []ir.Choice) bool {
	at := c.now
	for _, choice := range choices {
		if a := choice.Arm; a != nil && a.Kind == ir.Retry && a.Max != nil {
			each := plus(max(a.Backoff.First, a.Backoff.Last), limit(input))
			at = plus(at, times(each, *a.Max))
		}
	}
	return c.pass(leaf, at, nil)
}

// plus and times stop at the largest number. Their operands are not negative.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func times(a, n int64) int64 {
	if n > 0 && a > math.MaxInt64/n {
		return math.MaxInt64
	}
	return a * n
}
