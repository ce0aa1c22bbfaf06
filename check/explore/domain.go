package explore

import (
	"cmp"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A domain is how the values of a piece of data are told apart. Data that flows
// from one place to another by plain copies shares one domain, so that a copy
// copies a code. There are four sorts.
//
//   - By value: booleans, enums, and ranged integers and durations that effects
//     compute or that are compared with each other. The code is the value.
//   - By region: what is compared with constants only, and never computed. The
//     constants cut the line into points and the gaps between them; no guard and
//     no range can tell two values of one region apart. The code is the number
//     of the region. Strings have a region for each constant and one for all
//     the rest.
//   - By length: lists, whose items decide nothing. The code is the length, and all
//     lengths over the largest constant with which one is compared are one.
//   - Free: everything else. A reading of it is a choice of the environment.
type domain struct {
	sort   sort
	kind   ir.Kind
	ints   []int64   // cuts of int and duration, ascending
	floats []float64 // cuts of float, ascending
	texts  []string  // cuts of string, in the order in which they were met
	most   int64     // of lists: the code of all lengths over the largest cut

	nodes []*node
}

type sort uint8

const (
	byRegion sort = iota
	byValue
	byLength
	free
)

// exact reports whether codes of d are computed as numbers are.
func (d *domain) exact() bool { return d.sort == byValue || d.sort == byLength }

// node is a parameter, a context field, or a field of an event.
type node struct {
	v        *ir.Var   // nil for a field of an event
	event    *ir.Event // nil for a field of a failure
	field    *ir.EventField
	typ      *ir.Type
	parent   *node // union-find
	dom      *domain
	computed bool // an effect computes it
	compared bool // with something that is no constant
	read     bool // a path depends on its value
	needed   bool // a path depends on whether it is set
	cuts     []*ir.Const

	index int   // of a field of an event: among those
	slot  *slot // where a configuration holds it; nil for a field of an event and what is not held
}

func (n *node) find() *node {
	for n.parent != n {
		n.parent = n.parent.parent
		n = n.parent
	}
	return n
}

func union(a, b *node) {
	if a, b = a.find(), b.find(); a != b {
		b.parent = a
	}
}

// maxSpan is how many values a domain by value may have, where the environment
// may choose among them.
const maxSpan = 1 << 12

// limits is the least and the greatest number that n may hold; false where its
// type has no end.
func (n *node) limits() (lo, hi int64, ok bool) {
	switch n.typ.Kind {
	case ir.Bool:
		return 0, 1, true
	case ir.EnumKind:
		return 0, int64(len(n.typ.Enum.Values)) - 1, true
	}
	if n.typ.Range == nil {
		return 0, 0, false
	}
	return n.typ.Range.Lo, n.typ.Range.Hi, true
}

// newDomain makes the domain of nodes, which copies connect.
func newDomain(nodes []*node) *domain {
	d := &domain{kind: nodes[0].typ.Kind, nodes: nodes}
	needsValue := d.kind == ir.Bool || d.kind == ir.EnumKind
	for _, n := range nodes {
		n.dom = d
		needsValue = needsValue || n.computed || n.compared
	}
	switch d.kind {
	case ir.Bool, ir.EnumKind:
		d.sort = byValue
	case ir.Int, ir.Duration:
		if needsValue {
			d.sort = d.wholeOrFree()
		}
	case ir.List:
		d.sort = d.lengthOrFree()
	default:
		if needsValue {
			d.sort = free
		}
	}
	if d.sort == byRegion {
		d.cut()
	}
	return d
}

// wholeOrFree decides whether values can be held one by one: every field that
// is held has a range, and there is no choice among too many.
func (d *domain) wholeOrFree() sort {
	lo, hi, chosen := int64(0), int64(-1), false
	for _, n := range d.nodes {
		l, h, ranged := n.limits()
		if n.v == nil || n.v.Param {
			chosen = true
		}
		switch {
		case !ranged && n.v != nil:
			return free
		case ranged && hi < lo:
			lo, hi = l, h
		case ranged:
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	if hi < lo || chosen && uint64(hi-lo) >= maxSpan || hi-lo < 0 {
		return free
	}
	return byValue
}

// cut gathers the constants that tell values of d apart, and the ends of all
// ranges: the first value of each, and the one behind it.
func (d *domain) cut() {
	for _, n := range d.nodes {
		for _, c := range n.cuts {
			switch d.kind {
			case ir.Int, ir.Duration:
				d.ints = append(d.ints, c.Int)
			case ir.Float:
				d.floats = append(d.floats, c.Float)
			case ir.String:
				if !slices.Contains(d.texts, c.Str) {
					d.texts = append(d.texts, c.Str)
				}
			}
		}
		if lo, hi, ranged := n.limits(); ranged {
			d.ints = append(d.ints, lo, hi)
		}
	}
	slices.Sort(d.ints)
	d.ints = slices.Compact(d.ints)
	slices.Sort(d.floats)
	d.floats = slices.Compact(d.floats)
}

// size is the number of codes of a domain by region.
func (d *domain) size() int64 {
	switch d.kind {
	case ir.Int, ir.Duration:
		return int64(2*len(d.ints) + 1)
	case ir.Float:
		return int64(2*len(d.floats) + 1)
	case ir.String:
		return int64(len(d.texts) + 1)
	}
	return 1
}

// code is the region of the constant c.
func (d *domain) code(c *ir.Const) int64 {
	switch d.kind {
	case ir.Int, ir.Duration:
		return regionOf(d.ints, c.Int)
	case ir.Float:
		return regionOf(d.floats, c.Float)
	case ir.String:
		if i := slices.Index(d.texts, c.Str); i >= 0 {
			return int64(i)
		}
		return int64(len(d.texts))
	}
	return 0
}

// regionOf numbers the gaps between cuts 0, 2, 4, … and the cuts 1, 3, 5, ….
func regionOf[T cmp.Ordered](cuts []T, v T) int64 {
	i, found := slices.BinarySearch(cuts, v)
	if found {
		return int64(2*i + 1)
	}
	return int64(2 * i)
}

// codes is how n's own type limits the regions that it may be in: from lo to
// hi, both included. Gaps without an integer are among them; see empty.
func (n *node) codes() (lo, hi int64) {
	if n.dom.kind == ir.Int || n.dom.kind == ir.Duration {
		if l, h, ranged := n.limits(); ranged {
			return regionOf(n.dom.ints, l), regionOf(n.dom.ints, h)
		}
	}
	return 0, n.dom.size() - 1
}
