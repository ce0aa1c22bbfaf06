package explore

import (
	"github.com/fsmc-dev/fsmc/check/graph"
	"math/bits"
)

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
			if x.To[e] == to && x.edges[e] == label {
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
		if at, there := x.place(first, x.To[e], x.edges[e]); !there {
			x.seen.table[at] = e + 1
		}
	}
	if at, there := x.place(first, to, label); there {
		return x.seen.table[at] - 1
	}
	return graph.None
}

// place is where an edge stands in the table, or would.
func (x *search) place(first, to, label int32) (at int, there bool) {
	mask := len(x.seen.table) - 1
	h := (uint64(uint32(to))<<32 | uint64(uint32(label))) * 0x9e3779b97f4a7c15
	for at = int(h>>32) & mask; ; at = (at + 1) & mask {
		e := x.seen.table[at] - 1
		x.probes++
		if e < first {
			return at, false
		}
		if x.To[e] == to && x.edges[e] == label {
			return at, true
		}
	}
}
