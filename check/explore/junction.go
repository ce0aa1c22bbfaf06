package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// An event that sets twenty booleans leads from each of a million configurations to
// each of the million: no list of edges holds that. But what such an event sets it
// mostly does not read, so that the configurations that agree in all else take the very
// same steps. Those steps are run and stored for the first of them alone, behind a
// junction: a vertex that stands within a step, between the configurations that take it
// and where it leads. An edge into it says nothing and counts for nothing; those that
// leave it are as they would be from the configuration itself. Any other is asked of
// the first: a junction has the leaf, the counters, and the clocks of all of them.

// WideFrom is from how many ends on those of an input stand behind a junction. It is
// a variable for tests alone.
var WideFrom = 64

// mostMasks is in how many ways the data that an input does not read may differ, until
// its steps are run for each configuration.
const mostMasks = 32

// junctions are those that an exploration has found. While it runs, edges that lead
// into one are numbered from coded(0) on, since nobody knows how many configurations
// there will be.
type junctions struct {
	stands []int32 // by junction: the first configuration that it stands for
	came   []int32 // by junction: the edge from there
	behind []int32 // by junction: behind the last of its edges
	to     []int32
	labels []int32

	inputs map[widely]*wideInput
	noting *noting
}

// coded is the number of junction j, or of an edge that leaves one, while there are no
// numbers; it is its own inverse.
func coded(j int32) int32 { return graph.None - 1 - j }

// isWide reports whether in may lead to so many ends that they stand behind a
// junction: it brings values. Nothing else does, and a junction is no step that waits
// for nothing.
func (x *search) isWide(in *step.InputCode) bool {
	if x.sought != nil || x.BringsOneByOne(in) || in.Kind != ir.CaseEvent && in.Kind != ir.CaseResult && in.Kind != ir.CaseFailure {
		return false
	}
	if in.Payloads == 0 {
		in.Payloads = 1
		for _, n := range x.Program.Tracked.Chosen {
			if n.Event != nil && n.Event == in.Event {
				in.Payloads = min(in.Payloads*n.Choices(), data.MostChoices)
			}
		}
	}
	return in.Payloads >= WideFrom
}

// eachOf is each for an input.
func (x *search) eachOf(in *step.InputCode, run func()) {
	if !x.isWide(in) {
		x.each(in.ID, run)
		return
	}
	of := x.wideInput(widely{InputAt{x.From, in.ID}, x.place})
	for i, mask := range of.masks {
		if steps, known := of.known[keyOf(i, mask, x.Here)]; known {
			x.lead(steps)
			return
		}
	}
	steps := &commonSteps{}
	x.junctions.noting = &noting{steps: steps, store: newStore(x.store.width+1, 64)}
	x.Foot.Begin(x.Program)
	x.each(in.ID, run)
	x.Foot.Noted, x.junctions.noting = false, nil
	mask, any := x.Foot.Unread()
	i := of.maskNumber(mask)
	share := !steps.guess && (any || WideFrom <= 1) && i < mostMasks
	for _, o := range steps.outcomes {
		o.many = share && len(o.labels) >= WideFrom && (overlaps(o.wrote, mask) || WideFrom <= 1)
	}
	x.lead(steps)
	if !share {
		return
	}
	for _, o := range steps.outcomes {
		if o.many && covers(o.wrote, mask) { // there is one junction, and it is made
			o.words, o.labels, o.always, o.rests = nil, nil, nil, nil
		}
	}
	if i == len(of.masks) {
		of.masks = append(of.masks, mask)
	}
	of.known[keyOf(i, mask, x.Here)] = steps
}

// lead adds the edges of the configuration at hand that steps are.
func (x *search) lead(steps *commonSteps) {
	for _, o := range steps.outcomes {
		if !o.many {
			x.leadToEach(o)
			continue
		}
		x.settle()
		key := keyOf(0, o.wrote, x.Here)
		j, known := o.junctions[key]
		if !known {
			j = x.join(o)
			o.junctions[key] = j
			x.junctions.came = append(x.junctions.came, int32(len(x.To)))
		}
		x.leadTo(j)
	}
}

// leadToEach adds an edge for each of the outcomes.
func (x *search) leadToEach(o *outcomes) {
	width := x.store.width
	for i, label := range o.labels {
		if len(x.open) == maxOpen {
			x.settle()
		}
		x.ends = x.end(x.ends, o, i)
		end := x.ends[len(x.ends)-width:]
		if !o.always[i] && slices.Equal(end, x.Here) {
			x.ends = x.ends[:len(x.ends)-width]
			continue
		}
		x.open = append(x.open, openEdge{label, o.rests[i], x.store.hash(end)})
	}
}

// end adds to list the end of outcome i from the configuration at hand.
func (x *search) end(list []uint64, o *outcomes, i int) []uint64 {
	for k, word := range x.Here {
		list = append(list, word&x.Foot.Data[k]&^o.wrote[k]|o.words[i*len(x.Here)+k])
	}
	return list
}

// join makes a junction of the outcomes, for the configuration at hand and those that
// differ from it in what is written alone.
func (x *search) join(o *outcomes) int32 {
	j := int32(len(x.junctions.stands))
	x.junctions.stands = append(x.junctions.stands, x.at)
	var hashes [maxOpen]uint64
	width := x.store.width
	for first := 0; first < len(o.labels); first += maxOpen {
		n := min(maxOpen, len(o.labels)-first)
		for i := range n {
			x.ends = x.end(x.ends, o, first+i)
			hashes[i] = x.store.hash(x.ends[i*width : (i+1)*width])
			x.store.fetch(hashes[i])
		}
		for i := range n {
			to, fresh := x.store.add(x.ends[i*width:(i+1)*width], hashes[i])
			if fresh {
				x.reach(to, coded(int32(len(x.junctions.to))), coded(j))
			}
			x.junctions.to = push(x.junctions.to, to)
			x.junctions.labels = push(x.junctions.labels, o.labels[first+i])
		}
		x.ends = x.ends[:0]
	}
	x.junctions.behind = append(x.junctions.behind, int32(len(x.junctions.to)))
	return j
}

// leadTo adds an edge into junction j.
func (x *search) leadTo(j int32) {
	x.To, x.labelAt, x.rests = push(x.To, coded(j)), push(x.labelAt, x.label(Label{Kind: Towards, Input: graph.None, Arm: graph.None, Do: graph.None})), push(x.rests, certain)
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
	for c, e := range x.came {
		if e < graph.None {
			x.came[c], x.from[c] = edges+coded(e), configs+coded(x.from[c])
		}
	}
	for j, end := range x.junctions.behind {
		x.First = append(x.First, edges+end)
		x.came, x.from = append(x.came, x.junctions.came[j]), append(x.from, x.junctions.stands[j])
	}
	x.To = push(x.To, x.junctions.to...)
	x.labelAt = push(x.labelAt, x.junctions.labels...)
	x.rests = push(x.rests, slices.Repeat([]rests{certain}, len(x.junctions.to))...)
	x.stands, x.Within = x.junctions.stands, configs
}
