package data

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Dimension is one thing by which configurations are told apart wherever the run
// is: a field that is held, or the counter of an arm, with more than one value.
type Dimension struct {
	Field  *ir.Var // nil for a counter
	Values uint64
}

// Dimensions lists those of m in source order, fields first. Their product is an
// upper bound of the configurations of one leaf, but for its visit and timers.
func Dimensions(m *ir.Machine) []Dimension {
	var out []Dimension
	for _, n := range New(m).Held() {
		if _, more := n.HeldCodes(); more > 0 {
			out = append(out, Dimension{n.Var, more + 1})
		}
	}
	for _, a := range m.Arms {
		if flat.CountsBeyondVisit(a) {
			out = append(out, Dimension{nil, uint64(*a.Max) + 1})
		}
	}
	return out
}

// HeldCodes is the least code of n that is held, and how many values more than one it can have
// in a configuration, unset included.
func (n *Node) HeldCodes() (base int64, more uint64) {
	if n.Valued() {
		var hi int64
		base, hi = n.Codes()
		more = width(base, hi)
	}
	if n.MayBeUnset() {
		more++
	}
	return base, more
}

// Starts is in how many ways the parameters that configurations hold let a run start, at least.
func (t *Tracked) Starts() float64 {
	ways := 1.0
	for _, n := range t.Held() {
		if n.Var.Param && n.Valued() && n.Domain.Sort == ByValue && !n.Few() {
			ways *= float64(n.Choices())
		}
	}
	return ways
}

// Coarse lists, in source order, what has a range and is compared or computed, but
// has more values than are followed one by one: each comparison of it with other
// data is a choice. A field of an event is written "event.n".
func Coarse(m *ir.Machine) []string {
	var out []string
	for _, n := range New(m).Nodes {
		lo, hi, ranged := n.Limits()
		if !ranged || n.Domain.Sort != Free || !n.Read || uint64(hi-lo) < MostValues {
			continue
		}
		name := ""
		if n.Var != nil {
			name = n.Var.Name
		} else {
			name = "event." + n.Field.Name
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
