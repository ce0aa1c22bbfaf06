package machine

import "strconv"

// keep defers an event. It has been looked at in this state: it comes again
// when another is entered.
func (t *step) keep(a int) error {
	n := t.next
	if len(n.Kept) >= MaxKept {
		return faultOf(TooManyDeferred, strconv.Itoa(MaxKept))
	}
	total := 0
	for i := range n.Kept {
		total += keptSize(n.Kept[i].Data)
	}
	if total+keptSize(t.in.Data) > MaxKeptData {
		return faultOf(DeferredTooLarge, strconv.Itoa(MaxKeptData))
	}
	if err := t.checkHeld(n.Data, t.in.Data); err != nil {
		return err
	}
	if n.KeptNext == len(n.Kept) {
		n.KeptNext++
	}
	kept := make([]Kept, 0, len(n.Kept)+1)
	n.Kept = append(append(kept, n.Kept...), Kept{Event: t.in.Event, Data: t.in.Data, ID: t.in.ID})
	t.record.Effect, t.record.Arm = Deferred, a
	t.idle = false
	return nil
}

func keptSize(values []Value) int {
	n := 16
	for i := range values {
		n += values[i].size()
	}
	return n
}

// takeKept looks at the next kept event again: the state defers it again,
// takes it, or it is dropped. The input carries what was kept.
func (t *step) takeKept() error {
	n := t.next
	kept := &n.Kept[n.KeptNext]
	*t.in = Input{Kind: KeptInput, Event: kept.Event, Data: kept.Data, ID: kept.ID}
	if n.Status.Over() {
		t.drop()
		return nil
	}
	t.source, t.payload = kept.Event, kept.Data
	a, err := t.choose(t.arms(inputKey{kind: EventInput, a: kept.Event}))
	switch {
	case err != nil:
		return err
	case a < 0 || t.m.arms[a].Kind == RejectArm:
		t.drop()
		return nil
	case t.m.arms[a].Kind == DeferArm:
		n.KeptNext++
		t.silent, t.idle = len(t.verdicts) == 0, false
		t.record.Effect, t.record.Arm = Deferred, a
		return nil
	}
	n.Kept = without(n.Kept, n.KeptNext)
	return t.follow(a)
}

// drop gives up a kept event that nothing takes.
func (t *step) drop() {
	t.next.Kept = without(t.next.Kept, t.next.KeptNext)
	t.record.Effect, t.idle = Dropped, false
}
