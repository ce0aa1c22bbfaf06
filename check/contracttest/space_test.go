package contracttest

import (
	"slices"
)

// edge is one thing that can happen in a configuration.
type edge struct {
	to        int
	what      string
	arm       *Arm
	move      bool
	retry     bool
	cancel    bool
	unbounded bool
	instant   bool // it waits for nothing
	ticks     int
	starts    []*Do // attempts that start
	in        *input
}

// Space is all that runs of a machine can do.
type Space struct {
	m       *Machine
	queue   int // at most so many events are deferred
	limit   int
	parts   int  // of a second; 0: time is dense
	late    bool // no attempt begins in the instant of a timer
	Full    bool // the limit was met
	nodes   []*config
	edges   [][]edge
	first   []edge // the ways to start
	index   map[string]int
	entered map[*State]bool
	taken   map[*Arm]bool // arms that some run takes
	chosen  map[*Arm]bool // and those that it would take, could the step be computed
	broken  map[*Arm]bool // arms whose steps some run cannot compute
	meets   map[*Arm]bool // arms of inputs of which some run cannot compute a guard
	fails   bool          // so it is with the start
	open    map[*Arm]bool // and those behind a bound
	fired   map[*After]bool
	resumed map[*Arm]bool   // retries whose wait ends
	equal   map[[2]int]bool // limits that run out as a timer fires
	limits  map[[2]int]bool // limits of attempts that run out
	Found   map[Fault]bool
	sure    map[Fault]bool // faults that some step meets first
	later   map[Fault]bool // and those that follow another in one step
	cycles  map[cycle][]*State
	clocks  bool
	held    costSet
	maybe   map[Fault]bool // what guards alone decide
	Capped  bool           // runs that defer more events are left out
	Lost    bool           // the step of a deferred event cannot be computed
}

// Explore performs every run of m with at most queue deferred events, up to limit
// configurations. An attempt may begin in the very instant in which a timer fires,
// just before it; if late is set it does not.
func Explore(m *Machine, queue, limit int, late bool) *Space {
	return explore(m, queue, limit, 0, late)
}

// Ticks performs the runs of m in which nothing waits in a queue and things
// happen at multiples of 1/parts of a second only. Each is a run of m; not all are.
func Ticks(m *Machine, queue, limit, parts int) *Space { return explore(m, queue, limit, parts, false) }

func explore(m *Machine, queue, limit, parts int, late bool) *Space {
	s := &Space{
		parts: parts, late: late,
		m: m, queue: queue, limit: limit, index: map[string]int{},
		entered: map[*State]bool{}, taken: map[*Arm]bool{}, chosen: map[*Arm]bool{}, broken: map[*Arm]bool{}, meets: map[*Arm]bool{}, open: map[*Arm]bool{}, fired: map[*After]bool{},
		resumed: map[*Arm]bool{}, equal: map[[2]int]bool{}, limits: map[[2]int]bool{}, cycles: map[cycle][]*State{}, Found: map[Fault]bool{}, sure: map[Fault]bool{}, later: map[Fault]bool{}, maybe: map[Fault]bool{},
	}
	s.clocks = parts > 0
	m.scale, s.held = max(parts, 1), m.held()
	for _, st := range m.states {
		s.clocks = s.clocks || len(m.afters(st)) > 0
	}
	for _, data := range m.starts() {
		s.start(data)
	}
	for i := 0; i < len(s.nodes) && !s.Full; i++ {
		s.expand(i)
	}
	return s
}

// starts are the data with which a run can start.
func (m *Machine) starts() [][]int {
	var given []*Field
	for _, f := range m.Fields {
		if f.Param {
			given = append(given, f)
		}
	}
	all := choices(given, span)
	for i, values := range all {
		data := make([]int, len(m.Fields))
		for k, f := range m.Fields {
			if data[k] = f.Start; f.Param {
				data[k] = values[slices.Index(given, f)]
			}
		}
		all[i] = data
	}
	return all
}

