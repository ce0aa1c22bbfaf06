package readbeforeset

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// reader does the reads and writes of one step, in the order in which the step
// does them. It halts at the first read of an unset field, as the step does,
// and where it is not sure that the step goes on.
type reader struct {
	walk   *walk
	unset  uint64
	at     int32 // the node in which the step begins
	input  *ir.Case
	arm    *ir.Arm // that the step takes; nil while its conditions are tried
	given  moment
	halted bool
	muted  bool // what is read need not be read in a run: no fault is taken down
}

// variable reads v; the place is where.
func (r *reader) variable(v *ir.Var, where token.Span) {
	if r.halted || r.unset&r.walk.bit[v] == 0 {
		return
	}
	r.halted = true
	w := r.walk
	if r.muted || w.known[where] || !w.withinBounds(r.at, r.arm) {
		return
	}
	w.known[where] = true
	w.faults[v] = append(w.faults[v], fault{span: where, at: r.at, input: r.input, given: r.given})
}

// withinBounds reports whether the run to node i, and then once along last,
// takes no arm more often than its bound allows.
func (w *walk) withinBounds(i int32, last *ir.Arm) bool {
	taken := map[*ir.Arm]int64{last: 1}
	for ; i >= 0; i = w.nodes[i].from {
		a := w.nodes[i].step.arm
		if a == nil || a.Max == nil {
			continue
		}
		if taken[a]++; taken[a] > *a.Max {
			return false
		}
	}
	return true
}

// exits runs the exit blocks of s and the states around it, up to below domain.
func (r *reader) exits(s, domain *ir.State) {
	for ; s != domain; s = s.Parent {
		r.block(s.Exit)
	}
}

// block does the effects of b: all right sides are read before any field is
// set.
func (r *reader) block(b *ir.Block) {
	if b == nil {
		return
	}
	for _, a := range b.Assigns {
		if a.Value == nil {
			continue
		}
		r.eval(a.Value)
		r.halted = r.halted || !fits(a.Value, a.Var.Type)
	}
	for _, p := range b.Publishes {
		for _, v := range p.Values {
			r.eval(v)
		}
	}
	for _, a := range b.Assigns {
		if a.Value == nil {
			r.unset |= r.walk.bit[a.Var]
		} else {
			r.unset &^= r.walk.bit[a.Var]
		}
	}
}

// fits reports whether it is sure that a value of e lies in the range of t.
func fits(e ir.Expr, t *ir.Type) bool {
	if t.Range == nil {
		return true
	}
	if l, ok := e.(*ir.Lit); ok {
		return t.Range.Contains(l.Value.Int)
	}
	from := e.Type().Range
	return from != nil && t.Range.Contains(from.Lo) && t.Range.Contains(from.Hi)
}
