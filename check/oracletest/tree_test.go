package oracletest

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Machines that are called are walked on their own. What a run of one can cost depends on
// how it ends, so each ending is priced by the dearest run that ends so: an order of its own,
// from the ends backwards, and not that of the checker, which looks for one run that is dear
// however it ends.

// measure is what is added up along a run and those that it starts.
type measure struct {
	step    int64                       // of a move or a retry
	run     int64                       // of a run
	attempt func(a *ir.Activity) int64  // of an activity of the host
	machine func(m *ir.Machine) measure // the same of a machine that is called
}

// prices are the dearest runs of a machine by how they end: in a terminal, by its name, or
// "" for one that somebody cancels before it has ended. Endless where there is no dearest.
type prices map[string]int64

// any is the dearest run, however it ends.
func (p prices) any() int64 {
	most := int64(0)
	for _, n := range p {
		if n == Endless {
			return Endless
		}
		most = max(most, n)
	}
	return most
}

// TreeSteps is the most moves and retries of a run and all that it starts.
func (s *Space) TreeSteps() int64 {
	var of func(*ir.Machine) measure
	of = func(*ir.Machine) measure {
		return measure{step: 1, attempt: func(*ir.Activity) int64 { return 0 }, machine: of}
	}
	return s.prices(of(nil)).any()
}

// TreeRuns is the most runs, with the run itself.
func (s *Space) TreeRuns() int64 {
	var of func(*ir.Machine) measure
	of = func(*ir.Machine) measure {
		return measure{run: 1, attempt: func(*ir.Activity) int64 { return 0 }, machine: of}
	}
	return s.prices(of(nil)).any()
}

// TreeAttempts is the most attempts of an activity by the name of its machine and its own.
func (s *Space) TreeAttempts(name string) int64 {
	var of func(*ir.Machine) measure
	of = func(m *ir.Machine) measure {
		return measure{machine: of, attempt: func(a *ir.Activity) int64 {
			if m.Name+"."+a.Name == name {
				return 1
			}
			return 0
		}}
	}
	return s.prices(of(s.Machine)).any()
}

// TreeCost is the most that is paid, in hundredths.
func (s *Space) TreeCost(name string) int64 {
	var of func(*ir.Machine) measure
	of = func(*ir.Machine) measure {
		return measure{machine: of, attempt: func(a *ir.Activity) int64 { return Hundredths([]*ir.Activity{a}, name)[0] }}
	}
	return s.prices(of(nil)).any()
}

// Calls reports whether the machine calls others.
func (s *Space) Calls() bool { return len(s.callees) > 0 }

// CalleesFault reports whether something goes wrong in a machine that is called: a run of it may stand
// still for good, and of its callers the checker says that it has errors of its own.
func (s *Space) CalleesFault() bool {
	for _, callee := range s.callees {
		if len(callee.Events()) > 0 || callee.CalleesFault() {
			return true
		}
	}
	return false
}

