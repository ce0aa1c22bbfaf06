package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// compileLeaf makes the inputs of leaf ready.
func (p *Program) compileLeaf(leaf *ir.State) {
	code := &p.States[leaf.ID]
	code.Takes = slices.Repeat([]int{-1}, len(p.Kept))
	code.Over = slices.Repeat([]int{-1}, len(p.Enforced))
	code.defersAgain = make([]uint64, len(p.Packing.Deferred))
	timers := timing.TimersAround(leaf)
	for _, t := range timers {
		if _, most := timing.WaitOf(t); most == 0 && p.Tells(t) {
			code.Instant = append(code.Instant, p.Ref(t))
		}
	}
	for in := range p.table.Inputs(leaf) {
		ready := p.input(leaf, in, timers)
		ready.plain = p.plainOf(leaf, &ready)
		if in.Kind == ir.CaseOverBudget {
			code.Over[slices.Index(p.Enforced, in.Cost)] = len(code.Inputs)
		}
		if in.Kind == ir.CaseEvent {
			for at, to := p.Places(in.Event); at < to; at++ {
				code.Takes[at] = len(code.Inputs)
				if len(in.Choices) > 0 && in.Choices[0].Arm == nil && in.Choices[0].Defer {
					code.defersAgain[at/64] |= 1 << (at % 64)
				}
			}
		}
		code.Inputs = append(code.Inputs, ready)
	}
}

// Ref is where it is told that t has fired.
func (p *Program) Ref(t *ir.Timer) TimerRef { return TimerRef{bit: p.Packing.FiredBit[t.ID]} }

// Tells reports whether a configuration tells that t has fired, or needs not to. What
// cannot be told of a timer keeps nothing from coming.
func (p *Program) Tells(t *ir.Timer) bool {
	return p.Packing.FiredBit[t.ID] != 0 || !timing.OutlivesFiring(t)
}

// Runs reports whether the timer has not fired yet in a configuration whose
// fired timers are given.
func (r TimerRef) Runs(fired uint64) bool { return fired&r.bit == 0 }

func (p *Program) input(leaf *ir.State, in flat.Input, timers []*ir.Timer) InputCode {
	ready := InputCode{Input: in, Place: slices.Index(leaf.Dos, in.Do)}
	earliest, timed := timing.Earliest(p.table, in.Case)
	if in.Kind == ir.CaseTimer {
		ready.AtOnce = earliest == 0
	}
	for _, t := range timers {
		if p.Tells(t) && (timed && timing.Forestalls(t, in.Case, earliest) || timing.IdlesOut(p.table, leaf, t, in.Case)) {
			ready.Before = append(ready.Before, p.Ref(t))
		}
	}
	for _, c := range in.Choices {
		choice := ChoiceCode{Choice: c, Label: graph.None, Adds: p.Tracked.Adds(c.Arm)}
		if c.Arm != nil {
			choice.code = &p.arms[c.Arm.ID]
			choice.retry = p.Packing.Visits[leaf.ID].retries[c.Arm]
			if c.Arm.Max != nil {
				choice.bounded, choice.Max = true, uint64(max(*c.Arm.Max, 0))
				choice.Counter = p.Counter(leaf, c.Arm)
			}
		}
		ready.Choices = append(ready.Choices, choice)
	}
	ready.chain = chainOf(&ready)
	return ready
}

// Counter is where a's count stands in a configuration in leaf.
func (p *Program) Counter(leaf *ir.State, a *ir.Arm) data.Bits {
	if flat.CountsBeyondVisit(a) {
		return p.Packing.counters[a.ID]
	}
	return p.Packing.Visits[leaf.ID].counters[a]
}
