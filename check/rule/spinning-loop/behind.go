package spinningloop

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// behind are the states that no run enters and into which only arms of leaves lead, or of
// others behind them: as the run never waits in the leaves, nothing else comes there.
func behind(p *check.Pass, leaves []*ir.State) []*ir.State {
	round := map[*ir.State]bool{}
	for _, leaf := range leaves {
		round[leaf] = true
	}
	ways := map[*ir.State][]*ir.Arm{}
	for _, a := range p.Machine.Arms {
		if a.Kind == ir.Goto && a.Target != nil {
			ways[a.Target] = append(ways[a.Target], a)
		}
	}
	var out []*ir.State
	for more := true; more; {
		more = false
		for _, s := range p.Machine.States[1:] {
			found := !round[s] && len(ways[s]) > 0 && p.Unreachable(s)
			for _, a := range ways[s] {
				found = found && (round[a.State] || a.State == s)
			}
			if found {
				round[s], more, out = true, true, append(out, s)
			}
		}
	}
	return out
}
