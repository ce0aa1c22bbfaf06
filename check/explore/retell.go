package explore

import (
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// An edge keeps neither the payload nor the verdicts that lead along it: a
// witness needs them for a few edges, and there are millions. They are found by
// taking the step again.

// sought is the edge, or the fault, that is looked for, and what was found.
type sought struct {
	to    int32
	label int32
	fault *Fault
	unmet int32    // the input that nothing is to take; None where another thing is sought
	halt  *InputAt // the over_budget that is to halt the run where input by has led; nil where another thing is sought
	by    int32
	lost  bool // with unmet: or whose step cannot be computed, or that is dropped

	byData *ir.State // only where its require was false without asking a host guard

	every map[leads]*sought // all edges are sought; nil where one thing is
	left  int               // so many runs of steps may be made for that

	found   bool
	guessed bool
	since   int // how many runs of the step came since it was found
	data    map[string]any
	guards  map[string]bool
	params  []int64
	place   int      // among step.Program.Kept: of an event that is deferred, or was; -1 for any other input
	who     *indexes // of an element; nil where nobody knows

	timers   []step.StartedTimer // the timers that start with it
	usedUp   []*ir.Arm           // the retries that the element of a fan-out has used up
	wait     int64               // of a retry
	restarts bool                // it restarts idle timers
}

// indexes are those of which one is the index of an element, both ends included.
type indexes struct{ from, to int64 }

// hold reports whether i is one of them.
func (x *indexes) hold(i int) bool { return x == nil || x.from <= int64(i) && int64(i) <= x.to }

// least is how many elements there have to be.
func (x *indexes) least() int64 {
	if x == nil {
		return 0
	}
	return x.from + 1
}

// compare looks whether the step just taken is the edge that is sought. One in
// which nothing was guessed is preferred.
func (x *search) compare(label int32) {
	want := x.sought
	if want.every != nil {
		k := leads{x.store.find(x.Next), label}
		if want.every[k] == nil {
			want.every[k] = &sought{to: k.to, label: label, unmet: graph.None}
		}
		x.sought = want.every[k]
		x.capture()
		x.sought = want
		return
	}
	if want.lost {
		if l := x.labels[label]; l.Kind == Dropped && l.Input == want.unmet {
			x.capture()
		}
		return
	}
	if want.byData != nil && slices.Contains(x.TurnedByHost, want.byData) {
		return
	}
	if want.fault == nil && want.unmet == graph.None && label == want.label && x.store.find(x.Next) == want.to {
		x.capture()
	}
}

func (x *search) compareFault() {
	if x.sought.lost && x.In != nil && x.In.ID == x.sought.unmet {
		x.capture()
	}
	want := x.sought.fault
	if want != nil && want.Turned != nil && !slices.Contains(x.turnedAway(), want.Turned) {
		return
	}
	if want != nil && x.Fault.Assign == want.Assign && x.Fault.At == want.ReadAt && (x.In == nil || x.In.ID == want.Input) {
		x.capture()
	}
}

func (x *search) capture() {
	want := x.sought
	if want.found && (!want.guessed || x.Guess) {
		return
	}
	want.found, want.guessed = true, x.Guess
	want.data, want.guards = x.Said()
	want.place = x.place
	want.timers, want.wait, want.restarts = slices.Clone(x.Timers), x.wait, x.restarts
	want.params = append(want.params[:0], x.Params...)
	want.usedUp, want.who = nil, nil
	if from, to, known := x.ElementAt(); known {
		want.who = &indexes{from, to}
	}
	for _, c := range x.UsedUp {
		want.usedUp = append(want.usedUp, c.Arm)
	}
}

// teller is a search that takes steps again.
func (p *Product) teller() *search {
	x := p.looking()
	x.number = make(map[Label]int32, len(p.labels))
	for i, l := range p.labels {
		x.number[l] = int32(i)
	}
	return x
}

// leads is where an edge leads, and what it does.
type leads struct{ to, label int32 }

// told is what was found of all edges of a configuration with which many witnesses go on: in a
// chain of a thousand arms each edge is found behind those before it.
type told struct {
	asked map[int32]int // how often, by configuration
	edges map[int32]map[leads]*sought
	left  int // how many runs of steps may still be made to find them
}

// tellAllFrom is with which question about a configuration all its edges are told.
const tellAllFrom = 3

// edge finds what leads along edge e, which starts at configuration from.
func (x *search) edge(from, e int32) *sought {
	t, k := &x.told, leads{x.To[e], x.labelAt[e]}
	if t.asked == nil {
		*t = told{map[int32]int{}, map[int32]map[leads]*sought{}, 1 << 16}
	}
	if t.asked[from]++; t.asked[from] == tellAllFrom && t.left > 0 {
		all := x.seek(from, &sought{every: map[leads]*sought{}, left: t.left, unmet: graph.None})
		if t.left = all.left; t.left > 0 {
			t.edges[from] = all.every
		}
	}
	if known := t.edges[from][k]; known != nil {
		s := *known
		s.data, s.guards = maps.Clone(s.data), maps.Clone(s.guards)
		return &s
	}
	return x.seek(from, &sought{to: k.to, label: k.label, unmet: graph.None})
}

func (x *search) seek(from int32, s *sought) *sought {
	guessed := x.Guessed
	x.sought, x.at = s, from
	copy(x.Here, x.words(from))
	if from == 0 {
		x.expandStart()
	} else {
		x.expand(from)
	}
	x.Guessed = guessed
	return s
}

// Run writes out a path from the start as control.Graph.Witness does, with the
// parameters, payloads and verdicts that lead along it, and the data at its end.
// Sure reports whether nothing on the way was guessed, so that it is a run.
func (p *Product) Run(path []int32, loop int, then ...ir.Case) (w *witness.Witness, sure bool) {
	r := p.recorder(false)
	r.refuses = len(then) > 0
	r.take(path, loop)
	for _, c := range then {
		r.refused(c)
	}
	return r.finish()
}

// RunAll is Run for a figure of the worst case: of lists as long as they can be, with all
// retries that count where a visit begins, or if bare, without them. Whole is false where some attempt
// that counts there has not started when the visit is left, and retries are false where some of those
// were not made.
func (p *Product) RunAll(path []int32, bare bool) (w *witness.Witness, retries, whole bool) {
	r := p.recorder(true)
	r.bare = bare
	r.take(path, -1)
	r.endAll()
	w, _ = r.finish()
	return w, !r.fewer, !r.short
}

// refused adds the row of an input that nothing takes.
func (r *recorder) refused(c ir.Case) {
	s := &sought{unmet: r.input(c)}
	if s.unmet != graph.None {
		r.teller.seek(r.at, s)
	}
	r.inputRow(arriving(c, false), nil, s)
}

// input is the number of c among what the leaf at hand may get; None where it is not.
func (r *recorder) input(c ir.Case) int32 {
	for in := range r.p.Table.Inputs(r.p.Leaf(r.at)) {
		if in.Case == c {
			return in.ID
		}
	}
	return graph.None
}

// inputRow adds the row of an input that has no edge, and that a takes; nil for none.
func (r *recorder) inputRow(in witness.Input, a *ir.Arm, s *sought) {
	if in.Do != nil && in.Do.Fan != nil {
		r.elementRow(in, a, s)
		return
	}
	r.row(in, s.data, s.guards)
	r.takenBy(a)
}

// RunInto is Run for the shortest path to a fault, and its input.
func (p *Product) RunInto(f Fault) (w *witness.Witness, sure bool) {
	r := p.recorder(false)
	if f.Starts != nil {
		r.take(p.WayTo(f), -1)
		r.sure = r.sure && !f.Guessed
		return r.finish()
	}
	s := r.teller.seek(f.Config, &sought{fault: &f, unmet: graph.None})
	if s.who != nil {
		r.asked, r.atLeast = p.Table.Case(f.Input).Do.Fan.List, s.who.least()
	}
	r.take(p.WayTo(f), -1)
	r.sure = r.sure && !s.guessed
	if f.Config == 0 {
		r.begin(s)
	}
	if f.Input != graph.None {
		r.inputRow(arriving(p.Table.Case(f.Input), f.Again), nil, s)
	}
	return r.finish()
}

// values are the data of configuration c that still matter there.
func (p *Product) values(c int32) map[string]any {
	leaf := p.Leaf(c)
	if leaf == nil || leaf.Kind != ir.Leaf {
		return nil
	}
	return p.program.Values(leaf, p.words(c))
}
