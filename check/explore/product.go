package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/zone"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Product is everything that the machine can reach, told apart as far as it
// matters: see the package comment, and language.md, section 7.
// Every edge is one whole step, entering and redirections included, so that
// every path is a run; but for those into junctions, which are the first half of one.
// Configuration 0 is the run before its start.
//
// What a path cannot know is chosen freely: payloads, host guards, how an attempt
// ends, which timer is first where none always comes before. Where a choice was
// made only because the data in question is not tracked, Guessed says so: then a
// path may be no run, and what no path does is proved all the same.
type Product struct {
	graph.Graph

	Table   *flat.Table
	Guessed bool // some choice was made for want of knowing
	paced   bool // its paths keep to the times of all timers
	partial bool // see Part

	program    *step.Program
	store      *store
	stands     []int32   // by junction: the first configuration that it stands for
	came       []int32   // by configuration: the edge by which it was first reached
	from       []int32   // by configuration: where that edge starts
	labelAt    []int32   // by edge: its label
	rests      []rests   // by edge
	stuck      []inputIn // inputs by configuration that some guess leaves without an edge
	labels     []Label
	begun      [][]step.Elements     // by Label.Begun; the first one is of a leaf without fan-outs
	beginnings map[string]int32      // the numbers of those
	retried    map[retryOf]retriedBy // by retry that elements make and configurations do not count: a case in which they do
	zones      *zone.Table           // of the times that configurations have; see clocks
	marks      []mark                // by label
	firstIn    []int32               // by state ID
	taken      []bool                // by arm ID
	fired      []bool                // by timer ID
	faults     map[faultKey]Fault
	turned     map[*ir.State]Fault // see TurnedInto
	broken     map[Broken]bool
	unmet      map[InputAt]Unmet
	halts      map[InputAt]Halt // over_budget that may come where nothing speaks of it
	spent      map[spentAt]Unmet

	told told

	walked map[any][]int32 // of a part: the shortest walk that takes an arm (*ir.Arm), enters a leaf or a terminal (*ir.State), or meets a fault (faultKey)

	onward      *graph.Graph // see Onward
	component   []int32
	onwardParts int
	doomed      []bool  // see Doomed
	left        []bool  // by component of onward: an edge leaves it
	whole       []int32 // see Components
	parts       int
	members     [][]int32 // see configsIn
	sure        *kept     // see SurePath
}

// Label says what an edge does.
type Label struct {
	Kind   EdgeKind
	Input  int32 // flat.Input.ID, or None
	Arm    int32 // ir.Arm.ID, or None
	Do     int32 // of Ended, Checkpoint and Begun: ir.Do.ID
	Into   int32 // of Started and Moved: the ir.State.ID of the leaf or terminal that is entered
	Shared int16 // of Started and Moved: the depth of the innermost state that is neither left nor entered
	Turned int16 // how many requires sent the run on, which may be back to where the arm led
	Again  bool  // the input is an event that was deferred
	Begun  int32 // of Started and Moved: with how many elements the fan-outs of the leaf begin; see Elements
}

// mark is what is asked of many edges, said once of each label.
type mark struct {
	cancel    bool
	unbounded bool
	done      bool
	instant   bool // a timer that may be due when it starts
}

func (p *Product) mark(l Label) mark {
	var m mark
	if l.Arm != graph.None {
		m.unbounded = p.Table.Machine.Arms[l.Arm].Unbounded
	}
	if l.Input == graph.None {
		return m
	}
	c := p.Table.Case(l.Input)
	m.cancel, m.done = c.Kind == ir.CaseCancel, c.Kind == ir.CaseDone
	if c.Kind == ir.CaseTimer {
		least, _ := timing.WaitOf(c.Timer)
		m.instant = least == 0
	}
	return m
}

// EdgeKind says what sort of step an edge is.
type EdgeKind uint8

const (
	Started    EdgeKind = iota // the run enters its first leaf
	Moved                      // a leaf or a terminal is entered
	Retried                    // an activity runs again
	Stayed                     // neither: a block, an `ignore`, a `defer`
	Ended                      // an activity ends with nothing to say
	Dropped                    // a deferred event that nothing takes
	Begun                      // the attempt of a retry starts; only where a timer may leave no time for it
	Checkpoint                 // an activity notes how far it has come; only where that restarts an `idle` timer
	Towards                    // no step yet: a junction is reached, see junction.go
)

// InputAt is an input in a leaf. ID is its number in the table.
type InputAt struct {
	Leaf *ir.State
	ID   int32
}

// Unmet is an input that comes in a configuration where no choice takes it.
type Unmet struct {
	Config  int32
	Spent   *ir.Arm // the last arm that would have, but for its bound; nil where guards alone are false
	Guessed bool
}

// Leaf is the leaf or the terminal of configuration c; nil before the start.
func (p *Product) Leaf(c int32) *ir.State {
	if c == 0 {
		return nil
	}
	return p.Table.Machine.States[p.program.Packing.Leaf.Get(p.words(c))]
}

// Entered is the first configuration in s or inside it, and whether there is one.
func (p *Product) Entered(s *ir.State) (int32, bool) {
	c := p.firstIn[s.ID]
	return c, c != graph.None
}

// Taken reports whether some path takes a.
func (p *Product) Taken(a *ir.Arm) bool { return p.taken[a.ID] }

// Label says what edge e does.
func (p *Product) Label(e int32) Label { return p.labels[p.labelAt[e]] }

