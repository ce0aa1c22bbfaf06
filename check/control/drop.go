package control

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Drop is a deferred event that nothing in a leaf takes, ignores or defers where
// it is looked at again.
type Drop struct {
	Leaf  *ir.State
	Event *ir.Event
}

// MayDrop looks whether some deferred event can reach a leaf that does nothing
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
			if in.Kind != ir.CaseEvent || flat.DeferralIn(in.Choices) == nil {
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
		deferred := f.t.Deferral(leaf, event) != nil
		for in := range f.t.Inputs(leaf) {
			if !deferred && !f.comesFirst(in) {
				continue
			}
			for c := range flat.Takeable(in.Choices) {
				if c.Arm == nil || c.Arm.Kind != ir.Goto {
					continue
				}
				for _, to := range Landings(c.Arm.Target) {
					if seen[to] || to.Kind == ir.Terminal {
						continue
					}
					if !f.t.Heeds(to, event) {
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
		least, _ := timing.WaitOf(in.Timer)
		return least == 0
	case ir.CaseEvent:
		return f.from[in.Event] != nil
	}
	return false
}
