package irtest

import "github.com/fsmc-dev/fsmc/lang/ir"

var stateKinds = map[ir.StateKind]string{ir.Leaf: "leaf", ir.Composite: "composite", ir.Terminal: "terminal"}

func (d *dumper) state(s *ir.State) {
	d.line("%s %d %s in %s initial %s%s", stateKinds[s.Kind], s.ID, name(s), name(s.Parent), name(s.Initial), mark(s.Outcome != "", s.Outcome))
	d.inside(func() {
		if s.Parent != nil {
			d.doc(s.Doc)
		}
		if s.Require != nil {
			d.line("require %s else %s", exprDump(s.Require.Cond), name(s.Require.Target))
		}
		d.block("entry", s.Entry)
		d.block("exit", s.Exit)
		for _, ref := range s.Returns {
			d.line("returns %s", exprDump(ref))
		}
		for _, do := range s.Dos {
			d.do(do)
		}
		for _, h := range s.Handlers {
			d.line("on %s", ir.Listed(h.Triggers, triggerDump))
			d.arms(h.Arms)
		}
		for _, t := range s.Timers {
			if t.Budget {
				d.line("%s %d %s", t.Text(), t.ID, t.DelayText())
				continue // its arms are those of handlers
			}
			d.line("after %d %s%s jitter %s", t.ID, t.DelayText(), mark(t.Idle, "idle"), ratText(t.Jitter))
			d.arms(t.Arms)
		}
		for _, u := range s.Ignore {
			d.line("ignore %s", u.Event.Name)
		}
		for _, u := range s.Defer {
			d.line("defer %s", u.Event.Name)
		}
	})
}

func triggerDump(t *ir.Trigger) string {
	return t.Text() + mark(t.Do != nil, "(one do)") + mark(t.Element != nil, "(of an element)")
}

func (d *dumper) do(do *ir.Do) {
	d.line("do %d %s(%s) as %q per %s timeout %s heartbeat %s progress %s", do.ID, do.Activity.Name, ir.Listed(do.Args, exprDump),
		do.Label, do.Scope.Text(), numberText(do.Timeout), numberText(do.Heartbeat), numberText(do.Progress))
	if f := do.Fan; f != nil {
		d.inside(func() {
			d.line("for %q, %q in %s (%d..%d) limit %d", f.Index, f.Item, f.List.Name, f.Least, f.Most, f.Limit)
		})
	}
}

func (d *dumper) arms(arms []*ir.Arm) {
	d.inside(func() {
		for _, a := range arms {
			d.arm(a)
		}
	})
}

var armKinds = map[ir.ArmKind]string{ir.Goto: "goto", ir.Retry: "retry", ir.Reject: "reject", ir.IgnoreArm: "ignore", ir.Stay: "stay"}

func (d *dumper) arm(a *ir.Arm) {
	when := "always"
	if a.When != nil {
		when = "when " + exprDump(a.When)
	}
	text := ""
	if a.Kind == ir.Goto || a.Kind == ir.Retry {
		text = " " + name(a.Target) + " max " + numberText(a.Max) + " per " + a.Scope.Text() + mark(a.Unbounded, "unbounded")
	}
	d.line("arm %d %s %s%s", a.ID, when, armKinds[a.Kind], text)
	d.inside(func() {
		if b := a.Backoff; b != nil && b.By != nil {
			d.line("backoff by %s", exprDump(b.By))
		} else if b != nil {
			d.line("backoff %d..%d factor %s jitter %s", b.First, b.Last, ratText(b.Factor), ratText(b.Jitter))
		}
		d.block("do", a.Block)
	})
}

func (d *dumper) block(kind string, b *ir.Block) {
	if b == nil {
		return
	}
	d.line("%s", kind)
	d.inside(func() {
		for _, a := range b.Assigns {
			if a.Value == nil {
				d.line("%s = unset", a.Var.Name)
				continue
			}
			d.line("%s = %s%s", a.Var.Name, exprDump(a.Value), mark(a.Keeps, "kept"))
		}
		for _, p := range b.Publishes {
			d.line("publish %s(%s)", p.Event.Name, ir.Listed(p.Values, exprDump))
		}
	})
}

// exprDump is e in fully bracketed form with the type of every part.
func exprDump(e ir.Expr) string {
	switch e := e.(type) {
	case *ir.Unary:
		return "(" + string(e.Op) + exprDump(e.X) + ")"
	case *ir.Binary:
		return "(" + exprDump(e.X) + " " + string(e.Op) + " " + exprDump(e.Y) + "):" + e.T.String()
	case *ir.Call:
		name := e.Builtin
		if e.Guard != nil {
			name = e.Guard.Name
		}
		return name + "(" + ir.Listed(e.Args, exprDump) + "):" + e.T.String()
	case *ir.RecordLit:
		return e.T.Record.Name + "{" + ir.Listed(e.Leaves, exprDump) + "}"
	case *ir.Bad:
		return "bad(" + ir.Listed(e.Parts, exprDump) + ")"
	}
	return ir.ExprText(e) + ":" + e.Type().String() + mark(orUnset(e), "or unset")
}

func orUnset(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.VarRef:
		return e.OrUnset
	case *ir.FieldRef:
		return e.OrUnset
	case *ir.Fit:
		return e.OrUnset
	}
	return false
}
