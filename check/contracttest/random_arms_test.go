package contracttest

func (g *maker) chain(e *Event, retry, external bool) []*Arm {
	var arms []*Arm
	for {
		a := &Arm{Op: "go", To: pick(g, g.all)}
		if g.chance(35) {
			a.When = g.guard(e)
		}
		switch {
		case retry && g.chance(35):
			a.Op, a.To = "retry", nil
			a.First = 1 + g.n(2)
			a.Last = a.First * (1 + g.n(2))
			if g.chance(20) {
				a.Jitter = 100
			}
			a.Unbounded = g.chance(15)
			if a.Unbounded {
				a.Last = a.First
			} else {
				a.Bound = 1 + g.n(2)
			}
		case external && g.chance(5):
			a.Op, a.To = "reject", nil
		case g.chance(5):
			a.Op, a.To = "ignore", nil
		case g.chance(20):
			a.Op, a.To = "stay", nil
		case g.chance(45):
			a.Bound = 1 + g.n(2)
		case g.chance(5):
			a.Unbounded = true
		}
		if a.Bound > 0 && g.chance(40) {
			switch g.n(3) {
			case 0:
				a.Per = "visit"
			case 1:
				a.Per = "run"
			default:
				a.PerState = pick(g, g.homes[1:])
				if len(g.homes) == 1 {
					a.PerState = nil
				}
			}
		}
		if a.Op != "reject" && a.Op != "ignore" && g.chance(30) {
			a.Block = g.block(e)
		}
		arms = append(arms, a)
		if a.When == nil && a.Bound == 0 || g.chance(15) || len(arms) == 3 {
			return arms
		}
	}
}

// fields are the values that an expression can read: fields, and those of the event.
func (g *maker) fields(e *Event) []*Expr {
	var all []*Expr
	for _, f := range g.m.Fields {
		if f.In == nil || !f.Own {
			all = append(all, &Expr{Op: "field", Field: f})
		}
	}
	if g.items {
		for _, f := range g.itemPlaces() {
			all = append(all, &Expr{Op: "item", Field: f})
		}
	}
	if e != nil {
		for _, f := range e.Fields {
			all = append(all, &Expr{Op: "event", Field: f}, &Expr{Op: "event", Field: f})
		}
	}
	return all
}

func lit(f *Field, v int) *Expr { return &Expr{Op: "lit", Field: f, Val: v} }

func (g *maker) guard(e *Event) *Expr {
	all := g.fields(e)
	if g.m.Hosts != nil && g.chance(25) || len(all) == 0 {
		if g.m.Hosts == nil {
			return nil
		}
		return &Expr{Op: "host", Host: g.n(len(g.m.Hosts))}
	}
	x := pick(g, all)
	var c *Expr
	if x.Field.optional() && g.chance(70) {
		return g.asked(x, e)
	}
	switch {
	case x.Op == "field" && x.Field.Start == unset && !x.Field.Param && g.chance(50):
		c = &Expr{Op: "isset", Field: x.Field}
	case x.Field.Kind == Bool:
		c = x
	case x.Field.Kind == Enum, x.Field.Kind == Text:
		c = &Expr{Op: pick(g, []string{"==", "!="}), Args: []*Expr{x, lit(x.Field, g.n(3))}}
	case x.Field.Kind == List:
		y := lit(&Field{Kind: Int}, g.n(x.Field.Hi+2))
		switch o := pick(g, all); {
		case o.Field.optional() || !g.chance(40):
		case o.Field.Kind == Int:
			y = o
		case o.Field.Kind == List:
			y = &Expr{Op: "len", Args: []*Expr{o}}
		}
		c = &Expr{Op: pick(g, []string{"==", "!=", "<", "<=", ">", ">="}), Args: []*Expr{{Op: "len", Args: []*Expr{x}}, y}}
	default:
		y := lit(x.Field, g.n(x.Field.Hi+1))
		if o := pick(g, all); o.Field.Kind == Int && g.chance(30) {
			y = o
		}
		c = &Expr{Op: pick(g, []string{"==", "!=", "<", "<=", ">", ">="}), Args: []*Expr{x, y}}
	}
	if g.chance(15) {
		c = &Expr{Op: "!", Args: []*Expr{c}}
	}
	if g.chance(15) {
		if d := g.guard(e); d != nil {
			c = &Expr{Op: pick(g, []string{"&&", "||"}), Args: []*Expr{c, d}}
		}
	}
	return c
}

