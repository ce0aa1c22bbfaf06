package explore

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// expand adds all edges of configuration c. What comes first in a run comes
// alone here: `done`, then timers that are due at once, then events that were
// deferred, then everything else.
func (x *search) expand(c int32) {
	x.at = c
	copy(x.here, x.words(c))
	k := x.p.packing
	leaf := x.p.m.States[k.leaf.get(x.here)]
	if leaf.Kind != ir.Leaf {
		return
	}
	x.step.from = leaf
	x.readClocks()
	if x.sought == nil {
		x.starts(leaf)
	}
	x.inputs(leaf, x.take)
	switch {
	case x.p.doneDue(leaf, x.here) || anyPending(x.p.states[leaf.ID].instant, k.spent.get(x.here)):
	case x.hasPending():
		if x.beforeTimers(leaf) {
			x.lookAgain(&x.p.states[leaf.ID])
		}
	default:
		x.endSilently(leaf)
		x.beginAttempts(leaf)
		x.checkpoints(leaf)
	}
}

// inputs calls f with each input that can come to the configuration at hand,
// events that are looked at again aside.
func (x *search) inputs(leaf *ir.State, f func(*inputCode)) {
	code := &x.p.states[leaf.ID]
	due := x.p.doneDue(leaf, x.here)
	spent := x.p.packing.spent.get(x.here)
	forced := !due && anyPending(code.instant, spent)
	pending := x.hasPending()
	for i := range code.inputs {
		in := &code.inputs[i]
		comes := false
		switch in.Kind {
		case ir.CaseDone:
			comes = due
		case ir.CaseTimer:
			mine := x.p.ref(in.Timer)
			comes = !due && mine.pending(spent) && (!pending || in.atOnce || x.timed()) && !anyPending(in.before, spent)
		default:
			comes = !due && !forced && !pending && x.comes(leaf, in, spent)
		}
		if comes && x.inTime(leaf, in) {
			f(in)
		}
	}
}

func anyPending(timers []timerRef, spent uint64) bool {
	for _, t := range timers {
		if t.pending(spent) {
			return true
		}
	}
	return false
}

func (x *search) hasPending() bool {
	for _, f := range x.p.packing.pending {
		if f.get(x.here) != 0 {
			return true
		}
	}
	return false
}

// comes reports whether an event, cancel, or what an activity says can come.
func (x *search) comes(leaf *ir.State, in *inputCode, spent uint64) bool {
	switch in.Kind {
	case ir.CaseResult, ir.CaseFailure:
		v := &x.p.packing.visits[leaf.ID]
		return !v.hasEnded(x.here, in.do) && !v.isWaiting(x.here, in.do) && !anyPending(in.before, spent)
	case ir.CaseCancel:
		return x.p.packing.cancelled.get(x.here) == 0
	}
	return true
}

// take adds the edges of one input.
func (x *search) take(in *inputCode) {
	x.input = in
	x.eachOf(in, func() { x.follow(in) })
}

// follow runs the step of in once.
func (x *search) follow(in *inputCode) {
	k := x.p.packing
	switch in.Kind {
	case ir.CaseCancel:
		k.cancelled.set(x.next, 1)
	case ir.CaseDone:
		k.rested.set(x.next, 1)
	case ir.CaseTimer:
		x.fired[in.Timer.ID] = true
		k.spent.set(x.next, k.spent.get(x.next)|k.spentBit[in.Timer.ID])
	}
	c := x.decide(in)
	if c == nil {
		x.noteUnmet(in)
		return
	}
	x.carryOut(in, c, false)
}

func (x *search) noteUnmet(in *inputCode) {
	switch {
	case x.failed() || x.oracle.over:
		return
	case x.sought != nil:
		if x.sought.unmet == in.ID {
			x.capture()
		}
		return
	}
	at := InputAt{int32(x.step.from.ID), in.ID}
	u := Unmet{Config: x.at, Guessed: x.guessed}
	if x.passed != nil {
		u.Spent = x.passed.Arm
		of := spentAt{at, u.Spent}
		if known, ok := x.spent[of]; !ok || known.Guessed && !u.Guessed {
			x.spent[of] = u
		}
	}
	known, ok := x.unmet[at]
	if ok && (known.Spent != nil || x.passed == nil) && (!known.Guessed || x.guessed) {
		return
	}
	x.unmet[at] = u
}

