package ir

var stateKinds = map[StateKind]string{Leaf: "leaf", Composite: "composite", Terminal: "terminal"}

func (d *dumper) state(s *State) {
	d.line("%s %d %s in %s initial %s%s", stateKinds[s.Kind], s.ID, s.name(), s.Parent.name(), s.Initial.name(), mark(s.Outcome != "", s.Outcome))
	d.inside(func() {
		if s.Parent != nil {
			d.doc(s.Doc)
		}
		if s.Require != nil {
			d.line("require %s else %s", exprDump(s.Require.Cond), s.Require.Target.name())
		}
		d.block("entry", s.Entry)
		d.block("exit", s.Exit)
		for _, do := range s.Dos {
			d.do(do)
		}
		for _, h := range s.Handlers {
			d.line("on %s", joined(h.Triggers, triggerDump))
			d.arms(h.Arms)
		}
		for _, t := range s.Timers {
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

func triggerDump(t *Trigger) string { return t.Text() + mark(t.Do != nil, "(one do)") }

func (d *dumper) do(do *Do) {
	d.line("do %d %s(%s) as %q per %s timeout %s heartbeat %s progress %s", do.ID, do.Activity.Name, joined(do.Args, exprDump),
		do.Label, do.Scope.Text(), numberText(do.Timeout), numberText(do.Heartbeat), numberText(do.Progress))
}

func (d *dumper) arms(arms []*Arm) {
	d.inside(func() {
		for _, a := range arms {
			d.arm(a)
		}
	})
}

var armKinds = map[ArmKind]string{Goto: "goto", Retry: "retry", Reject: "reject", IgnoreArm: "ignore", Stay: "stay"}

func (d *dumper) arm(a *Arm) {
	when := "always"
	if a.When != nil {
		when = "when " + exprDump(a.When)
	}
	text := ""
	if a.Kind == Goto || a.Kind == Retry {
		text = " " + a.Target.name() + " max " + numberText(a.Max) + " per " + a.Scope.Text() + mark(a.Unbounded, "unbounded")
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

func (d *dumper) block(kind string, b *Block) {
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
			d.line("%s = %s", a.Var.Name, exprDump(a.Value))
		}
		for _, p := range b.Publishes {
			d.line("publish %s(%s)", p.Event.Name, joined(p.Values, exprDump))
		}
	})
}

// exprDump is e in fully bracketed form with the type of every part.
func exprDump(e Expr) string {
	switch e := e.(type) {
	case *Unary:
		return "(" + string(e.Op) + exprDump(e.X) + ")"
	case *Binary:
		return "(" + exprDump(e.X) + " " + string(e.Op) + " " + exprDump(e.Y) + "):" + e.T.String()
	case *Call:
		name := e.Builtin
		if e.Guard != nil {
			name = e.Guard.Name
		}
		return name + "(" + joined(e.Args, exprDump) + "):" + e.T.String()
	case *Bad:
		return "bad(" + joined(e.Parts, exprDump) + ")"
	}
	return exprText(e, 0) + ":" + e.Type().String()
}
