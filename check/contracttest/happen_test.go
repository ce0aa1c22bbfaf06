package contracttest

import (
	"fmt"
	"slices"
)

// due are the timers that may fire now, in the order in which they do; now says
// that the last of them must, before anything else happens.
func (s *Space) due(c *config) (timers []*After, now bool) {
	for st := c.leaf; st != nil; st = st.Parent {
		own := slices.Clone(s.m.afters(st))
		slices.SortFunc(own, func(a, b *After) int { return compareNames(a, b) })
		for _, a := range own {
			k := c.clock(ofAfter, a.at)
			if k == nil || k.spent || !k.atLeast(k.lo) {
				continue
			}
			timers = append(timers, a)
			if k.exactly(k.hi) {
				return timers, true
			}
		}
	}
	return timers, false
}

func compareNames(a, b *After) int {
	name := func(a *After) string {
		if a.Field != nil {
			return a.Field.Name
		}
		t := fmt.Sprintf("%ds", a.Wait)
		if a.Idle {
			t += " idle"
		}
		if a.Over {
			t = "over_budget(time)"
		}
		return t
	}
	x, y := name(a), name(b)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return a.at - b.at
}

func (s *Space) expand(i int) {
	c := s.nodes[i]
	if c.status != live {
		return
	}
	if c.due != 0 {
		s.overBudget(i, c)
		return
	}
	if c.done {
		n := c.clone()
		n.done = false
		s.input(i, n, &input{kind: "done"}, edge{what: "done", instant: len(c.acts) == 0})
		return
	}
	timers, now := s.due(c)
	for _, a := range timers {
		s.fired[a] = true
		k := c.clock(ofAfter, a.at)
		in := &input{kind: "after", after: a}
		if a.Over {
			in.kind, in.cat = "over", overTime
		}
		s.input(i, c.clone(), in, edge{what: "after", instant: k.lo == 0})
	}
	if now {
		for _, t := range s.m.tasks(c.leaf, c.data) {
			if !s.late {
				s.resume(i, c, t)
			}
			s.categories(c, t, s.equal)
		}
		return
	}
	if c.scan >= 0 {
		n := c.clone()
		e := n.deferred[n.scan]
		n.deferred = slices.Delete(n.deferred, n.scan, n.scan+1)
		s.input(i, n, &input{kind: "event", event: e.event, values: e.values}, edge{what: "deferred"})
		return
	}
	s.elapse(i, c)
	for _, e := range s.m.Events {
		if e.Raised {
			continue
		}
		for _, v := range payloads(e) {
			s.input(i, c.clone(), &input{kind: "event", event: e, values: v}, edge{what: "event"})
		}
	}
	if !c.cancelled {
		n := c.clone()
		n.cancelled = true
		s.input(i, n, &input{kind: "cancel"}, edge{what: "cancel", cancel: true})
	}
	for _, t := range s.m.tasks(c.leaf, c.data) {
		s.activity(i, c, t)
	}
}

// activity is what can come of an activity of the visit.
func (s *Space) activity(i int, c *config, t task) {
	d := t.do
	switch c.acts[t.at] {
	case waiting:
		s.resume(i, c, t)
	case running:
		for n, e := range d.Act.Events {
			if d.Act.Child != nil && !s.mayEnd(c, t, n) {
				continue
			}
			for _, v := range payloads(e) {
				s.input(i, c.clone(), &input{kind: "result", event: e, values: v, do: d, task: t}, edge{what: "result"})
			}
		}
		if len(d.Act.Events) == 0 {
			n := c.clone()
			starts := s.m.finish(n, t)
			s.succeed(n, d)
			s.m.idle(n)
			s.reports(i, n, d, edge{what: "nothing to say", starts: starts})
		}
		for _, cat := range s.categories(c, t, s.limits) {
			s.input(i, c.clone(), &input{kind: "failed", cat: cat, do: d, task: t}, edge{what: "failed"})
		}
		n := c.clone()
		s.m.idle(n)
		s.reports(i, n, d, edge{what: "checkpoint"})
	}
}

// elapse lets time pass. In ticks it may not pass what must happen by now.
func (s *Space) elapse(i int, c *config) {
	n := c.clone()
	if s.parts == 0 {
		if n.elapse() {
			s.link(i, n, edge{what: "time"})
		}
		return
	}
	for k := range n.clocks {
		k := &n.clocks[k]
		if k.over() {
			continue
		}
		most := k.hi
		if k.kind == ofWait {
			most = k.most
		} else if k.kind == ofAttempt && k.id%4 == 0 {
			most = k.lo
		}
		if most >= 0 && k.whole >= most {
			return
		}
		k.whole++
	}
	n.ranks()
	s.link(i, n, edge{what: "time", ticks: 1})
}

// resume starts the attempt for which a retry waits.
func (s *Space) resume(i int, c *config, t task) {
	d := t.do
	if c.acts[t.at] != waiting || !s.m.hasPlace(c, d) {
		return
	}
	k := c.clock(ofWait, t.at)
	if k == nil {
		n := c.clone()
		s.m.attempt(n, t)
		s.link(i, n, edge{what: "attempt", starts: []*Do{d}})
	} else if k.atLeast(k.lo) {
		n := c.clone()
		s.m.attempt(n, t)
		s.resumed[k.arm] = true
		s.link(i, n, edge{what: "attempt", starts: []*Do{d}})
	}
}

// categories are those with which an attempt of d can fail now.
func (s *Space) categories(c *config, t task, out map[[2]int]bool) []string {
	d := t.do
	all := s.m.declared(d)
	for i, limit := range []int{d.Timeout, d.Heartbeat, d.Progress} {
		if limit == 0 || d.Timeout > 0 && limit > d.Timeout {
			continue
		}
		if k := c.clock(ofAttempt, t.at*4+i); k == nil || k.atLeast(s.m.scale*limit) {
			if c.acts[t.at] == running {
				out[[2]int{d.line, i}] = true
			}
			all = append(all, []string{"timeout", "silent", "stalled"}[i])
		}
	}
	return all
}

func (m *Machine) declared(d *Do) []string {
	all := append([]string{"unknown"}, m.Failures...)
	if d.Act.Fails != nil {
		all = append([]string{"unknown"}, d.Act.Fails...)
	}
	return all
}

// input judges an input in every way in which the environment can answer.
func (s *Space) input(i int, c *config, in *input, e edge) {
	ch := &chooser{}
	for {
		ch.begin()
		r := s.m.step(c, in, ch)
		if r.arm != nil && r.arm.Bound > 0 {
			for _, a := range s.m.open(c, in, ch) {
				s.open[a] = true
			}
		}
		s.judge(i, c, in, r, e)
		if !ch.next() {
			return
		}
	}
}
