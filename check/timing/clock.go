package timing

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Clock is the virtual time along a path, in nanoseconds.
type Clock struct {
	Now     int64
	table   *flat.Table
	entered map[*ir.State]int64 // when each state that is active was entered
	Started map[*ir.Do]int64    // when its attempt started, where that is later
}

// Move notes that the states from leaf up to below domain are entered now; a
// nil domain is the start of the run.
func (c *Clock) Move(domain, leaf *ir.State) {
	for s := leaf; s != nil && s != domain; s = s.Parent {
		c.entered[s] = c.Now
	}
}

// Wait lets the time pass that input needs in leaf.
func (c *Clock) Wait(leaf *ir.State, input ir.Case) {
	if input.Do != nil {
		c.Now = max(c.Now, c.Started[input.Do])
	}
	switch input.Kind {
	case ir.CaseTimer:
		c.Now = max(c.Now, c.entered[input.Timer.State]+delay(input.Timer))
	case ir.CaseResult, ir.CaseFailure:
		if limit, timed := Earliest(c.table, input); timed {
			c.Now = max(c.Now, max(c.entered[leaf], c.Started[input.Do])+limit)
		}
	}
}

// LetStart lets the time pass until the attempts of leaf have started: a figure that
// counts them is that of a run in which they have.
func (c *Clock) LetStart(leaf *ir.State) {
	for _, d := range leaf.Dos {
		c.Now = max(c.Now, c.Started[d])
	}
}

// delay is how long t runs at least; where data says it, by its default.
func delay(t *ir.Timer) int64 {
	if v := t.Var; v != nil && v.Type.Kind == ir.Duration && v.Default != nil {
		return max(0, v.Default.Int)
	}
	least, _ := WaitOf(t)
	return least
}

// NewClock is a clock at the start of a run.
func NewClock(t *flat.Table) Clock {
	return Clock{table: t, entered: map[*ir.State]int64{}, Started: map[*ir.Do]int64{}}
}
