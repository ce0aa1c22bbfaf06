package readbeforeset

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// A walk follows runs breadth first over the explorer's graph, and remembers
// of each which fields are unset. The graph has paths that no run takes, so the
// walk takes a step only where it is sure that a run which has come to this
// place can take it:
//
//   - the guards that decide it come out as they must for some payload and some
//     verdicts of host guards, whatever the fields hold: see choose.go;
//   - no timer must fire before it: see clock.go;
//   - bounds are open. A spent `retry` is followed where failing again and
//     again is all that it takes; a spent `max` is not;
//   - an effect does not risk leaving a range;
//   - of activities side by side, they end in the order of the graph.
//
// So what is reported some run does. What hangs on the data of a run beyond
// set and unset is not decided here: there the rule is silent.
//
// The cost is that of the graph times maxSets. Of the sets of unset fields with
// which a run comes to one configuration the first are followed; those are met
// on the shortest runs, and have most fields unset.
type walk struct {
	g      *explore.Graph
	bit    map[*ir.Var]uint64
	alone  map[*ir.Guard]bool // asked in one place of the machine only
	nodes  []node
	number map[key]int32
	faults map[*ir.Var][]fault
	known  map[token.Span]bool // the reads in faults
	sets   []uint8             // by configuration: how many nodes it has
}

// maxSets is the most sets of unset fields that are told apart in one
// configuration.
const maxSets = 8

// key is what tells nodes apart.
type key struct {
	config int32
	unset  uint64 // of the fields that are tracked
}

// node is a place that some run comes to.
type node struct {
	key
	clock clock
	kept  int // entering: the depth of the innermost state that the step has not left

	from  int32 // the node before, or explore.None
	step  step  // how it was reached from there
	given moment
}

// step is one step of a run, or a part of it.
type step struct {
	edge  int32 // explore.None where it changes no configuration
	input *ir.Case
	arm   *ir.Arm
	spent bool // retries before the arm were used up
}

func newWalk(g *explore.Graph, bit map[*ir.Var]uint64) *walk {
	return &walk{
		g: g, bit: bit, alone: askedOnce(g.Table.Machine),
		number: map[key]int32{}, faults: map[*ir.Var][]fault{}, known: map[token.Span]bool{},
		sets: make([]uint8, g.Len()),
	}
}

func (w *walk) run() {
	w.begin()
	for i := 0; i < len(w.nodes); i++ {
		n := w.nodes[i]
		leaf := w.g.Leaf(n.config)
		switch {
		case leaf.Kind != ir.Leaf:
		case !w.g.Settled(n.config):
			w.judge(int32(i), leaf)
		default:
			w.readArguments(int32(i), leaf)
			w.expand(int32(i), leaf)
		}
	}
}

// begin enters the machine.
func (w *walk) begin() {
	r := &reader{walk: w, at: explore.None}
	for _, bit := range w.bit {
		r.unset |= bit
	}
	root := w.g.Table.Machine.Root
	r.block(root.Entry)
	start := node{from: explore.None, step: step{edge: explore.None}, kept: -1, clock: clock{since: []int64{0}}}
	w.enter(r, start, root, w.g.Leaf(0), 0)
}

// enter goes on with a step, whose reads r has done so far, from below domain
// to leaf, and makes n, the node of configuration c, out of it.
func (w *walk) enter(r *reader, n node, domain, leaf *ir.State, c int32) {
	for _, s := range between(domain, leaf.Parent) {
		r.block(s.Entry)
	}
	n.config = c
	n.clock = n.clock.entered(domain, leaf)
	if w.g.Settled(c) {
		w.arrive(r, n, leaf)
		return
	}
	w.add(r, n)
}

// arrive ends a step in leaf: its entry, then the timers of all that was
// entered.
func (w *walk) arrive(r *reader, n node, leaf *ir.State) {
	r.block(leaf.Entry)
	if leaf.Kind == ir.Leaf {
		for _, s := range between(nil, leaf) {
			for _, t := range s.Timers {
				if s.Depth > n.kept && t.Var != nil {
					r.variable(t.Var, t.Span)
				}
			}
		}
	}
	w.add(r, n)
}

// between lists the states inside outer down to inner, outermost first; outer
// may be nil.
func between(outer, inner *ir.State) []*ir.State {
	var list []*ir.State
	for s := inner; s != outer && s != nil; s = s.Parent {
		list = append(list, s)
	}
	slices.Reverse(list)
	return list
}

// add adds n with what r leaves unset, unless r has come to a halt.
func (w *walk) add(r *reader, n node) {
	n.unset = r.unset
	if _, known := w.number[n.key]; known || r.halted || w.sets[n.config] >= maxSets {
		return
	}
	w.sets[n.config]++
	w.number[n.key] = int32(len(w.nodes))
	w.nodes = append(w.nodes, n)
}

