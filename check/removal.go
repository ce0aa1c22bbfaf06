package check

import (
	"iter"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Remove is the fix that takes what stands at span away; none where it has no place.
func Remove(what string, span token.Span, safe bool) []diag.Fix {
	if !span.IsValid() {
		return nil
	}
	return []diag.Fix{{Message: "remove " + what, Safe: safe, Edits: []diag.Edit{{Span: span}}}}
}

// RemoveArms is the fix that takes a and rest, the arms directly behind it, out of their
// chain, or with them their handler or timer where they are all of it. There is none where
// something would then be unused.
func (p *Pass) RemoveArms(a *ir.Arm, rest int) []diag.Fix {
	arms := a.Chain()
	gone := arms[a.Index : a.Index+1+rest]
	if p.needed(gone) {
		return nil
	}
	what := "this arm"
	if rest > 0 {
		what = "this arm and those behind it"
	}
	switch next := a.Index + len(gone); {
	case a.Index > 0:
		return Remove(what, token.Span{Start: arms[a.Index-1].Span.End, End: gone[rest].Span.End}, false)
	case next < len(arms):
		return Remove(what, token.Span{Start: a.Span.Start, End: arms[next].Span.Start}, false)
	case a.Timer != nil && a.Timer.Var == nil:
		return Remove("the timer", a.Timer.Span, false)
	case a.Handler != nil && !slices.ContainsFunc(a.Handler.Triggers, onlyUse):
		return Remove("the handler", a.Handler.Span, false)
	}
	return nil
}

// onlyUse reports whether t may be the only use of an event or a label.
func onlyUse(t *ir.Trigger) bool { return t.Label != "" || t.Event != nil && t.Event.External() }

// uses is how often a machine, or arms of it, read and set fields, ask host guards and publish events. That a field is set
// counts as a setting.
type uses map[any]int

type setting struct{ *ir.Var }

// needed reports whether gone has the only use of a field, a host guard or an event that is published, or sets a
// field that nothing else does.
func (s *shared) needed(gone []*ir.Arm) bool {
	if s.uses == nil {
		s.uses, s.own = uses{}, s.Machine.SetBy()
		for b := range s.Machine.Blocks() {
			s.uses.countBlock(b)
		}
		s.uses.count(s.Machine.Exprs(), s.own)
	}
	u := uses{}
	for _, a := range gone {
		u.countBlock(a.Block)
		u.count(a.Exprs(), s.own)
	}
	for what, n := range u {
		if set, is := what.(setting); n >= s.uses[what] && !(is && set.Default != nil) {
			return true
		}
	}
	return false
}

func (u uses) countBlock(b *ir.Block) {
	if b == nil {
		return
	}
	for _, e := range b.Assigns {
		u[setting{e.Var}]++
	}
	for _, e := range b.Publishes {
		u[e.Event]++
	}
}

// count counts what is read and asked. What an effect reads to set it, as own has it, is no use of it.
func (u uses) count(list iter.Seq[ir.Expr], own map[ir.Expr]*ir.Var) {
	for e := range list {
		for _, v := range ir.Vars(e) {
			if v != own[e] {
				u[v]++
			}
		}
		for _, c := range ir.GuardCalls(e) {
			u[c.Guard]++
		}
	}
}
