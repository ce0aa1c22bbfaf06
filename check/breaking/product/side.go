package product

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/codegen/table"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// epoch is when every run starts.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// side is one of the two machines, as the runtime has it.
type side struct {
	m *ir.Machine
	x *machine.Machine
	d *machine.Definition
}

func newSide(m *ir.Machine) (*side, error) {
	d := table.Compile(m)
	x, err := machine.Compile(d)
	return &side{m: m, x: x, d: d}, err
}

// outcome is what an input does to a run.
type outcome struct {
	next      *machine.Snapshot // nil where the input is refused
	published []string          // the messages, in order
	arm       int               // the first that is taken; -1 for none
}

// verdicts are the answers of host guards in one step, by guard and arguments. Both sides
// are given the same.
type verdicts struct {
	of    map[string]bool
	order []string
}

func (s *side) asks(v *verdicts) machine.Ask {
	return func(guard int, args []machine.Value) (bool, error) {
		text, err := s.x.GuardArgs(guard, args)
		question := s.d.Guards[guard].Name + string(text)
		if _, known := v.of[question]; !known {
			v.of[question] = false
			v.order = append(v.order, question)
		}
		return v.of[question], err
	}
}

// take gives in to a run that stands at from, and all that follows at once. The kind of a
// wait is empty: nothing comes, but the time does.
func (s *side) take(from *machine.Snapshot, in machine.Input, at time.Time, v *verdicts, known map[string][]string) outcome {
	var records []*machine.Record
	var commands []machine.Command
	var next *machine.Snapshot
	var err error
	if in.Kind == "" {
		next, commands, records, err = s.x.Settle(from, at, s.asks(v))
	} else {
		next, commands, records, err = s.x.Advance(from, in, at, s.asks(v))
	}
	out := outcome{arm: -1}
	for _, r := range records {
		if r.Arm >= 0 && r.Input.Kind != machine.StartInput && out.arm < 0 {
			out.arm = r.Arm
		}
	}
	if err != nil {
		return out
	}
	out.next = next
	for i := range commands {
		if c := &commands[i]; c.Kind == machine.SendOut && known[s.d.Events[c.Event].Name] != nil {
			out.published = append(out.published, s.message(c, known))
		}
	}
	return out
}

// message is a published event with those of its fields that both machines know.
func (s *side) message(c *machine.Command, known map[string][]string) string {
	e := &s.d.Events[c.Event]
	text, err := s.x.EncodePayload(c.Event, c.Data)
	if err != nil {
		return e.Name
	}
	return e.Name + fields(text, known[e.Name])
}

// place is where the arm that was taken stands, or else the state.
func (s *side) place(o *outcome, from *machine.Snapshot) Place {
	if o.arm >= 0 && o.arm < len(s.m.Arms) {
		return Place{Span: s.m.Arms[o.arm].Span, State: s.m.Arms[o.arm].State}
	}
	if from.State < 0 {
		return Place{Span: s.m.Span, State: s.m.Root}
	}
	return Place{Span: s.m.States[from.State].Span, State: s.m.States[from.State]}
}

// leaf is the path of the state in which a run stands.
func (s *side) leaf(of *machine.Snapshot) string {
	if of.State < 0 {
		return ""
	}
	return s.d.States[of.State].Path
}

// open are the attempts that can end, of the elements of a list the first and the last.
func (s *side) open(of *machine.Snapshot) []machine.Task {
	var out []machine.Task
	for i, t := range of.Tasks {
		if t.State != machine.TaskOpen {
			continue
		}
		between := func(list []machine.Task) bool {
			return slices.ContainsFunc(list, func(u machine.Task) bool { return u.Do == t.Do && u.State == machine.TaskOpen })
		}
		if between(of.Tasks[:i]) && between(of.Tasks[i+1:]) {
			continue
		}
		out = append(out, t)
	}
	return out
}

// same is the attempt of of that is of the same activity, label and element as t of another
// side.
func (s *side) same(of *machine.Snapshot, t *machine.Task, other *side) (machine.Task, bool) {
	name := other.doName(t.Do)
	for _, u := range of.Tasks {
		if u.State == machine.TaskOpen && u.Index == t.Index && s.doName(u.Do) == name {
			return u, true
		}
	}
	return machine.Task{}, false
}

// doName is what a do is called inside its state.
func (s *side) doName(do int) string {
	d := s.m.Dos[do]
	if d.Label != "" {
		return d.Label + " " + d.Activity.Name
	}
	n := 0
	for _, e := range d.State.Dos {
		if e == d {
			break
		}
		if e.Activity == d.Activity {
			n++
		}
	}
	return fmt.Sprint(d.Activity.Name, " ", n)
}

// limitOf is how long an attempt of a do has to run to fail with a category, and whether it
// can.
func (s *side) limitOf(do int, category string) (time.Duration, bool) {
	d := s.m.Dos[do]
	for _, c := range s.m.FailuresOf(d) {
		if c.Name != category {
			continue
		}
		if limit := d.Limit(category); limit != nil {
			return time.Duration(*limit), true
		}
		return 0, true
	}
	return 0, false
}

// answerText is what a question to a guard is called in a witness: `open("a")`.
func answerText(question string) string {
	name, args, found := strings.Cut(question, "{")
	if !found || args == "}" {
		return name + "()"
	}
	return name + "({" + args + ")"
}
