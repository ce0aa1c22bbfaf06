package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// resolveMembers resolves what stands in n, but for the states inside and the
// activities.
func (r *resolver) resolveMembers(n *node) {
	var once firsts
	for _, item := range n.items {
		switch item := item.(type) {
		case *ast.On:
			r.on(n, item)
		case *ast.After:
			r.after(n, item)
		case *ast.Entry:
			if b := r.block(item.Block, scope{}); r.once(n, &once.entry, "entry", item) {
				n.ir.Entry = b
			}
		case *ast.Exit:
			if b := r.block(item.Block, scope{}); r.once(n, &once.exit, "exit", item) {
				n.ir.Exit = b
			}
		case *ast.Require:
			r.require(n, item, &once)
		case *ast.Ignore:
			n.ir.Ignore = append(n.ir.Ignore, r.uses(item.Events)...)
		case *ast.Defer:
			n.ir.Defer = append(n.ir.Defer, r.deferred(item.Events)...)
		}
	}
}

// firsts are the members of a state that it has once, where they are found.
type firsts struct{ entry, exit, require ast.Item }

// once notes item as the first of its kind in n, and reports a second one.
func (r *resolver) once(n *node, first *ast.Item, kind string, item ast.Item) bool {
	if *first != nil {
		r.second(item.Span(), r.says(n)+" has a second `"+kind+"`", "Join the two, or remove one.", (*first).Span())
		return false
	}
	*first = item
	return true
}

func (r *resolver) require(n *node, src *ast.Require, once *firsts) {
	cond := r.guard(src.Cond, scope{})
	target := r.target(n, src.Target)
	if n.ir.Kind == ir.Composite {
		r.report(notYet, src.Span(), "`require` on "+r.says(n)+", which has states inside, is not supported yet",
			"Write it in the leaf states that need it.")
		return
	}
	if r.once(n, &once.require, "require", src) {
		n.ir.Require = &ir.Require{Cond: cond, Target: target, Span: src.Span()}
	}
}

// uses resolves the events of an `ignore` or a `defer`.
func (r *resolver) uses(names []*ast.Name) []*ir.EventUse {
	var out []*ir.EventUse
	for _, name := range names {
		if e, ok := find(r, r.events, name); ok {
			out = append(out, &ir.EventUse{Event: e, Span: name.Span()})
		}
	}
	return out
}

func (r *resolver) deferred(names []*ast.Name) []*ir.EventUse {
	var out []*ir.EventUse
	for _, use := range r.uses(names) {
		if use.Event.External() {
			out = append(out, use)
			continue
		}
		r.mismatch(use.Span, "event "+quote(use.Event.Name)+" cannot be deferred: activity "+
			quote(use.Event.Raisers[0].Name)+" raises it", "Handle it; only events from outside can be kept for later.")
	}
	return out
}

// resolveDos resolves the activities that the states run.
func (r *resolver) resolveDos() {
	for _, n := range r.nodes {
		labels := newSpace[bool]("label")
		for src := range ast.Of[*ast.Do](n.items) {
			d := r.do(n, src)
			if n.ir.Kind == ir.Composite {
				r.report(notYet, src.Span(), "`do` in "+r.says(n)+", which has states inside, is not supported yet",
					"Move it to the leaf states that need it.")
				continue
			}
			if d == nil {
				r.lose(src)
				continue
			}
			d.Label = r.labelOf(n, d, src, labels)
			r.addDo(n, d)
		}
	}
}

func (r *resolver) addDo(n *node, d *ir.Do) {
	n.ir.Dos = append(n.ir.Dos, d)
	if n.detached {
		return
	}
	d.ID = len(r.m.Dos)
	r.m.Dos = append(r.m.Dos, d)
	if d.Label != "" {
		r.labels[d.Label] = append(r.labels[d.Label], d)
	}
}

// do resolves one activity of n; nil where it is unknown. For a misspelt one
// the likely one is taken: without it, what comes after would look
// unreachable.
func (r *resolver) do(n *node, src *ast.Do) *ir.Do {
	d := &ir.Do{State: n.ir, Scope: r.scopeOf(n, src.Scope, ir.PerVisit), Span: src.Span()}
	r.limits(d, src.Limits)
	d.Fan = r.fan(src)
	sc := scope{fan: d.Fan, names: src.Fan}
	if !src.Machine && r.callables.names[textOf(src.Activity)] {
		r.report(unknownName, src.Activity.Span(), quote(src.Activity.Text)+" is a guard, and no activity",
			"Run an activity here; guards are asked in `when`.")
		r.exprs(src.Args, sc)
		return nil
	}
	var activity *ir.Activity
	var exact, ok bool
	if src.Machine {
		activity = r.doMachine(d, src)
		exact, ok = activity != nil, activity != nil
	} else {
		activity, exact, ok = r.activity(src.Activity)
	}
	if !ok || !exact {
		d.Args = r.exprs(src.Args, sc)
	} else {
		d.Args = r.arguments(src.Span(), activity.Name, activity.Params, src.Args, sc)
	}
	if !ok {
		return nil
	}
	d.Activity = activity
	return d
}

// activity is the activity called name. A machine of that name is reported as what it is.
func (r *resolver) activity(name *ast.Name) (a *ir.Activity, exact, ok bool) {
	if _, declared := r.activities.names[textOf(name)]; !declared && present(name) {
		if _, machine := r.file.callables[name.Text]; machine {
			r.misspelt(unknownName, name.Span(), quote(name.Text)+" is a machine, and no activity", "", "machine "+name.Text)
			return nil, false, false
		}
	}
	return guess(r, r.activities, name)
}

// lose notes that src could not be resolved, so that arms that name it are no second fault.
func (r *resolver) lose(src *ast.Do) {
	switch {
	case src.Label != nil:
		r.lostLabels[src.Label.Text] = true
	case src.Machine:
		r.lostLabels[textOf(src.Activity)] = true
	}
}

// limits resolves the time limits of d. The parser has reported one that is
// given twice; the first one counts.
func (r *resolver) limits(d *ir.Do, list []*ast.Limit) {
	for _, src := range list {
		ns := r.durationOf(src.Value, someWait)
		switch {
		case src.Name == "timeout" && d.Timeout == nil:
			d.Timeout = &ns
		case src.Name == "heartbeat" && d.Heartbeat == nil:
			d.Heartbeat = &ns
		case src.Name == "progress" && d.Progress == nil:
			d.Progress = &ns
		}
	}
}
