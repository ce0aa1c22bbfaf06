package contracttest

import (
	"maps"
	"slices"
)

// Verdicts are what the rules must say: Must says which the checker has to
// report, unless another finding stands for it, and Found which it may.
func (s *Space) Verdicts() (found, must map[Fault]bool) {
	found = maps.Clone(s.Found)
	must = maps.Clone(s.Found)
	for f := range s.later {
		if !s.sure[f] {
			delete(must, f)
		}
	}
	maps.Copy(found, s.maybe)
	say := func(f Fault, certain bool) {
		found[f] = true
		if certain {
			must[f] = true
		}
	}
	s.traps(say)
	s.declared(say)
	s.leads(say)
	s.loops(say)
	turned, behind := s.turned()
	open := func(st *State) bool { return st == s.m.Root || s.entered[st] || turned[st] || behind[st] }
	for _, st := range s.m.states[1:] {
		if !s.entered[st] && !turned[st] && open(st.Parent) {
			say(Fault{"unreachable-state", st.line, st.Name}, !behind[st])
		}
	}
	success := false
	for _, c := range s.nodes {
		success = success || c.status == ended && c.leaf.Terminal == "success"
	}
	if !success {
		say(Fault{"no-success", 0, ""}, true)
	}
	for _, st := range s.m.states {
		if !s.entered[st] && st != s.m.Root {
			continue
		}
		for _, o := range st.Ons {
			s.dead(o.Arms, say)
		}
		for _, a := range st.Afters {
			if !s.fired[a] {
				say(Fault{"never-fires", a.line, ""}, s.awaited(a))
				for _, arm := range a.Arms {
					say(Fault{"dead-arm", arm.line, ""}, false)
				}
			} else {
				s.dead(a.Arms, say)
			}
		}
		for _, d := range st.Dos {
			s.never(d, say)
		}
		if st.leaf() && st.Terminal == "" && s.rests(st) {
			say(Fault{"waits-forever", st.line, st.Name}, s.waits(st))
		}
		if st.leaf() && st.Terminal == "" {
			some, idle := s.ways(st)
			if !some {
				say(Fault{"dead-end", st.line, st.Name}, !s.m.leads(st))
			}
			// A way out that no run takes counts here: that it is dead is another fault.
			if (some || s.m.leads(st)) && idle && !s.m.reminded(st) {
				say(Fault{"waits-forever", st.line, st.Name}, false)
			}
		}
	}
	return found, must
}

func (s *Space) dead(arms []*Arm, say func(Fault, bool)) {
	for _, a := range arms {
		if a.Op == "retry" && !a.home.acts() {
			say(Fault{"retry-without-activity", a.line, ""}, true)
			continue
		}
		if !s.taken[a] {
			say(Fault{"dead-arm", a.line, ""}, !s.open[a] && !s.chosen[a])
			if a.Op == "retry" && s.clocks {
				say(Fault{"never-fires", a.line, ""}, false)
			}
		} else if a.Op == "retry" && s.clocks && !s.resumed[a] {
			say(Fault{"never-fires", a.line, ""}, true)
		}
	}
}

// awaited says whether time passes while a timer runs.
func (s *Space) awaited(a *After) bool {
	for i, c := range s.nodes {
		if k := c.clock(ofAfter, a.at); k == nil || k.spent {
			continue
		}
		for k := range s.edges[i] {
			if s.edges[i][k].what == "time" {
				return true
			}
		}
	}
	return false
}

// acts says whether an activity stands in s or inside it.
func (s *State) acts() bool {
	return len(s.Dos) > 0 || slices.ContainsFunc(s.Children, (*State).acts)
}

// never looks for limits that never run out, and waits that never end.
func (s *Space) never(d *Do, say func(Fault, bool)) {
	for i, limit := range []int{d.Timeout, d.Heartbeat, d.Progress} {
		if limit > 0 && !s.limits[[2]int{d.line, i}] {
			say(Fault{"never-fires", d.line, ""}, !s.equal[[2]int{d.line, i}] && s.runs(d))
		}
	}
}

// runs reports whether an attempt of d runs somewhere: its list may always be empty.
func (s *Space) runs(d *Do) bool {
	return d.List == nil || slices.ContainsFunc(s.nodes, func(c *config) bool {
		return c.status == live && c.leaf == d.state && slices.ContainsFunc(s.m.tasks(c.leaf, c.data), func(t task) bool { return t.do == d })
	})
}

// leads reports whether an arm that stands in leaf or around it leads elsewhere,
// cancel aside, and over_budget where nothing in leaf costs anything. What a require may
// turn away counts as elsewhere: its else is open.
func (m *Machine) leads(leaf *State) bool {
	elsewhere := func(arms []*Arm) bool {
		return slices.ContainsFunc(arms, func(a *Arm) bool { return a.Op == "go" && (a.To.land() != leaf || leaf.Require != nil) })
	}
	for st := leaf; st != nil; st = st.Parent {
		for _, o := range st.Ons {
			kind := o.Triggers[0].Kind
			if kind == "over" && m.overtime == nil && !m.spendsIn(leaf) {
				continue
			}
			if kind != "cancel" && elsewhere(o.Arms) {
				return true
			}
		}
		for _, a := range st.Afters {
			if elsewhere(a.Arms) {
				return true
			}
		}
	}
	return false
}

