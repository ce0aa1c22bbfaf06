package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/zone"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// maxStored is the most words that all configurations may take together: half
// a gigabyte.
const maxStored = 1 << 26

// stepsEach is the most times that a step may be run for each configuration of
// the limit, on average: free choices within one step multiply.
const stepsEach = 16

// NewProduct is Try without what was seen past the limit.
func NewProduct(t *flat.Table, limit int) *Product {
	p, _ := Try(t, limit)
	return p
}

// Try explores the machine of t breadth first: the store is the queue. It gives
// nil where the machine has more than limit configurations, or takes more memory
// than that many usually do; and where the machine is broken, so that an arm or a
// target may be missing. Where it gave up, entered marks by ID the states that it
// had come to.
func Try(t *flat.Table, limit int) (p *Product, entered []bool) { return TryFurther(t, 0, limit) }

// TryFurther is Try where it gave nil with a limit before: what would give up as it did
// then is left out.
func TryFurther(t *flat.Table, before, limit int) (p *Product, entered []bool) {
	data, paced := newTracked(t.Machine), true
	for _, which := range []reach{everyTimer, timersOfLeaves} {
		c, tooMany := newClocks(t, data, which)
		paced = paced && !tooMany
		if c == nil {
			continue
		}
		if before < maxTimed {
			if p, _ := try(t, min(limit, maxTimed), data, c); p != nil {
				p.paced = paced
				return p, nil
			}
		}
		data, paced = newTracked(t.Machine), false
	}
	if p, entered = try(t, limit, data, nil); p != nil {
		p.paced = paced
	}
	return p, entered
}

// TryOpen is Try with every bound both open and used up, so that no counter
// multiplies configurations. What no path of it does, no run does; a path of it may
// be none. It gives nil where the machine has no bounds, too.
func TryOpen(t *flat.Table, limit int) *Product {
	if !slices.ContainsFunc(t.Machine.Arms, func(a *ir.Arm) bool { return a.Max != nil && *a.Max > 0 }) {
		return nil
	}
	data := newTracked(t.Machine)
	data.loose = true
	p, _ := try(t, limit, data, nil)
	return p
}

func try(t *flat.Table, limit int, tracked *tracked, clocks *clocks) (p *Product, entered []bool) {
	x, entered := exploration(t, limit, tracked, clocks)
	if x == nil {
		return nil, entered
	}
	return x.Product, nil
}

// exploration is try with what it took.
func exploration(t *flat.Table, limit int, tracked *tracked, clocks *clocks) (x *search, entered []bool) {
	if t.Machine.Broken || t.Machine.Incomplete || t.Machine.Root.Leaf() == nil || limit <= 0 {
		return nil, nil
	}
	code := compileProgram(t, tracked, clocks)
	if code == nil {
		return nil, nil
	}
	x = newSearch(t, code)
	x.most = stepsEach * limit
	x.start()
	for c := int32(1); int(c) < x.store.count; c++ {
		if x.work > maxWork || x.runs > x.most || x.store.count > limit || len(x.To)+len(x.junctions.to) > edgesEach*limit || len(x.store.words) > maxStored {
			return nil, x.enteredSoFar()
		}
		x.First = push(x.First, int32(len(x.To)))
		x.expand(c)
		x.settle()
	}
	if x.runs > x.most {
		return nil, x.enteredSoFar()
	}
	x.First = append(x.First, int32(len(x.To)))
	x.numberJunctions()
	return x, nil
}

func (x *search) enteredSoFar() []bool {
	entered := make([]bool, len(x.first))
	for s, c := range x.first {
		entered[s] = c != graph.None
	}
	return entered
}

// search is one exploration.
type search struct {
	*Product
	*step
	times
	at      int32
	most    int     // of runs; see stepsEach
	emitted bool    // the step at hand has an edge
	still   bool    // it leads back to where it starts, and has none
	arm     *ir.Arm // that it takes, once that is decided
	number  map[Label]int32
	open    []openEdge // of the configuration at hand
	ends    []uint64   // where those lead, one behind the other
	seen    edgeTable
	probes  int     // of the table of seen
	sought  *sought // not nil while one edge is told again

	junctions junctions
}

func newSearch(t *flat.Table, code *program) *search {
	m := t.Machine
	x := &search{
		Product: &Product{
			Table: t, program: code, zones: zone.NewTable(), store: newStore(code.packing.words, code.packing.used),
			first: make([]int32, len(m.States)), taken: make([]bool, len(m.Arms)), fired: make([]bool, len(m.Timers)),
			faults: map[faultKey]Fault{}, broken: map[Broken]bool{}, unmet: map[InputAt]Unmet{}, spent: map[spentAt]Unmet{},
		},
		step: newStep(code), number: map[Label]int32{}, times: newTimes(), junctions: junctions{inputs: map[widely]*wideInput{}},
	}
	for i := range x.first {
		x.first[i] = graph.None
	}
	return x
}