// carryOut does what choice c says.
func (x *search) carryOut(in *inputCode, c *choiceCode, again bool) {
	l := Label{Kind: Stayed, Input: in.ID, Arm: graph.None, Do: graph.None, Again: again}
	if c.Arm != nil {
		l.Arm, x.arm = int32(c.Arm.ID), c.Arm
		switch c.Arm.Kind {
		case ir.Goto:
			l.Kind = Moved
			x.move(c)
			if !x.failed() && !x.oracle.over {
				x.taken[l.Arm] = true
				x.emitMoved(c, l)
			}
			return
		case ir.Retry:
			if in.Do == nil {
				return // nothing to run again: that is retry-without-activity
			}
			l.Kind = Retried
			x.count(c)
			if c.code.by != nil {
				c.code.by(x.step)
			}
			x.apply(c.code.block)
			x.emitStay(c, l, true)
			return
		case ir.Reject:
			return
		}
		x.apply(c.code.block)
	} else if c.Defer {
		x.putOff(in)
	}
	if in.Do != nil {
		v := &x.p.packing.visits[x.step.from.ID]
		if !v.mayEnd(x.here, in.do) {
			return
		}
		v.end(x.next, in.do)
	}
	x.emitStay(c, l, false)
}

// emitMoved is emitMove with the usual label looked up once.
func (x *search) emitMoved(c *choiceCode, l Label) {
	if x.turned {
		x.emitMove(l)
		return
	}
	x.emit(x.labelOf(c, x.entering(l)), true)
}

// labelOf is label for the edges of c; the usual one is looked up once.
func (x *search) labelOf(c *choiceCode, l Label) int32 {
	if l.Again {
		return x.label(l)
	}
	if c.label == graph.None {
		c.label = x.label(l)
	}
	return c.label
}

// emitStay is emit for a step of c that does not leave the leaf; c is nil where
// none is taken. Data that it has set and no one reads is dropped here, too.
func (x *search) emitStay(c *choiceCode, l Label, always bool) {
	if x.failed() {
		return
	}
	live := x.liveAt(x.step.from)
	for i, mask := range live {
		x.next[i] &= mask
	}
	if l.Arm != graph.None {
		x.taken[l.Arm] = true
	}
	x.ageStayed(c, l)
	if c == nil {
		x.emit(x.label(l), always)
		return
	}
	x.emit(x.labelOf(c, l), always)
}

// putOff notes that the event of in stands deferred.
func (x *search) putOff(in *inputCode) {
	at := x.p.place[in.Event.Index]
	f := x.p.packing.deferred[at/64]
	f.set(x.next, f.get(x.next)|1<<(at%64))
}

// endSilently adds the ends of activities that have nothing to say.
func (x *search) endSilently(leaf *ir.State) {
	v := &x.p.packing.visits[leaf.ID]
	for i, d := range leaf.Dos {
		if len(d.Activity.Results) > 0 || v.hasEnded(x.here, i) || v.isWaiting(x.here, i) || !v.mayEnd(x.here, i) || !x.beforeTimers(leaf) || !x.runsFor(leaf, i, 0) {
			continue
		}
		x.step.begin()
		v.end(x.next, i)
		x.emitStay(nil, Label{Kind: Ended, Input: graph.None, Arm: graph.None, Do: int32(d.ID)}, false)
	}
}

// lookAgain adds the steps in which events that were deferred are looked at
// again. A configuration has their names, neither how many there are nor in
// which order: the one at hand may be the last of its name, or more may follow.
func (x *search) lookAgain(code *stateCode) {
	x.again = true
	defer func() { x.again = false }()
	for at := range x.p.deferrable {
		f := x.p.packing.pending[at/64]
		if f.get(x.here)>>(at%64)&1 == 0 {
			continue
		}
		i := code.takes[at]
		if i < 0 {
			x.each(graph.None, func() { x.look(code, at, i) })
			continue
		}
		x.input = &code.inputs[i]
		x.eachOf(x.input, func() { x.look(code, at, i) })
	}
}

// look looks once at the deferred event in place at.
func (x *search) look(code *stateCode, at, i int) {
	bit := uint64(1) << (at % 64)
	deferred, pending := x.p.packing.deferred[at/64], x.p.packing.pending[at/64]
	if last := x.oracle.choose(2) == 0; last {
		deferred.set(x.next, deferred.get(x.next)&^bit)
		pending.set(x.next, pending.get(x.next)&^bit)
	} else {
		x.Product.Guessed = true
	}
	var c *choiceCode
	if i >= 0 {
		c = x.decide(x.input)
	}
	if x.failed() || x.oracle.over {
		return
	}
	if c == nil || c.Arm != nil && c.Arm.Kind == ir.Reject {
		event := x.p.deferrable[at]
		x.emitStay(nil, Label{Kind: Dropped, Input: x.Table.EventID(event), Arm: graph.None, Do: graph.None, Again: true}, true)
		return
	}
	if c.Arm == nil && c.Defer {
		deferred.set(x.next, deferred.get(x.next)|bit)
		pending.set(x.next, pending.get(x.next)&^bit)
		x.emitStay(nil, Label{Kind: Stayed, Input: x.input.ID, Arm: graph.None, Do: graph.None, Again: true}, false)
		return
	}
	x.carryOut(x.input, c, true)
}
