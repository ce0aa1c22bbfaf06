package contracttest

import (
	"maps"
	"slices"
	"strings"
)

// Locate is the line of the handler, the timer or the state to which a line of
// the text belongs.
func (m *Machine) Locate(line int) int {
	best := line
	look := func(from int, arms []*Arm) {
		last := from
		for _, a := range arms {
			last = max(last, a.line)
			for _, e := range a.Block {
				last = max(last, e.line)
			}
		}
		if line > from && line <= last {
			best = from
		}
	}
	for _, st := range m.states {
		for _, o := range st.Ons {
			look(o.line, o.Arms)
		}
		for _, a := range st.Afters {
			look(a.line, a.Arms)
		}
		if st.Require != nil && line == st.required {
			best = st.line
		}
	}
	return best
}

// Dead says whether no arm of the handler at a line is taken in any run.
func (s *Space) Dead(line int) bool {
	for _, st := range s.m.states {
		for _, o := range st.Ons {
			if o.line == line {
				return !slices.ContainsFunc(o.Arms, func(a *Arm) bool { return s.taken[a] })
			}
		}
	}
	return false
}

// Starts says whether some run starts.
func (s *Space) Starts() bool { return len(s.nodes) > 0 }

// land is the leaf in which an arm that leads to s ends, requires aside.
func (s *State) land() *State {
	for !s.leaf() {
		s = s.Initial
	}
	return s
}

// Path is the name of s with those of the states around it.
func (s *State) Path() string {
	if s.Parent == nil || s.Parent.Parent == nil {
		return s.Name
	}
	return s.Parent.Path() + "." + s.Name
}

// StateAt is the state that begins at a line; nil for none.
func (m *Machine) StateAt(line int) *State {
	for _, st := range m.states {
		if st.line == line && st != m.Root {
			return st
		}
	}
	return nil
}

// ArmAt is the arm at a line, with the chain that it stands in and the trigger kind of
// that; nil for none.
func (m *Machine) ArmAt(line int) (arm *Arm, chain []*Arm, trigger string) {
	for _, st := range m.states {
		for _, o := range st.Ons {
			for _, a := range o.Arms {
				if a.line == line {
					return a, o.Arms, o.Triggers[0].Kind
				}
			}
		}
		for _, t := range st.Afters {
			for _, a := range t.Arms {
				if a.line == line {
					return a, t.Arms, "after"
				}
			}
		}
	}
	return nil, nil, ""
}

// AfterAt are the arms of the timer at a line; nil for none.
func (m *Machine) AfterAt(line int) []*Arm {
	for _, st := range m.states {
		for _, t := range st.Afters {
			if t.line == line {
				return t.Arms
			}
		}
	}
	return nil
}

// DoAt is the leaf of the activity at a line; nil for none.
func (m *Machine) DoAt(line int) *State {
	for _, st := range m.states {
		if slices.ContainsFunc(st.Dos, func(d *Do) bool { return d.line == line }) {
			return st
		}
	}
	return nil
}

// Within says whether s stands in around, or is it.
func (s *State) Within(around *State) bool { return s.within(around) }

// Home is the state in which an arm stands.
func (a *Arm) Home() *State { return a.home }

// Reads are the names of the fields that the guards of arms read.
func Reads(arms []*Arm) (names []string) {
	var walk func(e *Expr)
	walk = func(e *Expr) {
		if e == nil {
			return
		}
		if e.Field != nil && (e.Op == "field" || e.Op == "isset" || e.Field.Absent) {
			names = append(names, e.Field.Name)
			for r := e.Field.In; r != nil; r = r.Around {
				names = append(names, r.Name)
			}
		}
		for _, a := range e.Args {
			walk(a)
		}
	}
	for _, a := range arms {
		walk(a.When)
	}
	return names
}

// Successes are the terminal states of outcome success.
func (m *Machine) Successes() (list []*State) {
	for _, st := range m.states {
		if st.Terminal == "success" {
			list = append(list, st)
		}
	}
	return list
}

// Entered says whether some run enters st.
func (s *Space) Entered(st *State) bool { return s.entered[st] }

// FieldLine is where a field is declared.
func (m *Machine) FieldLine(name string) int {
	for _, f := range m.Fields {
		if f.Name == name {
			return f.line
		}
	}
	for _, e := range m.Events {
		if strings.HasPrefix(name, e.Name+".") {
			return e.line
		}
	}
	return 0
}

