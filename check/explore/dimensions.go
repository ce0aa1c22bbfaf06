package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Dimension is one thing by which configurations are told apart wherever the run
// is: a field that is held, or the counter of an arm, with more than one value.
type Dimension struct {
	Field  *ir.Var // nil for a counter
	Values int64
}

// Dimensions lists those of m in source order, fields first. Their product is an
// upper bound of the configurations of one leaf, but for its visit and timers.
func Dimensions(m *ir.Machine) []Dimension {
	var out []Dimension
	for _, n := range newTracked(m).held() {
		if _, count := n.heldCodes(); count > 1 {
			out = append(out, Dimension{n.v, int64(count)})
		}
	}
	for _, a := range m.Arms {
		if countsBeyondVisit(a) {
			out = append(out, Dimension{nil, *a.Max + 1})
		}
	}
	return out
}

// heldCodes is the least code of n that is held, and how many values it can have
// in a configuration, unset included.
func (n *node) heldCodes() (base int64, count uint64) {
	count = 1
	switch {
	case !n.valued():
	case n.dom.sort == byValue:
		lo, hi, _ := n.limits()
		base, count = lo, uint64(hi-lo)+1
	case n.dom.sort == byLength:
		count = uint64(n.dom.most) + 1
	case n.dom.sort == byRegion:
		lo, hi := n.codes()
		base, count = lo, uint64(hi-lo)+1
	}
	if n.mayBeUnset() {
		count++
	}
	return base, count
}

// Coarse lists, in source order, what has a range and is compared or computed, but
// has more values than are followed one by one: each comparison of it with other
// data is a choice. A field of an event is written "event.n".
func Coarse(m *ir.Machine) []string {
	var out []string
	for _, n := range newTracked(m).nodes {
		lo, hi, ranged := n.limits()
		if !ranged || n.dom.sort != free || !n.read || uint64(hi-lo) < maxSpan {
			continue
		}
		name := ""
		if n.v != nil {
			name = n.v.Name
		} else {
			name = "event." + n.field.Name
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// MostValues is how many values data may have that is compared with other data or
// computed of it, for the checker to follow them one by one, where the environment
// chooses them.
const MostValues = maxSpan
