package contracttest

import (
	"slices"
)

// records gives the machine records: a field of the context, a parameter, or the items of
// its list.
func (g *maker) records() {
	m := g.m
	place := func(name string) *Field {
		f := &Field{Name: name, Kind: Bool, Hi: 1, Start: unset}
		if g.chance(30) {
			f.Kind = Int
		}
		return f
	}
	m.Shape = &Shape{Places: []*Field{place("a")}}
	if g.chance(40) && !g.opt.Lists {
		m.Shape.Places = append(m.Shape.Places, place("e"))
	}
	if inner := g.chance(50); inner {
		m.Shape.Inner = []*Field{place("c")}
	}
	if m.Shape.Inner == nil || g.chance(30) && !g.opt.Lists {
		b := place("b")
		b.Absent = true
		m.Shape.Places = append(m.Shape.Places, b)
	}
	if m.Shape.Inner != nil && g.chance(30) && !g.opt.Lists {
		d := place("d")
		d.Absent = true
		m.Shape.Inner = append(m.Shape.Inner, d)
	}
	switch {
	case g.opt.Lists:
		m.Fields[0].Items = "Rec"
		for i := range m.Fields[0].Hi {
			r := m.Shape.make("item", true)
			r.Item = i + 1
			g.declared(r, func(f *Field) { f.Param, f.Own = true, true })
		}
	case g.chance(30):
		g.declared(m.Shape.make("p", g.chance(70)), func(f *Field) { f.Param = true })
	}
	held := m.Shape.make("held", false)
	if g.chance(50) {
		g.start(held)
	}
	g.declared(held, func(*Field) {})
}

func (g *maker) declared(r *Record, with func(*Field)) {
	for _, f := range r.all() {
		with(f)
		g.m.Fields = append(g.m.Fields, f)
	}
}

// start gives r a default.
func (g *maker) start(r *Record) {
	for _, f := range r.Places {
		if !f.Absent || g.chance(50) {
			f.Start = g.n(f.Hi + 1)
		}
	}
	for _, in := range r.Inside {
		if g.chance(50) {
			g.start(in)
		}
	}
}

// carried puts records into events.
func (g *maker) carried() {
	for _, e := range g.m.Events {
		switch {
		case g.opt.Lists || !g.chance(60):
		case g.m.Shape.Inner != nil && g.chance(30):
			inner := &Shape{Places: g.m.Shape.Inner}
			e.Fields = inner.make("r", g.chance(60)).all()
		default:
			e.Fields = g.m.Shape.make("r", g.chance(60)).all()
		}
	}
}

// recordsOf are the records that an expression can name, with how.
func (g *maker) recordsOf(e *Event) (list []*Record, ops []string) {
	add := func(fields []*Field, op string) {
		for _, f := range fields {
			if r := f.In; r != nil && f == r.head() && (r.root().Item == 0 || r.root().Item == 1 && op == "item") {
				list, ops = append(list, r), append(ops, op)
			}
		}
	}
	if e != nil {
		add(e.Fields, "event")
	}
	if g.items {
		add(g.itemPlaces(), "item")
	}
	add(slices.DeleteFunc(slices.Clone(g.m.Fields), func(f *Field) bool { return f.Own }), "field")
	return list, ops
}

// itemPlaces are the places of the first item, which stands for the one at hand.
func (g *maker) itemPlaces() []*Field {
	return slices.DeleteFunc(slices.Clone(g.m.Fields), func(f *Field) bool { return f.In == nil || f.In.root().Item != 1 })
}

// recordEffects assigns the record of the context: as a whole, or some of its places.
func (g *maker) recordEffects(e *Event) (block []*Effect) {
	at := slices.IndexFunc(g.m.Fields, func(f *Field) bool { return f.Name == "held.a" })
	held := g.m.Fields[at].In
	if g.chance(35) {
		return []*Effect{g.wholly(held, e)}
	}
	return g.places(held, e)
}

// places assigns some places of r, and some of what is in it.
func (g *maker) places(r *Record, e *Event) (block []*Effect) {
	for _, f := range r.Places {
		if g.chance(50) {
			continue
		}
		block = append(block, g.place(f, e))
	}
	for _, in := range r.Inside {
		switch {
		case g.chance(30):
			block = append(block, g.wholly(in, e))
		case g.chance(40):
			block = append(block, g.places(in, e)...)
		}
	}
	return block
}

// place gives f a value: any of its kind, or none where it may be absent.
func (g *maker) place(f *Field, e *Event) *Effect {
	eff := &Effect{Field: f, Value: lit(f, g.n(f.Hi+1))}
	var same []*Expr
	for _, x := range g.fields(e) {
		if x.Field.Kind == f.Kind {
			same = append(same, x)
		}
	}
	switch {
	case len(same) > 0 && g.chance(60):
		eff.Value = pick(g, same)
	case f.Absent && g.chance(30):
		eff.Value = nil
	}
	return eff
}

// wholly assigns r as a whole.
func (g *maker) wholly(r *Record, e *Event) *Effect {
	eff := &Effect{Record: r}
	list, ops := g.recordsOf(e)
	if i := 0; len(list) > 0 && g.chance(60) {
		i = g.n(len(list))
		if o := list[i]; o.root() != r.root() && g.m.recordType(o)[:3] == g.m.recordType(r)[:3] {
			eff.From, eff.Op = o, ops[i]
			return eff
		}
	}
	if r.mayUnset() && g.chance(30) {
		return eff
	}
	for _, f := range r.Places {
		if p := g.place(f, e); p.Value != nil && (!f.Absent || g.chance(60)) {
			eff.Parts = append(eff.Parts, p)
		}
	}
	for _, in := range r.Inside {
		if p := g.wholly(in, e); g.chance(60) && (p.From != nil || p.Parts != nil) {
			eff.Parts = append(eff.Parts, p)
		}
	}
	return eff
}
