package explore

import (
	"encoding/binary"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// An event that sets twenty booleans leads from each of a million configurations to
// each of the million: no list of edges holds that. But what such an event sets it
// mostly does not read, so that the configurations that agree in all else take the very
// same steps. Those steps are run and kept for the first of them alone, behind a
// junction: a vertex that stands within a step, between the configurations that take it
// and where it leads. An edge into it says nothing and counts for nothing; those that
// leave it are as they would be from the configuration itself. Any other is asked of
// the first: a junction has the leaf, the counters, and the clocks of all of them.

// WideFrom is from how many ends on those of an input are kept behind a junction. It is
// a variable for tests alone.
var WideFrom = 64

// mostMasks is in how many ways the data that an input does not read may differ, until
// its edges are kept one by one.
const mostMasks = 32

// junctions are those that an exploration has found. While it runs, edges that lead
// into one are numbered from coded(0) on, since nobody knows how many configurations
// there will be.
type junctions struct {
	stands []int32 // by junction: the first configuration that it stands for
	came   []int32 // by junction: the edge from there
	ends   []int32 // by junction: behind the last of its edges
	to     []int32
	labels []int32
	sets   map[widely]*alikeIn
	guess  bool    // some run of the step at hand guesses
	stills []int32 // its edges that lead back to where they start, and count for nothing
}

// widely is an input in a leaf.
type widely struct {
	InputAt
	again bool
}

// alikeIn are the junctions of an input in a leaf: by the number of a mask, and the
// configuration within it.
type alikeIn struct {
	masks [][]uint64
	found map[string]int32
}

// coded is the number of junction j, or of an edge that leaves one, while there are no
// numbers; it is its own inverse.
func coded(j int32) int32 { return None - 1 - j }

// isWide reports whether in may lead to so many ends that they are kept behind a
// junction: it brings values. Nothing else does, and a junction is no step that waits
// for nothing.
func (x *search) isWide(in *inputCode) bool {
	if x.sought != nil || in.Kind != ir.CaseEvent && in.Kind != ir.CaseResult && in.Kind != ir.CaseFailure {
		return false
	}
	if in.payloads == 0 {
		in.payloads = 1
		for _, n := range x.p.tracked.chosen {
			if n.event != nil && n.event == in.Event {
				in.payloads = min(in.payloads*n.choices(), mostChoices)
			}
		}
	}
	return in.payloads >= WideFrom
}

// mostChoices is more than enough of them.
const mostChoices = 1 << 20

// choices is how many values of n a step may choose from; see chooseCode.
func (n *node) choices() int {
	switch n.dom.sort {
	case byRegion:
		lo, hi := n.codes()
		return int(hi-lo) + 1
	case byLength:
		return int(n.dom.most) + 1
	case byValue:
		lo, hi, ranged := n.limits()
		if !ranged {
			lo, hi = n.dom.hull()
		}
		return int(min(hi-lo, mostChoices)) + 1
	}
	return 1
}

// eachOf is each for an input.
func (x *search) eachOf(in *inputCode, run func()) {
	if !x.isWide(in) {
		x.each(in.ID, run)
		return
	}
	x.settle()
	of := x.alikeIn(widely{InputAt{int32(x.step.from.ID), in.ID}, x.again})
	for i, mask := range of.masks {
		if j, known := of.found[keyOf(i, mask, x.here)]; known {
			x.leadTo(j)
			return
		}
	}
	edge, fresh := int32(len(x.To)), int32(x.store.count)
	x.foot.begin(x.p)
	x.junctions.guess, x.junctions.stills = false, x.junctions.stills[:0]
	x.each(in.ID, run)
	x.settle()
	x.foot.noted = false
	mask, any := x.foot.unread()
	i := of.number(mask)
	if n := len(x.To) - int(edge); n < WideFrom || x.junctions.guess || !any && WideFrom > 1 || i == mostMasks {
		x.takeBackStills(edge, fresh)
		return
	}
	if i == len(of.masks) {
		of.masks = append(of.masks, mask)
	}
	j := x.join(edge, fresh)
	of.found[keyOf(i, mask, x.here)] = j
	x.junctions.came = append(x.junctions.came, int32(len(x.To)))
	x.leadTo(j)
}

func (x *search) alikeIn(at widely) *alikeIn {
	of := x.junctions.sets[at]
	if of == nil {
		of = &alikeIn{found: map[string]int32{}}
		x.junctions.sets[at] = of
	}
	return of
}

// number is that of mask, which may be the next one.
func (of *alikeIn) number(mask []uint64) int {
	i := slices.IndexFunc(of.masks, func(known []uint64) bool { return slices.Equal(known, mask) })
	if i < 0 {
		i = len(of.masks)
	}
	return i
}

// keyOf is words without the bits of mask, of number i.
func keyOf(i int, mask, words []uint64) string {
	key := []byte{byte(i)}
	for k, word := range words {
		key = binary.NativeEndian.AppendUint64(key, word&^mask[k])
	}
	return string(key)
}

// join moves the edges from edge on behind a junction. Configurations from fresh on
// were first reached by them.
func (x *search) join(edge, fresh int32) int32 {
	j, base := int32(len(x.junctions.stands)), int32(len(x.junctions.to))
	x.junctions.stands = append(x.junctions.stands, x.at)
	x.junctions.to = push(x.junctions.to, x.To[edge:]...)
	x.junctions.labels = push(x.junctions.labels, x.edges[edge:]...)
	x.junctions.ends = append(x.junctions.ends, int32(len(x.junctions.to)))
	for c := fresh; int(c) < x.store.count; c++ {
		x.Product.came[c], x.Product.from[c] = coded(x.Product.came[c]-edge+base), coded(j)
	}
	x.takeBack(edge)
	return j
}

// takeBack takes back the edges from edge on.
func (x *search) takeBack(edge int32) {
	x.seen.takenBack(x.First[x.at], int32(len(x.To)))
	x.To, x.edges, x.rests = x.To[:edge], x.edges[:edge], x.rests[:edge]
}

// leadTo adds an edge into junction j.
func (x *search) leadTo(j int32) {
	x.To, x.edges, x.rests = push(x.To, coded(j)), push(x.edges, x.label(Label{Kind: Towards, Input: None, Arm: None, Do: None})), push(x.rests, certain)
}

// takeBackStills takes back those edges from edge on that lead back to where they
// start and count for nothing.
func (x *search) takeBackStills(edge, fresh int32) {
	if len(x.junctions.stills) == 0 {
		return
	}
	to, labels, rests := slices.Clone(x.To[edge:]), slices.Clone(x.edges[edge:]), slices.Clone(x.rests[edge:])
	x.takeBack(edge)
	moved := make([]int32, len(to))
	for i := range to {
		if moved[i] = int32(len(x.To)); slices.Contains(x.junctions.stills, edge+int32(i)) {
			continue
		}
		x.To, x.edges, x.rests = append(x.To, to[i]), append(x.edges, labels[i]), append(x.rests, rests[i])
	}
	for c := fresh; int(c) < x.store.count; c++ {
		x.Product.came[c] = moved[x.Product.came[c]-edge]
	}
}

// numberJunctions gives junctions and the edges that leave them their numbers, behind all
// others.
func (x *search) numberJunctions() {
	configs, edges := int32(x.store.count), int32(len(x.To))
	for e, to := range x.To {
		if to < 0 {
			x.To[e] = configs + coded(to)
		}
	}
	for c, e := range x.Product.came {
		if e < None {
			x.Product.came[c], x.Product.from[c] = edges+coded(e), configs+coded(x.Product.from[c])
		}
	}
	for j, end := range x.junctions.ends {
		x.First = append(x.First, edges+end)
		x.Product.came, x.Product.from = append(x.Product.came, x.junctions.came[j]), append(x.Product.from, x.junctions.stands[j])
	}
	x.To = push(x.To, x.junctions.to...)
	x.edges = push(x.edges, x.junctions.labels...)
	x.rests = push(x.rests, slices.Repeat([]rests{certain}, len(x.junctions.to))...)
	x.Product.stands, x.Within = x.junctions.stands, configs
}
