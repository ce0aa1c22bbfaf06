package contracttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Options say what random machines are made of.
type Options struct {
	Timers bool
	Lists  bool // activities run for the elements of a list; not with timers
	Absent bool // parameters and fields of events may be absent
	Budget bool // runs are held to a budget
	Record bool // values are records, also those of lists
}

// Random makes up a small machine.
func Random(r *rand.Rand, opt Options) *Machine {
	g := &maker{r: r, m: &Machine{}, opt: opt}
	g.declare()
	g.states()
	g.fill()
	g.asserts()
	g.returns()
	if opt.Budget {
		g.budget()
	}
	g.follows()
	g.m.identify()
	return g.m
}

type maker struct {
	r     *rand.Rand
	m     *Machine
	opt   Options
	leafs []*State // without terminals
	all   []*State // all but the machine
	items bool     // event.item can be read in the arm at hand
	homes []*State // leaves and composites, with the machine
}

func (g *maker) n(n int) int             { return g.r.IntN(n) }
func (g *maker) chance(percent int) bool { return g.n(100) < percent }

func pick[T any](g *maker, list []T) T { return list[g.n(len(list))] }

func (g *maker) field(name string) *Field {
	f := &Field{Name: name, Kind: Int, Lo: 0, Hi: 1 + g.n(2), Start: unset}
	switch g.n(7) {
	case 0, 1:
		f.Kind, f.Hi = Bool, 1
	case 2:
		f.Kind, f.Hi = Enum, 2
	case 3:
		f.Kind = List
		if g.chance(20) {
			f.Lo = 1
		}
	}
	return f
}

// literal is a value of f that can be written.
func (g *maker) literal(f *Field) int {
	if f.Kind == List {
		return 0
	}
	return g.n(f.Hi + 1)
}

func (g *maker) declare() {
	m := g.m
	switch roll := g.n(100); {
	case roll < 25:
		f := g.field("p0")
		f.Param = true
		m.Fields = append(m.Fields, f)
	case roll >= 90: // one of three texts that guards name, or another
		m.Fields = append(m.Fields, &Field{Name: "run.id", Kind: Text, Lo: 0, Hi: 3, Start: unset, Param: true, Own: true})
	}
	if g.opt.Lists {
		least := g.n(2)
		m.Fields = append(m.Fields[:0:0], &Field{Name: "xs", Kind: List, Lo: least, Hi: max(1+g.n(2), least), Start: unset, Param: true})
	}
	for i := range g.n(3) {
		f := g.field(fmt.Sprintf("f%d", i))
		switch {
		case f.Kind == List && f.Lo > 0: // there is no literal of a list with items
		case g.chance(85):
			f.Start = g.literal(f)
		}
		m.Fields = append(m.Fields, f)
	}
	if g.opt.Record {
		g.records()
	}
	for i := range g.n(3) {
		m.Failures = append(m.Failures, fmt.Sprintf("x%d", i))
	}
	if g.opt.Absent && len(m.Fields) > 0 && m.Fields[0].Param && !m.Fields[0].Own {
		m.Fields[0].Absent = g.chance(70)
	}
	for i := range 1 + g.n(3) {
		e := &Event{Name: fmt.Sprintf("E%d", i)}
		if g.chance(35) || g.opt.Absent && g.chance(50) {
			e.Fields = append(e.Fields, g.field("v"))
			e.Fields[0].Absent = g.opt.Absent && g.chance(70)
		}
		m.Events = append(m.Events, e)
	}
	for i := range g.n(3) {
		a := &Activity{Name: fmt.Sprintf("act%d", i)}
		for j := range g.n(3) {
			e := &Event{Name: fmt.Sprintf("R%d%d", i, j), Raised: true}
			if g.chance(30) {
				e.Fields = append(e.Fields, g.field("v"))
				e.Fields[0].Absent = g.opt.Absent && g.chance(70)
			}
			m.Events = append(m.Events, e)
			a.Events = append(a.Events, e)
		}
		if m.Failures != nil {
			switch roll := g.n(100); {
			case roll < 50:
				a.Fails = []string{pick(g, m.Failures)}
			case roll < 65:
				a.Fails = []string{}
			}
		}
		if g.chance(50) {
			a.Costs = []int{1 + g.n(9), 0}
		}
		m.Acts = append(m.Acts, a)
	}
	if g.opt.Record {
		g.carried()
	}
	for i := range g.n(4) / 2 {
		m.Hosts = append(m.Hosts, fmt.Sprintf("h%d", i))
	}
}

// returns lets terminals return fields and parameters.
func (g *maker) returns() {
	for _, s := range g.m.Root.Children {
		if s.Terminal == "" || !g.chance(40) {
			continue
		}
		for _, f := range g.m.Fields {
			if !f.Own && f.In == nil && g.chance(60) {
				s.Returns = append(s.Returns, f)
			}
		}
	}
}

func (g *maker) states() {
	m := g.m
	m.Root = &State{}
	g.homes = append(g.homes, m.Root)
	add := func(p *State, name string) *State {
		s := &State{Name: name, Parent: p}
		p.Children = append(p.Children, s)
		g.all = append(g.all, s)
		return s
	}
	parents := []*State{m.Root}
	for i := range g.n(5) / 2 {
		c := add(pick(g, parents), fmt.Sprintf("C%d", i))
		parents = append(parents, c)
		g.homes = append(g.homes, c)
	}
	for i := range max(1+g.n(4), len(parents)-1) {
		p := pick(g, parents)
		if i+1 < len(parents) {
			p = parents[i+1]
		}
		s := add(p, fmt.Sprintf("S%d", i))
		g.leafs = append(g.leafs, s)
		g.homes = append(g.homes, s)
	}
	for i := range 1 + g.n(2) {
		t := add(m.Root, fmt.Sprintf("T%d", i))
		t.Terminal = []string{"success", "failure"}[g.n(5)/3]
	}
	for _, p := range parents {
		var inside []*State
		for _, c := range p.Children {
			if c.Terminal == "" {
				inside = append(inside, c)
			}
		}
		if len(inside) == 0 {
			inside = []*State{add(p, p.Name+"only")}
			g.leafs = append(g.leafs, inside[0])
			g.homes = append(g.homes, inside[0])
		}
		p.Initial = pick(g, inside)
	}
}

