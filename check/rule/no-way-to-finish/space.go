package nowaytofinish

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// space is what traps are looked for in: the product, or past the limit the
// control graph.
type space struct {
	*graph.Graph
	Leaf     func(int32) *ir.State // nil before the start
	Settled  func(int32) bool      // the run stands in the leaf
	OpenAt   func(int32) bool
	IsCancel func(int32) bool
	IsMove   func(int32) bool                       // it leads to a leaf, perhaps the same
	IsWithin func(int32) bool                       // it is but the first half of a step
	moves    func(of []int32) func(c int32) []int32 // the first step that moves within a component
	IsRetry  func(int32) bool
	InputID  func(int32) int32
	Inputs   func(int32) []flat.Input
	leftOut  func(configs []int32, inputs []check.InputAt) []check.InputAt // those of inputs that some configuration leaves to nobody
	onward   func() (g *graph.Graph, of []int32, n int)                    // without cancel, and its components
	witness  func(c int32, round []int32) (w *witness.Witness, sure bool)
}

// choose is the space in which the question is decided; nil where it is settled
// that every run can finish, and where the machine has no first state.
func choose(p *check.Pass) *space {
	if !p.Starts() {
		return nil
	}
	if p.SmallProduct() == nil && !p.Machine.Broken && !p.Machine.Incomplete {
		if p.Control().SureToFinish() {
			return nil
		}
		if p.Product() == nil {
			p.LeaveOpen(check.Question{})
		}
	}
	if p.Product() != nil {
		return productSpace(p)
	}
	return controlSpace(p)
}

// controlSpace has the leaves alone. One that no path enters is of no interest:
// it counts as one from where nobody knows where the run goes.
func controlSpace(p *check.Pass) *space {
	c := p.Control()
	return &space{
		onward: func() (*graph.Graph, []int32, int) {
			onward := c.Filter(func(_, e int32) bool { return !c.Edges[e].Once })
			of, n := onward.Components()
			return onward, of, n
		},
		Graph: &c.Graph, Leaf: c.Leaf,
		Settled: func(v int32) bool { _, entered := c.Entered(c.Leaf(v)); return entered },
		OpenAt: func(v int32) bool {
			_, entered := c.Entered(c.Leaf(v))
			return !entered || c.OpenAt(v) || c.Leaf(v).Kind == ir.Composite
		},
		IsCancel: func(e int32) bool { return c.Edges[e].Once },
		InputID:  func(e int32) int32 { return c.Edges[e].Input },
		leftOut:  func(_ []int32, inputs []check.InputAt) []check.InputAt { return inputs },
		Inputs:   func(v int32) []flat.Input { return slices.Collect(c.Inputs(c.Leaf(v))) },
		IsRetry:  func(int32) bool { return false },
		IsMove:   func(int32) bool { return true },
		IsWithin: func(int32) bool { return false },
		moves: func(of []int32) func(int32) []int32 {
			return func(v int32) []int32 {
				for e := c.First[v]; e < c.First[v+1]; e++ {
					if of[c.To[e]] == of[v] && !c.Edges[e].Once {
						return []int32{e}
					}
				}
				return nil
			}
		},
		witness: func(v int32, round []int32) (*witness.Witness, bool) { return p.ControlPath(v, round), true },
	}
}

func productSpace(p *check.Pass) *space {
	g := p.Product()
	return &space{
		onward: g.Onward,
		IsMove: g.IsMove, IsWithin: g.IsWithin,
		moves: func(of []int32) func(int32) []int32 {
			return g.Moves(of, func(_, e int32) bool { return !g.IsCancel(e) })
		},
		IsRetry: func(e int32) bool { return g.Label(e).Kind == explore.Retried },
		Graph:   &g.Graph, Leaf: g.Leaf, IsCancel: g.IsCancel,
		Inputs:  func(c int32) []flat.Input { return append(g.Inputs(c), g.LookedAt(c)...) },
		Settled: func(c int32) bool { return c != 0 && int(c) < g.Configurations() },
		OpenAt:  func(int32) bool { return false },
		InputID: func(e int32) int32 { return g.Label(e).Input },
		leftOut: func(configs []int32, inputs []check.InputAt) []check.InputAt { return leftOut(g, configs, inputs) },
		witness: func(c int32, round []int32) (*witness.Witness, bool) {
			path, loop := g.PathTo(c), -1
			if len(round) > 0 {
				loop, path = len(path), append(path, round...)
			}
			return p.Run(path, loop)
		},
	}
}

// doomed marks the configurations from which no terminal state can be reached
// over the edges of which back has the other direction.
func (g *space) doomed(back *graph.Graph) []bool {
	var ends []int32
	for c := range int32(g.Len()) {
		if leaf := g.Leaf(c); leaf != nil && leaf.Kind == ir.Terminal || g.OpenAt(c) {
			ends = append(ends, c)
		}
	}
	out := back.Reach(ends...)
	for c := range out {
		out[c] = !out[c]
	}
	return out
}

// leftOut are those of inputs that some configuration of configs leaves to nobody.
func leftOut(g *explore.Product, configs []int32, inputs []check.InputAt) []check.InputAt {
	sought := map[check.InputAt]bool{}
	for _, in := range inputs {
		sought[in] = true
	}
	left := g.LeftOut(configs, sought)
	return slices.DeleteFunc(inputs, func(in check.InputAt) bool { return !left[in] })
}
