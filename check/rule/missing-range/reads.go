package missingrange

import (
	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// reader is a guard that reads a field: itself, or another field into which
// effects put it.
type reader struct {
	guard   ir.Expr
	through *ir.Var // what the guard reads
}

// guardReads gives for each int or duration the first guard on which it has a
// bearing. Host guards are asked and not understood, so what they are given has
// none; neither has `is set`.
func guardReads(p *check.Pass) map[*ir.Var]*reader {
	from := map[*ir.Var][]*ir.Var{} // by field: the numbers from which effects make it
	for _, a := range assigns(p) {
		from[a.Var] = append(from[a.Var], numbersIn(a.Value)...)
	}
	reads := map[*ir.Var]*reader{}
	var queue []*ir.Var
	note := func(v *ir.Var, r *reader) {
		if reads[v] == nil {
			reads[v] = r
			queue = append(queue, v)
		}
	}
	for _, g := range guards(p) {
		for _, v := range numbersIn(g) {
			note(v, &reader{guard: g, through: v})
		}
	}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, source := range from[v] {
			note(source, reads[v])
		}
	}
	return reads
}

// numbersIn are the ints and durations whose value e reads.
func numbersIn(e ir.Expr) []*ir.Var {
	var out []*ir.Var
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.Call:
			return e.Guard == nil
		case *ir.VarRef:
			if k := e.Var.Type.Kind; k == ir.Int || k == ir.Duration {
				out = append(out, e.Var)
			}
		}
		return true
	})
	return out
}

// guards are the conditions of the arms and the requires of states that a run
// may enter.
func guards(p *check.Pass) []ir.Expr {
	var out []ir.Expr
	for _, a := range p.Machine.Arms {
		if a.When != nil && !p.Unreachable(a.State) {
			out = append(out, a.When)
		}
	}
	for _, s := range p.Machine.States {
		if s.Require != nil && !p.Unreachable(s) {
			out = append(out, s.Require.Cond)
		}
	}
	return out
}

// assigns are the effects that give a field a value, in states that a run may
// enter.
func assigns(p *check.Pass) []*ir.Assign {
	var out []*ir.Assign
	add := func(s *ir.State, b *ir.Block) {
		if b == nil || p.Unreachable(s) {
			return
		}
		for _, a := range b.Assigns {
			if a.Value != nil {
				out = append(out, a)
			}
		}
	}
	for _, a := range p.Machine.Arms {
		add(a.State, a.Block)
	}
	for _, s := range p.Machine.States {
		add(s, s.Entry)
		add(s, s.Exit)
	}
	return out
}
