package step

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A guard of three host guards is false in three ways, and a chain of n such arms
// in 3^n, though what follows is the same: what is left of the chain asks other
// guards. So at each `&&`, `||` and `else` of a chain it is noted what the rest of
// the step may still read of what was chosen. Where that was noted before, the rest
// was gone through with it, and this run of the step ends.

// afterRuns is how many runs of one step come before that is worth it.
const afterRuns = 32

// mostAlike is how much is noted of one step.
const mostAlike = 1 << 21

// use is a place in the text where an atom may be asked.
type use struct {
	atom    int
	offset  int
	require *ir.State // in whose `require` it stands, if it stands in one
}

// spot is where the decision about an input stands: which choice, and how far in
// the text of its guard.
type spot int64

func spotOf(choice, offset int) spot { return spot(choice)<<32 | spot(offset) }

// anywhere is behind every decision.
const anywhere = spot(math.MaxInt64)

// lastUses says up to which place of an input's decision an atom, or a field that
// comes with the input, may be read.
type lastUses struct {
	atoms  []spot
	fields []spot // by data.Node.Index
}

// lastUses are those of in.
func (p *Program) lastUses(in *InputCode) *lastUses {
	if in.last != nil {
		return in.last
	}
	u := &lastUses{atoms: make([]spot, len(p.atoms)), fields: make([]spot, len(p.Tracked.Chosen))}
	for _, x := range p.uses[nil] {
		u.atoms[x.atom] = anywhere
	}
	for i, c := range in.Choices {
		if c.Arm == nil {
			if c.Defer {
				for _, n := range p.kept[in.Event.Index].fields {
					u.fields[n.Index] = anywhere
				}
			}
			continue
		}
		for _, x := range p.uses[c.Arm] {
			u.atoms[x.atom] = max(u.atoms[x.atom], spotOf(i, x.offset))
		}
		for whole := range c.Arm.Exprs() {
			ir.Walk(whole, func(e ir.Expr) bool {
				ref, isField := e.(*ir.FieldRef)
				if asked, is := e.(*ir.IsSet); is && asked.Field != nil {
					ref, isField = asked.Field, true
				}
				if isField {
					for _, n := range p.Tracked.Refs(ref, c.Arm) {
						at := spotOf(i, ref.Span().Start.Offset)
						u.fields[n.Index] = max(u.fields[n.Index], at)
						for around := n.Sent; around != nil; around = around.Sent {
							u.fields[around.Index] = max(u.fields[around.Index], at)
						}
					}
				}
				return true
			})
		}
	}
	if in.Do != nil && in.Do.Fan != nil && p.Tracked.Index(in.Do) != nil {
		u.fields[p.Tracked.Index(in.Do).Index] = anywhere // which of them ends
	}
	lookBack(p.atoms, u.atoms)
	for id, a := range p.atoms {
		for _, arg := range a.told {
			for _, n := range arg.refs {
				if n.Var == nil {
					u.fields[n.Index] = max(u.fields[n.Index], u.atoms[id])
				}
			}
		}
	}
	in.last = u
	return u
}

// logic compiles what an arm says after `when`, or a `require` its condition, with a
// look at each `&&` and `||` whether the rest of the step was gone through before.
// Where a decision stands there says how all that stands before it came out.
func (c *compiler) logic(e ir.Expr, arm *ir.Arm, tried func(s *Step, offset int) bool) test {
	switch x := e.(type) {
	case *ir.Unary:
		if x.Op != ir.OpNot {
			break
		}
		inner := c.logic(x.X, arm, tried)
		return func(s *Step) bool { return !inner(s) }
	case *ir.Binary:
		if x.Op != ir.OpAnd && x.Op != ir.OpOr {
			break
		}
		left, right, decides := c.logic(x.X, arm, tried), c.logic(x.Y, arm, tried), x.Op == ir.OpOr
		offset := x.Y.Span().Start.Offset
		return func(s *Step) bool {
			if left(s) == decides || tried(s, offset) {
				return decides
			}
			return right(s)
		}
	}
	return c.test(e, arm)
}

// triedAlike reports whether an earlier run of the step went on from here with
// all that may still be read. Then this run is over: nothing is chosen any more.
func (s *Step) triedAlike(offset int) bool {
	if s.Oracle.Over || s.In == nil || !s.mayBeAlike() {
		return s.Oracle.Over
	}
	at, uses := spotOf(s.choice, offset), s.Program.lastUses(s.In)
	if s.isAlone(at, uses) {
		return false
	}
	s.startKey(at, uses.atoms)
	s.key = append(s.key, 0xff)
	for i, have := range s.have {
		if have && uses.fields[i] >= at {
			s.key = binary.AppendVarint(binary.AppendVarint(s.key, int64(i)), s.payloads[i])
		}
	}
	return s.isAlike()
}

// mayBeAlike reports whether it is worth asking: a run that is the one before up to
// here is no other one.
func (s *Step) mayBeAlike() bool {
	o := &s.Oracle
	return o.runs >= afterRuns && o.moved < o.asked && !s.Failed()
}

// made is a choice that decides one thing alone: a field of the event by data.Node.Index, or
// an atom.
type made struct {
	index int
	atom  bool
}

// isAlone reports whether all choices that the run has made may still be read from a place on.
// Then its key says each of them, so that no other such run has it: in a chain of arms that all
// compare one field there is nothing to look for. A run that has a choice behind it may have
// the key of one that has none: the two go on side by side, and are no more than two.
func (s *Step) isAlone(at spot, uses *lastUses) bool {
	if len(s.made) < s.Oracle.asked {
		return false
	}
	for _, m := range s.made[s.weighed:] {
		last := uses.fields
		if m.atom {
			last = uses.atoms
		}
		if s.weighed == 0 || last[m.index] < s.readTo {
			s.readTo = last[m.index]
		}
		s.weighed++
	}
	return s.weighed > 0 && s.readTo >= at
}

// startKey begins a key with what is known at a place, and with the verdicts of atoms
// that may be read from there on.
func (s *Step) startKey(at spot, last []spot) {
	key := binary.AppendVarint(s.key[:0], int64(at))
	for _, w := range s.Next {
		key = binary.NativeEndian.AppendUint64(key, w)
	}
	if s.Foot.Noted { // what is as it was is not alike to what was set so
		for _, w := range s.Foot.Wrote {
			key = binary.NativeEndian.AppendUint64(key, w)
		}
	}
	if s.Passed != nil {
		key = binary.AppendVarint(key, int64(s.Passed.Arm.ID))
	}
	key = append(key, flag(s.Guess))
	for _, w := range s.Wishes {
		key = append(append(key, strings.Join(w.fields, " ")...), flag(w.holds), flag(w.differs()), 0xfe)
	}
	for id, verdict := range s.verdicts {
		if verdict != unasked && last[id] >= at {
			key = append(binary.AppendVarint(key, int64(id)), byte(verdict))
		}
	}
	s.key = key
}

// isAlike looks for the key, and adds it.
func (s *Step) isAlike() bool {
	o := &s.Oracle
	if o.alike[string(s.key)] {
		o.Over = true
		return true
	}
	if o.alike == nil {
		o.alike = map[string]bool{}
	}
	if len(o.alike) < mostAlike {
		o.alike[string(s.key)] = true
	}
	return false
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}
