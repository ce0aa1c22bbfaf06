package ir

import "strconv"

// Names of arms, dos and timers stand in snapshots and history, and decide
// jitter, so they are readable, unique in the machine, and change only with
// what they name.

// ArmNames names each arm "State on Trigger", with "else N" for those behind
// the first of a handler. Taken receives the names, so that more can be made.
func ArmNames(m *Machine, taken *StableNames) []string {
	out := make([]string, len(m.Arms))
	for i, a := range m.Arms {
		text := a.Input()
		if a.Index > 0 {
			text += " else " + strconv.Itoa(a.Index)
		}
		out[i] = taken.Unique(a.State.Within(text))
	}
	return out
}

// UseNames names each `ignore` and `defer` "State ignore Event". Taken has the names of
// the arms, as ArmNames leaves it.
func UseNames(m *Machine, taken *StableNames) map[*EventUse]string {
	out := map[*EventUse]string{}
	for _, s := range m.States {
		for _, u := range s.Ignore {
			out[u] = taken.Unique(s.Within("ignore " + u.Event.Name))
		}
		for _, u := range s.Defer {
			out[u] = taken.Unique(s.Within("defer " + u.Event.Name))
		}
	}
	return out
}

// DoNames names each do "State.label", or "State.activity" without a label.
func DoNames(m *Machine) []string {
	var taken StableNames
	out := make([]string, len(m.Dos))
	for i, d := range m.Dos {
		out[i] = taken.Unique(d.State.Path + "." + d.Name())
	}
	return out
}

// TimerNames names each timer "State after 24h", and that of the budget "over_budget(time)".
func TimerNames(m *Machine) []string {
	var taken StableNames
	out := make([]string, len(m.Timers))
	for i, t := range m.Timers {
		out[i] = taken.Unique(t.State.Within(t.Text()))
	}
	return out
}

// Within puts the state's path before what stands in it; the machine has no
// name here.
func (s *State) Within(what string) string {
	if s.Path == "" {
		return what
	}
	return s.Path + " " + what
}

// StableNames hands out names, numbering the second and later ones of a kind.
type StableNames struct{ seen map[string]int }

// Unique is name, or name with a number.
func (n *StableNames) Unique(name string) string {
	if n.seen == nil {
		n.seen = map[string]int{}
	}
	n.seen[name]++
	if k := n.seen[name]; k > 1 {
		return n.Unique(name + "#" + strconv.Itoa(k))
	}
	return name
}
