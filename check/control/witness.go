package control

import (
	"time"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Witness writes out a shortest path of the control graph to leaf v: a row for
// each input, and a last one for the state in which the path ends. After it come
// the edges of round, which lead back to v, and the inputs given, which nothing
// takes. It is nil where an input on the way could not be resolved.
//
// Times are those of a run in which nothing takes time but what must: a timer
// fires when it is due, an attempt that fails with `timeout`, `silent` or
// `stalled` takes as long as its do allows, all else happens at once. A wait
// that is read from data counts as the field's default, or the least that its
// range allows.
func (c *Graph) Witness(v int32, round []int32, then ...ir.Case) *witness.Witness {
	path := c.pathTo(v)
	r := &recorder{c: c, at: v, w: &witness.Witness{Loop: -1}, clock: timing.NewClock(c.Table)}
	if len(round) > 0 {
		r.w.Loop = len(path)
	}
	path = append(path, round...)
	if len(path) > 0 {
		r.at = c.Edges[path[0]].From
	}
	r.clock.Move(nil, c.Leaf(r.at))
	for _, e := range path {
		if c.Edges[e].Input == graph.None {
			return nil
		}
		r.step(c.Edges[e])
	}
	for _, in := range then {
		r.row(in)
	}
	r.w.Path = append(r.w.Path, witness.Row{State: c.Leaf(r.at)})
	return r.w
}

// recorder writes out a path of the control graph.
type recorder struct {
	c     *Graph
	clock timing.Clock
	at    int32
	w     *witness.Witness
}

// row adds what comes in the leaf at hand.
func (r *recorder) row(c ir.Case) {
	leaf := r.c.Leaf(r.at)
	r.clock.Wait(leaf, c)
	r.w.Path = append(r.w.Path, witness.Row{State: leaf, Input: witness.Input{Kind: witness.Comes, Case: c}, At: time.Duration(r.clock.Now)})
}

// step adds the row of e, and moves on along it, through the requires that send
// the run elsewhere.
func (r *recorder) step(e Edge) {
	r.row(r.c.Table.Case(e.Input))
	r.w.Path[len(r.w.Path)-1].Arm = e.Arm
	from := r.c.Leaf(r.at)
	for target := e.Arm.Target; ; {
		leaf := target.Leaf()
		r.clock.Move(ir.Domain(from, target), leaf)
		if leaf.ID == int(e.To) {
			break
		}
		from, target = leaf, leaf.Require.Target
	}
	r.at = e.To
}
