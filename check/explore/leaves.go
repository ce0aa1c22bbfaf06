package explore

import (
	"math"
	"math/big"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// compileLeaf makes the inputs of leaf ready.
func (p *program) compileLeaf(leaf *ir.State) {
	code := &p.states[leaf.ID]
	code.dos = map[*ir.Do]int{}
	for i, d := range leaf.Dos {
		code.dos[d] = i
	}
	code.keptCode = make([]int, len(p.deferred))
	for i := range code.keptCode {
		code.keptCode[i] = -1
	}
	code.alwaysKeeps = make([]uint64, len(p.packing.kept))
	timers := timersAround(leaf)
	for _, t := range timers {
		if _, most := waitOf(t); most == 0 && p.tells(t) {
			code.instant = append(code.instant, p.ref(t))
		}
	}
	for in := range p.table.Inputs(leaf) {
		ready := p.input(leaf, in, timers)
		if in.Kind == ir.CaseEvent {
			if at := p.place[in.Event.Index]; at >= 0 {
				code.keptCode[at] = len(code.inputs)
				if len(in.Choices) > 0 && in.Choices[0].Arm == nil && in.Choices[0].Defer {
					code.alwaysKeeps[at/64] |= 1 << (at % 64)
				}
			}
		}
		code.inputs = append(code.inputs, ready)
	}
}

func timersAround(leaf *ir.State) []*ir.Timer {
	var out []*ir.Timer
	for s := leaf; s != nil; s = s.Parent {
		out = append(out, s.Timers...)
	}
	return out
}

func (p *program) ref(t *ir.Timer) timerRef { return timerRef{bit: p.packing.spentBit[t.ID]} }

// tells reports whether a configuration tells that t has fired, or needs not to. What
// cannot be told of a timer keeps nothing from coming.
func (p *program) tells(t *ir.Timer) bool {
	return p.packing.spentBit[t.ID] != 0 || !OutlivesFiring(t)
}

// pending reports whether the timer has not fired yet in a configuration whose
// spent timers are given.
func (r timerRef) pending(spent uint64) bool { return spent&r.bit == 0 }

func (p *program) input(leaf *ir.State, in flat.Input, timers []*ir.Timer) inputCode {
	ready := inputCode{Input: in, do: -1}
	if in.Do != nil {
		ready.do = p.states[leaf.ID].dos[in.Do]
	}
	earliest, timed := earliestOf(in.Case)
	if in.Kind == ir.CaseTimer {
		ready.atOnce = earliest == 0
	}
	for _, t := range timers {
		if p.tells(t) && (timed && forestalls(t, in.Case, earliest) || idlesOut(p.table, leaf, t, in.Case)) {
			ready.before = append(ready.before, p.ref(t))
		}
	}
	for _, c := range in.Choices {
		choice := choiceCode{Choice: c, label: None}
		if c.Arm != nil {
			choice.code = &p.arms[c.Arm.ID]
			if c.Arm.Max != nil {
				choice.bounded, choice.max = true, uint64(max(*c.Arm.Max, 0))
				choice.counter = p.counter(leaf, c.Arm)
			}
		}
		ready.choices = append(ready.choices, choice)
	}
	return ready
}

// counter is where a's count stands in a configuration in leaf.
func (p *program) counter(leaf *ir.State, a *ir.Arm) field {
	if countsBeyondVisit(a) {
		return p.packing.counters[a.ID]
	}
	return p.packing.visits[leaf.ID].counters[a]
}

// earliestOf is how long after its state was entered c can come at the
// earliest, where that is a matter of its own limit.
func earliestOf(c ir.Case) (int64, bool) {
	switch c.Kind {
	case ir.CaseTimer:
		least, _ := waitOf(c.Timer)
		return least, true
	case ir.CaseFailure:
		limits := map[string]*int64{ir.Timeout: c.Do.Timeout, ir.Silent: c.Do.Heartbeat, ir.Stalled: c.Do.Progress}
		if limit := limits[c.Category.Name]; limit != nil {
			return *limit, true
		}
	}
	return 0, false
}

// forestalls reports whether t, which stands in the leaf or around it, always
// comes before c while it runs: it started no later than c's own limit and ends
// before it. Of equals the inner timer fires first, of one state's the one whose
// name is first, and any timer before a failure.
func forestalls(t *ir.Timer, c ir.Case, earliest int64) bool {
	_, most := waitOf(t)
	if most < 0 || t.Idle && most > 0 { // nothing can come before one of 0s, to start it anew
		return false
	}
	if c.Kind == ir.CaseTimer {
		return t != c.Timer && c.Timer.State.Inside(t.State) && (most < earliest || most == earliest && ranksBefore(t, c.Timer))
	}
	return most <= earliest
}

// ranksBefore reports whether of two timers of one state t fires first where both
// are due at one instant; see docs/decisions/0017-timers-of-one-instant.md.
func ranksBefore(t, other *ir.Timer) bool {
	if t.State != other.State {
		return false
	}
	if a, b := t.Text(), other.Text(); a != b {
		return a < b
	}
	return t.ID < other.ID
}

// waitOf is the least and the most that t may wait; most is -1 where there is no
// end.
func waitOf(t *ir.Timer) (least, most int64) {
	least, most = t.Delay, t.Delay
	if t.Var != nil && t.Var.Always() != nil {
		least = max(0, t.Var.Default.Int)
		most = least
	} else if t.Var != nil {
		least, most = 0, -1
		r := t.Ahead
		if t.Var.Type.Kind == ir.Duration {
			r = t.Var.Type.Range
		}
		if r != nil {
			least, most = max(0, r.Lo), max(0, r.Hi)
		}
	}
	if most > 0 && t.Jitter != nil {
		most = lengthened(most, t.Jitter)
	}
	return max(0, least), most
}

// lengthened is wait × (1 + share), rounded up; -1 past 64 bits.
func lengthened(wait int64, share *big.Rat) int64 {
	total := new(big.Rat).Add(big.NewRat(1, 1), share)
	total.Mul(total, new(big.Rat).SetInt64(wait))
	up := new(big.Int).Add(total.Num(), new(big.Int).Sub(total.Denom(), big.NewInt(1)))
	up.Quo(up, total.Denom())
	if !up.IsInt64() || up.Int64() == math.MaxInt64 {
		return -1
	}
	return up.Int64()
}
