package control

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// goesOn reports whether some field is further in one direction each time that a is taken, and
// how often that can be at most: a step that would leave the range of a field is not taken.
func (p *part) goesOn(a *ir.Arm) (most int64, ok bool) {
	never := func(int64) bool { return false }
	for _, v := range p.moves(a) {
		r := v.Type.Range
		if r.Hi-r.Lo < 0 {
			continue
		}
		by := p.rises(a, v, 1, never)
		if by == 0 {
			by = p.rises(a, v, -1, never)
		}
		if by > 0 {
			most = laps(r, 1, r.Hi, by, false)
			if v.Default == nil { // it may have no value yet
				most = graph.Sum(most, 1)
			}
			return most, true
		}
	}
	return graph.Infinite, false
}

// moves are the fields with a range that a reads or assigns, in order, and that the part assigns by
// effects all of which may move them.
func (p *part) moves(a *ir.Arm) []*ir.Var {
	all := ir.Vars(a.When)
	if a.Block != nil {
		for _, x := range a.Block.Assigns {
			all = append(append(all, x.Var), ir.Vars(x.Value)...)
		}
	}
	all = slices.DeleteFunc(all, func(v *ir.Var) bool {
		return v.Type.Range == nil || len(p.effects[v]) == 0 || slices.ContainsFunc(p.effects[v], func(x effectIn) bool { return !x.mayMove(v) })
	})
	slices.SortFunc(all, func(v, w *ir.Var) int { return v.Index - w.Index })
	return slices.Compact(all)
}

// mayMove reports whether an effect on v can leave it further than something was: it adds to a field, or
// some guard speaks of one. A first look, as rises takes long.
func (x *effectIn) mayMove(v *ir.Var) bool {
	switch {
	case x.Value != nil:
		return false
	case x.Adds != nil:
		return true
	case x.arm == nil:
		return false
	}
	for _, a := range x.arm.Block.Assigns {
		if from, _, _ := flat.SumOf(a, flat.Declared); a.Var == v && from != nil {
			return true
		}
	}
	return slices.ContainsFunc(asked(x.arm), func(b *ir.Arm) bool { return len(ir.Vars(b.When)) > 0 })
}

// keeps reports whether e is there and no effect of the part changes what it reads.
func (p *part) keeps(e ir.Expr) bool {
	return e != nil && !slices.ContainsFunc(ir.Vars(e), func(v *ir.Var) bool { return len(p.effects[v]) > 0 })
}

// question is one that further answers.
type question struct {
	assign *ir.Assign
	v      *ir.Var
	sign   int64
	past   bool
}

// further reports whether the guards of arm, and of the arms before it, say that what x assigns in
// its block is not less than v, or past it. Where sign is -1, that it is not more.
func (c *Graph) further(arm *ir.Arm, x *ir.Assign, v *ir.Var, sign int64, past bool) bool {
	kind := x.Value.Type().Kind
	if kind != v.Type.Kind || kind != ir.Int && kind != ir.Duration {
		return false
	}
	q := question{x, v, sign, past}
	answer, known := c.compared[q]
	if !known {
		op := ir.OpLt // what must not be
		if past {
			op = ir.OpLe
		}
		if sign < 0 {
			op = op.Turned()
		}
		if taken := whenTaken(arm, v); len(taken) > 0 {
			less := &ir.Binary{E: ir.E{T: &ir.Type{Kind: ir.Bool}}, Op: op, X: x.Value, Y: &ir.VarRef{E: ir.E{T: v.Type}, Var: v}}
			answer = guard.Satisfy(append(taken, guard.Read(less, nil).Holds)...).Verdict == guard.Unsat
		}
		c.compared[q] = answer
	}
	return answer
}

// maxBefore is how many of the arms before it are asked what holds where an arm is taken. The solver
// takes more than twice as long for twice as many.
const maxBefore = 8

// asked are arm and those before it that say what holds where it is taken: none of these can be taken, as
// they have no bound.
func asked(arm *ir.Arm) []*ir.Arm {
	list := slices.Clone(arm.Chain()[max(0, arm.Index-maxBefore):arm.Index])
	return append(slices.DeleteFunc(list, func(before *ir.Arm) bool { return before.Max != nil }), arm)
}

// whenTaken is what holds where arm is taken, as far as it is asked. Empty where none of the guards reads v.
func whenTaken(arm *ir.Arm, v *ir.Var) []guard.Formula {
	var list []guard.Formula
	reads := false
	for _, x := range asked(arm) {
		reads = reads || slices.Contains(ir.Vars(x.When), v)
		if x == arm {
			list = append(list, guard.Read(x.When, nil).Holds)
		} else {
			list = append(list, guard.Read(x.When, nil).Fails)
		}
	}
	if !reads {
		return nil
	}
	return list
}