// judge reads the `require` of leaf.
func (w *walk) judge(i int32, leaf *ir.State) {
	n := w.nodes[i]
	for _, o := range w.outcomes(i, nil, []ir.Expr{leaf.Require.Cond}) {
		r := &reader{walk: w, at: i, unset: n.unset}
		for e := w.g.First[n.config]; e < w.g.First[n.config+1]; e++ {
			to := w.g.To[e]
			in := w.g.Leaf(to) == leaf && w.g.Settled(to)
			next := node{from: i, step: step{edge: e}, given: o.given, clock: n.clock, kept: n.kept}
			switch {
			case in && o.arm == 0:
				next.config = to
				w.arrive(r, next, leaf)
			case !in && o.arm < 0:
				target := leaf.Require.Target
				domain := ir.Domain(leaf, target)
				r.exits(leaf.Parent, domain)
				next.kept = min(n.kept, domain.Depth)
				w.enter(r, next, domain, target.Leaf(), to)
			}
		}
	}
}

// readArguments reads what the activities of leaf that have not ended are
// given: an attempt may start at any time.
func (w *walk) readArguments(i int32, leaf *ir.State) {
	if len(leaf.Dos) == 0 {
		return
	}
	running := map[*ir.Do]bool{}
	for _, in := range w.g.Inputs(w.nodes[i].config) {
		running[in.Do] = true
	}
	for _, d := range leaf.Dos {
		if running[d] {
			w.readArgumentsOf(i, d)
		}
	}
}

func (w *walk) readArgumentsOf(i int32, d *ir.Do) {
	for _, arg := range d.Args {
		r := &reader{walk: w, at: i, unset: w.nodes[i].unset}
		r.eval(arg)
	}
}

// expand takes all steps that are sure from node i, in leaf.
func (w *walk) expand(i int32, leaf *ir.State) {
	n := w.nodes[i]
	type way struct{ input, arm int32 }
	edges := map[way]int32{}
	for e := w.g.First[n.config]; e < w.g.First[n.config+1]; e++ {
		at := way{w.g.InputID(e), explore.None}
		if a := w.g.Arm(e); a != nil {
			at.arm = int32(a.ID)
		}
		if _, known := edges[at]; !known {
			edges[at] = e
		}
	}
	if e, ok := edges[way{explore.None, explore.None}]; ok { // an activity that ends with nothing to say
		w.add(&reader{walk: w, at: i, unset: n.unset}, node{key: key{config: w.g.To[e]}, from: i, step: step{edge: e}, clock: n.clock})
	}
	for _, in := range w.g.Inputs(n.config) {
		then, ok := n.clock.await(leaf, in.Case)
		if !ok {
			continue
		}
		for _, o := range w.outcomes(i, &in, guardsOf(in.Choices)) {
			if o.arm < 0 {
				continue
			}
			a := in.Choices[o.arm].Arm
			at := way{in.ID, explore.None}
			if a != nil {
				at.arm = int32(a.ID)
			}
			e, found := edges[at]
			if !found {
				e = explore.None
			}
			next := node{from: i, step: step{edge: e, input: &in.Case, arm: a, spent: o.spent}, given: o.given, clock: then}
			if !o.spent || next.clock.spend(leaf, in.Case, in.Choices[:o.arm]) {
				w.take(i, leaf, in, next)
			}
		}
	}
}

// guardsOf are the guards of choices, nil for one that always takes.
func guardsOf(choices []ir.Choice) []ir.Expr {
	guards := make([]ir.Expr, len(choices))
	for i, c := range choices {
		if c.Arm != nil {
			guards[i] = c.Arm.When
		}
	}
	return guards
}

// take takes the arm of next, on the input in.
func (w *walk) take(i int32, leaf *ir.State, in flat.Input, next node) {
	n, a := w.nodes[i], next.step.arm
	r := &reader{walk: w, at: i, unset: n.unset, input: &in.Case, arm: a, given: next.given}
	switch {
	case a == nil || a.Kind == ir.IgnoreArm || a.Kind == ir.Stay:
		next.config = n.config
		if next.step.edge != explore.None {
			next.config = w.g.To[next.step.edge]
		} else if in.Kind != ir.CaseEvent {
			return // spent before, or out of the order of the graph
		}
		if a != nil {
			r.block(a.Block)
		}
		w.add(r, next)
	case a.Kind == ir.Retry && in.Do != nil:
		if a.Backoff.By != nil {
			r.eval(a.Backoff.By)
		}
		r.block(a.Block)
		next.config = n.config
		if next.clock.retry(leaf, a.Backoff) {
			w.add(r, next)
		}
	case a.Kind == ir.Goto && next.step.edge != explore.None:
		domain := ir.Domain(leaf, a.Target)
		r.exits(leaf, domain)
		r.block(a.Block)
		next.kept = domain.Depth
		w.enter(r, next, domain, a.Target.Leaf(), w.g.To[next.step.edge])
	}
}
