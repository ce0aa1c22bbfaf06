// Package oracletest decides by brute force what package check decides by
// proof, so that tests can hold the two against each other. It shares no code
// with check/explore and check/guard: its transition function is the runtime's
// own step, its states are whole snapshots, and every payload, every answer of a
// host guard and every order of timers is tried. It is slow and obvious, and
// meant for machines of a few states over tiny ranges.
//
// Tests alone import it. What other folders need of it is the machines and the space; the
// verdicts on a space, and machines for its own tests alone, are in files of tests.
package oracletest

import (
	"reflect"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// maxDeferred is the most deferred events that a run may have: the queue has
// no end, and what a longer one does a shorter one does too.
const maxDeferred = 2

// start is what o'clock it is in every node: how long from then on something is due
// counts alone.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Space is everything that a machine can reach. Node 0 is the run before its
// start.
type Space struct {
	Machine *ir.Machine
	Def     *machine.Definition
	Nodes   []*Node
	Cut     bool // some run would have deferred more than maxDeferred events

	callees map[int]*Space // by activity: of the machine that it calls

	m      *machine.Machine
	tick   time.Duration
	number map[string]int
	seen   map[Event]bool
	edges  []Edge            // of the node at hand
	alike  map[outline][]int // those of them
	fired  map[int]bool      // by timer: it fires somewhere
	events []Event
	values valuesOf

	reached []time.Duration // see times
}

// Node is a snapshot with all that cannot matter made equal.
type Node struct {
	Snapshot *machine.Snapshot
	Edges    []Edge
	Waiting  []int // the activities of which an attempt starts if nothing else comes
}

// Edge is one step.
type Edge struct {
	To      int
	Input   machine.Input
	Effect  machine.Effect // empty for a deferred event that is deferred again
	Arm     int            // -1 where none is taken
	Started []int          // the activities of which an attempt starts
	AtOnce  bool           // no time passes before it
	After   time.Duration  // how long after the step before it it comes at the earliest

	begun []machine.Task // whose attempts start between the node and it
}

// outline is what two edges have in common that are one at two times, but for lists.
type outline struct {
	to, arm                           int
	effect                            machine.Effect
	atOnce                            bool
	kind                              machine.InputKind
	event, do, index, category, timer int
	over                              string
}

func (e *Edge) outline() outline {
	in := &e.Input
	return outline{e.To, e.Arm, e.Effect, e.AtOnce, in.Kind, in.Event, in.Do, in.Index, in.Category, in.Timer, in.Over}
}

// add adds e to the node at hand, unless it is an edge of it at another time.
func (s *Space) add(e Edge) {
	k := e.outline()
	for _, other := range s.alike[k] {
		if f := &s.edges[other]; slices.Equal(e.Started, f.Started) && reflect.DeepEqual(e.Input.Data, f.Input.Data) {
			return
		}
	}
	s.alike[k] = append(s.alike[k], len(s.edges))
	s.edges = append(s.edges, e)
}

// Counts reports whether the edge is a step of the worst case: a move or a
// retry, the start aside.
func (e *Edge) Counts() bool {
	return e.Moves() && e.Input.Kind != machine.StartInput || e.Effect == machine.Retried
}

// Moves reports whether the edge enters a leaf.
func (e *Edge) Moves() bool { return e.Effect == machine.Moved }

// Explore walks m breadth first. It is nil where there would be more nodes than
// limit, or more steps from them than 20 times as many, and where the runtime
// does not take the machine.
func Explore(m *ir.Machine, limit int) *Space { return ExploreBy(m, limit, Tick) }

// ExploreBy is Explore with ticks as long as given.
func ExploreBy(m *ir.Machine, limit int, tick time.Duration) *Space {
	s := spaceOf(m, tick, func(callee *ir.Machine) *Space {
		if c := ExploreBy(callee, limit, tick); c != nil && !c.Cut {
			return c
		}
		return nil
	})
	if s == nil {
		return nil
	}
	s.node(s.m.NewSnapshot("r", 1), start)
	steps := 0
	for i := 0; i < len(s.Nodes); i++ {
		clear(s.alike)
		s.edges = s.edges[:0]
		for _, a := range s.arrivals(s.Nodes[i].Snapshot) {
			s.take(i, a)
		}
		s.Nodes[i].Edges = slices.Clone(s.edges)
		if steps += len(s.edges); len(s.Nodes) > limit || steps > 20*limit {
			return nil
		}
	}
	return s
}

// Unexplored is the space of m of which nothing is known yet: its runs can be walked. It is nil
// where the runtime does not take the machine.
func Unexplored(m *ir.Machine) *Space { return spaceOf(m, Tick, Unexplored) }

// spaceOf is an empty space, with those of the machines that m calls; nil where there is none of
// one of them.
func spaceOf(m *ir.Machine, tick time.Duration, of func(callee *ir.Machine) *Space) *Space {
	d := table.Compile(m)
	compiled, err := machine.Compile(d)
	if err != nil {
		return nil
	}
	callees := map[int]*Space{}
	for i, a := range m.Activities {
		if a.Machine == nil {
			continue
		}
		if callees[i] = of(a.Machine); callees[i] == nil {
			return nil
		}
	}
	return &Space{Machine: m, tick: tick, Def: d, callees: callees, m: compiled, number: map[string]int{}, seen: map[Event]bool{}, alike: map[outline][]int{}, fired: map[int]bool{}, values: newValuesOf(d)}
}

// node is the number of a snapshot, which is made canonical.
func (s *Space) node(snapshot *machine.Snapshot, now time.Time) int {
	snapshot = s.canonical(snapshot, now)
	key := s.m.EncodeSnapshot(snapshot)
	i, known := s.number[string(key)]
	if !known {
		i = len(s.Nodes)
		s.number[string(key)] = i
		n := &Node{Snapshot: snapshot}
		if _, due := s.m.Next(snapshot, start); !due {
			n.Waiting = s.activities(Waiting(snapshot, start))
		}
		s.Nodes = append(s.Nodes, n)
	}
	return i
}

// activities are those that tasks run.
func (s *Space) activities(tasks []machine.Task) []int {
	var out []int
	for _, t := range tasks {
		out = append(out, s.Def.Dos[t.Do].Activity)
	}
	return out
}

// canonical is of without what no arm can read: numbers of steps and visits, keys
// and attempts, and what o'clock it is.
func (s *Space) canonical(of *machine.Snapshot, now time.Time) *machine.Snapshot {
	c := *of
	s.settle(&c, now)
	c.Seq, c.Visit = 0, 0
	if c.State >= 0 {
		c.Seq, c.Visit = 1, 1
		c.Started, c.Entered, c.Now = start, start, start
	}
	c.Executions, c.Halt, c.Spent = nil, nil, nil                    // what was spent before is free
	if c.Left, c.Forced = false, false; c.Status == machine.Ending { // nothing comes until its children have ended
		c.Status = machine.Finished
	}
	c.Lists = slices.Clone(c.Lists)
	for i := range c.Lists {
		c.Lists[i].Seq = 1
	}
	return &c
}

// take adds the edges of one input in node i: one for each way in which host
// guards can answer.
func (s *Space) take(i int, a arrival) {
	from, in, now := s.Nodes[i].Snapshot, *a.Input, start.Add(a.after)
	if a.run != "" {
		named := *from
		named.Run, from = a.run, &named
	}
	if in.Kind == machine.TimerInput {
		s.fired[in.Timer] = true
	}
	if in.Kind == machine.ProgressInput {
		in.Since = now
	}
	for answers := []bool{}; answers != nil; {
		asked := 0
		ask := func(int, []machine.Value) (bool, error) {
			if asked++; asked > len(answers) {
				answers = append(answers, false)
			}
			return answers[asked-1], nil
		}
		next, commands, record, err := s.m.Step(from, in, now, ask)
		if err != nil && in.Kind == machine.ProgressInput {
			// no timer starts later for it
		} else if err != nil {
			s.refused(i, in, err)
		} else {
			for _, one := range s.jittered(from, next, now) {
				s.record(i, in, one, commands, record, now)
			}
		}
		answers = following(answers[:asked])
	}
}

// following is the next row of answers in binary counting; nil after the last.
func following(answers []bool) []bool {
	for k := len(answers) - 1; k >= 0; k-- {
		if !answers[k] {
			return append(answers[:k:k], true)
		}
	}
	return nil
}

func (s *Space) record(i int, in machine.Input, next *machine.Snapshot, commands []machine.Command, record *machine.Record, now time.Time) {
	switch {
	case next.Status == machine.Halted:
		s.halted(i, in, next.Halt.Cause, record)
		return
	case len(next.Kept) > maxDeferred:
		s.Cut = true
		return
	}
	s.redirected(record)
	if in.Kind == machine.SpentInput && s.haltsAtOnce(i, next, now) {
		return
	}
	for s.haltsNext(next) {
		if in.Kind != machine.OverBudgetInput {
			return
		}
		spared := *next // as if the cost had not passed its budget together with that of in
		if spared.OverDue = slices.Clone(next.OverDue[1:]); len(spared.OverDue) == 0 {
			spared.OverDue = nil
		}
		next = &spared
	}
	e := Edge{Input: in, Arm: -1, AtOnce: now.Equal(start), After: now.Sub(start)}
	if record != nil {
		e.Effect, e.Arm = record.Effect, record.Arm
		if record.Effect == machine.Dropped {
			s.note(Event{What: Dropped, State: next.State, Name: s.Def.Events[in.Event].Name})
		}
	}
	for _, c := range commands {
		if c.Kind == machine.StartTask {
			if !c.Task.NotBefore.After(now) {
				e.Started = append(e.Started, s.Def.Dos[c.Task.Do].Activity)
			}
			s.readArguments(next, &c.Task)
		}
	}
	e.begun = Begun(s.Nodes[i].Snapshot, next, in, start, now)
	e.Started = append(e.Started, s.activities(e.begun)...)
	s.readRequire(next)
	e.To = s.node(next, now)
	s.add(e)
}

// Entered marks the states that some run enters, by ID: leaves, terminals, and
// what stands around them.
func (s *Space) Entered() []bool {
	in := make([]bool, len(s.Def.States))
	for _, n := range s.Nodes {
		for at := n.Snapshot.State; at >= 0; at = s.Def.States[at].Parent {
			in[at] = true
		}
	}
	return in
}

// Taken marks the arms that some run takes, by index.
func (s *Space) Taken() []bool {
	out := make([]bool, len(s.Def.Arms))
	for _, n := range s.Nodes {
		for i := range n.Edges {
			if a := n.Edges[i].Arm; a >= 0 {
				out[a] = true
			}
		}
	}
	return out
}
