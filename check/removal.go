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
	if p.uses == nil {
		p.uses = usesOf(p.Machine)
	}
	if p.uses.needed(gone) {
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

// uses is how often a machine reads and sets its fields, asks its host guards and publishes its
// events, found once for all removals.
type uses struct {
	reads map[*ir.Var]int
	sets  map[*ir.Var]int
	by    map[*ir.Arm][]*ir.Var // what an arm sets
	own   map[ir.Expr]*ir.Var   // what an effect reads to set it is no use of it
	calls map[*ir.Guard]int
	tells map[*ir.Event]int
	told  map[*ir.Arm][]*ir.Event // what an arm publishes
}

func usesOf(m *ir.Machine) *uses {
	u := &uses{reads: map[*ir.Var]int{}, sets: map[*ir.Var]int{}, by: map[*ir.Arm][]*ir.Var{}, own: m.SetBy(), tells: map[*ir.Event]int{}, told: map[*ir.Arm][]*ir.Event{}}
	for b, a := range m.Blocks() {
		for _, e := range b.Assigns {
			u.sets[e.Var]++
			u.by[a] = append(u.by[a], e.Var)
		}
		for _, e := range b.Publishes {
			u.tells[e.Event]++
			u.told[a] = append(u.told[a], e.Event)
		}
	}
	u.count(u.reads, m.Exprs())
	u.calls = asked(m.Exprs())
	return u
}

// asked is how often host guards are asked.
func asked(list iter.Seq[ir.Expr]) map[*ir.Guard]int {
	calls := map[*ir.Guard]int{}
	for e := range list {
		for _, c := range ir.GuardCalls(e) {
			calls[c.Guard]++
		}
	}
	return calls
}

// needed reports whether gone has the only use of a field, a host guard or an event that is published, or sets a
// field that nothing else does.
func (u *uses) needed(gone []*ir.Arm) bool {
	reads, sets, tells := map[*ir.Var]int{}, map[*ir.Var]int{}, map[*ir.Event]int{}
	calls := map[*ir.Guard]int{}
	for _, a := range gone {
		u.count(reads, a.Exprs())
		for g, n := range asked(a.Exprs()) {
			if calls[g] += n; calls[g] >= u.calls[g] {
				return true
			}
		}
		for _, e := range u.told[a] {
			if tells[e]++; tells[e] == u.tells[e] {
				return true
			}
		}
		for _, v := range u.by[a] {
			sets[v]++
		}
	}
	for v, n := range reads {
		if n >= u.reads[v] {
			return true
		}
	}
	for v, n := range sets {
		if n == u.sets[v] && v.Default == nil {
			return true
		}
	}
	return false
}

func (u *uses) count(reads map[*ir.Var]int, list iter.Seq[ir.Expr]) {
	for e := range list {
		for _, v := range ir.Vars(e) {
			if v != u.own[e] {
				reads[v]++
			}
		}
	}
}