// start adds configuration 0 and the steps that begin a run, one for each choice
// of parameters.
func (x *search) start() {
	x.store.add(x.here, x.store.hash(x.here)) // its leaf is the root, which no other has
	x.came, x.Product.from = append(x.came, graph.None), append(x.Product.from, graph.None)
	x.First = append(x.First, 0)
	x.expandStart()
	x.settle()
}

func (x *search) expandStart() {
	x.step.from, x.input = nil, nil
	x.each(graph.None, func() {
		x.begins()
		x.emitMove(Label{Kind: Started, Input: graph.None, Arm: graph.None, Do: graph.None})
	})
}

// begins is the step that starts a run.
func (s *step) begins() {
	s.params = s.params[:0]
	for _, n := range s.p.tracked.nodes {
		if n.slot == nil {
			continue
		}
		switch {
		case n.v.Param:
			code := s.chooseCode(n)
			n.slot.store(s.next, code)
			s.params = append(s.params, code)
		case n.v.Default == nil:
		case n.dom.sort == byRegion:
			n.slot.store(s.next, n.dom.code(n.v.Default))
		default:
			n.slot.store(s.next, n.v.Default.Int)
		}
	}
	root := s.p.m.Root
	s.refill(root)
	s.apply(s.p.states[root.ID].entry)
	s.enter(root, 0, -1)
}

// each runs a step once for every combination of its free choices.
func (x *search) each(input int32, run func()) {
	x.oracle.begin()
	for again := true; again && x.goesOn(); again = x.oracle.next() {
		x.runs++
		x.step.begin()
		x.emitted, x.still, x.arm = false, false, nil
		if run(); x.oracle.over {
			continue
		}
		if n := x.junctions.noting; n != nil && x.restsOn()&depends != 0 {
			n.steps.guess = true
		}
		usesUp := x.again && x.still // an event was deferred and is gone; see surelyEnding
		if x.restsOn()&depends != 0 && !x.emitted && !usesUp && !x.failed() && x.sought == nil {
			x.noteIdle(key{x.at, input})
		}
		if x.failed() {
			x.noteFault(input)
		}
		x.Guessed = x.Guessed || x.guessed
	}
}

// goesOn reports whether another run of the step at hand is of use.
func (x *search) goesOn() bool {
	if x.sought != nil {
		return !x.sought.found || x.sought.guessed
	}
	return x.runs <= x.most
}

// noteIdle notes that k may be left without an edge. The runs of one step follow
// each other.
func (x *search) noteIdle(k key) {
	if n := len(x.idle); n == 0 || x.idle[n-1] != k {
		x.idle = append(x.idle, k)
	}
}

func (x *search) noteFault(input int32) {
	if x.sought != nil {
		x.compareFault()
		return
	}
	at := InputAt{graph.None, input}
	if x.step.from != nil {
		at.Leaf = int32(x.step.from.ID)
	}
	x.broken[Broken{At: at, Arm: x.arm, Assign: x.fault.assign, Unset: x.fault.field, Circle: x.fault.leaf}] = true
	x.addFault(Fault{
		Config: x.at, Input: input, Assign: x.fault.assign, Circle: x.fault.leaf,
		Unset: x.fault.field, At: x.fault.at, Again: x.again, Guessed: x.guessed,
	})
}

// addFault notes f, unless it is known. One in which nothing was guessed is
// preferred.
func (x *search) addFault(f Fault) {
	key := faultKey{assign: f.Assign, unset: f.At, input: f.Input}
	switch {
	case f.Unset != nil:
		key.input = graph.None
	case f.Assign == nil && f.Circle == nil:
		return // an overflow
	}
	if known, ok := x.faults[key]; !ok || known.Guessed && !f.Guessed {
		x.faults[key] = f
	}
}

// starts notes what the attempts that may start in the configuration at hand
// read and cannot.
func (x *search) starts(leaf *ir.State) {
	for _, a := range x.p.states[leaf.ID].args {
		if x.p.packing.visits[leaf.ID].hasEnded(x.here, a.do) {
			continue
		}
		x.input = nil
		x.oracle.begin()
		for again := true; again; again = x.oracle.next() {
			x.step.begin()
			if a.read(x.step); x.failed() {
				x.addFault(Fault{
					Config: x.at, Input: graph.None, Unset: x.fault.field, At: x.fault.at,
					Starts: leaf.Dos[a.do], Guessed: x.guessed,
				})
			}
		}
	}
}

func pathTo(came, from []int32, c int32) []int32 {
	var path []int32
	for ; came[c] != graph.None; c = from[c] {
		path = append(path, came[c])
	}
	slices.Reverse(path)
	return path
}

// doneDue reports whether `done` is the next input in a configuration in leaf.
func (p *program) doneDue(leaf *ir.State, words []uint64) bool {
	if p.packing.rested.get(words) != 0 {
		return false
	}
	return p.states[leaf.ID].choice || p.packing.visits[leaf.ID].allEnded(words)
}