func span(f *Field) []int {
	var v []int
	for x := f.Lo; x <= f.Hi; x++ {
		v = append(v, x)
	}
	if f.optional() {
		v = append(v, unset)
	}
	return v
}

// payloads are all that an event can carry.
func payloads(e *Event) [][]int { return choices(e.Fields, span) }

func (s *Space) add(c *config) int {
	if !s.clocks {
		c.clocks = nil
	}
	if c.status == live && c.scan >= len(c.deferred) {
		c.scan = -1
	}
	k := c.key()
	if i, ok := s.index[k]; ok {
		return i
	}
	if len(s.nodes) >= s.limit {
		s.Full = true
		return 0
	}
	i := len(s.nodes)
	s.index[k] = i
	s.nodes = append(s.nodes, c)
	s.edges = append(s.edges, nil)
	return i
}

func (s *Space) start(data []int) {
	m := s.m
	ch := &chooser{}
	for {
		ch.begin()
		c := &config{leaf: m.Root, data: data, scan: -1, counters: make([]int, mostElements*len(m.bounds)), memory: make([]uint8, len(m.Asserts))}
		r := &result{}
		read := &scope{data: data, hosts: ch, faults: &r.faults}
		m.enter(c, nil, nil, m.Root, read, r)
		s.note(nil, r)
		if r.how == moved {
			s.remember(r.next, nil)
			s.first = append(s.first, edge{to: s.add(r.next), starts: r.starts})
		}
		if !ch.next() {
			return
		}
	}
}

// note keeps what the rules want to know of a step.
func (s *Space) note(c *config, r *result) {
	for i, f := range append(r.faults, r.broken...) {
		s.Found[f] = true
		if i > 0 && i < len(r.faults) {
			s.later[f] = true
		} else {
			s.sure[f] = true
		}
	}
	if r.how == moved {
		for e := r.next.leaf; e != nil; e = e.Parent {
			s.entered[e] = true
		}
	}
	if r.arm != nil {
		s.chosen[r.arm] = true
		if r.how != faulty {
			s.taken[r.arm] = true
		}
	}
	if r.how == faulty {
		s.fails = s.fails || c == nil
		for _, a := range r.tried {
			s.broken[a] = true
		}
		if r.arm == nil {
			for _, a := range r.meets {
				s.meets[a] = true
			}
		}
	}
}

// succeed has the asserts remember that d has succeeded.
func (s *Space) succeed(n *config, d *Do) {
	for i, a := range s.m.Asserts {
		if a.Done == d.Act {
			n.memory[i] = 1
		}
	}
}

// remember brings up to date what the asserts remember.
func (s *Space) remember(n *config, from *State) {
	in := func(t *State) bool {
		return t != nil && (n.leaf == t || !t.leaf() && n.leaf.within(t) && !(from != nil && from.within(t)))
	}
	for i, a := range s.m.Asserts {
		bad := Fault{"assertion-violated", a.line, a.Op}
		b := slices.ContainsFunc(a.B, in)
		switch a.Op {
		case "precedes":
			if in(a.A) {
				n.memory[i] = 1
			}
			if b && n.memory[i] == 0 {
				s.Found[bad] = true
			}
		case "leads":
			if in(a.A) {
				n.memory[i] = 1
			}
			if b {
				n.memory[i] = 0
			}
			if n.status == ended && n.memory[i] == 1 {
				s.Found[bad] = true
			}
		case "excludes":
			if in(a.A) {
				n.memory[i] |= 1
			}
			if b {
				n.memory[i] |= 2
			}
			if n.memory[i] == 3 {
				s.Found[bad] = true
			}
		case "most":
			if in(a.A) {
				if int(n.memory[i]) == a.N {
					s.Found[bad] = true
				} else {
					n.memory[i]++
				}
			}
		}
	}
}

func (s *Space) link(i int, n *config, e edge) {
	e.to = s.add(n)
	if e.to == i && !e.move && !e.retry && e.ticks == 0 {
		return
	}
	s.edges[i] = append(s.edges[i], e)
}