// asked asks whether x is there, and often something more where it is.
func (g *maker) asked(x *Expr, e *Event) *Expr {
	c := &Expr{Op: "isset", Field: x.Field}
	switch x.Op {
	case "event":
		c.Op = "sent"
	case "item":
		c.Op = "has"
	}
	op := "&&"
	if g.chance(30) {
		c, op = &Expr{Op: "!", Args: []*Expr{c}}, "||"
	}
	if d := g.guard(e); d != nil && g.chance(60) {
		c = &Expr{Op: op, Args: []*Expr{c, d}}
	}
	return c
}

func (g *maker) block(e *Event) []*Effect {
	var block []*Effect
	if g.opt.Record && g.chance(60) {
		block = g.recordEffects(e)
	}
	for _, f := range g.m.Fields {
		if f.Param || f.In != nil || g.chance(40) {
			continue
		}
		v := lit(f, g.literal(f))
		var same []*Expr
		for _, x := range g.fields(e) {
			if x.Field.Kind == f.Kind && x.Field.Items == f.Items {
				same = append(same, x)
			}
		}
		switch {
		case len(same) > 0 && g.chance(25):
			v = pick(g, same)
		case f.Kind == List && g.chance(60):
			v = &Expr{Op: "append", Args: []*Expr{{Op: "field", Field: f}}}
			if len(same) > 0 && g.chance(30) {
				v.Args[0] = pick(g, same)
			}
		case f.Kind == Int && g.chance(50):
			v = &Expr{Op: pick(g, []string{"+", "+", "-"}), Args: []*Expr{{Op: "field", Field: f}, lit(f, 1)}}
			if g.chance(50) {
				v = &Expr{Op: "min", Args: []*Expr{v, lit(f, f.Hi)}}
				if v.Args[0].Op == "-" {
					v.Op, v.Args[1] = "max", lit(f, 0)
				}
			}
		}
		block = append(block, &Effect{Field: f, Value: v})
		if f.Start == unset && g.chance(20) {
			block[len(block)-1].Value = nil
		}
	}
	return block
}

func (g *maker) timers() {
	for _, s := range g.homes {
		for !g.chance(70) {
			a := &After{Wait: g.n(4)}
			if a.Wait == 0 && g.chance(60) {
				a.Wait = 2
			}
			a.Idle = g.chance(20)
			a.Arms = g.chain(nil, false, false)
			s.Afters = append(s.Afters, a)
		}
	}
}

// follows promises what comes behind the success of an activity.
func (g *maker) follows() {
	for _, act := range g.m.Acts {
		runs, each := false, false
		for _, s := range g.leafs {
			for _, d := range s.Dos {
				runs, each = runs || d.Act == act, each || d.Act == act && d.List != nil
			}
		}
		if runs && !each && g.chance(50) {
			g.m.Asserts = append(g.m.Asserts, &Assert{Op: "leads", Done: act, B: []*State{pick(g, g.all), pick(g, g.all)}})
		}
	}
}

func (g *maker) asserts() {
	for range g.n(6) / 3 {
		a := &Assert{A: pick(g, g.all), B: []*State{pick(g, g.all)}, N: 1 + g.n(2)}
		a.Op = pick(g, []string{"precedes", "leads", "excludes", "most"})
		if b := a.B[0]; a.A.within(b) || b.within(a.A) {
			if a.Op != "most" {
				continue
			}
		}
		g.m.Asserts = append(g.m.Asserts, a)
	}
}
