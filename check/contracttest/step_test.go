package contracttest

import "slices"

// input is what a step is about.
type input struct {
	kind   string // event, result, failed, done, after, cancel, over
	event  *Event
	values []int
	do     *Do
	task   task   // of result and failed
	cat    string // of over, the cost
	after  *After
}

// How an input ended.
const (
	nobody   = iota // no arm took it
	refused         // an arm says reject
	deferred        // until the state is left
	ignored
	stayed
	retried
	moved
	faulty // the step cannot be computed
)

// result is one step: what it did, and what the rules want to know of it.
type result struct {
	how     int
	next    *config
	arm     *Arm
	tried   []*Arm // where it cannot be computed: the arm, or those whose guards may hold
	meets   []*Arm // where a guard cannot be computed: all arms that the input might meet
	handler bool   // some handler speaks of the input
	spent   bool   // an arm would have taken it but for its bound
	place   int    // the line of the innermost handler
	used    int    // the line of the outermost bound that is used up
	faults  []Fault
	entered []*State // leaves and composites, those of a redirection too
	broken  []Fault  // requires
	starts  []*Do    // attempts that start
}

func (m *Machine) precise(s *State, in *input) []*On {
	best, found := -1, []*On(nil)
	for _, o := range s.Ons {
		rank := -1
		for _, t := range o.Triggers {
			if r := t.rank(in); r > rank {
				rank = r
			}
		}
		switch {
		case rank < 0 || rank < best:
		case rank > best:
			best, found = rank, []*On{o}
		default:
			found = append(found, o)
		}
	}
	return found
}

// rank says how precisely t speaks of in; -1: not at all.
func (t *Trigger) rank(in *input) int {
	rank := 0
	if t.Label != "" {
		if in.do == nil || in.do.Label != t.Label {
			return -1
		}
		rank = 2
	}
	switch in.kind {
	case "event", "result":
		if t.Kind != "event" || t.Event != in.event {
			return -1
		}
	case "failed", "over":
		if t.Kind != in.kind {
			return -1
		}
		if t.Cats != nil {
			if !slices.Contains(t.Cats, in.cat) {
				return -1
			}
			rank++
		}
	default:
		if t.Kind != in.kind {
			return -1
		}
	}
	return rank
}

// step performs in on c, with the answers of ch.
func (m *Machine) step(c *config, in *input, ch *chooser) *result {
	r := &result{}
	read := &scope{data: c.data, event: in.event, values: in.values, element: in.task.element, hosts: ch, faults: &r.faults}
	speaks := func(line int) {
		r.handler = true
		if r.place == 0 {
			r.place = line
		}
	}
	for s := c.leaf; s != nil; s = s.Parent {
		if in.kind == "after" {
			if s == in.after.state {
				speaks(in.after.line)
				if m.chain(c, in, in.after.Arms, read, r) {
					r.meets = in.after.Arms
					return r
				}
			}
			if s.within(in.after.state) && s != in.after.state {
				continue
			}
			break
		}
		for _, o := range m.precise(s, in) {
			speaks(o.line)
			if m.chain(c, in, o.Arms, read, r) {
				if r.how == faulty {
					r.meets = m.meets(s, in)
				}
				return r
			}
		}
		if in.event != nil && slices.Contains(s.Ignore, in.event) {
			speaks(s.line)
			m.stay(c.clone(), in, r, ignored)
			return r
		}
		if in.kind == "event" && slices.Contains(s.Defer, in.event) {
			speaks(s.line)
			r.how = deferred
			return r
		}
	}
	return r
}

// meets are the arms of s, and of the states around it, that speak of in.
func (m *Machine) meets(s *State, in *input) (arms []*Arm) {
	for ; s != nil; s = s.Parent {
		for _, o := range m.precise(s, in) {
			arms = append(arms, o.Arms...)
		}
	}
	return arms
}

