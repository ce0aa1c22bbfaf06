package explore

import (
	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// expand adds all edges of configuration c. What comes first in a run comes
// alone here: `over_budget` that is due, `done`, then timers that are due at once, then events that were
// deferred, then everything else.
func (x *search) expand(c int32) {
	x.at = c
	copy(x.Here, x.words(c))
	k := x.Program.Packing
	leaf := x.Program.Machine.States[k.Leaf.Get(x.Here)]
	if leaf.Kind != ir.Leaf {
		return
	}
	x.From = leaf
	x.readClocks()
	if x.sought == nil {
		x.noteAttempts(leaf)
	}
	x.inputs(leaf, x.take)
	switch {
	case x.nextOver() >= 0:
	case x.Program.DoneDue(leaf, x.Here) || anyRuns(x.Program.States[leaf.ID].Instant, k.Fired.Get(x.Here)):
	case x.Program.Packing.Pending.Any(x.Here):
		if x.beforeTimers(leaf) {
			x.lookAgain(&x.Program.States[leaf.ID])
		}
	default:
		x.endSilently(leaf)
		x.beginAttempts(leaf)
		x.checkpoints(leaf)
	}
}

// inputs calls f with each input that can come in the configuration at hand,
// events that are looked at again aside.
func (x *search) inputs(leaf *ir.State, f func(*step.InputCode)) {
	code := &x.Program.States[leaf.ID]
	due := x.Program.DoneDue(leaf, x.Here)
	fired := x.Program.Packing.Fired.Get(x.Here)
	forced := !due && anyRuns(code.Instant, fired)
	pending := x.Program.Packing.Pending.Any(x.Here)
	if x.overBudget(code, f) {
		return
	}
	if !due && !forced && !pending {
		x.overspent(leaf, f)
	}
	for i := range code.Inputs {
		in := &code.Inputs[i]
		comes := false
		switch in.Kind {
		case ir.CaseOverBudget: // they have come
		case ir.CaseDone:
			comes = due
		case ir.CaseTimer:
			mine := x.Program.Ref(in.Timer)
			comes = !due && mine.Runs(fired) && (!pending || in.AtOnce || x.timed()) && !anyRuns(in.Before, fired)
		default:
			comes = !due && !forced && !pending && x.comes(leaf, in, fired)
		}
		if comes && x.inTime(leaf, in) {
			f(in)
		}
	}
}

func anyRuns(timers []step.TimerRef, fired uint64) bool {
	for _, t := range timers {
		if t.Runs(fired) {
			return true
		}
	}
	return false
}

// comes reports whether an event, cancel, or what an activity says can come.
func (x *search) comes(leaf *ir.State, in *step.InputCode, fired uint64) bool {
	switch in.Kind {
	case ir.CaseResult, ir.CaseFailure:
		v := &x.Program.Packing.Visits[leaf.ID]
		return !v.HasEnded(x.Here, in.Place) && !v.IsWaiting(x.Here, in.Place) && !anyRuns(in.Before, fired)
	case ir.CaseCancel:
		return x.Program.Packing.Cancelled.Get(x.Here) == 0
	}
	return true
}

// take adds the edges of one input.
func (x *search) take(in *step.InputCode) {
	x.In, x.place = in, -1
	x.eachOf(in, func() { x.follow(in) })
}

// follow runs the step of in once.
func (x *search) follow(in *step.InputCode) {
	k := x.Program.Packing
	switch in.Kind {
	case ir.CaseCancel:
		k.Cancelled.Set(x.Next, 1)
	case ir.CaseDone:
		k.Rested.Set(x.Next, 1)
	case ir.CaseTimer:
		x.fired[in.Timer.ID] = true
		k.Fired.Set(x.Next, k.Fired.Get(x.Next)|k.FiredBit[in.Timer.ID])
	}
	c := x.Decide(in)
	if x.timed() && len(x.UsedUp) > 0 {
		x.saved.Copy(x.moment)
		defer x.moment.Copy(x.saved)
		if !x.usedUpInTime(x.From, in) {
			return
		}
	}
	if c == nil {
		x.noteUnmet(in)
		return
	}
	switch {
	case in.Kind == ir.CaseOverBudget:
		x.passesBudget(in)
	case in.Do != nil:
		x.mayPass(in.Do)
	}
	x.carryOut(in, c, false)
}

func (x *search) noteUnmet(in *step.InputCode) {
	switch {
	case x.Failed() || x.Oracle.Over:
		return
	case x.sought != nil:
		if x.sought.unmet == in.ID {
			x.capture()
		}
		return
	}
	at := InputAt{x.From, in.ID}
	u := Unmet{Config: x.at, Guessed: x.Guess}
	if x.Passed != nil {
		u.Spent = x.Passed.Arm
		of := spentAt{at, u.Spent}
		if known, ok := x.spent[of]; !ok || known.Guessed && !u.Guessed {
			x.spent[of] = u
		}
	}
	known, ok := x.unmet[at]
	if ok && (known.Spent != nil || x.Passed == nil) && (!known.Guessed || x.Guess) {
		return
	}
	x.unmet[at] = u
}

// carryOut does what choice c says.
func (x *search) carryOut(in *step.InputCode, c *step.ChoiceCode, again bool) {
	l := Label{Kind: Stayed, Input: in.ID, Arm: graph.None, Do: graph.None, Again: again}
	if c.Arm != nil {
		l.Arm, x.arm = int32(c.Arm.ID), c.Arm
		switch c.Arm.Kind {
		case ir.Goto:
			l.Kind = Moved
			x.Move(c)
			if !x.Failed() && !x.Oracle.Over {
				x.taken[l.Arm] = true
				x.emit(x.labelOf(c, x.entering(l)), true)
			}
			return
		case ir.Retry:
			if in.Do == nil { // nothing to run again: that is retry-without-activity
				if in.Kind == ir.CaseOverBudget { // which would hold up all else
					x.emitStay(c, l, false)
				}
				return
			}
			l.Kind = Retried
			if x.Retry(c); c.CountsOnEntering() && !x.Failed() {
				x.noteRetried(in, c)
			}
			x.emitStay(c, l, !c.CountsOnEntering())
			return
		case ir.Reject:
			return
		}
		x.Stay(c)
	} else if c.Defer {
		if x.place = x.Keep(); x.Oracle.Over {
			return
		}
		x.Program.Packing.Deferred.Put(x.Next, x.place, true)
	}
	if in.Do != nil {
		v := &x.Program.Packing.Visits[x.From.ID]
		if !v.MayEnd(x.Here, in.Place) {
			return
		}
		x.EndOne(in.Place)
	}
	x.emitStay(c, l, c.Adds) // more than once, if it adds to what is not held
}

// labelOf is label for the edges of c, nil where none is taken; the usual one is looked up once.
func (x *search) labelOf(c *step.ChoiceCode, l Label) int32 {
	if c == nil || l.Again || l.Begun > 0 || l.Turned > 0 {
		return x.label(l)
	}
	if c.Label == graph.None {
		c.Label = x.label(l)
	}
	return c.Label
}

// emitStay is emit for a step of c that does not leave the leaf; c is nil where
// none is taken. Data that it has set and no one reads is dropped here, too.
func (x *search) emitStay(c *step.ChoiceCode, l Label, always bool) {
	if x.Failed() {
		return
	}
	live := x.LiveAt(x.From)
	for i, mask := range live {
		x.Next[i] &= mask
	}
	if l.Arm != graph.None {
		x.taken[l.Arm] = true
		if x.stayed != nil && x.stayed[l.Arm] < mostPaths {
			x.stayed[l.Arm]++
			always = true
		}
	}
	x.ageStayed(c, l)
	x.emit(x.labelOf(c, l), always)
}

// endSilently adds the ends of activities that have nothing to say.
func (x *search) endSilently(leaf *ir.State) {
	v := &x.Program.Packing.Visits[leaf.ID]
	for i, d := range leaf.Dos {
		if !d.Activity.Silent() || v.HasEnded(x.Here, i) || v.IsWaiting(x.Here, i) || !v.MayEnd(x.Here, i) || !x.beforeTimers(leaf) || !x.runsFor(leaf, i, 0) {
			continue
		}
		x.each(graph.None, func() { x.endQuietly(leaf, i) })
	}
}

// lookAgain adds the steps in which events that were deferred are looked at
// again. A configuration has their names, and what arms before a `defer` ask for; neither how many there
// are nor in which order: the one at hand may be the last of its kind, or more may follow.
func (x *search) lookAgain(code *step.StateCode) {
	x.Again = true
	defer func() { x.Again = false }()
	for at := range x.Program.Kept {
		if !x.Program.Packing.Pending.Has(x.Here, at) {
			continue
		}
		x.place = at
		i := code.Takes[at]
		if i < 0 {
			x.In = nil
			x.each(graph.None, func() { x.look(at, i) })
			continue
		}
		x.In = &code.Inputs[i]
		x.eachOf(x.In, func() {
			x.Bring(at)
			x.look(at, i)
		})
	}
}

// look looks once at the deferred event in place at.
func (x *search) look(at, i int) {
	deferred, pending := x.Program.Packing.Deferred, x.Program.Packing.Pending
	if last := x.Oracle.Choose(2) == 0; last {
		deferred.Put(x.Next, at, false)
		pending.Put(x.Next, at, false)
	} else {
		x.Guessed = true
	}
	var c *step.ChoiceCode
	if i >= 0 {
		c = x.Decide(x.In)
	}
	if x.Failed() || x.Oracle.Over {
		return
	}
	if c == nil || c.Arm != nil && c.Arm.Kind == ir.Reject {
		event := x.Program.Kept[at].Event
		x.emitStay(nil, Label{Kind: Dropped, Input: x.Table.EventID(event), Arm: graph.None, Do: graph.None, Again: true}, true)
		return
	}
	if c.Arm == nil && c.Defer {
		deferred.Put(x.Next, at, true)
		pending.Put(x.Next, at, false)
		x.emitStay(nil, Label{Kind: Stayed, Input: x.In.ID, Arm: graph.None, Do: graph.None, Again: true}, false)
		return
	}
	x.carryOut(x.In, c, true)
}
