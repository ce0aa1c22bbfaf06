package step

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A host guard is asked once for the same arguments in a step, also where they are written otherwise:
// `ready(event.by)` says what `ready(asker)` has said where both are the same person. As far as
// arguments are held, that is known.

// told is what an atom tells a host guard at one place, as far as it is held.
type told struct {
	constant *ir.Const    // nil for what is no constant
	refs     []*data.Node // likewise; a field of the event at hand where it is no variable
}

// toldBy is what call tells its guard; nil where it cannot be known that others are the same.
func (c *compiler) toldBy(call *ir.Call, arm *ir.Arm) []told {
	var out []told
	for _, e := range call.Args {
		a := told{constant: ir.Value(e)}
		if a.constant == nil {
			a.refs = c.t.Refs(e, arm)
			if len(a.refs) == 0 || slices.ContainsFunc(a.refs, func(n *data.Node) bool { return !n.Valued() || !n.Domain.TellsValues() }) {
				return nil
			}
		}
		out = append(out, a)
	}
	return out
}

// addTold adds what is told where the atom stands another time, with the fields of other events.
func (a *atom) addTold(more []told) {
	if more == nil {
		a.told = nil
	}
	for i := range a.told {
		a.told[i].refs = append(a.told[i].refs, more[i].refs...)
	}
}

// mostPeers is of how many atoms one looks for those that were told the same: what each has said is
// remembered up to where the last of them is asked, in as many ways as there are.
const mostPeers = 8

// findPeers notes of each host guard the atoms that may tell it the same otherwise.
func findPeers(atoms []atom) {
	for i := range atoms {
		a := &atoms[i]
		for j := range atoms {
			if b := &atoms[j]; i != j && a.told != nil && b.told != nil && a.guard == b.guard && mayBeSame(a.told, b.told) {
				a.peers = append(a.peers, j)
			}
		}
	}
	for i := range atoms {
		if len(atoms[i].peers) >= mostPeers {
			atoms[i].peers = nil
		}
	}
}

// lookBack has each of last, the places up to which atoms are asked, reach up to where those are that
// may look at what the atom has said.
func lookBack(atoms []atom, last []spot) {
	own := slices.Clone(last)
	for id, a := range atoms {
		for _, peer := range a.peers {
			last[peer] = max(last[peer], own[id])
		}
	}
}

// mayBeSame reports whether what is told may be the same: other constants are not.
func mayBeSame(x, y []told) bool {
	for i := range x {
		if a, b := x[i].constant, y[i].constant; a != nil && b != nil && !equal(a, b) {
			return false
		}
	}
	return true
}

// alreadyAsked is what the guard of atom id has said where another atom has told it the same; else unasked.
func (s *Step) alreadyAsked(id int) int8 {
	a := &s.Program.atoms[id]
	for _, peer := range a.peers {
		if s.verdicts[peer] == unasked {
			continue
		}
		same := true
		for i, arg := range s.Program.atoms[peer].told {
			x, y := s.valueOf(a.told[i]), s.valueOf(arg)
			same = same && x != nil && y != nil && equal(x, y)
		}
		if same {
			return s.verdicts[peer]
		}
	}
	return unasked
}

// equal reports whether two constants of one type are the same.
func equal(x, y *ir.Const) bool {
	return x.Int == y.Int && x.Float == y.Float && (x.Kind != ir.String || x.Str == y.Str)
}

// valueOf is the value that is told; nil where that is not known.
func (s *Step) valueOf(a told) *ir.Const {
	if a.constant != nil {
		return a.constant
	}
	n := a.refs[0]
	if n.Var != nil {
		s.Foot.reads(n)
		if code, set := n.Slot.Load(s.Next); set {
			return n.Only(code)
		}
		return nil
	}
	if n = s.of(a.refs); !s.have[n.Index] {
		return nil
	}
	return n.Only(s.payloads[n.Index])
}
