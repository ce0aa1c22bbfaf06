package step

import (
	"math/bits"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Packing is where the words of a configuration of the product have their parts.
// What belongs to one visit (activities, the counters of their retries) is laid
// over the same bits for every leaf.
type Packing struct {
	Words int
	Used  uint

	Leaf, Rested, Cancelled data.Bits
	Deferred, Pending       Marks // of Program.Kept: those that stand deferred, and those of them still to be looked at
	OverDue, OverDone       Marks // of the costs that the machine holds to their budget: whose over_budget is due, and was taken
	Fired                   data.Bits
	slots                   []slots  // by state ID; see firedSlots
	FiredBit                []uint64 // by timer ID

	counters []data.Bits // by arm ID: of those counters that outlive a visit
	Visits   []Visit     // by state ID

	visitBits []uint64 // the bits that belong to the visit
}

// Marks are one bit for each of some things, by their place: up to 64 in each field.
type Marks []data.Bits

// Any reports whether one of the things is marked.
func (m Marks) Any(words []uint64) bool {
	for _, f := range m {
		if f.Get(words) != 0 {
			return true
		}
	}
	return false
}

// Has reports whether the thing in place at is marked.
func (m Marks) Has(words []uint64, at int) bool { return m[at/64].Get(words)>>(at%64)&1 != 0 }

// Put marks the thing in place at, or takes its mark away.
func (m Marks) Put(words []uint64, at int, on bool) {
	v := m[at/64].Get(words) &^ (1 << (at % 64))
	if on {
		v |= 1 << (at % 64)
	}
	m[at/64].Set(words, v)
}

// Visit is what a configuration holds of a visit to a leaf.
type Visit struct {
	plain    data.Bits   // how many of the dos whose end nothing but `done` can see have ended
	ended    []data.Bits // by place in the leaf's dos: one bit, for those that are not plain
	order    []int       // by place in the leaf's dos: place among the plain ones, or -1
	open     [][]group   // by place in the leaf's dos: of a fan-out whose elements are counted, those that are told apart
	begun    []data.Bits // by the same: with how many elements it began, where that matters later; else no bits
	turns    []bool      // by the same: an element that waits for a retry gives its place to another
	Waiting  []data.Bits // by place in the leaf's dos: one bit, for those whose retries are told apart from their attempts
	nPlain   int
	counters map[*ir.Arm]data.Bits
	retries  map[*ir.Arm]sharedRetry // those of fan-outs
}

// maxWords is the most words of a configuration: what needs more would not be
// explored to its end anyway.
const maxWords = 64

// reserve reserves width bits; they never straddle two words.
func (p *Packing) reserve(width int) data.Bits {
	w := uint(width)
	if p.Used+w > 64 {
		p.Words++
		p.Used = 0
	}
	f := data.Bits{Word: p.Words - 1, Shift: p.Used, Mask: 1<<w - 1}
	p.Used += w
	return f
}

// newPacking gives every part its bits. It gives nil where they are too many.
func newPacking(m *ir.Machine, t *data.Tracked, deferred int, c *Clocks, plain func(*ir.Do) bool, fans *fans, recalled []*Recalled) *Packing {
	p := &Packing{Words: 1}
	var fired int
	p.slots, p.FiredBit, fired = firedSlots(m)
	p.Leaf = p.reserve(bits.Len(uint(len(m.States))))
	p.Rested, p.Cancelled = p.reserve(1), p.reserve(1)
	p.Fired = p.reserve(fired)
	if c != nil {
		c.Zone = p.reserve(zoneBits)
	}
	for at := 0; at < deferred; at += 64 {
		n := min(64, deferred-at)
		p.Deferred = append(p.Deferred, p.reserve(n))
		p.Pending = append(p.Pending, p.reserve(n))
	}
	for at, costs := 0, len(m.Enforced()); at < costs; at += 64 {
		n := min(64, costs-at)
		p.OverDue = append(p.OverDue, p.reserve(n))
		p.OverDone = append(p.OverDone, p.reserve(n))
	}
	for _, n := range t.Held() {
		n.Slot = p.slot(n)
	}
	for _, r := range recalled {
		r.node = &data.Node{Slot: &data.Slot{Bits: p.reserve(bits.Len(uint(isFalse)))}}
	}
	p.counters = make([]data.Bits, len(m.Arms))
	for _, a := range m.Arms {
		if flat.CountsBeyondVisit(a) {
			p.counters[a.ID] = p.reserve(bits.Len64(uint64(fans.mostOf(a))))
		}
	}
	p.overlay(m, c, plain, fans)
	if p.Words > maxWords {
		return nil
	}
	return p
}

func (p *Packing) slot(n *data.Node) *data.Slot {
	s := &data.Slot{Unset: n.MayBeUnset()}
	base, more := n.HeldCodes()
	s.Base = base
	s.Bits = p.reserve(bits.Len64(more))
	return s
}

// overlay lays the visits of all leaves over the bits that follow.
func (p *Packing) overlay(m *ir.Machine, c *Clocks, plain func(*ir.Do) bool, fans *fans) {
	p.Visits = make([]Visit, len(m.States))
	start := *p
	for _, s := range m.States {
		if s.Kind != ir.Leaf || len(s.Dos) == 0 {
			continue
		}
		local := start
		v := &p.Visits[s.ID]
		v.ended = make([]data.Bits, len(s.Dos))
		v.order, v.Waiting, v.open = make([]int, len(s.Dos)), make([]data.Bits, len(s.Dos)), make([][]group, len(s.Dos))
		v.begun, v.turns = make([]data.Bits, len(s.Dos)), make([]bool, len(s.Dos))
		v.retries = fans.retries[s]
		for i, d := range s.Dos {
			v.order[i] = -1
			switch {
			case len(fans.counted[d]) > 0:
				v.open[i], v.turns[i] = fans.counted[d], fans.retried[d]
				for k := range v.open[i] {
					v.open[i][k].open = local.reserve(bits.Len64(uint64(v.open[i][k].most())))
				}
			case plain(d):
				v.order[i] = v.nPlain
				v.nPlain++
			default:
				v.ended[i] = local.reserve(1)
			}
			if fans.countsRetriesOf(s, i) || len(v.open[i]) > 1 && d.Fan.Limit > 0 && d.Fan.Limit < d.Fan.Most {
				v.begun[i] = local.reserve(bits.Len64(uint64(d.Fan.Most)))
			}
			if c.WaitCounts(s, i) {
				v.Waiting[i] = local.reserve(1)
			}
		}
		v.plain = local.reserve(bits.Len(uint(v.nPlain)))
		v.counters = map[*ir.Arm]data.Bits{}
		for _, a := range retriesOf(s) {
			most := *a.Max
			if r, shared := v.retries[a]; shared {
				if most = r.most; r.open {
					continue
				}
			}
			v.counters[a] = local.reserve(bits.Len64(uint64(most)))
		}
		if local.Words > p.Words || local.Words == p.Words && local.Used > p.Used {
			p.Words, p.Used = local.Words, local.Used
		}
	}
	p.visitBits = make([]uint64, p.Words)
	for i := start.Words - 1; i < p.Words; i++ {
		p.visitBits[i] = ^uint64(0)
	}
	p.visitBits[start.Words-1] <<= start.Used
}

// retriesOf lists the arms that retry an activity of leaf and count for the
// visit alone.
func retriesOf(leaf *ir.State) []*ir.Arm {
	var out []*ir.Arm
	for s := leaf; s != nil; s = s.Parent {
		for _, h := range s.Handlers {
			for _, a := range h.Arms {
				if a.Kind == ir.Retry && a.Max != nil && *a.Max > 0 && a.Scope.Kind == ir.PerVisit && !slices.Contains(out, a) {
					out = append(out, a)
				}
			}
		}
	}
	return out
}

// HasEnded reports whether the do at place i of the leaf has ended.
func (v *Visit) HasEnded(words []uint64, i int) bool {
	if v.order[i] >= 0 {
		return v.order[i] < int(v.plain.Get(words))
	}
	if v.Counts(i) {
		return !slices.ContainsFunc(v.open[i], func(g group) bool { return g.open.Get(words) != 0 })
	}
	return v.ended[i].Get(words) != 0
}

// Counts reports whether the do at place i of the leaf is a fan-out whose open elements
// are counted.
func (v *Visit) Counts(i int) bool { return len(v.open[i]) > 0 }

// Open is how many elements of the do at place i are open, where they are counted. There
// may be more where the number is not told apart from greater ones.
func (v *Visit) Open(words []uint64, i int) (n int64, orMore bool) {
	for k := range v.open[i] {
		g := &v.open[i][k]
		open := int64(g.open.Get(words))
		n, orMore = n+open, orMore || open > 0 && open == g.enough
	}
	return n, orMore
}

// End notes that the do at place i has ended, whose elements are not counted.
func (v *Visit) End(words []uint64, i int) {
	if v.order[i] >= 0 {
		v.plain.Set(words, v.plain.Get(words)+1)
	} else {
		v.ended[i].Set(words, 1)
	}
}

// IsWaiting reports whether a retry of the do at place i of the leaf waits.
func (v *Visit) IsWaiting(words []uint64, i int) bool {
	return v.Waiting[i].Mask != 0 && v.Waiting[i].Get(words) != 0
}

// MayEnd reports whether it is the turn of the do at place i to end in place:
// plain ones end in the order in which they stand.
func (v *Visit) MayEnd(words []uint64, i int) bool {
	return v.order[i] < 0 || v.order[i] == int(v.plain.Get(words))
}

// AllEnded reports whether the leaf has dos, and all of them have ended.
func (v *Visit) AllEnded(words []uint64) bool {
	if len(v.order) == 0 || int(v.plain.Get(words)) < v.nPlain {
		return false
	}
	for i := range v.ended {
		if v.order[i] < 0 && !v.HasEnded(words, i) {
			return false
		}
	}
	return true
}

// slots is where the bits of one state's timers in the field Fired end. They
// begin where those of the state around it end, so states side by side share
// theirs, and a step that does not leave a state keeps the bits below its end.
type slots uint

// maxFired is the most timers on one path from the root to a leaf whose firing
// is remembered. What is beyond counts as never fired, which adds paths and
// hides none.
const maxFired = 32

// firedSlots gives the timers whose firing is to be remembered their bits: by
// state ID where those of a state end, by timer ID the bit (0 where none is remembered),
// and how many bits that takes, the timers around a leaf with the outermost first.
func firedSlots(m *ir.Machine) (ends []slots, bit []uint64, width int) {
	ends, bit = make([]slots, len(m.States)), make([]uint64, len(m.Timers))
	for _, s := range m.States {
		end := slots(0)
		if s.Parent != nil {
			end = ends[s.Parent.ID]
		}
		for _, t := range s.Timers {
			if timing.OutlivesFiring(t) && end < maxFired {
				bit[t.ID] = 1 << end
				end++
			}
		}
		ends[s.ID] = end
		width = max(width, int(end))
	}
	return ends, bit, width
}
