package explore

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// compileLeaf makes the inputs of leaf ready.
func (p *program) compileLeaf(leaf *ir.State) {
	code := &p.states[leaf.ID]
	code.dos = map[*ir.Do]int{}
	for i, d := range leaf.Dos {
		code.dos[d] = i
	}
	code.takes = make([]int, len(p.deferrable))
	for i := range code.takes {
		code.takes[i] = -1
	}
	code.defersAgain = make([]uint64, len(p.packing.deferred))
	timers := timing.TimersAround(leaf)
	for _, t := range timers {
		if _, most := timing.WaitOf(t); most == 0 && p.tells(t) {
			code.instant = append(code.instant, p.ref(t))
		}
	}
	for in := range p.table.Inputs(leaf) {
		ready := p.input(leaf, in, timers)
		if in.Kind == ir.CaseEvent {
			if at := p.place[in.Event.Index]; at >= 0 {
				code.takes[at] = len(code.inputs)
				if len(in.Choices) > 0 && in.Choices[0].Arm == nil && in.Choices[0].Defer {
					code.defersAgain[at/64] |= 1 << (at % 64)
				}
			}
		}
		code.inputs = append(code.inputs, ready)
	}
}

func (p *program) ref(t *ir.Timer) timerRef { return timerRef{bit: p.packing.spentBit[t.ID]} }

// tells reports whether a configuration tells that t has fired, or needs not to. What
// cannot be told of a timer keeps nothing from coming.
func (p *program) tells(t *ir.Timer) bool {
	return p.packing.spentBit[t.ID] != 0 || !timing.OutlivesFiring(t)
}

// pending reports whether the timer has not fired yet in a configuration whose
// spent timers are given.
func (r timerRef) pending(spent uint64) bool { return spent&r.bit == 0 }

func (p *program) input(leaf *ir.State, in flat.Input, timers []*ir.Timer) inputCode {
	ready := inputCode{Input: in, do: -1}
	if in.Do != nil {
		ready.do = p.states[leaf.ID].dos[in.Do]
	}
	earliest, timed := timing.Earliest(in.Case)
	if in.Kind == ir.CaseTimer {
		ready.atOnce = earliest == 0
	}
	for _, t := range timers {
		if p.tells(t) && (timed && timing.Forestalls(t, in.Case, earliest) || timing.IdlesOut(p.table, leaf, t, in.Case)) {
			ready.before = append(ready.before, p.ref(t))
		}
	}
	for _, c := range in.Choices {
		choice := choiceCode{Choice: c, label: graph.None}
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
