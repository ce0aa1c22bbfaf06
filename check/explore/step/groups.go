package step

import (
	"encoding/binary"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Where arms read the index of an element, it matters which elements are open: each has its index once in a
// visit. So those of each group of indexes are counted that are not told apart: of `event.index == 0` the first
// one and all others. Which of them comes next is open, but for `limit n`: elements start in the order of the
// list.

// group are the elements of a fan-out whose indexes are not told apart.
type group struct {
	from, to int64
	code     int64     // that stands for them
	open     data.Bits // how many of them are open
	enough   int64     // as many or more are one; 0 where all numbers are told apart
}

// within is how many of the first n elements are in g.
func (g *group) within(n int64) int64 { return max(0, min(g.to+1, n)-g.from) }

// mostOfGroups is in how many ways elements may be open where their indexes are told apart. Of a list of more
// than data.MaxHeldElements there are many ways already: then it is so many times them, or a few.
const (
	mostOfGroups = 1 << 12
	mostTimes    = 4
	fewWays      = 64
)

// groupsOf are the groups of the elements of d of which up to most open ones are told apart: one, unless
// their indexes are.
func groupsOf(d *ir.Do, most int64, tracked *data.Tracked) []group {
	list, ways := byIndex(d, most, tracked)
	switch limit := max(mostTimes*(most+1), fewWays); {
	case len(list) > 1 && ways <= mostOfGroups && (ways <= limit || d.Fan.Most <= data.MaxHeldElements):
		return list
	case most > 0:
		g := group{to: d.Fan.Most - 1}
		g.limit(most)
		return []group{g}
	}
	return nil
}

// byIndex is groupsOf where the indexes are told apart, if they can be, and in how many ways these may be open.
func byIndex(d *ir.Do, most int64, tracked *data.Tracked) (list []group, ways int64) {
	index := tracked.Index(d)
	if index == nil || tracked.FewOpen || index.Few() && len(index.Peers) > 0 {
		return nil, 0
	}
	ways = 1
	for i := int64(0); i < d.Fan.Most && ways <= mostOfGroups; i++ {
		code, last := index.Group(i)
		g := group{from: i, to: min(last, d.Fan.Most-1), code: code}
		g.limit(max(most, min(d.Fan.Most, enough)))
		list, i = append(list, g), g.to
		ways *= g.most() + 1
	}
	return list, ways
}

// limit has up to most open elements of g told apart.
func (g *group) limit(most int64) {
	if size := g.to - g.from + 1; most < size {
		g.enough = most
	}
}

// most is how many open elements a configuration says at most.
func (g *group) most() int64 {
	if g.enough > 0 {
		return g.enough
	}
	return g.to - g.from + 1
}

// mayMake says of each group whether the guard of a lets an element of it make a.
func mayMake(a *ir.Arm, list []group) (out []bool) {
	for i := range list {
		g := &list[i]
		may := guard.Satisfy(guard.Read(a.When, nil).Holds, Index(ir.OpGe, g.from, nil), Index(ir.OpLe, g.to, nil))
		out = append(out, len(list) < 2 || may.Verdict != guard.Unsat)
	}
	return out
}

// makers is how many elements of the do at place i may make a retry, which is made by the groups that makes says.
func (v *Visit) makers(words []uint64, i int, makes []bool) (n int64) {
	begun := int64(v.begun[i].Get(words))
	if len(makes) == 0 {
		return begun
	}
	for k, may := range makes {
		if may {
			n += v.open[i][k].within(begun)
		}
	}
	return n
}

// groupOf chooses the group of the element at hand, of the do at place i of the leaf.
func (s *Step) groupOf(i int) *group {
	v := &s.Program.Packing.Visits[s.From.ID]
	if s.group == nil {
		var list []*group
		for k := range v.open[i] {
			g := &v.open[i][k]
			last, sure := v.lastToRun(s.Here, g, i, s.From.Dos[i])
			if s.Guess = s.Guess || !sure; last >= g.from {
				list = append(list, g)
			}
		}
		s.group = list[s.Oracle.Choose(len(list))]
	}
	return s.group
}

// lastToRun is the last index that an open element of g may have which runs, less than all of g where none
// does: they start in the order of the list, as far as there are places. It is not sure where that is not told.
func (v *Visit) lastToRun(words []uint64, g *group, i int, d *ir.Do) (last int64, sure bool) {
	own := int64(g.open.Get(words))
	open, orMore := v.Open(words, i)
	switch {
	case own == 0:
		return g.from - 1, true
	case len(v.open[i]) < 2 || d.Fan.Limit == 0 || d.Fan.Limit >= d.Fan.Most:
		return g.to, true
	case orMore || v.begun[i].Mask == 0 || v.turns[i]:
		return g.to, false
	}
	begun := int64(v.begun[i].Get(words))
	if started := begun - open + d.Fan.Limit; g.within(started) > g.within(begun)-own {
		return min(g.to, started-1), true
	}
	return g.from - 1, true
}

// ElementAt are the indexes of which one is that of the element at hand; false where nobody knows.
func (s *Step) ElementAt() (from, to int64, known bool) {
	if s.In == nil || s.In.Do == nil {
		return 0, 0, false
	}
	if s.group != nil && len(s.Program.Packing.Visits[s.From.ID].open[s.In.Place]) > 1 {
		return s.group.from, s.group.to, true
	}
	if n := s.Program.Tracked.Index(s.In.Do); n != nil && s.have[n.Index] {
		from, to = n.Alike(s.payloads[n.Index])
		return max(from, 0), to, true
	}
	return 0, 0, false
}

// AppendOpen adds to list what tells apart what OpenAt says.
func (v *Visit) AppendOpen(list []byte, words []uint64, i int) []byte {
	for k := range v.open[i] {
		list = binary.AppendUvarint(list, v.open[i][k].open.Get(words))
	}
	return binary.AppendUvarint(list, v.begun[i].Get(words))
}

// OpenAt are between which indexes open elements of d, the do at place i, may run, where they are counted; as if the last
// ones were those that have ended of those that are not told apart, where that is wanted.
func (v *Visit) OpenAt(words []uint64, i int, d *ir.Do, first bool) (out []ir.Range) {
	for k := range v.open[i] {
		g := &v.open[i][k]
		last, _ := v.lastToRun(words, g, i, d)
		if n := int64(g.open.Get(words)); first && n != g.enough {
			last = min(last, g.from+n-1)
		}
		if last >= g.from {
			out = append(out, ir.Range{Lo: g.from, Hi: last})
		}
	}
	return out
}
