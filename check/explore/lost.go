package explore

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Drop is a deferred event that nothing in a leaf takes, ignores or defers where
// it is looked at again.
type Drop struct {
	Leaf  *ir.State
	Event *ir.Event
}

// Drops are the deferred events that some path drops, in the order in which that
// is first reached, each with the configuration in which it happens.
func (p *Product) Drops() (drops []Drop, at []int32) {
	known := map[Drop]bool{}
	for c, e := range p.InOrder() {
		if p.Label(e).Kind != Dropped {
			continue
		}
		in, _ := p.Input(e)
		d := Drop{p.Leaf(c), in.Event}
		if !known[d] && !heeds(p.Table, d.Leaf, d.Event) {
			known[d] = true
			drops, at = append(drops, d), append(at, c)
		}
	}
	return drops, at
}

// Deferral is the `defer` by which event last came to be kept on path; nil where
// it is not.
func (p *Product) Deferral(path []int32, event *ir.Event) *ir.EventUse {
	var use *ir.EventUse
	for _, e := range path {
		l := p.Label(e)
		if c, _ := p.Input(e); l.Kind == Stayed && l.Arm == None && !l.Again && c.Event == event {
			if kept := deferral(p.Table, p.Leaf(p.source(e)), event); kept != nil {
				use = kept
			}
		}
	}
	return use
}

// MayDrop looks whether some deferred event can come to a leaf that does nothing
// with it, whatever the data and the counters are. It follows each event from
// the leaves that defer it: along all moves where it is deferred further, else
// along those that may come before it is looked at, or as another of its name is.
// It gives nil where no run drops an event, and is linear for each event.
func MayDrop(t *flat.Table) *Drop {
	f := &follower{t: t, from: map[*ir.Event][]*ir.State{}}
	var events []*ir.Event
	for _, leaf := range t.Machine.States {
		if leaf.Kind != ir.Leaf {
			continue
		}
		for in := range t.Inputs(leaf) {
			if in.Kind != ir.CaseEvent || keeps(in.Choices) == nil {
				continue
			}
			if f.from[in.Event] == nil {
				events = append(events, in.Event)
			}
			f.from[in.Event] = append(f.from[in.Event], leaf)
		}
	}
	for _, event := range events {
		if leaf := f.dropOf(event); leaf != nil {
			return &Drop{leaf, event}
		}
	}
	return nil
}

// follower follows deferred events; from says where each may be deferred.
type follower struct {
	t    *flat.Table
	from map[*ir.Event][]*ir.State
}

// dropOf is a leaf that may drop event.
func (f *follower) dropOf(event *ir.Event) *ir.State {
	seen := map[*ir.State]bool{}
	work := f.from[event]
	for _, leaf := range work {
		seen[leaf] = true
	}
	for len(work) > 0 {
		leaf := work[len(work)-1]
		work = work[:len(work)-1]
		kept := deferral(f.t, leaf, event) != nil
		for in := range f.t.Inputs(leaf) {
			if !kept && !f.comesFirst(in) {
				continue
			}
			for c := range flat.Takeable(in.Choices) {
				if c.Arm == nil || c.Arm.Kind != ir.Goto {
					continue
				}
				for _, to := range landings(c.Arm.Target) {
					if seen[to] || to.Kind == ir.Terminal {
						continue
					}
					if !heeds(f.t, to, event) {
						return to
					}
					seen[to] = true
					work = append(work, to)
				}
			}
		}
	}
	return nil
}

// comesFirst reports whether in may come while deferred events are still to be
// looked at.
func (f *follower) comesFirst(in flat.Input) bool {
	switch in.Kind {
	case ir.CaseDone:
		return true
	case ir.CaseTimer:
		least, _ := waitOf(in.Timer)
		return least == 0
	case ir.CaseEvent:
		return f.from[in.Event] != nil
	}
	return false
}

// choicesOf are what leaf may do with event; none where it says nothing of it.
func choicesOf(t *flat.Table, leaf *ir.State, event *ir.Event) []ir.Choice {
	for in := range t.Inputs(leaf) {
		if in.Kind == ir.CaseEvent && in.Event == event {
			return in.Choices
		}
	}
	return nil
}

// heeds reports whether leaf may do anything with event but reject it.
func heeds(t *flat.Table, leaf *ir.State, event *ir.Event) bool {
	for c := range flat.Takeable(choicesOf(t, leaf, event)) {
		if c.Arm == nil || c.Arm.Kind != ir.Reject {
			return true
		}
	}
	return false
}

// deferral is the `defer` to which leaf may come with event, or nil.
func deferral(t *flat.Table, leaf *ir.State, event *ir.Event) *ir.EventUse {
	return keeps(choicesOf(t, leaf, event))
}

func keeps(choices []ir.Choice) *ir.EventUse {
	for c := range flat.Takeable(choices) {
		if c.Defer {
			return c.Use
		}
	}
	return nil
}