func (s *Space) judge(i int, c *config, in *input, r *result, e edge) {
	s.note(c, r)
	external := in.kind == "event"
	fromQueue := e.what == "deferred"
	e.arm, e.in = r.arm, in
	e.unbounded = r.arm != nil && r.arm.Unbounded
	switch r.how {
	case nobody:
		s.unhandled(c, in, r, fromQueue)
		if in.kind == "cancel" && !r.handler {
			n := c.clone()
			n.status, n.clocks, n.deferred, n.scan = ended, nil, nil, -1
			s.link(i, n, e)
			return
		}
		if external {
			if fromQueue {
				s.link(i, c, e)
			}
			return
		}
		s.halt(i, c, e)
	case refused:
		if fromQueue {
			s.unhandled(c, in, r, true)
			s.link(i, c, e)
		}
	case faulty:
		if external && !fromQueue {
			return
		}
		if external {
			s.Lost = true
			s.link(i, c, e)
			return
		}
		s.halt(i, c, e)
	case deferred:
		n := c.clone()
		k := deferral{in.event, in.values}
		if fromQueue {
			n.deferred = slices.Insert(n.deferred, n.scan, k)
			n.scan++
		} else {
			if len(n.deferred) >= s.queue {
				s.Capped = true
				return
			}
			n.deferred = append(n.deferred, k)
		}
		s.link(i, n, e)
	default:
		if in.kind == "result" {
			s.succeed(r.next, in.do)
		}
		e.move, e.retry, e.starts = r.how == moved, r.how == retried, r.starts
		if e.move {
			s.remember(r.next, c.leaf)
		}
		s.reports(i, r.next, in.do, e)
	}
}

func (s *Space) halt(i int, c *config, e edge) {
	n := c.clone()
	n.status, n.clocks, n.deferred, n.scan, n.done = halted, nil, nil, -1, false
	n.due = 0
	s.link(i, n, e)
}

// unhandled names the rule for an input that no arm takes.
func (s *Space) unhandled(c *config, in *input, r *result, fromQueue bool) {
	if fromQueue {
		if !s.m.speaks(c.leaf, in.event) {
			s.Found[Fault{"deferred-lost", c.leaf.line, in.event.Name}] = true
		} else {
			s.maybe[Fault{"deferred-lost", c.leaf.line, in.event.Name}] = true
		}
		return
	}
	switch {
	case r.spent:
		s.Found[Fault{"bound-without-else", r.used, c.leaf.Name}] = true
	case in.kind == "event" && !r.handler, in.kind == "cancel":
	case in.kind == "event":
		s.Found[Fault{"guard-gap", r.place, c.leaf.Name}] = true
	case r.handler:
		s.Found[Fault{"unhandled-case", r.place, c.leaf.Name}] = true
	case in.kind == "done":
		s.Found[Fault{"unhandled-done", c.leaf.line, c.leaf.Name}] = true
	case in.kind == "over":
		s.Found[Fault{"unhandled-budget", c.leaf.line, c.leaf.Name}] = true
	case in.kind == "result":
		s.Found[Fault{"unhandled-result", in.do.line, in.event.Name}] = true
	case in.kind == "failed":
		s.Found[Fault{"unhandled-failure", in.do.line, in.cat}] = true
	}
}

// speaks says whether a leaf or a state around it takes, ignores or defers e.
func (m *Machine) speaks(leaf *State, e *Event) bool {
	for s := leaf; s != nil; s = s.Parent {
		for _, o := range s.Ons {
			if !slices.ContainsFunc(o.Triggers, func(t *Trigger) bool { return t.Kind == "event" && t.Event == e }) {
				continue
			}
			for _, a := range o.Arms {
				if a.Op != "reject" {
					return true
				}
				if a.When == nil {
					return false
				}
			}
		}
		if slices.Contains(s.Ignore, e) || slices.Contains(s.Defer, e) {
			return true
		}
	}
	return false
}
