package contracttest

import "slices"

// invariant reads the require of a leaf in which the run stays.
func (m *Machine) invariant(n *config, read *scope, r *result) {
	req := n.leaf.Require
	if req == nil {
		return
	}
	var faults []Fault
	look := &scope{data: n.data, hosts: read.hosts, faults: &faults, line: n.leaf.line}
	if !look.truth(req) && len(faults) == 0 && m.never(req, n.data) {
		r.broken = append(r.broken, Fault{"require-violated", n.leaf.line, n.leaf.Name})
	}
}

// move takes an arm with a target.
func (m *Machine) move(n *config, a *Arm, read *scope, r *result) {
	from := n.leaf
	d := around(from, a.To)
	for s := from; s != d; s = s.Parent {
		m.block(read, s.Exit)
	}
	read.perform(a.Block)
	m.enter(n, from, d, a.To, read, r)
}

// around is the innermost composite that contains both and is neither.
func around(leaf, to *State) *State {
	for d := leaf.Parent; ; d = d.Parent {
		if to.within(d) && to != d {
			return d
		}
		if d.Parent == nil {
			return d
		}
	}
}

// block performs a block that knows no event.
func (m *Machine) block(read *scope, block []*Effect) {
	e := read.event
	read.event = nil
	read.perform(block)
	read.event = e
}

// enter enters what lies below d on the way to the state to; d is nil at the
// start. A require that is false leads elsewhere.
func (m *Machine) enter(n *config, from, d, to *State, read *scope, r *result) {
	outer := d
	for rounds := 0; len(r.faults) == 0; rounds++ {
		if rounds > len(m.states) {
			for range m.states {
				to = to.land()
				r.faults = append(r.faults, Fault{"spinning-loop", to.line, to.Name})
				to = to.Else
			}
			break
		}
		for !to.leaf() {
			to = to.Initial
		}
		var way []*State
		for s := to; s != d; s = s.Parent {
			way = append(way, s)
		}
		slices.Reverse(way)
		for _, s := range way[:len(way)-1] {
			m.block(read, s.Entry)
			r.entered = append(r.entered, s)
		}
		if to.Require != nil && len(r.faults) == 0 {
			read.line = to.line
			holds := read.truth(to.Require)
			if len(r.faults) > 0 {
				break
			}
			if !holds {
				if m.never(to.Require, read.data) {
					r.broken = append(r.broken, Fault{"require-violated", to.line, to.Name})
				}
				d = around(to, to.Else)
				if outer != nil && d.depth < outer.depth {
					outer = d
				}
				for s := to.Parent; s != d; s = s.Parent {
					m.block(read, s.Exit)
				}
				to = to.Else
				continue
			}
		}
		m.block(read, to.Entry)
		to.returned(read)
		r.entered = append(r.entered, to)
		break
	}
	if len(r.faults) > 0 {
		r.how = faulty
		return
	}
	n.data = read.data
	n.leaf = to
	r.how, r.next = moved, n
	m.invariant(n, read, r)
	m.settle(n, from, outer, r)
}

// returned reads what a terminal returns, up to the first field that is not set.
func (s *State) returned(read *scope) {
	for _, f := range s.Returns {
		if len(*read.faults) > 0 {
			return
		}
		read.line = s.line
		read.value(&Expr{Op: "field", Field: f})
	}
}

// settle gives a leaf that was entered its counters, timers and activities.
func (m *Machine) settle(n *config, from, d *State, r *result) {
	for _, b := range m.bounds {
		var s *State
		switch {
		case b.PerState != nil:
			s = b.PerState
		case b.Per == "run" || b.Per == "" && b.Op == "go":
			continue
		case b.Op == "retry": // the visit of the leaf
			clear(n.counters[b.counter*mostElements : (b.counter+1)*mostElements])
			continue
		default:
			s = b.home
		}
		if slices.Contains(r.entered, s) && (from == nil || !from.within(s)) {
			clear(n.counters[b.counter*mostElements : (b.counter+1)*mostElements])
		}
	}
	n.acts = nil
	if n.leaf.Terminal != "" {
		n.status, n.clocks, n.deferred, n.scan = ended, nil, nil, -1
		return
	}
	n.scan = 0
	n.stop(func(k *clock) bool {
		if k.kind != ofAfter {
			return true
		}
		s := m.timer(k.id).state
		return d == nil || !d.within(s)
	})
	for s := n.leaf; s != d; s = s.Parent {
		for _, a := range m.afters(s) {
			wait := a.Wait
			if a.Field != nil {
				wait = n.data[a.Field.at]
				if wait == unset {
					r.faults = append(r.faults, Fault{"read-before-set", a.line, a.Field.Name})
					r.how, r.next = faulty, nil
					return
				}
			}
			n.begin(clock{kind: ofAfter, id: a.at, lo: m.scale * wait, hi: m.scale * (wait + a.Jitter)})
		}
	}
	m.idle(n)
	tasks := m.tasks(n.leaf, n.data)
	n.acts = make([]uint8, len(tasks))
	for i := range n.acts {
		n.acts[i] = queued
	}
	r.starts = append(r.starts, m.fill(n)...)
	n.done = len(n.leaf.Dos) > 0 && len(tasks) == 0 || len(n.leaf.Dos) == 0 && slices.ContainsFunc(n.leaf.Ons, func(o *On) bool {
		return slices.ContainsFunc(o.Triggers, func(t *Trigger) bool { return t.Kind == "done" })
	})
}

// attempt starts an attempt.
func (m *Machine) attempt(n *config, t task) {
	d := t.do
	n.acts[t.at] = running
	n.stop(func(k *clock) bool { return k.kind == ofWait && k.id == t.at })
	for i, limit := range []int{d.Timeout, d.Heartbeat, d.Progress} {
		if limit > 0 {
			n.begin(clock{kind: ofAttempt, id: t.at*4 + i, lo: m.scale * limit, hi: -1})
		}
	}
	if child := d.Act.Child; child != nil {
		if least := slices.Max(child.Least); least > 0 {
			n.begin(clock{kind: ofAttempt, id: t.at*4 + 3, lo: m.scale * least, hi: -1})
		}
	}
}

func (m *Machine) timer(id int) *After {
	for _, s := range m.states {
		for _, a := range m.afters(s) {
			if a.at == id {
				return a
			}
		}
	}
	return nil
}

// never says that a condition is false whatever host guards answer.
func (m *Machine) never(e *Expr, data []int) bool {
	ch := &chooser{}
	for {
		ch.begin()
		var faults []Fault
		if (&scope{data: data, hosts: ch, faults: &faults}).truth(e) {
			return false
		}
		if !ch.next() {
			return true
		}
	}
}
