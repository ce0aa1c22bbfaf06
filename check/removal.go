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
func RemoveArms(m *ir.Machine, a *ir.Arm, rest int) []diag.Fix {
	arms := Chain(a)
	gone := arms[a.Index : a.Index+1+rest]
	if needed(m, gone) {
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

// needed reports whether gone has the only read of a field, or sets one that nothing else does.
func needed(m *ir.Machine, gone []*ir.Arm) bool {
	mine := map[*ir.Arm]bool{}
	own := map[ir.Expr]*ir.Var{} // what an effect reads to set it is no use of it
	set := map[*ir.Var]bool{}    // by what stays
	for _, a := range gone {
		mine[a] = true
	}
	for b, a := range m.Blocks() {
		for _, e := range b.Assigns {
			set[e.Var] = set[e.Var] || !mine[a]
			if e.Value != nil {
				own[e.Value] = e.Var
			}
		}
	}
	here, all := map[*ir.Var]int{}, map[*ir.Var]int{}
	for _, a := range gone {
		countReads(here, a.Exprs(), own)
	}
	countReads(all, m.Exprs(), own)
	for v, n := range here {
		if n >= all[v] {
			return true
		}
	}
	for v, stays := range set {
		if !stays && v.Default == nil {
			return true
		}
	}
	return false
}

func countReads(counts map[*ir.Var]int, list iter.Seq[ir.Expr], own map[ir.Expr]*ir.Var) {
	for e := range list {
		for _, v := range ir.Vars(e) {
			if v != own[e] {
				counts[v]++
			}
		}
	}
}
