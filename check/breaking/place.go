package breaking

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// pair is a machine that both programs have, and what is found of it.
type pair struct {
	old, new *ir.Machine
	called   bool              // another old machine calls it
	limit    int               // as of Options
	states   map[string]string // the new paths of states that have other names, as far as that is certain

	rule   *Rule
	points []Point
}

// report adds a point of the rule that runs. A place that is not known is the name of
// the machine there.
func (p *pair) report(pt Point) {
	pt.Rule, pt.Machine, pt.By = p.rule, p.new.Name, p.new
	if !pt.New.IsValid() {
		pt.New = p.new.Span
	}
	if !pt.Old.IsValid() {
		pt.Old = p.old.Span
	}
	p.points = append(p.points, pt)
}

// reportSlots reports those changes of slots that matter. Places are those of the slots,
// or else of what has them.
func (p *pair) reportSlots(whose, what, help string, old, new token.Span, list []slotChange) {
	for _, c := range list {
		pt := Point{Message: whose + ": " + c.text(what), Help: help, Old: old, New: new}
		if c.old != nil {
			pt.Old = c.old.Span
		}
		if c.new != nil {
			pt.New = c.new.Span
		}
		p.report(pt)
	}
}

// taken are the events that something in m takes from outside, by name.
func taken(m *ir.Machine) map[string]*ir.Event {
	out := map[string]*ir.Event{}
	add := func(e *ir.Event) {
		if e != nil && e.External() {
			out[e.Name] = e
		}
	}
	for _, s := range m.States {
		for _, h := range s.Handlers {
			for _, t := range h.Triggers {
				add(t.Event)
			}
		}
		for _, u := range slices.Concat(s.Ignore, s.Defer) {
			add(u.Event)
		}
	}
	return out
}

// published are the events that some block of m publishes, by name.
func published(m *ir.Machine) map[string]*ir.Publish {
	out := map[string]*ir.Publish{}
	for b := range m.Blocks() {
		for _, p := range b.Publishes {
			if p.Event != nil && out[p.Event.Name] == nil {
				out[p.Event.Name] = p
			}
		}
	}
	return out
}

func eventOf(m *ir.Machine, name string) *ir.Event {
	return named(m.Events, name, func(e *ir.Event) string { return e.Name })
}

func stateOf(m *ir.Machine, path string) *ir.State {
	return named(m.States, path, func(s *ir.State) string { return s.Path })
}

// named is the one of list that is called so, or the zero value.
func named[T any](list []T, name string, of func(T) string) T {
	var none T
	if i := slices.IndexFunc(list, func(x T) bool { return of(x) == name }); i >= 0 {
		return list[i]
	}
	return none
}
