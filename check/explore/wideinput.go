package explore

import (
	"encoding/binary"
	"slices"
)

// widely is an input in a leaf.
type widely struct {
	InputAt
	place int // of an event that was deferred, among step.Program.Kept; else -1
}

// wideInput is what is known of such an input: by the number of a mask of data that is
// not read, and the configuration without it, the steps.
type wideInput struct {
	masks [][]uint64
	known map[string]*commonSteps
}

// commonSteps are the steps of all configurations that differ in nothing but data that none
// of the steps reads.
type commonSteps struct {
	guess    bool // one rests on a guess
	outcomes []*outcomes
}

// outcomes are the ends of those steps that write the same data.
type outcomes struct {
	wrote     []uint64
	words     []uint64 // of each: what it writes, and all that is no data
	labels    []int32
	always    []bool // it counts for something where it leads back to where it starts, too
	rests     []rests
	many      bool             // they stand behind junctions
	junctions map[string]int32 // those, by the configuration without what is written
}

// noting is what notes the steps of an input.
type noting struct {
	steps *commonSteps
	store *store     // what was noted, each once
	at    []position // by number there
	words []uint64   // scratch
}

// position is a place among the outcomes.
type position struct {
	of *outcomes
	at int
}

// note notes the end of the step at hand.
func (x *search) note(label int32, always bool) {
	n := x.junctions.noting
	i := slices.IndexFunc(n.steps.outcomes, func(o *outcomes) bool { return slices.Equal(o.wrote, x.Foot.Wrote) })
	if i < 0 {
		i = len(n.steps.outcomes)
		n.steps.outcomes = append(n.steps.outcomes, &outcomes{wrote: slices.Clone(x.Foot.Wrote), junctions: map[string]int32{}})
	}
	n.words = n.words[:0]
	for k, word := range x.Next {
		n.words = append(n.words, word&^(x.Foot.Data[k]&^x.Foot.Wrote[k]))
	}
	counts := uint64(0)
	if always {
		counts = 1
	}
	n.words = append(n.words, uint64(i)<<33|uint64(label)<<1|counts)
	number, fresh := n.store.add(n.words, n.store.hash(n.words))
	if !fresh {
		at := n.at[number]
		at.of.rests[at.at] |= x.restsOn()
		return
	}
	o := n.steps.outcomes[i]
	n.at = append(n.at, position{o, len(o.labels)})
	o.words = append(o.words, n.words[:len(x.Next)]...)
	o.labels, o.always, o.rests = append(o.labels, label), append(o.always, always), append(o.rests, x.restsOn())
}

func (x *search) wideInput(at widely) *wideInput {
	of := x.junctions.inputs[at]
	if of == nil {
		of = &wideInput{known: map[string]*commonSteps{}}
		x.junctions.inputs[at] = of
	}
	return of
}

// maskNumber is that of mask, which may be the next one.
func (of *wideInput) maskNumber(mask []uint64) int {
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

// covers reports whether all bits of mask are among those given.
func covers(bits, mask []uint64) bool {
	for i := range mask {
		if mask[i]&^bits[i] != 0 {
			return false
		}
	}
	return true
}

// overlaps reports whether some bit of mask is among those given.
func overlaps(bits, mask []uint64) bool {
	for i := range mask {
		if mask[i]&bits[i] != 0 {
			return true
		}
	}
	return false
}
