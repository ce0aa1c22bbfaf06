package guard

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/fsmc-dev/fsmc/check/wide"
)

// Of a chain of thousands of arms that compare one number with constants, "none of them holds" is as
// many holes in the line of that number. Taken over one by one, each is looked at again behind each
// other. Sorted, they leave some intervals, which stand for all values that no arm tells apart. So do
// holes that there are only where the same other things hold, as of `n == 1 && b`, `n == 2 && b`.

// fewHoles is up to how many parts of a conjunction are taken over one by one: as many as a guard has
// comparisons. Tests change it.
var fewHoles = 64

// interval is from one number to another, both included; it is empty where it ends before.
type interval struct{ from, to int64 }

// line is what parts of a conjunction leave of the values of one number, or else something else holds.
type line struct {
	number int32
	first  int32 // one of the parts
	holes  []interval
	orElse []int32
}

// joinHoles is the cell of what root says, where parts about one number and constants are joined.
func (p *problem) joinHoles(root int32) int32 {
	if p.nodes[root].op != opAnd || len(p.nodes[root].kids) <= fewHoles || p.empty {
		return root
	}
	var lines []*line
	var parts []int32
	var key []byte
	known := map[string]*line{}
	for _, part := range p.nodes[root].kids {
		number, hole, orElse := p.hole(part)
		if number == 0 {
			parts = append(parts, part)
			continue
		}
		key = binary.NativeEndian.AppendUint32(key[:0], uint32(number))
		for _, k := range orElse {
			key = binary.NativeEndian.AppendUint32(key, uint32(k))
		}
		l := known[string(key)]
		if l == nil {
			l = &line{number: number, first: part, orElse: orElse}
			lines, known[string(key)] = append(lines, l), l
		}
		l.holes = append(l.holes, hole)
	}
	for _, l := range lines {
		if len(l.holes) == 1 {
			parts = append(parts, l.first)
			continue
		}
		parts = append(parts, p.group(opOr, append(p.left(l), l.orElse...)))
	}
	return p.group(opAnd, parts)
}

// hole is what the cell part leaves out of the values of a number, unless something else holds; number
// is 0 where it leaves out nothing of any.
func (p *problem) hole(part int32) (number int32, hole interval, orElse []int32) {
	kids := p.nodes[part].kids
	if p.nodes[part].op != opOr {
		kids = []int32{part}
	}
	var from, to wide.Int
	for _, k := range kids {
		c := &p.nodes[k]
		a := c.lit
		of := max(a.x, a.y)
		switch {
		case c.op != opLit || a.kind != bound || a.x != 0 && a.y != 0 || number != 0 && of != number:
			orElse = append(orElse, k)
			continue
		case number == 0:
			number, from, to = of, wide.Of(p.numbers[of-1].lo), wide.Of(p.numbers[of-1].hi)
		}
		if end := a.c.Neg().Add(wide.MinusOne); a.y == of && end.Less(to) { // -x <= c leaves out what is less than -c
			to = end
		}
		if end := a.c.Add(wide.Of(1)); a.x == of && from.Less(end) {
			from = end
		}
	}
	if to.Less(from) {
		return number, interval{1, 0}, orElse
	}
	return number, interval{from.Narrow(), to.Narrow()}, orElse
}

// left are the cells of the intervals that the holes of l leave.
func (p *problem) left(l *line) (cells []int32) {
	slices.SortFunc(l.holes, func(a, b interval) int { return cmp.Compare(a.from, b.from) })
	x, from, hi := l.number, p.numbers[l.number-1].lo, p.numbers[l.number-1].hi
	keep := func(to int64) {
		least, most := p.single(atom{kind: bound, y: x, c: wide.Of(from).Neg()}), p.single(atom{kind: bound, x: x, c: wide.Of(to)})
		cells = append(cells, p.group(opAnd, []int32{least, most}))
	}
	for _, h := range l.holes {
		if h.to < h.from || h.to < from {
			continue
		}
		if from < h.from {
			keep(h.from - 1)
		}
		if h.to == hi {
			return cells
		}
		from = h.to + 1
	}
	keep(hi)
	return cells
}
