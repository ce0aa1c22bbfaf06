package step

import (
	"encoding/binary"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// What two fields compare as stays so until one of them is assigned. So a verdict that was
// chosen for want of knowing is held by the configurations that follow, as data is, and
// is chosen no more: `a != b` does not come true where `a == b` did. An assignment to a
// field that it reads makes it open again. Of what a configuration holds follows more:
// no verdict is chosen that no values have together with the others.
//
// A comparison with a field of an event is another one with each event, and is not
// recalled. Nor is a host guard, which may say one thing today and another tomorrow.

// Recalled is a comparison whose verdict configurations hold.
type Recalled struct {
	node         *data.Node // of which there is only the slot: 0 where it is open, else the verdict
	key          string
	of           *ir.Binary
	negated      bool // the verdict is not that on of, but on its negation
	vars         []*ir.Var
	holds, fails guard.Formula
	related      []int        // the recalled that have to do with it, itself among them
	first        int8         // its verdict as a run begins, as far as defaults tell
	nodes        []*data.Node // the data that they read, as far as it tells values
}

// mostRecalled is the most comparisons that are recalled, each of which may triple the
// configurations.
const mostRecalled = 16

// Recalls reports whether m has comparisons that can be recalled.
func Recalls(m *ir.Machine, t *data.Tracked) bool { return len(findRecalled(m, t)) > 0 }

// findRecalled lists the comparisons of m to be recalled, in the order of the text.
func findRecalled(m *ir.Machine, t *data.Tracked) []*Recalled {
	c := &compiler{t: t}
	var list []*Recalled
	for whole := range m.Exprs() {
		ir.Walk(whole, func(e ir.Expr) bool {
			b, ok := e.(*ir.Binary)
			if !ok || !comparesVars(b) || !c.isFree(b, nil) {
				return true
			}
			key, negated := atomOf(b)
			if len(list) == mostRecalled || slices.ContainsFunc(list, func(r *Recalled) bool { return r.key == key }) {
				return false
			}
			g := guard.Read(b, nil)
			r := &Recalled{key: key, of: b, negated: negated, holds: g.Holds, fails: g.Fails}
			if negated {
				r.holds, r.fails = g.Fails, g.Holds
			}
			for _, v := range ir.Vars(b) {
				if v.Always() == nil && !slices.Contains(r.vars, v) {
					r.vars = append(r.vars, v)
				}
			}
			list = append(list, r)
			return false
		})
	}
	for _, r := range list {
		r.begin()
		for _, v := range r.relate(list) {
			if n := t.Vars[v]; n.Valued() && n.Domain.TellsValues() && !slices.Contains(r.nodes, n) {
				r.nodes = append(r.nodes, n)
			}
		}
	}
	return list
}

// begin finds what the defaults of fields say of r.
func (r *Recalled) begin() {
	var facts []guard.Formula
	for _, v := range r.vars {
		if v.Param || v.Default == nil {
			continue
		}
		switch v.Default.Kind {
		case ir.Int, ir.Duration, ir.Float, ir.String:
			facts = append(facts, guard.Equal(v, v.Default))
		}
	}
	if len(facts) > 0 {
		r.first = r.beside(facts)
	}
}

// beside is the only verdict on r that values have together with facts; unasked where both are.
func (r *Recalled) beside(facts []guard.Formula) int8 {
	can := func(f guard.Formula) bool {
		return guard.Satisfy(append(slices.Clone(facts), f)...).Verdict != guard.Unsat
	}
	switch {
	case !can(r.holds):
		return isFalse
	case !can(r.fails):
		return isTrue
	}
	return unasked
}

// relate finds what of list has to do with r: it reads a variable of r, or of what has. It
// gives all variables of those.
func (r *Recalled) relate(list []*Recalled) []*ir.Var {
	vars, related := slices.Clone(r.vars), make([]bool, len(list))
	for changed := true; changed; {
		changed = false
		for i, other := range list {
			if related[i] || !slices.ContainsFunc(other.vars, func(v *ir.Var) bool { return slices.Contains(vars, v) }) {
				continue
			}
			related[i], changed = true, true
			vars = append(vars, other.vars...)
		}
	}
	for i, is := range related {
		if is {
			r.related = append(r.related, i)
		}
	}
	return vars
}

// comparesVars reports whether e is a comparison that reads nothing but variables.
func comparesVars(e *ir.Binary) bool {
	switch e.Op {
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
	default:
		return false
	}
	only, any := true, false
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.VarRef:
			any = any || e.Var.Always() == nil
		case *ir.Lit, *ir.Len, *ir.Unary, *ir.Binary:
		default:
			only = false
		}
		return only
	})
	return only && any
}

