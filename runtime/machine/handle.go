package machine

import (
	"math"
	"slices"
	"strconv"
)

// takeEvent judges an event from outside.
func (t *step) takeEvent() error {
	if err := t.checkEvent(); err != nil {
		return err
	}
	t.source, t.payload = t.in.Event, t.in.Data
	a, err := t.choose(t.arms(inputKey{kind: EventInput, a: t.in.Event}))
	switch {
	case err != nil:
		return err
	case a < 0:
		return t.refuse(NotTaken, "")
	case t.m.arms[a].Kind == RejectArm && t.m.arms[a].when == nil:
		return t.refuse(RefusedByMachine, "")
	case t.m.arms[a].Kind == RejectArm:
		return t.refuse(RefusedByMachine, t.m.arms[a].Text)
	case t.m.arms[a].Kind == DeferArm:
		return t.keep(a)
	}
	return t.follow(a)
}

// checkEvent refuses an event that no state could take.
func (t *step) checkEvent() error {
	event := &t.m.def.Events[t.in.Event]
	if event.Internal {
		return t.m.Reject(t.old, t.in, "activities alone raise it", nil)
	}
	if err := t.m.def.checkFields(event.Fields, t.in.Data); err != nil {
		return t.m.Reject(t.old, t.in, err.Error(), err)
	}
	return nil
}

// refuse refuses the input, and says which arms were tried, and which one with a guard refuses it.
func (t *step) refuse(code CauseCode, by string) error {
	cause := &Cause{Code: code}
	r := t.m.Reject(t.old, t.in, cause.String(), nil)
	r.Cause, r.By = cause, by
	r.Passed = t.m.PassedViews(t.record.Passed)
	return r
}

// arms are those of the leaf's handler for the input, in the order in which
// they are tried.
func (t *step) arms(key inputKey) []int {
	key.state = t.old.State
	return t.m.handlers[key]
}

// choose finds the first arm whose guard holds and whose bound is not used
// up, or -1, and notes those before it.
func (t *step) choose(arms []int) (int, error) {
	for _, a := range arms {
		arm := &t.m.arms[a]
		if arm.when != nil {
			t.place = arm.place
			ok, err := arm.when(&t.env)
			if err != nil {
				return -1, err
			}
			if !ok {
				t.record.Passed = append(t.record.Passed, Passed{a, PassedWhy(GuardFalse)})
				continue
			}
		}
		if arm.bounded && t.used(a) >= arm.max {
			t.record.Passed = append(t.record.Passed, Passed{a, PassedWhy(BoundUsed)})
			continue
		}
		return a, nil
	}
	t.place = Place{}
	return -1, nil
}

// handle takes an input from inside: where no arm takes it, that is a fault.
func (t *step) handle(key inputKey) error {
	a, err := t.choose(t.arms(key))
	if err != nil {
		return err
	}
	if a < 0 {
		return faultOf(NothingTakes, t.m.Describe(*t.in), t.m.def.States[t.old.State].Path)
	}
	return t.follow(a)
}

// follow takes an arm.
func (t *step) follow(a int) error {
	arm := &t.m.arms[a]
	t.record.Arm = a
	t.place = arm.place
	switch arm.Kind {
	case GotoArm:
		return t.move(a)
	case RetryArm:
		return t.retry(a)
	case StayArm:
		t.record.Effect = Stayed
		if err := t.apply(arm.block); err != nil {
			return err
		}
	case IgnoreArm:
		t.record.Effect = Ignored
	}
	if t.task >= 0 {
		t.endTask()
	}
	return nil
}

// used is how often the bound of an arm has been used: of a retry of an element, by that
// element.
func (t *step) used(a int) int64 {
	if t.fan != nil && t.m.arms[a].Kind == RetryArm {
		return t.tries(a)
	}
	return t.next.Counters[a]
}

// count notes one more use of an arm, and gives how many there are.
func (t *step) count(a int) int64 {
	if !t.m.arms[a].counted {
		return 0
	}
	if t.fan != nil && t.m.arms[a].Kind == RetryArm {
		t.record.Count = t.countTry(a)
		return t.record.Count
	}
	own(&t.ownsCounters, &t.next.Counters)
	if t.next.Counters[a] < math.MaxInt64 {
		t.next.Counters[a]++
	}
	t.record.Count = t.next.Counters[a]
	return t.record.Count
}

// resetCounters starts the counters of arms again.
func (t *step) resetCounters(arms []int) {
	for _, a := range arms {
		if t.next.Counters[a] != 0 {
			own(&t.ownsCounters, &t.next.Counters)
			t.next.Counters[a] = 0
		}
	}
	if len(t.next.Tries) > 0 && len(arms) > 0 {
		drop(&t.ownsTries, &t.next.Tries, func(x *Tries) bool { return slices.Contains(arms, x.Arm) })
	}
}

// apply does the effects of a block at once: all right sides are read before
// any field is set.
func (t *step) apply(b *blockCode) error {
	if b == nil {
		return nil
	}
	t.place = b.place
	var buffer [4]Value
	values := buffer[:0]
	for i := range b.assigns {
		v := Unset
		if f := b.assigns[i].value; f != nil {
			var err error
			if v, err = f(&t.env); err != nil {
				return err
			}
		}
		values = append(values, v)
	}
	for i := range b.publishes {
		if err := t.publish(&b.publishes[i]); err != nil {
			return err
		}
	}
	if len(values) == 0 {
		return nil
	}
	own(&t.ownsData, &t.next.Data)
	t.data = t.next.Data
	for i := range b.assigns {
		t.data[b.assigns[i].field] = values[i]
	}
	if b.grows {
		return t.checkSize()
	}
	return nil
}

func (t *step) publish(p *publishCode) error {
	values := make([]Value, len(p.values))
	for i, f := range p.values {
		var err error
		if values[i], err = f(&t.env); err != nil {
			return err
		}
	}
	t.commands = append(t.commands, Command{Kind: SendOut, Event: p.event, Data: values, Message: t.messageID()})
	return nil
}

// checkSize keeps the data of a run, and with it every snapshot, small.
func (t *step) checkSize() error {
	total := 0
	for i := range t.data {
		total += t.data[i].size()
	}
	if total > MaxData {
		return faultOf(DataTooLarge, strconv.Itoa(total), strconv.Itoa(MaxData))
	}
	return t.checkHeld(t.data, nil)
}
