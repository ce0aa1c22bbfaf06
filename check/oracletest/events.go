package oracletest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Event is something that went wrong in a step of some run.
type Event struct {
	What  What
	State int // the leaf before the step, -1 at the start
	Arm   int // of Spent: the last arm whose bound could have been used up
	Kind  machine.InputKind
	Name  string // of the field, the deferred event, or what the place of the fault is called
	Place string // of OutOfRange: the block
	Over  string // of a run that stands still: the cost whose over_budget has come
}

// What says what went wrong.
type What string

// What can go wrong in a step.
const (
	Unhandled  What = "unhandled"    // an input from inside for which there is no handler
	Gap        What = "gap"          // the guards of all arms are false
	Spent      What = "spent"        // some arm would have taken it, but for its bound
	OutOfRange What = "out of range" // an effect leaves the range of its field
	Unset      What = "unset"        // a field is read that is not set
	Circle     What = "circle"       // requires lead round
	Overflow   What = "overflow"     // 64 bits do not suffice
	Dropped    What = "dropped"      // a deferred event that nothing takes
	Violated   What = "violated"     // a require is false where it is read
)

var faults = map[machine.CauseCode]What{
	machine.FieldUnset: Unset, machine.ParamUnset: Unset, machine.InputField: Unset, machine.Overflow: Overflow,
	machine.OutOfRange: OutOfRange, machine.BadValue: OutOfRange, machine.RequireCircle: Circle,
}

func (s *Space) note(e Event) {
	if !s.seen[e] {
		s.seen[e] = true
		s.events = append(s.events, e)
	}
}

// Events are all things that went wrong, each once.
func (s *Space) Events() []Event { return s.events }

// InVain reports whether e went wrong in entering a state that no run enters,
// perhaps for that very reason. Of such a state nothing need be said.
func (s *Space) InVain(e Event) bool {
	for id, entered := range s.Entered() {
		path := s.Def.States[id].Path
		if !entered && (e.Place == "the require of "+path || e.Place == fmt.Sprintf("the entry of %q", path) || e.What == Circle && e.Name == path) {
			return true
		}
	}
	return false
}

// fault notes why a step could not be computed.
func (s *Space) fault(e Event, cause *machine.Cause) {
	if cause == nil || faults[cause.Code] == "" {
		panic("oracletest: the runtime gives a cause that is not known here: " + cause.String())
	}
	e.What, e.Place, e.Name = faults[cause.Code], cause.Place.String(), cause.Args[0]
	s.note(e)
}

// refused notes why an input from outside changed nothing.
func (s *Space) refused(i int, in machine.Input, err error) {
	var rejected *machine.Rejected
	if !errors.As(err, &rejected) {
		panic("oracletest: the runtime does not take what was due: " + err.Error())
	}
	e := Event{State: s.Nodes[i].Snapshot.State, Arm: -1, Kind: in.Kind}
	spent := slices.ContainsFunc(rejected.Passed, func(p machine.PassedView) bool { return p.Code == machine.BoundUsed })
	if rejected.Cause == nil {
		panic("oracletest: the runtime does not take what is sound: " + err.Error())
	}
	switch code := rejected.Cause.Code; {
	case code == machine.RefusedByMachine, code == machine.NotTaken && len(rejected.Passed) == 0:
	case code != machine.NotTaken:
		s.fault(e, rejected.Cause)
	case spent:
		e.What, e.Name = Spent, s.Def.Events[in.Event].Name
		e.Arm = s.lastSpent(s.Nodes[i].Snapshot, in)
		s.note(e)
	default:
		e.What, e.Name = Gap, s.Def.Events[in.Event].Name
		e.Arm = s.arms(e.State, in)[0]
		s.note(e)
	}
}

// halted notes why a run stands still.
func (s *Space) halted(i int, in machine.Input, cause *machine.Cause, record *machine.Record) {
	e := Event{State: s.Nodes[i].Snapshot.State, Arm: -1, Kind: in.Kind, Over: in.Over}
	if cause.Code != machine.NothingTakes {
		s.fault(e, cause)
		return
	}
	e.What, e.Name = Unhandled, s.m.Describe(in)
	for _, p := range record.Passed {
		if e.What == Unhandled {
			e.What, e.Arm = Gap, p.Arm
		}
		if p.Why.Code() == machine.BoundUsed {
			e.What, e.Arm = Spent, p.Arm
		}
	}
	s.note(e)
}

// lastSpent is the last arm whose bound is used up that stands for an event.
func (s *Space) lastSpent(at *machine.Snapshot, in machine.Input) int {
	last := -1
	for _, a := range s.arms(at.State, in) {
		if most := s.Def.Arms[a].Max; most != nil && at.Counters[a] >= *most {
			last = a
		}
	}
	return last
}

// arms are the arms that stand for an event from outside in a leaf.
func (s *Space) arms(leaf int, in machine.Input) []int {
	for _, h := range s.Def.States[leaf].Handlers {
		if h.Kind == machine.EventInput && h.Event == in.Event {
			return h.Arms
		}
	}
	return nil
}

// readArguments notes what an attempt that starts reads too early.
func (s *Space) readArguments(next *machine.Snapshot, t *machine.Task) {
	ask := func(int, []machine.Value) (bool, error) { return true, nil }
	if _, err := s.m.TaskArgs(next, t, start, ask); err != nil {
		if s.Def.Calls(&s.Def.Dos[t.Do]) && machine.CauseOf(err) == nil {
			return // what a machine is given does not fit, so that it fails as unknown
		}
		s.fault(Event{State: next.State, Arm: -1}, machine.CauseOf(err))
	}
}

// redirected notes the leaves that a false `require` turned a run away from.
func (s *Space) redirected(record *machine.Record) {
	if record == nil {
		return
	}
	for _, leaf := range record.Redirects {
		s.note(Event{What: Violated, State: leaf, Arm: -1})
	}
}

// readRequire notes that a run is in a leaf with its `require` false: a repair
// reads it.
func (s *Space) readRequire(at *machine.Snapshot) {
	if at.State < 0 || at.Status != machine.Running || s.Def.States[at.State].Require == nil {
		return
	}
	yes := func(int, []machine.Value) (bool, error) { return true, nil }
	_, _, record, err := s.m.Step(at, machine.Input{Kind: machine.RepairInput}, start, yes)
	if err == nil {
		s.redirected(record)
	} else if cause := machine.CauseOf(err); strings.Contains(err.Error(), "lead round in a circle") || // by its else target back to it
		cause != nil && cause.Place.String() != "the require of "+s.Def.States[at.State].Path { // or where that leads cannot be computed
		s.note(Event{What: Violated, State: at.State, Arm: -1})
	}
}
