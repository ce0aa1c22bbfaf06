package breaking

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var stateRemoved = &Rule{
	Name: "state-removed", Family: Runs, run: runStateRemoved,
	Summary: "unfinished runs may stand in a state that is gone or has another name",
}

func runStateRemoved(p *pair) {
	for _, was := range waiting(p.old) {
		is := stateOf(p.new, p.path(was.Path))
		if is != nil && is.Kind == ir.Leaf && is.Path == was.Path {
			continue
		}
		pt := Point{Old: was.Span, Bites: Bites{State: was.Path}, Message: "state " + check.Quote(was.Path) + " is gone, and runs may stand in it",
			Help: "Say in the mapping of fsmc migrate in which state such a run goes on; --write-map begins one."}
		switch {
		case is != nil && is.Kind == ir.Leaf:
			pt.New, pt.Message = is.Span, "state "+check.Quote(was.Path)+" is called "+check.Quote(is.Path)+" now, and runs may stand in it"
		case is != nil:
			pt.New, pt.Message = is.Span, "no run can stand in "+check.Quote(is.Path)+" any more, and runs may stand there"
		}
		p.report(pt)
	}
}

// waiting are the leaves of m in which a run can stand: those that some arm leads to, but
// for those that are left at once.
func waiting(m *ir.Machine) []*ir.State {
	entered := map[*ir.State]bool{m.Root.Leaf(): true}
	for _, s := range m.States {
		for to := range s.Redirects() {
			entered[to.Leaf()] = true
		}
	}
	for _, a := range m.Arms {
		if a.Target != nil {
			entered[a.Target.Leaf()] = true
		}
	}
	var out []*ir.State
	for _, s := range m.States {
		if s.Kind == ir.Leaf && entered[s] && !s.IsChoice() {
			out = append(out, s)
		}
	}
	return out
}

// stays calls f for each leaf of the old machine in which runs may stand, with the one in
// which they go on.
func (p *pair) stays(f func(was, is *ir.State)) {
	for _, was := range waiting(p.old) {
		if is := stateOf(p.new, p.path(was.Path)); is != nil && is.Kind == ir.Leaf {
			f(was, is)
		}
	}
}
