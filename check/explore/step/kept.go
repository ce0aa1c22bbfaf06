package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// `on E when event.n > 1 -> A` with `defer E` behind it keeps an E only with a small n: it is of
// no use to an arm elsewhere that asks for a large one. So of the fields that such arms ask for
// a configuration tells with which values an event stands deferred.

// Kept is an event as it may stand deferred.
type Kept struct {
	Event *ir.Event
	codes []int64 // of keptFields.fields
}

// keptFields is how an event stands deferred.
type keptFields struct {
	fields []*data.Node // whose values are told
	first  int          // the first of its places among Program.Kept
	count  int          // how many those are; 0 for an event that no state defers
}

// mostKept is in how many ways an event may stand deferred; of fields that would make it more
// nothing is told.
const mostKept = 8

// findKept finds how events may stand deferred.
func (p *Program) findKept() {
	p.kept = make([]keptFields, len(p.Machine.Events))
	for _, s := range p.Machine.States {
		for _, use := range s.Defer {
			p.kept[use.Event.Index].count = 1
		}
	}
	asked := map[*ir.Event][]*data.Node{}
	for _, s := range p.Machine.States {
		if s.Kind == ir.Leaf {
			for in := range p.table.Inputs(s) {
				asked[in.Event] = p.askedBeforeDefer(in, asked[in.Event])
			}
		}
	}
	for i := range p.kept {
		k := &p.kept[i]
		if k.count == 0 {
			continue
		}
		event := p.Machine.Events[i]
		ways := [][]int64{nil}
		for _, n := range asked[event] {
			codes := n.FewCodes(mostKept / len(ways))
			if codes == nil {
				continue
			}
			var more [][]int64
			for _, way := range ways {
				for _, code := range codes {
					more = append(more, append(slices.Clip(way), code))
				}
			}
			k.fields, ways = append(k.fields, n), more
		}
		k.first, k.count = len(p.Kept), len(ways)
		for _, codes := range ways {
			p.Kept = append(p.Kept, Kept{event, codes})
		}
	}
}

// askedBeforeDefer adds to list the fields of its event for which the arms of in ask, if it is
// deferred where none of them holds.
func (p *Program) askedBeforeDefer(in flat.Input, list []*data.Node) []*data.Node {
	if in.Kind != ir.CaseEvent || len(in.Choices) < 2 || !in.Choices[len(in.Choices)-1].Defer {
		return list
	}
	for _, c := range in.Choices {
		if c.Arm == nil {
			continue
		}
		ir.Walk(c.Arm.When, func(e ir.Expr) bool {
			for _, n := range p.Tracked.Refs(e, c.Arm) {
				if n.Event == in.Event && n.Sent == nil && !slices.Contains(list, n) {
					list = append(list, n)
				}
			}
			return true
		})
	}
	return list
}

// Places is between which of Kept event stands, the second excluded.
func (p *Program) Places(event *ir.Event) (from, to int) {
	k := &p.kept[event.Index]
	return k.first, k.first + k.count
}

// HasEvent reports whether event is marked in one of its places.
func (p *Program) HasEvent(m Marks, words []uint64, event *ir.Event) bool {
	from, to := p.Places(event)
	for at := from; at < to; at++ {
		if m.Has(words, at) {
			return true
		}
	}
	return false
}

// Keep is the place of the event at hand, as it comes.
func (s *Step) Keep() int {
	k := &s.Program.kept[s.In.Event.Index]
	codes := make([]int64, len(k.fields))
	for i, n := range k.fields {
		codes[i] = s.payload(n)
	}
	return k.first + slices.IndexFunc(s.Program.Kept[k.first:k.first+k.count], func(as Kept) bool { return slices.Equal(as.codes, codes) })
}

// Bring has the event in place at come as it was deferred.
func (s *Step) Bring(at int) {
	as := s.Program.Kept[at]
	for i, n := range s.Program.kept[as.Event.Index].fields {
		s.have[n.Index], s.payloads[n.Index] = true, as.codes[i]
		s.had = append(s.had, n.Index)
	}
}

// keeps reports whether it is told with which values the event at hand was deferred.
func (s *Step) keeps() bool { return s.Again && len(s.Program.kept[s.In.Event.Index].fields) > 0 }
