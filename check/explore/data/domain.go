package data

import (
	"cmp"
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Domain is how the values of a piece of data are told apart. Data that flows
// from one place to another by plain copies shares one domain, so that a copy
// copies a code. There are four sorts.
//
//   - By value: booleans, enums, and ranged integers and durations that effects
//     compute or that are compared with each other. The code is the value, or the one
//     that stands for it; see compared.go.
//   - By region: what is compared with constants only, and never computed. The
//     constants cut the line into points and the gaps between them; no guard and
//     no range can tell two values of one region apart. The code is the number
//     of the region. Strings have a region for each constant and one for all
//     the rest; for those that are compared with each other, see named.go.
//   - By length: lists, whose items decide nothing. The code is the length, and all
//     lengths over the largest constant with which one is compared are one.
//   - Free: everything else. A reading of it is a choice of the environment.
type Domain struct {
	Sort   sort
	Kind   ir.Kind
	ints   []int64   // cuts of int and duration, ascending
	floats []float64 // cuts of float, ascending
	texts  []string  // cuts of string, in the order in which they were met
	named  bool      // there is no string but those in texts
	points []int64   // where comparisons of numbers change that are only compared and copied, ascending; else nil
	Most   int64     // of lists: the code of all lengths over the largest cut

	borders []bool // by region: of int and float, whether something tells it from the one before; else nil

	nodes []*Node
}

type sort uint8

const (
	ByRegion sort = iota
	ByValue
	ByLength
	Free
)

// exact reports whether codes of d are computed as numbers are.
func (d *Domain) exact() bool { return d.Sort == ByValue || d.Sort == ByLength }

// Node is a parameter, a context field, a field of an event, or a part of an element.
type Node struct {
	Var      *ir.Var   // nil for what comes with an input
	Event    *ir.Event // nil for a field of a failure, and a part of an element
	Do       *ir.Do    // of a part of an element: the fan-out
	Field    *ir.EventField
	Type     *ir.Type
	Sent     *Node  // of a field of an event that may be absent: whether what it is within comes, innermost first
	Of       *Node  // of such a node: the field, of a record the first of its fields
	Name     string // of such a node: what comes or not
	parent   *Node  // union-find
	Domain   *Domain
	computed bool // an effect computes it
	fitted   bool // an effect takes it out of a json, so that it may be anything that fits
	compared bool // with something that is no constant
	named    bool // with another string
	told     bool // a list whose length an effect reads, and may be told by it
	long     bool // a list whose lengths would be told apart if t were wide
	Read     bool // a path depends on its value
	needed   bool // a path depends on whether it is set
	Sum      *Sum // where it is settled otherwise whether it stays in its range; else nil
	cuts     []*ir.Const
	tests    []test // of cuts: with which it is compared, and how
	asked    bool   // a host guard is told its value

	Peers   []*Node // of a field of an event: the variables with which it is compared, more or less one of Offsets
	Offsets []int64
	few     []int64 // see FewValues

	Index int   // of a field of an event: among those
	Slot  *Slot // where a configuration holds it; nil for a field of an event and what is not held
}

func (n *Node) find() *Node {
	for n.parent != n {
		n.parent = n.parent.parent
		n = n.parent
	}
	return n
}

func union(a, b *Node) {
	if a, b = a.find(), b.find(); a != b {
		b.parent = a
	}
}

// MostValues is how many values a domain by value may have, where the environment
// chooses among them, unless all values are wanted that it has. Of the lengths of a list
// there may always be so many.
const MostValues = 1 << 12

// Limits is the least and the greatest number that n may hold, of a list the least and
// the greatest length; false where its type has no end.
func (n *Node) Limits() (lo, hi int64, ok bool) {
	switch n.Type.Kind {
	case ir.Bool:
		return 0, 1, true
	case ir.EnumKind:
		return 0, int64(len(n.Type.Enum.Values)) - 1, true
	}
	if r := n.Type.Limits(); r != nil {
		return r.Lo, r.Hi, true
	}
	return 0, 0, false
}

// newDomain makes the domain of nodes, which copies connect.
func newDomain(nodes []*Node) *Domain {
	d := &Domain{Kind: nodes[0].Type.Kind, nodes: nodes}
	needsValue := d.Kind == ir.Bool || d.Kind == ir.EnumKind
	for _, n := range nodes {
		n.Domain = d
		needsValue = needsValue || n.computed || n.compared
	}
	switch d.Kind {
	case ir.Bool, ir.EnumKind:
		d.Sort = ByValue
	case ir.Int, ir.Duration:
		if needsValue {
			d.Sort = d.wholeOrFree()
		}
	case ir.List:
		d.Sort = d.lengthOrFree()
	default:
		if needsValue {
			d.Sort = Free
		}
	}
	if d.Sort == ByRegion {
		d.cut()
	}
	if d.Sort == ByRegion && slices.ContainsFunc(nodes, func(n *Node) bool { return n.named }) {
		d.name()
	}
	return d
}

// wholeOrFree decides whether values can be held one by one: every field that
// is held has a range.
func (d *Domain) wholeOrFree() sort {
	lo, hi := int64(0), int64(-1)
	for _, n := range d.nodes {
		l, h, ranged := n.Limits()
		switch {
		case !ranged && n.Var != nil:
			return Free
		case ranged && hi < lo:
			lo, hi = l, h
		case ranged:
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	if hi < lo || width(lo, hi) > mostWidth {
		return Free
	}
	return ByValue
}

// manyChoices reports whether a choice of a value is one of more than span, of which few do not
// stand for the others.
func (d *Domain) manyChoices(span int64) bool {
	chosen := slices.ContainsFunc(d.nodes, func(n *Node) bool { return n.Var == nil || n.Var.Param || n.fitted })
	lo, hi := d.ends()
	return chosen && d.Sort == ByValue && d.points == nil && width(lo, hi) >= uint64(span)
}

// width is hi-lo, which may need more than the 63 bits of an int64.
func width(lo, hi int64) uint64 { return uint64(hi) - uint64(lo) }

// mostWidth is that of the numbers for which there is one more code, for what is unset.
const mostWidth = math.MaxUint64 - 1

// cut gathers the constants that tell values of d apart, and the ends of all
// ranges: the first value of each, and the one behind it.
func (d *Domain) cut() {
	for _, n := range d.nodes {
		for _, c := range n.cuts {
			switch d.Kind {
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
		if lo, hi, ranged := n.Limits(); ranged {
			d.ints = append(d.ints, lo, hi)
		}
	}
	slices.Sort(d.ints)
	d.ints = slices.Compact(d.ints)
	slices.Sort(d.floats)
	d.floats = slices.Compact(d.floats)
	d.border()
}

// size is the number of codes of a domain by region.
func (d *Domain) size() int64 {
	switch d.Kind {
	case ir.Int, ir.Duration:
		return int64(2*len(d.ints) + 1)
	case ir.Float:
		return int64(2*len(d.floats) + 1)
	case ir.String:
		if d.named {
			return int64(len(d.texts))
		}
		return int64(len(d.texts) + 1)
	}
	return 1
}

// Code is the region of the constant c.
func (d *Domain) Code(c *ir.Const) int64 {
	switch d.Kind {
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

// Code is the code of n where it is c.
func (n *Node) Code(c *ir.Const) int64 {
	if n.Domain.Sort == ByRegion {
		return n.Domain.Code(c)
	}
	return c.Int
}

// regionOf numbers the gaps between cuts 0, 2, 4, … and the cuts 1, 3, 5, ….
func regionOf[T cmp.Ordered](cuts []T, v T) int64 {
	i, found := slices.BinarySearch(cuts, v)
	if found {
		return int64(2*i + 1)
	}
	return int64(2 * i)
}

// Codes is between which codes a free choice of n chooses, both included. Of regions, gaps
// without an integer are among them; see Empty.
func (n *Node) Codes() (lo, hi int64) {
	switch n.Domain.Sort {
	case ByValue:
		return n.Between()
	case ByLength:
		return n.Lengths()
	case Free:
		return 0, 0
	}
	if n.Domain.Kind == ir.Int || n.Domain.Kind == ir.Duration {
		if l, h, ranged := n.Limits(); ranged {
			return regionOf(n.Domain.ints, l), regionOf(n.Domain.ints, h)
		}
	}
	return 0, n.Domain.size() - 1
}

// MostChoices is more than enough of them.
const MostChoices = 1 << 20

// Choices is how many values of n a step may choose from.
func (n *Node) Choices() int {
	if n.Few() {
		return n.mostFew()
	}
	lo, hi := n.Codes()
	return int(min(width(lo, hi), MostChoices)) + 1
}

// FewCodes are the codes from which a free choice of n chooses; nil for more than most, and where they
// hang on what it is compared with.
func (n *Node) FewCodes(most int) (codes []int64) {
	lo, hi := n.Codes()
	switch {
	case !n.Valued(), n.Few():
		return nil
	case n.Domain.Sort == ByRegion:
		codes = n.Domain.Filled(lo, hi)
	default:
		for code := lo; code <= hi && len(codes) <= most; code++ {
			codes = append(codes, code)
		}
	}
	if len(codes) > most {
		return nil
	}
	return codes
}

// Between is between what a free choice of n, held by its value, chooses.
func (n *Node) Between() (lo, hi int64) {
	lo, hi, ranged := n.Limits()
	if !ranged {
		return n.Domain.hull()
	}
	return lo, hi
}

// hull is ends, and a value more on each side to stand for all that lies beyond.
func (d *Domain) hull() (lo, hi int64) {
	lo, hi = d.ends()
	return max(lo, math.MinInt64+1) - 1, min(hi, math.MaxInt64-1) + 1
}

// ends is the least range around all fields of d that have one.
func (d *Domain) ends() (lo, hi int64) {
	first := true
	for _, n := range d.nodes {
		if l, h, ranged := n.Limits(); ranged {
			if first {
				lo, hi, first = l, h, false
			}
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	return lo, hi
}
