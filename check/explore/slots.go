package explore

import (
	"math/bits"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// slot is where a configuration holds a variable: the code less base,
// and 0 means unset where the variable may be that.
type slot struct {
	field
	base  int64
	unset bool
}

func (s *slot) load(words []uint64) (code int64, set bool) {
	v := s.get(words)
	if s.unset {
		if v == 0 {
			return 0, false
		}
		v--
	}
	return int64(v) + s.base, true
}

func (s *slot) store(words []uint64, code int64) {
	v := uint64(code - s.base)
	if s.unset {
		v++
	}
	s.set(words, v)
}

// packing is where the words of a configuration of the product have their parts.
// What belongs to one visit (activities, the counters of their retries) is laid
// over the same bits for every leaf.
type packing struct {
	words int
	used  uint

	leaf, rested, cancelled field
	deferred, pending       []field // by place among the deferred events: up to 64 in each
	spent                   field
	slots                   []slots  // by state ID; see spentSlots
	spentBit                []uint64 // by timer ID

	counters []field // by arm ID: of those counters that outlive a visit
	visits   []visit // by state ID

	visitBits []uint64 // the bits that belong to the visit
}

// visit is what a configuration holds of a visit to a leaf.
type visit struct {
	plain    field   // how many of the dos whose end nothing but `done` can see have ended
	ended    []field // by place in the leaf's dos: one bit, for those that are not plain
	order    []int   // by place in the leaf's dos: place among the plain ones, or -1
	waits    []field // by place in the leaf's dos: one bit, for those whose retries are told apart from their attempts
	nPlain   int
	counters map[*ir.Arm]field
}

// maxWords is the most words of a configuration: what needs more would not be
// explored to its end anyway.
const maxWords = 64

// take reserves width bits; they never straddle two words.
func (p *packing) take(width int) field {
	w := uint(max(width, 0))
	if p.used+w > 64 {
		p.words++
		p.used = 0
	}
	f := field{word: p.words - 1, shift: p.used, mask: 1<<w - 1}
	if w == 64 {
		f.mask = ^uint64(0)
	}
	p.used += w
	return f
}

// newPacking gives every part its bits. It gives nil where they are too many.
func newPacking(m *ir.Machine, t *tracked, deferred int, c *clocks, plain func(*ir.Do) bool) *packing {
	p := &packing{words: 1}
	var spent int
	p.slots, p.spentBit, spent = spentSlots(m)
	p.leaf = p.take(bits.Len(uint(len(m.States))))
	p.rested, p.cancelled = p.take(1), p.take(1)
	p.spent = p.take(spent)
	if c != nil {
		c.number, c.prompt = p.take(zoneBits), p.take(1)
	}
	for at := 0; at < deferred; at += 64 {
		n := min(64, deferred-at)
		p.deferred = append(p.deferred, p.take(n))
		p.pending = append(p.pending, p.take(n))
	}
	for _, n := range t.held() {
		n.slot = p.slot(n)
	}
	p.counters = make([]field, len(m.Arms))
	for _, a := range m.Arms {
		if countsBeyondVisit(a) {
			p.counters[a.ID] = p.take(bits.Len64(uint64(*a.Max)))
		}
	}
	if p.words > maxWords {
		return nil
	}
	p.overlay(m, c, plain)
	if p.words > maxWords {
		return nil
	}
	return p
}

// countsBeyondVisit reports whether the configuration holds a's counter while
// the run is elsewhere.
func countsBeyondVisit(a *ir.Arm) bool {
	return a.Max != nil && *a.Max > 0 && !(a.Kind == ir.Retry && a.Scope.Kind == ir.PerVisit)
}

func (p *packing) slot(n *node) *slot {
	s := &slot{unset: n.mayBeUnset()}
	base, count := n.heldCodes()
	s.base = base
	s.field = p.take(bits.Len64(count - 1))
	return s
}

// overlay lays the visits of all leaves over the bits that follow.
func (p *packing) overlay(m *ir.Machine, c *clocks, plain func(*ir.Do) bool) {
	p.visits = make([]visit, len(m.States))
	start := *p
	taken := map[field]bool{}
	for _, s := range m.States {
		if s.Kind != ir.Leaf || len(s.Dos) == 0 {
			continue
		}
		local := start
		v := &p.visits[s.ID]
		v.ended = make([]field, len(s.Dos))
		v.order, v.waits = make([]int, len(s.Dos)), make([]field, len(s.Dos))
		for i, d := range s.Dos {
			v.order[i] = -1
			if plain(d) {
				v.order[i] = v.nPlain
				v.nPlain++
			} else {
				v.ended[i] = local.take(1)
			}
			if c.waitCounts(s, i) {
				v.waits[i] = local.take(1)
			}
		}
		v.plain = local.take(bits.Len(uint(v.nPlain)))
		v.counters = map[*ir.Arm]field{}
		for _, a := range retriesOf(m, s) {
			v.counters[a] = local.take(bits.Len64(uint64(*a.Max)))
		}
		v.note(taken)
		if local.words > p.words || local.words == p.words && local.used > p.used {
			p.words, p.used = local.words, local.used
		}
	}
	p.visitBits = make([]uint64, p.words)
	for f := range taken {
		f.set(p.visitBits, f.mask)
	}
}

// note adds the fields of v to taken.
func (v *visit) note(taken map[field]bool) {
	taken[v.plain] = true
	for i, f := range v.ended {
		if v.order[i] < 0 {
			taken[f] = true
		}
		if v.waits[i].mask != 0 {
			taken[v.waits[i]] = true
		}
	}
	for _, f := range v.counters {
		taken[f] = true
	}
}

// retriesOf lists the arms that retry an activity of leaf and count for the
// visit alone.
func retriesOf(m *ir.Machine, leaf *ir.State) []*ir.Arm {
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

// hasEnded reports whether the do at place i of the leaf has ended.
func (v *visit) hasEnded(words []uint64, i int) bool {
	if v.order[i] >= 0 {
		return v.order[i] < int(v.plain.get(words))
	}
	return v.ended[i].get(words) != 0
}

// end notes that the do at place i has ended.
func (v *visit) end(words []uint64, i int) {
	if v.order[i] >= 0 {
		v.plain.set(words, v.plain.get(words)+1)
	} else {
		v.ended[i].set(words, 1)
	}
}

// isWaiting reports whether a retry of the do at place i of the leaf waits.
func (v *visit) isWaiting(words []uint64, i int) bool {
	return v.waits[i].mask != 0 && v.waits[i].get(words) != 0
}

// mayEnd reports whether it is the turn of the do at place i to end in place:
// plain ones end in the order in which they stand.
func (v *visit) mayEnd(words []uint64, i int) bool {
	return v.order[i] < 0 || v.order[i] == int(v.plain.get(words))
}

func (v *visit) allEnded(words []uint64) bool {
	if len(v.order) == 0 || int(v.plain.get(words)) < v.nPlain {
		return false
	}
	for i, f := range v.ended {
		if v.order[i] < 0 && f.get(words) == 0 {
			return false
		}
	}
	return true
}
