package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/zone"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// search is one exploration.
type search struct {
	*Product
	*step.Step
	times
	at      int32
	most    int     // of runs; see stepsEach
	emitted bool    // the step at hand has an edge
	still   bool    // it leads back to where it starts, and has none
	arm     *ir.Arm // that it takes, once that is decided
	place   int     // among step.Program.Kept: of the event that is looked at, or deferred; -1 for none
	number  map[Label]int32
	open    []openEdge // of the configuration at hand
	ends    []uint64   // where those lead, one behind the other
	seen    edgeTable
	probes  int // of the table of seen
	last    noted
	way     []int32 // of a walk: the path to the configuration at hand
	sought  *sought // not nil while one edge is told again
	stayed  []int   // by arm: edges of steps that stay though nothing changes; nil where they have none

	junctions junctions
}

func newSearch(t *flat.Table, code *step.Program) *search {
	m := t.Machine
	return &search{
		Product: &Product{
			Graph: graph.Graph{Stop: t.Stop},
			Table: t, program: code, zones: zone.NewTable(), store: newStore(code.Packing.Words, code.Packing.Used),
			firstIn: slices.Repeat([]int32{graph.None}, len(m.States)), taken: make([]bool, len(m.Arms)), fired: make([]bool, len(m.Timers)),
			begun: [][]step.Elements{nil}, beginnings: map[string]int32{}, retried: map[retryOf]retriedBy{},
			faults: map[faultKey]Fault{}, turned: map[*ir.State]Fault{}, broken: map[Broken]bool{}, unmet: map[InputAt]Unmet{}, spent: map[spentAt]Unmet{},
			halts: map[InputAt]Halt{},
		},
		Step: step.New(code), number: map[Label]int32{}, times: newTimes(), junctions: junctions{inputs: map[widely]*wideInput{}},
	}
}

// start adds configuration 0 and the steps that begin a run, one for each choice
// of parameters.
func (x *search) start() {
	x.store.add(x.Here, x.store.hash(x.Here)) // its leaf is the root, which no other has
	x.came, x.from = append(x.came, graph.None), append(x.from, graph.None)
	x.First = append(x.First, 0)
	x.expandStart()
	x.settle()
}

func (x *search) expandStart() {
	x.From, x.In = nil, nil
	x.each(graph.None, func() {
		x.Begins()
		if !x.Failed() && !x.Oracle.Over {
			x.emit(x.label(x.entering(Label{Kind: Started, Input: graph.None, Arm: graph.None, Do: graph.None})), true)
		}
	})
}

// each runs a step once for every combination of its free choices.
func (x *search) each(input int32, run func()) {
	x.Oracle.Begin()
	for again := true; again && x.goesOn(); again = x.Oracle.Next() {
		if q := x.Questions(); q > 0 && x.Oracle.Runs() == q*CostOfQuestion && x.eachArm(input, run) {
			return
		}
		x.Stop.Poll()
		x.Tries++
		x.Begin()
		x.emitted, x.still, x.arm = false, false, nil
		if run(); x.Oracle.Over {
			continue
		}
		if n := x.junctions.noting; n != nil && x.restsOn()&depends != 0 {
			n.steps.guess = true
		}
		usesUp := (x.Again || x.OneLess) && x.still // an event was deferred and is gone, or an element has ended; see surelyEnding
		if x.restsOn()&depends != 0 && !x.emitted && !usesUp && !x.Failed() && x.sought == nil {
			x.noteStuck(inputIn{x.at, input})
		}
		if x.Failed() {
			x.noteFault(input)
		}
		x.Guessed = x.Guessed || x.Guess
	}
}

// CostOfQuestion is for how many runs of a step a question to the solver of guards counts. After as many runs as
// all questions about a step cost, they are asked; see eachArm. Tests change it.
var CostOfQuestion = 1 << 8

// eachArm is each with one run for each arm that the input at hand may take, whatever comes with it; false
// where that is not all of it.
func (x *search) eachArm(input int32, run func()) bool {
	x.Tries += x.Questions() * CostOfQuestion
	pins, ok := x.Pins()
	for _, codes := range pins {
		x.Pin(codes)
		x.each(input, run)
	}
	x.Pin(nil)
	return ok
}

// mostSince is how many runs of a step are looked at for one that shows the same, and is no guess. Lists
// can begin in millions of ways.
const mostSince = 1 << 16

// goesOn reports whether another run of the step at hand is of use.
func (x *search) goesOn() bool {
	if x.sought != nil && x.sought.every != nil {
		x.sought.left--
		return x.sought.left > 0
	}
	if s := x.sought; s != nil {
		if s.found {
			s.since++
		}
		return !s.found || s.guessed && s.since < mostSince
	}
	return x.Tries <= x.most
}

// noteStuck notes that k may be left without an edge. The runs of one step follow
// each other.
func (x *search) noteStuck(k inputIn) {
	if n := len(x.stuck); n == 0 || x.stuck[n-1] != k {
		x.stuck = append(x.stuck, k)
	}
}

func (x *search) noteFault(input int32) {
	if x.sought != nil {
		x.compareFault()
		return
	}
	f := Fault{
		Config: x.at, Input: input, Assign: x.Fault.Assign, Circle: x.Fault.Leaf,
		Unset: x.Fault.Field, Absent: x.Fault.Absent, ReadAt: x.Fault.At, Again: x.Again, Guessed: x.Guess,
	}
	if from, _, known := x.ElementAt(); known {
		open, _ := x.Program.Packing.Visits[x.From.ID].Open(x.Here, x.In.Place)
		f.Far = from >= open
	}
	b := Broken{At: InputAt{x.From, input}, Arm: x.arm, Assign: f.Assign, Unset: f.Unset, Absent: f.Absent, Circle: f.Circle}
	now := noted{fault: f, broken: b, turned: x.Turned}
	if now.fault.Config = x.last.fault.Config; now == x.last {
		return // as of most of a thousand values: the first configuration is kept
	}
	x.last = now
	x.broken[b] = true
	x.addFault(f)
	if f.Circle == nil {
		x.noteTurned(f)
	}
}

// noted is what is noted of a fault.
type noted struct {
	fault  Fault
	broken Broken
	turned int16
}

// addFault notes f, unless it is known. One in which nothing was guessed is preferred, and then one
// that is not far, since no other element need have ended.
func (x *search) addFault(f Fault) {
	key := f.key()
	if f.Assign == nil && f.Circle == nil && !f.ReadsUnset() {
		return // an overflow
	}
	if known, ok := x.faults[key]; !ok || known.Guessed && (!f.Guessed || known.Far && !f.Far) {
		x.faults[key] = f
		if x.walked != nil {
			x.walked[key] = slices.Clone(x.way)
		}
	}
}

// noteAttempts notes what the attempts that may start in the configuration at hand
// read and cannot.
func (x *search) noteAttempts(leaf *ir.State) {
	for _, a := range x.Program.States[leaf.ID].Args {
		if x.Program.Packing.Visits[leaf.ID].HasEnded(x.Here, a.Place) {
			continue
		}
		x.In = nil
		x.Oracle.Begin()
		for again := true; again; again = x.Oracle.Next() {
			x.Begin()
			if a.Read(x.Step); x.Failed() {
				x.addFault(Fault{
					Config: x.at, Input: graph.None, Unset: x.Fault.Field, ReadAt: x.Fault.At,
					Starts: leaf.Dos[a.Place], Guessed: x.Guess,
				})
			}
		}
	}
}