// chain tries the arms in order, and says whether the input is dealt with.
func (m *Machine) chain(c *config, in *input, arms []*Arm, read *scope, r *result) bool {
	for i, a := range arms {
		read.line = a.line
		holds := a.When == nil || read.truth(a.When)
		if len(r.faults) > 0 {
			r.how, r.tried = faulty, arms[i:]
			return true
		}
		if !holds {
			continue
		}
		if a.Bound > 0 {
			if c.counters[a.slot(in)] >= a.Bound {
				r.spent, r.used = true, a.line
				continue
			}
		}
		r.arm, r.tried = a, []*Arm{a}
		m.take(c, in, a, read, r)
		return true
	}
	return false
}

// open are the arms that could be next were bounds used up: those whose guard
// holds, in the order in which they are asked, up to the first without a bound.
func (m *Machine) open(c *config, in *input, ch *chooser) (arms []*Arm) {
	var faults []Fault
	read := &scope{data: c.data, event: in.event, values: in.values, element: in.task.element, hosts: ch, faults: &faults}
	chain := func(list []*Arm) bool {
		for _, a := range list {
			holds := a.When == nil || read.truth(a.When)
			if len(faults) > 0 {
				return true
			}
			if holds {
				arms = append(arms, a)
				if a.Bound == 0 {
					return true
				}
			}
		}
		return false
	}
	for s := c.leaf; s != nil; s = s.Parent {
		if in.kind == "after" {
			if s == in.after.state {
				chain(in.after.Arms)
			}
			continue
		}
		for _, o := range m.precise(s, in) {
			if chain(o.Arms) {
				return arms
			}
		}
		if in.event != nil && (slices.Contains(s.Ignore, in.event) || in.kind == "event" && slices.Contains(s.Defer, in.event)) {
			return arms
		}
	}
	return arms
}

func (m *Machine) take(c *config, in *input, a *Arm, read *scope, r *result) {
	n := c.clone()
	if a.Bound > 0 {
		n.counters[a.slot(in)]++
	}
	switch a.Op {
	case "reject":
		r.how = refused
	case "ignore":
		m.stay(n, in, r, ignored)
	case "go":
		if in.after != nil {
			n.clock(ofAfter, in.after.at).spent = true
			n.ranks()
		}
		m.move(n, a, read, r)
	default:
		read.perform(a.Block)
		n.data = read.data
		if len(r.faults) > 0 {
			r.how = faulty
			return
		}
		r.how = stayed
		m.invariant(n, read, r)
		if a.Op != "retry" {
			m.stay(n, in, r, stayed)
			return
		}
		m.idle(n)
		k := 1
		if a.Bound > 0 {
			k = n.counters[a.slot(in)]
		}
		wait := min(a.First<<(k-1), a.Last)
		n.acts[in.task.at] = waiting
		n.stop(func(k *clock) bool { return k.kind == ofAttempt && k.id/4 == in.task.at })
		r.starts = append(r.starts, m.fill(n)...)
		n.begin(clock{kind: ofWait, id: in.task.at, arm: a, lo: m.scale * (wait - wait*a.Jitter/100), hi: -1, most: m.scale * wait})
		r.how, r.next = retried, n
	}
}

// stay is an input that leaves the run where it is.
func (m *Machine) stay(n *config, in *input, r *result, how int) {
	r.how, r.next = how, n
	if in.do != nil {
		r.starts = append(r.starts, m.finish(n, in.task)...)
	}
	m.idle(n)
	if in.after != nil {
		k := n.clock(ofAfter, in.after.at)
		k.spent = true
		n.ranks()
	}
}

// finish ends an activity; the last one raises done. It gives what starts in its place.
func (m *Machine) finish(n *config, t task) []*Do {
	n.acts[t.at] = finished
	n.stop(func(k *clock) bool { return k.kind == ofWait && k.id == t.at || k.kind == ofAttempt && k.id/4 == t.at })
	starts := m.fill(n)
	n.done = !slices.ContainsFunc(n.acts, func(a uint8) bool { return a != finished })
	return starts
}

// idle starts the idle timers again.
func (m *Machine) idle(n *config) {
	for s := n.leaf; s != nil; s = s.Parent {
		for _, a := range m.afters(s) {
			if k := n.clock(ofAfter, a.at); k != nil && a.Idle && !k.spent {
				k.whole, k.rest = 0, 0
			}
		}
	}
	n.ranks()
}