// reminded says whether a timer stands in leaf or around it.
func (m *Machine) reminded(leaf *State) bool {
	for st := leaf; st != nil; st = st.Parent {
		if len(m.afters(st)) > 0 {
			return true
		}
	}
	return false
}

func (s *Space) waits(leaf *State) bool {
	if s.m.reminded(leaf) {
		return false
	}
	for _, d := range leaf.Dos {
		if d.Timeout+d.Heartbeat+d.Progress > 0 {
			return false
		}
	}
	if len(leaf.Dos) == 0 {
		for _, o := range leaf.Ons {
			if slices.ContainsFunc(o.Triggers, func(t *Trigger) bool { return t.Kind == "done" }) {
				return false
			}
		}
	}
	return true
}

// cycle is a component that can be gone round without end.
type cycle struct {
	rule string
	comp int
}

// Round says whether some cycle of a rule has both leaves.
func (s *Space) Round(rule string, a, b *State) bool {
	for k, leaves := range s.cycles {
		if k.rule == rule && slices.Contains(leaves, a) && slices.Contains(leaves, b) {
			return true
		}
	}
	return false
}

// loops are the leaves of cycles with a move in them that are taken without end.
func (s *Space) loops(say func(Fault, bool)) {
	for _, kind := range []struct {
		rule string
		keep func(e *edge) bool
	}{
		{"unbounded-loop", func(e *edge) bool { return !e.unbounded }},
		{"spinning-loop", func(e *edge) bool { return e.instant }},
	} {
		comp := s.components(kind.keep)
		round := map[int]bool{}
		for i := range s.nodes {
			for k := range s.edges[i] {
				if e := &s.edges[i][k]; e.move && kind.keep(e) && comp[i] == comp[e.to] {
					round[comp[i]] = true
				}
			}
		}
		for i, c := range s.nodes {
			if round[comp[i]] {
				say(Fault{kind.rule, c.leaf.line, c.leaf.Name}, true)
				s.cycles[cycle{kind.rule, comp[i]}] = append(s.cycles[cycle{kind.rule, comp[i]}], c.leaf)
			}
		}
	}
}

// ways says whether something leads out of a leaf in some run, cancel aside, and
// whether all that does need never come: an event, or an activity without a limit.
func (s *Space) ways(leaf *State) (some, idle bool) {
	endless := func(d *Do) bool { return d.Timeout+d.Heartbeat+d.Progress == 0 }
	idle = true
	for i, c := range s.nodes {
		if c.leaf != leaf {
			continue
		}
		for k := range s.edges[i] {
			e := &s.edges[i][k]
			if !e.move || e.cancel {
				continue
			}
			if over := e.in.kind == "over" && e.in.after == nil; !over || s.m.spendsIn(leaf) { // else it leads only those on who come over their budget
				some = some || s.nodes[e.to].leaf != leaf
			}
			switch kind := e.in.kind; {
			case kind == "event", kind == "over" && e.in.after == nil:
			case kind == "result", kind == "failed":
				idle = idle && endless(e.in.do)
			case kind == "done":
				idle = idle && slices.ContainsFunc(leaf.Dos, endless)
			default:
				idle = false
			}
		}
	}
	return some, idle
}

// rests says whether a run may stay in a leaf for ever, with no timer to remind
// anybody.
func (s *Space) rests(leaf *State) bool {
	if s.m.reminded(leaf) {
		return false
	}
	for _, c := range s.nodes {
		if c.leaf != leaf || c.status != live || c.done || c.scan >= 0 {
			continue
		}
		if !slices.ContainsFunc(s.m.tasks(leaf, c.data), func(t task) bool {
			return c.acts[t.at] == waiting || c.acts[t.at] == running && t.do.Timeout+t.do.Heartbeat+t.do.Progress > 0
		}) {
			return true
		}
	}
	return false
}

// declared looks for results and failures that no handler speaks of. It is
// enough that a run is in the state; a limit that never runs out may be left out.
func (s *Space) declared(say func(Fault, bool)) {
	for _, st := range s.m.states {
		if !s.entered[st] {
			continue
		}
		handled := func(in *input) bool {
			for o := st; o != nil; o = o.Parent {
				if len(s.m.precise(o, in)) > 0 || in.event != nil && slices.Contains(o.Ignore, in.event) {
					return true
				}
			}
			return false
		}
		for _, d := range st.Dos {
			for i, e := range d.Act.Events {
				if !handled(&input{kind: "result", event: e, do: d}) {
					say(Fault{"unhandled-result", d.line, e.Name}, d.Act.Child == nil || d.Act.Child.Least[i] == 0)
				}
			}
			for _, cat := range s.m.declared(d) {
				if !handled(&input{kind: "failed", cat: cat, do: d}) {
					say(Fault{"unhandled-failure", d.line, cat}, true)
				}
			}
			for i, limit := range []int{d.Timeout, d.Heartbeat, d.Progress} {
				cat := []string{"timeout", "silent", "stalled"}[i]
				if limit > 0 && !handled(&input{kind: "failed", cat: cat, do: d}) {
					say(Fault{"unhandled-failure", d.line, cat}, s.limits[[2]int{d.line, i}])
				}
			}
		}
	}
}
