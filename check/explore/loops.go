package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/control"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Loop is a cycle that can be taken without end: a strongly connected component
// with a move in it.
type Loop struct {
	Leaves []*ir.State // of the component, in the order in which they are reached
	Into   int32       // the configuration in which the cycle begins
	Round  []int32     // the edges of the cycle, a move first
}

// Loops lists the loops over the edges that keep lets pass, each set of states
// once, in the order in which they are reached. It is linear in the product, but
// for the shortest cycle of each.
func (p *Product) Loops(keep func(from, e int32) bool) []Loop {
	if p.acyclic() {
		return nil
	}
	of, n := p.ComponentsAlong(keep)
	moves := p.Moves(of, keep)
	first := firstMoves(p, of, n, moves)
	var starts []int32
	for _, c := range first {
		if c != graph.None {
			starts = append(starts, c)
		}
	}
	slices.Sort(starts)
	leaves := p.leavesOf(of, n, first)
	named := map[*ir.State]bool{}
	var out []Loop
	for _, c := range starts {
		fresh := false
		for _, s := range leaves[of[c]] {
			fresh = fresh || !named[s]
			named[s] = true
		}
		if fresh {
			inside := func(e int32) bool { return of[p.To[e]] == of[c] && keep(p.From(e), e) }
			out = append(out, Loop{Leaves: leaves[of[c]], Into: c, Round: p.Round(c, moves(c), inside)})
		}
	}
	return out
}

// firstMoves is for each component the first configuration from which a move
// leads on within it, or None; moves gives that, see Moves.
func firstMoves(p *Product, of []int32, n int, moves func(c int32) []int32) []int32 {
	first := slices.Repeat([]int32{graph.None}, n)
	for c := range int32(p.Configurations()) {
		if first[of[c]] == graph.None && moves(c) != nil {
			first[of[c]] = c
		}
	}
	return first
}

// Moves gives the first step from a configuration, over the edges that keep lets pass,
// that moves and stays within its component; nil where there is none. What lies behind
// a junction is looked at once.
func (p *Product) Moves(of []int32, keep func(from, e int32) bool) func(c int32) []int32 {
	direct := func(v int32) int32 {
		for e := p.First[v]; e < p.First[v+1]; e++ {
			if of[p.To[e]] == of[v] && p.IsMove(e) && keep(v, e) {
				return e
			}
		}
		return graph.None
	}
	behind := make([]int32, len(p.stands))
	for j := range behind {
		behind[j] = direct(int32(p.Configurations() + j))
	}
	return func(c int32) []int32 {
		for e := p.First[c]; e < p.First[c+1]; e++ {
			switch to := p.To[e]; {
			case of[to] != of[c]:
			case !p.IsWithin(e):
				if p.IsMove(e) && keep(c, e) {
					return []int32{e}
				}
			case behind[int(to)-p.Configurations()] != graph.None:
				return []int32{e, behind[int(to)-p.Configurations()]}
			}
		}
		return nil
	}
}

// leavesOf lists the leaves of the components that have a first move.
func (p *Product) leavesOf(of []int32, n int, first []int32) [][]*ir.State {
	type member struct {
		component int32
		leaf      *ir.State
	}
	out := make([][]*ir.State, n)
	seen := map[member]bool{}
	for c := range int32(p.Configurations()) {
		m := member{of[c], p.Leaf(c)}
		if first[m.component] != graph.None && !seen[m] {
			seen[m] = true
			out[m.component] = append(out[m.component], m.leaf)
		}
	}
	return out
}

// Unmarked lets all edges pass but those that say `unbounded`.
func (p *Product) Unmarked(_, e int32) bool { return !p.marks[p.labelAt[e]].unbounded }

// AtOnce lets the edges pass that wait for nothing: `done` of a choice state, and
// timers that may be due when they start.
func (p *Product) AtOnce(from, e int32) bool {
	m := p.marks[p.labelAt[e]]
	if m.done && flat.DoneAtOnce(p.Leaf(from)) {
		return true
	}
	in, _ := p.Input(e)
	return m.instant && (p.program.Clocks.MomentOf(p.Leaf(from), in.Timer) == 0 || p.prompt(from))
}

// prompt reports whether a timer that has a moment was due when configuration c began.
func (p *Product) prompt(c int32) bool {
	z := p.zones.At(int32(p.program.Clocks.Zone.Get(p.words(c))))
	leaf, fired := p.Leaf(c), p.program.Packing.Fired.Get(p.words(c))
	for i, t := range p.program.Clocks.Leaves[leaf.ID].Timers {
		if t.Ref.Runs(fired) && z.Within(i+1, 0) {
			return true
		}
	}
	return false
}

// ChainAtOnce is a path of more than MostAtOnce steps that wait for nothing, and
// the configuration in which it begins; None where there is no such path. It is for
// a product without cycles along AtOnce.
//
// Without cycles the components are single configurations, and an edge leads
// to one with a lower number: in their order the longest path from each is known
// when it is asked for.
func (p *Product) ChainAtOnce() (from int32, chain []int32) {
	if p.Len() <= control.MostAtOnce || !p.mayFollow() {
		return graph.None, nil
	}
	of, n := p.ComponentsAlong(p.AtOnce)
	if n < p.Len() {
		return graph.None, nil
	}
	ordered := make([]int32, n)
	for c := range int32(n) {
		ordered[of[c]] = c
	}
	longest := make([]int32, n)
	next := func(c int32) (best int32) { // the first edge of the longest path
		best = graph.None
		for e := p.First[c]; e < p.First[c+1]; e++ {
			if p.To[e] != c && p.AtOnce(c, e) && (best == graph.None || longest[p.To[e]] > longest[p.To[best]]) {
				best = e
			}
		}
		return best
	}
	for _, c := range ordered {
		if e := next(c); e != graph.None {
			longest[c] = longest[p.To[e]] + 1
		}
	}
	from = int32(slices.IndexFunc(longest, func(n int32) bool { return n > control.MostAtOnce }))
	if from < 0 {
		return graph.None, nil
	}
	for c := from; len(chain) <= control.MostAtOnce; c = p.To[chain[len(chain)-1]] {
		chain = append(chain, next(c))
	}
	return from, chain
}

// mayFollow reports whether any step waits for nothing.
func (p *Product) mayFollow() bool {
	return slices.ContainsFunc(p.Table.Machine.States, flat.DoneAtOnce) ||
		slices.ContainsFunc(p.marks, func(m mark) bool { return m.instant })
}
