package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// someCount stands for a bound that could not be understood.
const someCount = 1

// arms resolves the arms of a handler or a timer of n, which is set in of.
func (r *resolver) arms(n *node, list []*ast.Arm, sc scope, of ir.Arm) []*ir.Arm {
	var out []*ir.Arm
	for _, src := range list {
		a := of
		a.State, a.Index, a.Span = n.ir, len(out), src.Span()
		if !r.arm(n, &a, src, sc) {
			continue
		}
		out = append(out, &a)
		if !n.detached {
			a.ID = len(r.m.Arms)
			r.m.Arms = append(r.m.Arms, &a)
		}
	}
	return out
}

// arm resolves one arm; it is false where the parser could not read its step.
func (r *resolver) arm(n *node, a *ir.Arm, src *ast.Arm, sc scope) bool {
	if src.When != nil {
		a.When = r.guard(src.When, sc)
	}
	switch step := src.Step.(type) {
	case *ast.Goto:
		a.Kind = ir.Goto
		a.Target = r.target(n, step.Target)
		a.Block = r.block(step.Block, sc)
		if b := step.Bound; b != nil {
			r.count(n, a, b.Unbounded, b.Max, b.Scope, ir.PerRun)
		}
	case *ast.Retry:
		a.Kind = ir.Retry
		r.count(n, a, step.Unbounded, step.Max, step.Scope, ir.PerVisit)
		a.Backoff = r.backoff(step, sc)
		a.Block = r.block(step.Block, sc)
	case *ast.Reject:
		a.Kind = ir.Reject
		r.external(step, sc)
	case *ast.IgnoreStep:
		a.Kind = ir.IgnoreArm
	case *ast.Stay:
		a.Kind = ir.Stay
		a.Block = r.block(step.Block, sc)
	default:
		r.m.Incomplete = true
		return false
	}
	return true
}

// count resolves how often a may be taken, and for how long that is counted.
func (r *resolver) count(n *node, a *ir.Arm, unbounded bool, most *ast.Literal, s *ast.Scope, usual ir.ScopeKind) {
	a.Unbounded = unbounded
	a.Scope = r.scopeOf(n, s, usual)
	if !unbounded {
		most := r.intOf(most, someCount)
		a.Max = &most
	}
}

// scopeOf resolves what stands behind `per` in n, and usual where nothing
// stands there.
func (r *resolver) scopeOf(n *node, s *ast.Scope, usual ir.ScopeKind) ir.Scope {
	out := ir.Scope{Kind: usual}
	switch {
	case s == nil:
	case s.Kind == "run":
		out.Kind = ir.PerRun
	case s.Kind == "visit":
		out.Kind = ir.PerVisit
	case s.Kind == "state":
		if target := r.loneTarget(n, s.Target); target != nil {
			out.Kind, out.State = ir.PerState, target
		}
	}
	return out
}

// backoff resolves how long a retry waits.
func (r *resolver) backoff(retry *ast.Retry, sc scope) *ir.Backoff {
	src := retry.Backoff
	if src == nil {
		return &ir.Backoff{First: ir.UsualFirst, Last: ir.UsualLast, Factor: ir.UsualFactor, Jitter: ir.UsualJitter, Span: retry.Span()}
	}
	b := &ir.Backoff{Factor: r.ratOf(src.Factor, ir.UsualFactor), Jitter: r.ratOf(src.Jitter, ir.UsualJitter), Span: src.Span()}
	if src.By != nil {
		sc.wait = true
		b.By = r.fit(r.expr(src.By, sc), durationType, "`backoff by`")
		return b
	}
	b.First = r.durationOf(src.First, ir.UsualFirst)
	b.Last = b.First
	if src.Last != nil {
		b.Last = r.durationOf(src.Last, max(b.First, ir.UsualLast))
	}
	return b
}

// external reports a `reject` of what does not come from outside.
func (r *resolver) external(step *ast.Reject, sc scope) {
	const help = "Only events from outside are rejected; handle this with `ignore`, a move or a block."
	if sc.timer {
		r.mismatch(step.Span(), "a timer cannot be rejected", help)
	}
	for _, t := range sc.triggers {
		switch {
		case t.Kind != ir.OnEvent:
			r.mismatch(step.Span(), quote(t.Text())+" cannot be rejected: it does not come from outside", help)
			return
		case !t.Event.External():
			r.mismatch(step.Span(), "event "+quote(t.Event.Name)+" cannot be rejected: activity "+
				quote(t.Event.Raisers[0].Name)+" raises it", help)
			return
		}
	}
}
