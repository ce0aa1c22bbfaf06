package neverfires

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// cutOff is a state that no run enters because t never fires: nothing but timers
// that never fire leads there. Then this finding speaks for unreachable-state,
// with its weight.
func cutOff(p *check.Pass, t *ir.Timer, silent map[*ir.Timer]*ir.Timer) *ir.State {
	for _, a := range t.Arms {
		if a.Kind != ir.Goto || !p.NeverEntered(a.Target) {
			continue
		}
		s := a.Target
		for s.Parent != nil && p.NeverEntered(s.Parent) {
			s = s.Parent
		}
		if onlyThrough(p, s, silent) {
			return s
		}
	}
	return nil
}

// onlyThrough reports whether every arm that leads into s from outside, from a
// state that runs enter, is one of a timer that never fires.
func onlyThrough(p *check.Pass, s *ir.State, silent map[*ir.Timer]*ir.Timer) bool {
	for _, a := range p.Machine.Arms {
		_, never := silent[a.Timer]
		if a.Kind == ir.Goto && a.Target.Inside(s) && !a.State.Inside(s) && !never && !p.Unreachable(a.State) {
			return false
		}
	}
	return true
}