func (g *maker) fill() {
	m := g.m
	for _, s := range g.leafs {
		for range []int{0, 0, 1, 1, 1, 2}[g.n(6)] {
			if len(m.Acts) == 0 {
				break
			}
			d := &Do{Act: pick(g, m.Acts), state: s}
			if g.opt.Lists && g.chance(70) {
				d.List = m.Fields[0]
				d.AtOnce = g.n(4) / 2
			}
			if g.chance(60) {
				d.Timeout = 1 + g.n(3)
			}
			if g.chance(20) {
				d.Heartbeat = 1 + g.n(2)
			}
			if g.chance(10) {
				d.Progress = 1 + g.n(2)
			}
			s.Dos = append(s.Dos, d)
		}
		if len(s.Dos) == 2 {
			s.Dos[0].Label, s.Dos[1].Label = "a", "b"
		} else if len(s.Dos) == 1 && g.chance(20) {
			s.Dos[0].Label = "a"
		}
	}
	for _, s := range g.homes {
		g.handlers(s)
		if g.chance(12) {
			s.Entry = g.block(nil)
		}
		if g.chance(10) && s != m.Root {
			s.Exit = g.block(nil)
		}
		for _, e := range m.Events {
			if e.Raised {
				continue
			}
			if g.chance(6) {
				s.Ignore = append(s.Ignore, e)
			} else if g.chance(12) {
				s.Defer = append(s.Defer, e)
			}
		}
		if s.leaf() && g.chance(4) && len(m.Fields) > 0 {
			s.Require, s.Else = g.guard(nil), pick(g, g.all)
		}
	}
	if g.opt.Timers {
		g.timers()
	}
}

func (g *maker) handlers(s *State) {
	m := g.m
	inside := func(ok func(d *Do) bool) bool {
		return slices.ContainsFunc(g.leafs, func(l *State) bool { return l.within(s) && slices.ContainsFunc(l.Dos, ok) })
	}
	inherited := 25
	if s.leaf() {
		inherited = 90
	}
	for _, e := range m.Events {
		if e.Raised {
			if inside(func(d *Do) bool { return slices.Contains(d.Act.Events, e) }) && g.chance(inherited) {
				t := &Trigger{Kind: "event", Event: e}
				if len(s.Dos) == 2 && s.Dos[0].Act == s.Dos[1].Act || s.leaf() && s.Dos[0].Label != "" && g.chance(20) {
					for _, d := range s.Dos {
						if slices.Contains(d.Act.Events, e) {
							g.on(s, &Trigger{Kind: "event", Event: e, Label: d.Label}, e)
						}
					}
					continue
				}
				g.on(s, t, e)
			}
			continue
		}
		if g.chance(35) {
			g.on(s, &Trigger{Kind: "event", Event: e}, e)
		}
	}
	if inside(func(*Do) bool { return true }) && g.chance(inherited) {
		if s.leaf() && len(s.Dos) == 2 {
			for _, d := range s.Dos {
				g.on(s, &Trigger{Kind: "failed", Label: d.Label}, nil)
			}
		} else {
			g.on(s, &Trigger{Kind: "failed"}, nil)
		}
		if s.leaf() && g.chance(30) {
			var cats []string
			d := s.Dos[0]
			if d.Timeout > 0 {
				cats = append(cats, "timeout")
			}
			cats = append(cats, m.declared(d)[1:]...)
			if len(cats) > 0 {
				t := &Trigger{Kind: "failed", Cats: []string{pick(g, cats)}}
				if len(s.Dos) == 2 {
					t.Label = d.Label
				}
				g.on(s, t, nil)
			}
		}
	}
	if g.chance(25) && !s.leaf() || s.leaf() && len(s.Dos) > 0 && g.chance(70) || s.leaf() && len(s.Dos) == 0 && g.chance(15) {
		g.on(s, &Trigger{Kind: "done"}, nil)
	}
	if g.chance(5) {
		s.Ons = append(s.Ons, &On{Triggers: []*Trigger{{Kind: "cancel"}}, Arms: []*Arm{{Op: "go", To: pick(g, g.all)}}})
	}
}

// on adds a handler.
func (g *maker) on(s *State, t *Trigger, e *Event) {
	o := &On{Triggers: []*Trigger{t}}
	retry := said(t, e)
	if retry && t.Label == "" && s.leaf() && len(s.Dos) > 1 {
		retry = false
	}
	if retry && !s.leaf() {
		retry = !slices.ContainsFunc(g.leafs, func(l *State) bool { return l.within(s) && len(l.Dos) > 1 })
	}
	g.items = g.opt.Record && g.opt.Lists && said(t, e) && s.leaf() && !slices.ContainsFunc(s.Dos, func(d *Do) bool { return d.List == nil })
	o.Arms = g.chain(e, retry, e != nil && !e.Raised)
	g.items = false
	s.Ons = append(s.Ons, o)
}

// said reports whether an activity says t.
func said(t *Trigger, e *Event) bool { return t.Kind == "failed" || t.Kind == "event" && e.Raised }
