package explore

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Fault is a step that cannot be computed.
type Fault struct {
	Config  int32
	Input   int32          // None at the start, and where an activity ends with nothing to say
	Assign  *ir.Assign     // that leaves the range of its field; nil where the requires lead round
	Circle  *ir.State      // the leaf from which they do
	Unset   *ir.Var        // the field that is read at ReadAt though it is unset
	Absent  *ir.EventField // the field of the event that is, though it is absent
	ReadAt  token.Span
	Starts  *ir.Do // an attempt of it, which reads Unset: that is no step, and the run stands on
	Again   bool   // the input is an event that was deferred
	Guessed bool
	Far     bool // it is of an element that stands further behind in its list than elements are open

	Turned *ir.State // a leaf whose require sends the run away on the way; nil where that is not asked
}

// ReadsUnset reports whether f is the read of what is unset or absent.
func (f *Fault) ReadsUnset() bool { return f.Unset != nil || f.Absent != nil }

// Round are the leaves whose requires lead round in a circle, the first one first at which a run comes from f.Circle; none
// where they are not the fault.
func (f *Fault) Round() []*ir.State { return round(f.Circle) }

// Round is that of a Fault.
func (b *Broken) Round() []*ir.State { return round(b.Circle) }

func round(from *ir.State) []*ir.State {
	if from == nil {
		return nil
	}
	way := slices.Collect(from.Redirects())
	back := way[len(way)-1].Require.Target.Leaf()
	return way[slices.Index(way, back):]
}

type faultKey struct {
	assign *ir.Assign
	unset  token.Span
	input  int32 // not of a field that is unset: one run that reads it is enough
}

func (f *Fault) key() faultKey {
	key := faultKey{assign: f.Assign, unset: f.ReadAt, input: f.Input}
	if f.ReadsUnset() {
		key.input = graph.None
	}
	return key
}

// WayTo is a path to the configuration of f: the walk that met it, or a shortest one.
func (p *Product) WayTo(f Fault) []int32 {
	if path, walked := p.walked[f.key()]; walked {
		return path
	}
	return p.PathTo(f.Config)
}

// Broken is an input in a leaf that some configuration there cannot compute, and
// why: one of Assign, Unset, Absent and Circle, as in Fault, or none.
type Broken struct {
	At     InputAt // of the start: no leaf, input None
	Arm    *ir.Arm // that would have been taken; nil where a guard could not be read
	Assign *ir.Assign
	Unset  *ir.Var
	Absent *ir.EventField
	Circle *ir.State // the leaf from which the requires lead round
}

// Faults are the steps that cannot be computed: for each assignment and input
// the first one met, for each read the first one, in the order of configurations.
func (p *Product) Faults() []Fault {
	return slices.SortedFunc(maps.Values(p.faults), func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Config, b.Config), cmp.Compare(a.Input, b.Input),
			cmp.Compare(offset(a), offset(b)), cmp.Compare(a.ReadAt.Start.Offset, b.ReadAt.Start.Offset))
	})
}

func offset(f Fault) int {
	if f.Assign == nil {
		return -1
	}
	return f.Assign.Span.Start.Offset
}

// Broken are all inputs that cannot be computed for the reason that same
// accepts, in no order.
func (p *Product) Broken(same func(Broken) bool) []Broken {
	var out []Broken
	for b := range p.broken {
		if same(b) {
			out = append(out, b)
		}
	}
	return out
}

// Behind lists the states that no run enters, though one might if the steps
// given could be computed: what their arms lead to, and on from there whatever
// the guards say, but for a `require` that is never true. There are none where it is not known what runs enter.
func (p *Product) Behind(steps []Broken, c *control.Graph) []*ir.State {
	if p.partial {
		return nil
	}
	var starts []int32
	for _, b := range steps {
		for _, to := range p.wouldLead(b) {
			starts = append(starts, int32(to.ID))
		}
	}
	if len(starts) == 0 {
		return nil
	}
	reached := graph.New(len(p.firstIn), func(edge func(from, to int32)) {
		for _, e := range c.Edges {
			edge(e.From, e.To)
		}
	}).Reach(starts...)
	var out []*ir.State
	behind := map[*ir.State]bool{}
	for id, ok := range reached {
		s := p.Table.Machine.States[id]
		if !ok || s.Require != nil && guard.Satisfy(guard.Read(s.Require.Cond, nil).Holds).Verdict == guard.Unsat {
			continue
		}
		for ; s != nil && p.firstIn[s.ID] == graph.None && !behind[s]; s = s.Parent {
			behind[s] = true
			out = append(out, s)
		}
	}
	return out
}

// wouldLead are the leaves to which a step might have led.
func (p *Product) wouldLead(b Broken) []*ir.State {
	m := p.Table.Machine
	switch {
	case b.Circle != nil:
		return slices.Collect(b.Circle.Redirects())
	case b.At.Leaf == nil:
		return control.Landings(m.Root)
	case b.Arm != nil && b.Arm.Kind == ir.Goto:
		return control.Landings(b.Arm.Target)
	case b.Arm != nil:
		return nil
	}
	var out []*ir.State
	for in := range p.Table.Inputs(b.At.Leaf) {
		for _, choice := range in.Choices {
			if in.ID == b.At.ID && choice.Arm != nil && choice.Arm.Kind == ir.Goto {
				out = append(out, control.Landings(choice.Arm.Target)...)
			}
		}
	}
	return out
}