// Broken are the arms whose steps some run cannot compute.
func (s *Space) Broken() []*Arm { return slices.Collect(maps.Keys(s.broken)) }

// Stopped are those arms, and all that an input might meet of which a guard cannot be computed.
func (s *Space) Stopped() []*Arm {
	return slices.AppendSeq(s.Broken(), maps.Keys(s.meets))
}

// Has says whether an effect that is performed with an arm, taken in leaf, stands at a
// line: its own, or one of an entry or exit block.
func (a *Arm) Has(line int, leaf *State) bool {
	own := func(b []*Effect) bool { return slices.ContainsFunc(b, func(e *Effect) bool { return e.line == line }) }
	if own(a.Block) || a.To == nil {
		return own(a.Block)
	}
	for _, from := range []*State{leaf, a.To.land()} {
		for st := from; st != nil; st = st.Parent {
			if own(st.Entry) || own(st.Exit) {
				return true
			}
		}
	}
	return false
}

// States are the states of m, without the machine itself.
func (m *Machine) States() []*State { return m.states[1:] }

// Line is where an arm begins.
func (a *Arm) Line() int { return a.line }

// Line is where st begins.
func (s *State) Line() int { return s.line }

// Circles says whether the requires lead round somewhere.
func (s *Space) Circles() bool {
	for f := range s.Found {
		if f.Rule == "spinning-loop" {
			return true
		}
	}
	return false
}

// turned are the states to which the requires of leaves lead that runs enter, and behind are
// those that a run might enter from there: the else of a require counts as open.
func (s *Space) turned() (turned, behind map[*State]bool) {
	turned, behind = map[*State]bool{}, map[*State]bool{}
	for st := range s.entered {
		for st.Require != nil && !turned[st.Else.land()] {
			st = st.Else.land()
			for around := st; around != nil; around = around.Parent {
				turned[around] = true
			}
			s.lander(behind)(st)
		}
	}
	return turned, behind
}

// Behind are the states that a run might enter if arms were taken, whatever the guards say
// from there on. Where no run starts, all are that the start leads to.
func (s *Space) Behind(arms []*Arm) map[*State]bool {
	behind := map[*State]bool{}
	landAll(arms, s.lander(behind))
	if s.fails {
		s.lander(behind)(s.m.Root)
	}
	return behind
}

// lander marks as behind where a move leads, and all that a run might enter from there.
func (s *Space) lander(behind map[*State]bool) func(to *State) {
	var land func(to *State)
	land = func(to *State) {
		to = to.land()
		if behind[to] {
			return
		}
		for st := to; st != nil; st = st.Parent {
			behind[st] = true
		}
		if to.Require != nil {
			land(to.Else)
		}
		for st := to; st != nil; st = st.Parent {
			for _, o := range st.Ons {
				landAll(o.Arms, land)
			}
			for _, a := range st.Afters {
				landAll(a.Arms, land)
			}
		}
	}
	return land
}

// SameInput are the arms that some input reaches that reaches a.
func (m *Machine) SameInput(a *Arm) (arms []*Arm) {
	triggers := func(of *Arm) (list []string) {
		for _, o := range of.home.Ons {
			if slices.Contains(o.Arms, of) {
				for _, t := range o.Triggers {
					list = append(list, t.Kind)
					if t.Event != nil {
						list[len(list)-1] += t.Event.Name
					}
				}
			}
		}
		return list
	}
	for _, st := range m.states {
		if !st.Within(a.home) && !a.home.Within(st) {
			continue
		}
		for _, o := range st.Ons {
			if slices.ContainsFunc(triggers(o.Arms[0]), func(t string) bool { return slices.Contains(triggers(a), t) }) {
				arms = append(arms, o.Arms...)
			}
		}
		for _, t := range st.Afters {
			if slices.Contains(t.Arms, a) {
				arms = append(arms, t.Arms...)
			}
		}
	}
	return arms
}

// Around are the arms of st and of what it lies in.
func (m *Machine) Around(st *State) (arms []*Arm) {
	for ; st != nil; st = st.Parent {
		for _, o := range st.Ons {
			arms = append(arms, o.Arms...)
		}
		for _, t := range st.Afters {
			arms = append(arms, t.Arms...)
		}
	}
	return arms
}

func landAll(arms []*Arm, land func(*State)) {
	for _, a := range arms {
		if a.Op == "go" {
			land(a.To)
		}
	}
}
