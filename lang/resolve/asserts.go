package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

var verbs = map[string]ir.AssertVerb{
	"precedes": ir.Precedes, "leads to": ir.LeadsTo, "excludes": ir.Excludes, "at most": ir.AtMost,
}

// resolveAsserts resolves the machine's promises. One that names a state that
// or an activity that is none, if only by its spelling, is left out.
func (r *resolver) resolveAsserts() {
	for src := range ast.Of[*ast.Assert](r.src.Items) {
		a := &ir.Assert{Verb: verbs[src.Verb], Span: src.Span()}
		before := len(r.list)
		ok := true
		if src.Done != nil {
			a.Name, a.Done = src.Done.Text, r.succeeding(src.Done)
			ok = len(a.Done) > 0
		} else {
			a.Subject = r.loneTarget(r.root, src.Subject)
			ok = a.Subject != nil
		}
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

// succeeding are the executions that `done NAME` means. Those of a fan-out are none: some
// succeed and others do not, and only the state says what becomes of that.
func (r *resolver) succeeding(name *ast.Name) []*ir.Do {
	dos := r.dosOf(name)
	for _, d := range dos {
		if d.Fan != nil {
			r.report(badTarget, name.Span(), quote(name.Text)+" runs once for each element of a list: some may succeed, and others not",
				"Name the state that is entered behind it.")
			return nil
		}
	}
	return dos
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

// dosOf are the executions that name means: by their label, their activity or the machine that
// they call. Where there is none, that is reported.
func (r *resolver) dosOf(name *ast.Name) (out []*ir.Do) {
	if !present(name) {
		return nil
	}
	known := map[string]bool{}
	var byLabel bool
	for _, d := range r.m.Dos {
		byLabel = byLabel || d.Label == name.Text
		if d.Label == name.Text || d.Activity.Name == name.Text {
			out = append(out, d)
		}
		known[d.Activity.Name] = true
		if d.Label != "" {
			known[d.Label] = true
		}
	}
	switch {
	case len(out) == 0:
		if !r.m.Incomplete {
			r.misspelt(unknownName, name.Span(), "no state of machine "+quote(r.m.Name)+" runs "+quote(name.Text), "Name an activity that a state runs, or its label.", near(r, name.Text, known))
		}
	case out[0].Activity.Machine != nil && out[0].Activity.Name == name.Text:
		r.refer(name, ir.MachineName, &out[0].Activity.Machine.Span.Start)
	case byLabel && r.labelNames[name.Text] != nil:
		r.refer(name, ir.LabelName, &r.labelNames[name.Text].Pos)
	default:
		r.referTo(name, out[0].Activity)
	}
	return out
}
