package explore

import (
	"math/bits"
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
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
	if len(x.Program.Enforced) > 0 && x.haltsNext(x.labels[label].Input) {
		return
	}
	if !x.timed() {
		x.emitOne(label, always)
		return
	}
	for _, part := range x.pieces {
		x.Program.Clocks.Zone.Set(x.Next, uint64(part))
		x.emitOne(label, always)
	}
}

func (x *search) emitOne(label int32, always bool) {
	if x.sought != nil {
		x.compare(label)
		return
	}
	still := !always && slices.Equal(x.Next, x.Here)
	x.still, x.emitted = x.still || still, x.emitted || !still
	if x.Foot.Noted {
		x.note(label, always) // for others it may lead elsewhere
		return
	}
	if still {
		return
	}
	if len(x.open) == maxOpen {
		x.settle()
	}
	x.open = append(x.open, openEdge{label, x.restsOn(), x.store.hash(x.Next)})
	x.ends = append(x.ends, x.Next...)
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
	x.labelAt = push(x.labelAt, o.label)
}

// reach notes how configuration to, a new one, was reached.
func (x *search) reach(to, edge, from int32) {
	x.came, x.from = push(x.came, edge), push(x.from, from)
	leaf := x.Leaf(to)
	if leaf != nil && flat.MayDoNothing(leaf) && x.firstIn[leaf.ID] != graph.None && x.isEmpty(leaf, x.firstIn[leaf.ID]) && !x.isEmpty(leaf, to) {
		x.firstIn[leaf.ID] = to // where a run stays for a while, and not for no time
	}
	for s := leaf; s != nil && x.firstIn[s.ID] == graph.None; s = s.Parent {
		x.firstIn[s.ID] = to
	}
}

// isEmpty reports whether nothing that leaf does is open in configuration c.
func (x *search) isEmpty(leaf *ir.State, c int32) bool {
	return x.Program.Packing.Visits[leaf.ID].AllEnded(x.words(c))
}

// entering is l of the step that has just entered a leaf.
func (x *search) entering(l Label) Label {
	l.Into, l.Shared, l.Turned, l.Begun = int32(x.Program.Packing.Leaf.Get(x.Next)), int16(x.Shared), x.Turned, x.beginning()
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

// edgeTable has the edges of the configuration at hand, by where they lead and what
// they do. There may be as many as there are configurations, where an event brings
// values. It is a table with open addressing, of numbers of edges plus 1; those of
// configurations before the one at hand count as empty, so that it is never
// cleared. While the edges are few they are gone through one by one.
type edgeTable struct {
	table []int32
	first int32 // edge of the configuration at hand
	in    int   // how many of its edges are in the table
}

// fewEdges is up to how many edges of a configuration are gone through.
const fewEdges = 16

// known is the edge from the configuration at hand to to with label, or None. Where
// it is None, the edge that is added next counts as that one.
func (x *search) known(to, label int32) int32 {
	first, end := x.First[x.at], int32(len(x.To))
	if end-first <= fewEdges {
		for e := first; e < end; e++ {
			if x.To[e] == to && x.labelAt[e] == label {
				return e
			}
		}
		return graph.None
	}
	if x.seen.first != first {
		x.seen.first, x.seen.in = first, 0
	}
	if n := int(end-first) + 1; 2*n > len(x.seen.table) {
		x.seen.table, x.seen.in = make([]int32, 4<<bits.Len(uint(n))), 0
	}
	for ; x.seen.in < int(end-first); x.seen.in++ {
		e := first + int32(x.seen.in)
		if at, there := x.entry(first, x.To[e], x.labelAt[e]); !there {
			x.seen.table[at] = e + 1
		}
	}
	if at, there := x.entry(first, to, label); there {
		return x.seen.table[at] - 1
	}
	return graph.None
}

// entry is where an edge stands in the table, or would.
func (x *search) entry(first, to, label int32) (at int, there bool) {
	mask := len(x.seen.table) - 1
	h := (uint64(uint32(to))<<32 | uint64(uint32(label))) * 0x9e3779b97f4a7c15
	for at = int(h>>32) & mask; ; at = (at + 1) & mask {
		e := x.seen.table[at] - 1
		x.probes++
		if e < first {
			return at, false
		}
		if x.To[e] == to && x.labelAt[e] == label {
			return at, true
		}
	}
}