// Starts is the do of which edge e starts another attempt in a visit: a retry, or
// where that is told apart the end of its wait. It is nil where none starts.
func (p *Product) Starts(e int32) *ir.Do { return p.starts(p.Label(e)) }

func (p *Product) starts(l Label) *ir.Do {
	switch l.Kind {
	case Begun:
		return p.Table.Machine.Dos[l.Do]
	case Retried:
		if d := p.Table.Case(l.Input).Do; !p.CountedOnEntering(l) && !p.program.Clocks.WaitCounts(d.State, slices.Index(d.State.Dos, d)) {
			return d
		}
	}
	return nil
}

// Input is the case of edge e, and false where it has none.
func (p *Product) Input(e int32) (ir.Case, bool) {
	l := p.Label(e)
	if l.Input == graph.None {
		return ir.Case{}, false
	}
	return p.Table.Case(l.Input), true
}

// Arm is the arm that edge e takes; nil where it takes none.
func (p *Product) Arm(e int32) *ir.Arm {
	l := p.Label(e)
	if l.Arm == graph.None {
		return nil
	}
	return p.Table.Machine.Arms[l.Arm]
}

// IsCancel reports whether edge e is a cancellation.
func (p *Product) IsCancel(e int32) bool { return p.marks[p.labelAt[e]].cancel }

// Inputs lists what can come in configuration c and is not refused with it.
func (p *Product) Inputs(c int32) []flat.Input {
	leaf := p.Leaf(c)
	if leaf == nil || leaf.Kind != ir.Leaf {
		return nil
	}
	x := p.looking()
	x.stand(c)
	var out []flat.Input
	x.inputs(leaf, func(in *step.InputCode) { out = append(out, in.Input) })
	return out
}

// LookedAt lists the inputs that are deferred events which configuration c looks at
// again.
func (p *Product) LookedAt(c int32) []flat.Input {
	leaf := p.Leaf(c)
	if leaf == nil || leaf.Kind != ir.Leaf {
		return nil
	}
	var out []flat.Input
	code := &p.program.States[leaf.ID]
	for i := range code.Inputs {
		in := &code.Inputs[i]
		if in.Kind == ir.CaseEvent && p.program.HasEvent(p.program.Packing.Pending, p.words(c), in.Event) {
			out = append(out, in.Input)
		}
	}
	return out
}

// looking is a search that looks at single configurations; see stand.
func (p *Product) looking() *search {
	return &search{Product: p, Step: step.New(p.program), times: newTimes()}
}

// stand makes c, in a leaf, the configuration at hand.
func (x *search) stand(c int32) {
	x.at, x.From = c, x.Leaf(c)
	copy(x.Here, x.words(c))
	x.readClocks()
}

// IsMove reports whether edge e enters a leaf, the start aside.
func (p *Product) IsMove(e int32) bool { return p.Label(e).Kind == Moved }

// Unmet is the first configuration where nothing takes input in, and whether
// there is one.
func (p *Product) Unmet(leaf *ir.State, in int32) (Unmet, bool) {
	u, ok := p.unmet[InputAt{leaf, in}]
	return u, ok
}

// spentAt is an input in a leaf that only the bound of an arm keeps it from.
type spentAt struct {
	InputAt
	arm *ir.Arm
}

// Spent is the first configuration where nothing takes input in and a is the last
// arm that would have, but for its bound; and whether there is one.
func (p *Product) Spent(leaf *ir.State, in int32, a *ir.Arm) (Unmet, bool) {
	u, ok := p.spent[spentAt{InputAt{leaf, in}, a}]
	return u, ok
}

// Sure reports whether path is surely a run: nothing on it is a guess, and it keeps to
// the times.
func (p *Product) Sure(path []int32) bool {
	return p.paced && !slices.ContainsFunc(path, func(e int32) bool { return !p.Certain(e) || p.Label(e).Again })
}

// PathTo lists the edges of the shortest path from the start to configuration c.
func (p *Product) PathTo(c int32) []int32 {
	var path []int32
	for ; p.came[c] != graph.None; c = p.from[c] {
		path = append(path, p.came[c])
	}
	slices.Reverse(path)
	return path
}

// doneDue reports whether `done` is the next input in configuration c.
func (p *Product) doneDue(c int32) bool {
	leaf := p.Leaf(c)
	return leaf != nil && leaf.Kind == ir.Leaf && p.program.DoneDue(leaf, p.words(c))
}

// Waits reports whether in configuration c nothing of the leaf itself goes on:
// no activity runs, and `done` is not due.
func (p *Product) Waits(c int32) bool {
	leaf := p.Leaf(c)
	if leaf == nil || leaf.Kind != ir.Leaf || p.doneDue(c) {
		return false
	}
	v := &p.program.Packing.Visits[leaf.ID]
	return len(leaf.Dos) == 0 || v.AllEnded(p.words(c))
}

// Runs reports whether timer t, which stands in the leaf of c or around it, has
// not fired yet.
func (p *Product) Runs(c int32, t *ir.Timer) bool {
	k := p.program.Packing
	return p.program.Ref(t).Runs(k.Fired.Get(p.words(c)))
}

// HasEnded reports whether in configuration c, in a leaf, its activity in place i has
// ended.
func (p *Product) HasEnded(c int32, i int) bool {
	return p.program.Packing.Visits[p.Leaf(c).ID].HasEnded(p.words(c), i)
}

// Tells reports whether configurations tell that t has fired, or need not.
func (p *Product) Tells(t *ir.Timer) bool { return p.program.Tells(t) }
