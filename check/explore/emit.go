package explore

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"slices"
)

// The edges of one configuration are gathered first, and then numbered together.
// Where the store has a configuration, or would have it, lies anywhere in its
// table, and a processor fetches many places in the time of one if it is told of
// them at once. That takes a third off the time of an exploration.

// openEdge is an edge whose end has no number yet.
type openEdge struct {
	label int32
	rests rests
	hash  uint64 // of the end
}

// maxOpen is the most edges that are gathered: the start of a run may have one
// for each of a million choices of parameters.
const maxOpen = 64

// emit adds an edge from the configuration at hand to next. One that leads back
// to where it starts is added only where it counts for something.
func (x *search) emit(label int32, always bool) {
	if !x.timed() {
		x.emitOne(label, always)
		return
	}
	for _, part := range x.pieces {
		x.p.clocks.number.set(x.next, uint64(part))
		x.emitOne(label, always)
	}
}

func (x *search) emitOne(label int32, always bool) {
	if x.sought != nil {
		x.compare(label)
		return
	}
	still := !always && slices.Equal(x.next, x.here)
	x.still, x.emitted = x.still || still, x.emitted || !still
	if x.foot.noted {
		x.note(label, always) // for others it may lead elsewhere
		return
	}
	if still {
		return
	}
	if len(x.open) == maxOpen {
		x.settle()
	}
	x.open = append(x.open, openEdge{label, x.restsOn(), x.store.hash(x.next)})
	x.ends = append(x.ends, x.next...)
}

// settle numbers the ends of the open edges, in the order in which they came.
func (x *search) settle() {
	for i := range x.open {
		x.store.fetch(x.open[i].hash)
	}
	width := x.store.width
	for i := range x.open {
		x.add(&x.open[i], x.ends[i*width:(i+1)*width])
	}
	x.open, x.ends = x.open[:0], x.ends[:0]
}

// add adds an edge, unless the configuration at hand has it already.
func (x *search) add(o *openEdge, end []uint64) {
	edge := int32(len(x.To))
	to, fresh := x.store.add(end, o.hash)
	if fresh {
		x.reach(to, edge, x.at)
	} else if e := x.known(to, o.label); e != graph.None {
		x.rests[e] |= o.rests
		return
	}
	x.rests = push(x.rests, o.rests)
	x.To = push(x.To, to)
	x.edges = push(x.edges, o.label)
}

// reach notes how configuration to, a new one, was reached.
func (x *search) reach(to, edge, from int32) {
	x.came, x.Product.from = push(x.came, edge), push(x.Product.from, from)
	for s := x.Product.Leaf(to); s != nil && x.first[s.ID] == graph.None; s = s.Parent {
		x.first[s.ID] = to
	}
}

// emitMove is emit for a step that has entered a leaf, if it could.
func (x *search) emitMove(l Label) {
	if x.failed() || x.oracle.over {
		return
	}
	x.emit(x.label(x.entering(l)), true)
}

// entering is l of the step that has just entered a leaf.
func (x *search) entering(l Label) Label {
	l.Into, l.Shared = int32(x.p.packing.leaf.get(x.next)), int16(x.step.shared)
	x.ageMoved()
	return l
}

// label numbers l.
func (x *search) label(l Label) int32 {
	n, ok := x.number[l]
	if !ok {
		n = int32(len(x.labels))
		x.number[l] = n
		x.labels, x.marks = append(x.labels, l), append(x.marks, x.mark(l))
	}
	return n
}