// prices computes them, with each callee's own. A run that is called counts when it begins
// with its dearest ending, and when it ends with what that was too much.
func (s *Space) prices(of measure) prices {
	callees := map[int]prices{}
	for a, callee := range s.callees {
		callees[a] = callee.prices(of.machine(callee.Machine))
	}
	begins := func(a int) int64 {
		if p, called := callees[a]; called {
			return p.any()
		}
		return of.attempt(s.Machine.Activities[a])
	}
	less := func(a int, ending string) int64 { // what it was too much, at most 0
		p, called := callees[a]
		switch {
		case !called || p.any() == Endless:
			return 0
		case ending == "unknown":
			return -p.any()
		}
		return p[ending] - p.any()
	}
	sum := func(activities []int) int64 {
		total := int64(0)
		for _, a := range activities {
			if n := begins(a); n == Endless || total == endless {
				total = endless
			} else {
				total += n
			}
		}
		return total
	}
	w := weights{
		edge: func(from int, e *Edge) (n int64, gains bool) {
			n = sum(e.Started)
			if e.Counts() && n != endless {
				n += of.step
			}
			if gains = n != 0; n == endless {
				return n, gains
			}
			for _, t := range s.running(s.Nodes[from].Snapshot, e.begun) {
				switch {
				case s.callees[s.Def.Dos[t.Do].Activity] == nil:
				case says(e.Input, t):
					n += less(s.Def.Dos[t.Do].Activity, s.ending(e.Input))
				case !s.runsOn(e, t):
					n += less(s.Def.Dos[t.Do].Activity, "")
				}
			}
			return n, gains
		},
		end: func(node int) int64 {
			n := sum(s.Nodes[node].Waiting)
			at := s.Nodes[node].Snapshot
			for _, t := range s.running(at, Waiting(at, start)) {
				if n != endless {
					n += less(s.Def.Dos[t.Do].Activity, "")
				}
			}
			return n
		},
	}
	out := prices{}
	for _, state := range s.Machine.States {
		if state.Kind == ir.Terminal && s.Entered()[state.ID] {
			out[state.Name] = s.dearest(w, func(node int) bool { return s.Nodes[node].Snapshot.State == state.ID })
		}
	}
	out[""] = s.dearest(w, func(node int) bool { return !s.terminal(node) })
	for ending, n := range out {
		if n != Endless {
			out[ending] = n + of.run
		}
	}
	return out
}

// running are the tasks of which an attempt runs, begun among them.
func (s *Space) running(at *machine.Snapshot, begun []machine.Task) []machine.Task {
	var out []machine.Task
	for _, t := range at.Tasks {
		is := func(o machine.Task) bool { return o.Do == t.Do && o.Index == t.Index }
		if t.State == machine.TaskOpen && (!t.NotBefore.After(start) || slices.ContainsFunc(begun, is)) {
			out = append(out, t)
		}
	}
	return out
}

// says reports whether in is how an attempt of t ends.
func says(in machine.Input, t machine.Task) bool {
	return (in.Kind == machine.ResultInput || in.Kind == machine.FailureInput) && of(in, t)
}

// ending is how a run that is called ends with in.
func (s *Space) ending(in machine.Input) string {
	if in.Kind == machine.ResultInput && in.Event >= 0 {
		return s.Machine.Events[in.Event].Terminal.Name
	}
	if in.Kind == machine.FailureInput && s.Def.Categories[in.Category] == "unknown" {
		return "unknown"
	}
	return "" // it was cancelled, or has nothing to say
}

// runsOn reports whether t still runs behind e.
func (s *Space) runsOn(e *Edge, t machine.Task) bool {
	next := s.Nodes[e.To].Snapshot
	return !e.Moves() && !next.Status.Over() && slices.ContainsFunc(next.Tasks, func(o machine.Task) bool {
		return o.Do == t.Do && o.Index == t.Index && o.State == machine.TaskOpen
	})
}

// weights are what an edge counts for, and whether a lap over it makes a run dearer, and
// what counts where a run stands still.
type weights struct {
	edge func(from int, e *Edge) (n int64, gains bool)
	end  func(node int) int64
}

// Lengths on the way: never is that of no path, and endless of one that has no end. What is
// paid too much when a run begins makes others less than 0.
const (
	never   = -1 << 62
	endless = 1 << 62
)

// dearest is the length of the longest path to a node that is an end: 0 where there is none.
func (s *Space) dearest(w weights, end func(node int) bool) int64 {
	of, members := s.parts()
	best := make([]int64, len(members))
	for c := range members { // edges lead to lower numbers
		best[c] = never
		grows := false
		for _, i := range members[c] {
			if end(i) {
				best[c] = max(best[c], w.end(i))
			}
			for k := range s.Nodes[i].Edges {
				e := &s.Nodes[i].Edges[k]
				length, gains := w.edge(i, e)
				switch rest := best[of[e.To]]; {
				case of[e.To] == c:
					grows = grows || gains
				case rest == never:
				case length == endless || rest == endless:
					best[c] = endless
				default:
					best[c] = max(best[c], length+rest)
				}
			}
		}
		if grows && best[c] != never {
			best[c] = endless
		}
	}
	switch length := best[of[0]]; length {
	case never:
		return 0
	case endless:
		return Endless
	default:
		return length
	}
}
