package step

import (
	"encoding/binary"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Requires that turn a run away from one to the next are a chain, too. What follows
// there hangs on the leaf at hand, on how many there were before it, since a run that
// is turned round and round is halted, and on the atoms that are asked from there on.

// turn is a leaf with a `require` for which the step at hand makes.
type turn struct {
	leaf   *ir.State
	turns  int // of the leaves that turned the run away before
	domain int // the depth below which it is entered
	shared int // as in step
}

// triedInTurn is triedAlike at a place in the text of the `require` at hand.
func (s *Step) triedInTurn(offset int) bool {
	if s.Oracle.Over || !s.mayBeAlike() {
		return s.Oracle.Over
	}
	t := &s.turn
	s.startKey(spotOf(0, offset), s.Program.lastInTurn(t.leaf))
	for _, n := range []int{0xff, s.choice, t.leaf.ID, t.turns, t.domain, t.shared} {
		s.key = binary.AppendVarint(s.key, int64(n))
	}
	if s.hosted {
		s.key = append(s.key, 1)
	}
	for _, by := range s.TurnedByHost {
		s.key = binary.AppendVarint(s.key, int64(by.ID))
	}
	return s.isAlike()
}

// lastInTurn says up to which place in the `require` of leaf an atom may be read.
func (p *Program) lastInTurn(leaf *ir.State) []spot {
	code := &p.States[leaf.ID]
	if code.last != nil {
		return code.last
	}
	behind := map[*ir.State]bool{}
	for s := range leaf.Require.Target.Redirects() {
		behind[s] = true
	}
	code.last = slices.Repeat([]spot{-1}, len(p.atoms))
	for _, use := range p.uses[nil] {
		at := spot(-1)
		switch {
		case use.require == nil, behind[use.require]: // an entry or exit block asks no less
			at = anywhere
		case use.require == leaf:
			at = spotOf(0, use.offset)
		}
		code.last[use.atom] = max(code.last[use.atom], at)
	}
	lookBack(p.atoms, code.last)
	return code.last
}
