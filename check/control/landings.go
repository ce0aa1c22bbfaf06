package control

import (
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Landings are the leaves in which a move to target may end, by way of requires,
// each of which counts as true and as false unless it is plainly false.
func Landings(target *ir.State) []*ir.State {
	var out []*ir.State
	met := map[*ir.State]bool{}
	for target != nil {
		leaf := target.Leaf()
		if leaf == nil || met[leaf] {
			break
		}
		met[leaf] = true
		if leaf.Require == nil {
			return append(out, leaf)
		}
		if flat.Guard(leaf.Require.Cond) != flat.False {
			out = append(out, leaf)
		}
		target = leaf.Require.Target
	}
	return out
}

// unresolved reports whether a move to target leads nobody knows where, since a
// target on the way could not be resolved. Else where it lands nowhere the requires
// lead round.
func unresolved(target *ir.State) bool {
	met := map[*ir.State]bool{}
	for target != nil {
		leaf := target.Leaf()
		if leaf == nil {
			return true
		}
		if met[leaf] || leaf.Require == nil {
			return false
		}
		met[leaf] = true
		target = leaf.Require.Target
	}
	return true
}