// recalledIn lists what e, or what has to do with it, is recalled of.
func (p *Program) recalledIn(e ir.Expr) []int {
	if len(p.recalled) == 0 || e == nil {
		return nil
	}
	var out []int
	ir.Walk(e, func(e ir.Expr) bool {
		b, ok := e.(*ir.Binary)
		if !ok || !comparesVars(b) {
			return true
		}
		key, _ := atomOf(b)
		if i := slices.IndexFunc(p.recalled, func(r *Recalled) bool { return r.key == key }); i >= 0 {
			out = append(out, p.recalled[i].related...)
		}
		return false
	})
	return out
}

// readsRecalled adds what is recalled of e, and the data that it is compared with: what is
// dropped would be taken for a value that it does not have.
func (p *Program) readsRecalled(e ir.Expr, mask []uint64) {
	for _, i := range p.recalledIn(e) {
		r := p.recalled[i]
		r.node.Slot.Set(mask, ^uint64(0))
		for _, n := range r.nodes {
			if n.Slot != nil {
				n.Slot.Set(mask, ^uint64(0))
			}
		}
	}
}

// setsRecalled adds what an assignment to v makes open.
func (p *Program) setsRecalled(v *ir.Var, mask []uint64) {
	for _, r := range p.recalled {
		if slices.Contains(r.vars, v) {
			r.node.Slot.Set(mask, ^uint64(0))
		}
	}
}

// Recalled lists the verdicts that the configuration in words holds.
func (p *Program) Recalled(words []uint64) []witness.Verdict {
	var out []witness.Verdict
	for _, r := range p.recalled {
		if verdict := int8(r.node.Slot.Get(words)); verdict != unasked {
			out = append(out, witness.Verdict{Of: r.of, Holds: (verdict == isTrue) != r.negated})
		}
	}
	return out
}

// Facts are what the configuration in words recalls of what e compares.
func (p *Program) Facts(e ir.Expr, words []uint64) []guard.Formula {
	var out []guard.Formula
	for _, i := range p.recalledIn(e) {
		switch r := p.recalled[i]; int8(r.node.Slot.Get(words)) {
		case isTrue:
			out = append(out, r.holds)
		case isFalse:
			out = append(out, r.fails)
		}
	}
	return out
}

// Related lists the variables of what is recalled of e.
func (p *Program) Related(e ir.Expr) []*ir.Var {
	var out []*ir.Var
	for _, i := range p.recalledIn(e) {
		out = append(out, p.recalled[i].vars...)
	}
	return out
}

// AppendRecalled adds to list what tells apart the Facts of configurations.
func (p *Program) AppendRecalled(list []byte, e ir.Expr, words []uint64) []byte {
	for _, i := range p.recalledIn(e) {
		list = append(list, byte(p.recalled[i].node.Slot.Get(words)))
	}
	return list
}

// chooseRecalled is the verdict on r: the one that is held, the one that alone can be
// beside the others, or a choice.
func (s *Step) chooseRecalled(r *Recalled) int8 {
	s.Foot.reads(r.node)
	if held := int8(r.node.Slot.Get(s.Next)); held != unasked {
		return held
	}
	verdict := s.onlyOne(r)
	if verdict == unasked {
		verdict = isTrue + int8(s.Oracle.Choose(2))
		s.Guess = true
	}
	s.Foot.writes(r.node)
	r.node.Slot.Set(s.Next, uint64(verdict))
	return verdict
}

// onlyOne is the only verdict on r that values have together with what is held;
// unasked where both are.
func (s *Step) onlyOne(r *Recalled) int8 {
	key := append(s.recallKey[:0], r.key...)
	var held []guard.Formula
	for _, i := range r.related {
		other := s.Program.recalled[i]
		s.Foot.reads(other.node)
		verdict := int8(other.node.Slot.Get(s.Next))
		key = append(key, byte(verdict))
		switch verdict {
		case isTrue:
			held = append(held, other.holds)
		case isFalse:
			held = append(held, other.fails)
		}
	}
	nodes := r.nodes
	if len(held) == 0 { // what data says of r alone was asked before
		nodes = nil
	}
	for _, n := range nodes {
		s.Foot.reads(n)
		key = binary.AppendUvarint(key, n.Slot.Get(s.Next))
	}
	s.recallKey = key
	verdict, known := s.Program.onlyOne[string(key)]
	if !known {
		for _, n := range nodes {
			held = append(held, n.Fact(s.Next, false))
		}
		verdict = r.beside(held)
		s.Program.onlyOne[string(key)] = verdict
	}
	return verdict
}
