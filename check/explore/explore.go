// Package explore walks through everything that a machine can come to, breadth
// first, and keeps it as a finite graph. Every question about paths is asked of
// this one graph, so that rules agree, and the first path is the shortest.
//
// # What a configuration is
//
// The leaf; how many of the visit's activities have ended; whether `done` was
// handled in the visit; which timers are spent; whether `cancel` was taken.
// Guards are free (but for plain constants) and every bound counts as both open
// and used up. So the graph has every run of the machine, and paths besides
// that no run takes. What follows for a rule:
//
//   - what no path of the graph does, no run does: "unreachable" and "no
//     terminal can be reached from here" are proved;
//   - what some path does, some run may do, as far as its guards, its bounds and
//     the order in which its timers fire allow.
//
// # Activities side by side
//
// An activity that ends without leaving the state changes nothing but that it
// has ended. Such ends commute with each other and with every exit, so they are
// taken in one order, that of the dos, and a leaf with n activities has n+1
// configurations instead of 2^n. Every exit is still there (before any end), and
// so is the configuration in which all that can end have ended. This is a
// static form of partial-order reduction (Godefroid, Partial-Order Methods for
// the Verification of Concurrent Systems, LNCS 1032, chapter 4). A retry that
// waits counts as running: nothing but time can tell the two apart here.
//
// # Past the limit
//
// A machine with more configurations than the limit is explored again with the
// leaf alone as the configuration, every input of a leaf always open. That graph
// is linear in the table and has all paths of the first, so what no path of it
// does is proved just the same; Graph.Coarse says so.
package explore

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// DefaultLimit is the number of configurations past which a machine is explored
// coarsely.
const DefaultLimit = 4_000_000

// None stands where a number of a configuration, an edge, a case or an arm is
// wanted and there is none.
const None = int32(-1)

// Graph is what a machine can come to. Configurations are numbered from 0, the
// start, in the order in which they were first reached. Its methods may be
// called from several goroutines at once.
type Graph struct {
	graph.Graph // Len, Successors, and the paths over configurations

	Table  *flat.Table
	Coarse bool // the limit was passed: leaves alone were told apart

	labels []label // by edge
	open   bool
	leaf   []int32  // by configuration: state ID of its leaf
	phase  []phase  // by configuration
	ended  []uint32 // by configuration: how many of the leaf's ends have happened
	came   []int32  // by configuration: the edge by which it was first reached
	from   []int32  // by configuration: where that edge starts
	first  []int32  // by state ID: the first configuration in it, or None
	taken  []bool   // by arm ID
	opens  []bool   // by configuration: a way out of it leads nobody knows where
	plans  []plan   // by state ID
}

// label says what an edge stands for. An edge with neither is part of a step: a
// redirection by a `require`, or an activity that ends with nothing to say. One
// with an arm alone is taken on an input that could not be resolved.
type label struct {
	input int32 // flat.Input.ID, or None
	arm   int32 // ir.Arm.ID, or None
}

// Explore walks through the machine of t. Limit is the most configurations that
// are told apart. The machine has a first leaf.
func Explore(t *flat.Table, limit int) *Graph {
	g, complete := walk(t, limit, false)
	if !complete {
		g, _ = walk(t, 0, true)
	}
	return g
}

// Leaf is the leaf of configuration c.
func (g *Graph) Leaf(c int32) *ir.State { return g.Table.Machine.States[g.leaf[c]] }

// Settled reports whether the run stands in the leaf of c: not where its
// `require` is still to be read.
func (g *Graph) Settled(c int32) bool { return g.phase[c] != entering }

// Entered is the first configuration in which the run stands in s, or in a leaf
// inside s, and whether there is one.
func (g *Graph) Entered(s *ir.State) (int32, bool) {
	c := g.first[s.ID]
	return c, c != None
}

// Taken reports whether some path takes a.
func (g *Graph) Taken(a *ir.Arm) bool { return g.taken[a.ID] }

// Input is the case of edge e, and false where the edge is part of a step whose
// input came before.
func (g *Graph) Input(e int32) (ir.Case, bool) {
	if g.labels[e].input == None {
		return ir.Case{}, false
	}
	return g.Table.Case(g.labels[e].input), true
}

// InputID is the number of the case of edge e in the table, or None.
func (g *Graph) InputID(e int32) int32 { return g.labels[e].input }

// Arm is the arm that edge e takes, or nil where it takes none.
func (g *Graph) Arm(e int32) *ir.Arm {
	if g.labels[e].arm == None {
		return nil
	}
	return g.Table.Machine.Arms[g.labels[e].arm]
}

// Known reports whether all inputs along path are known: none was lost with a
// name that could not be resolved.
func (g *Graph) Known(path []int32) bool {
	for _, e := range path {
		if g.labels[e].input == None && g.labels[e].arm != None {
			return false
		}
	}
	return true
}

// IsCancel reports whether edge e is a cancellation.
func (g *Graph) IsCancel(e int32) bool {
	c, ok := g.Input(e)
	return ok && c.Kind == ir.CaseCancel
}

// Open reports whether some run reaches a place from where nobody knows where
// it goes, since a target could not be resolved. Then what the
// graph does not reach may be reached all the same.
func (g *Graph) Open() bool { return g.open }

// OpenAt reports whether that place is configuration c.
func (g *Graph) OpenAt(c int32) bool { return g.opens[c] }

// Inputs lists what can come to configuration c.
func (g *Graph) Inputs(c int32) []flat.Input {
	var out []flat.Input
	s := g.Leaf(c)
	g.plans[s.ID].inputs(g.Table, s, g.place(c), func(in flat.Input) {
		out = append(out, in)
	})
	return out
}

func (g *Graph) place(c int32) place {
	return place{phase: g.phase[c], ended: int(g.ended[c]), coarse: g.Coarse}
}

// DoneDue reports whether `done` is the next input in configuration c.
func (g *Graph) DoneDue(c int32) bool {
	s := g.Leaf(c)
	return s.Kind == ir.Leaf && g.plans[s.ID].doneDue(s, g.place(c))
}

// CanEnd reports whether every activity of leaf can end with the run still in
// it, so that `done` is raised.
func (g *Graph) CanEnd(leaf *ir.State) bool { return g.plans[leaf.ID].allEnd(leaf) }
