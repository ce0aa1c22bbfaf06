package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var verbs = map[string]ir.AssertVerb{
	"precedes": ir.Precedes, "leads to": ir.LeadsTo, "excludes": ir.Excludes, "at most": ir.AtMost,
}

// resolveAsserts resolves the machine's promises. One that names a state that
// is none, if only by its spelling, is left out.
func (r *resolver) resolveAsserts() {
	for src := range items[*ast.Assert](r) {
		a := &ir.Assert{Verb: verbs[src.Verb], Span: src.Span()}
		before := len(r.list)
		a.Subject = r.loneTarget(r.root, src.Subject)
		ok := a.Subject != nil
		for _, path := range src.Objects {
			object := r.loneTarget(r.root, path)
			a.Objects = append(a.Objects, object)
			ok = ok && object != nil
		}
		ok = ok && len(r.list) == before
		if a.Verb == ir.AtMost {
			a.N = r.intOf(src.N, someCount)
		}
		if ok && r.apart(a, src) {
			r.m.Asserts = append(r.m.Asserts, a)
		}
	}
}

// apart reports an `excludes` of states of which one is inside the other: a
// run that enters the inner one enters both.
func (r *resolver) apart(a *ir.Assert, src *ast.Assert) bool {
	if a.Verb != ir.Excludes {
		return true
	}
	for i, object := range a.Objects {
		inner, outer := a.Subject, object
		if object.Inside(a.Subject) {
			inner, outer = object, a.Subject
		}
		if !inner.Inside(outer) {
			continue
		}
		message := "state " + quote(inner.Path) + " is inside " + quote(outer.Path) + ": a run that enters the inner one enters both"
		if inner == outer {
			message = "state " + quote(inner.Path) + " cannot exclude itself"
		}
		r.report(badTarget, src.Objects[i].Span(), message, "Name two states that stand apart.")
		return false
	}
	return true
}
