package control

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Landings are the leaves in which a move to target may end, by way of requires,
// each of which counts as true and as false unless it is plainly false.
func Landings(target *ir.State) []*ir.State {
	var out []*ir.State
	for leaf := range target.Redirects() {
		if leaf != nil && (leaf.Require == nil || flat.Guard(leaf.Require.Cond) != flat.False) {
			out = append(out, leaf)
		}
	}
	return out
}

// unresolved reports whether a move to target leads nobody knows where, since a
// target on the way could not be resolved. Else where it lands nowhere the requires
// lead round.
func unresolved(target *ir.State) bool {
	return slices.Contains(slices.Collect(target.Redirects()), nil)
}
