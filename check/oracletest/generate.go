package oracletest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Generate writes a random machine, one declaration, member or arm on a line.
// Most are free of faults or have one: targets lie mostly ahead, counters are
// mostly guarded, and what must be handled mostly is.
func Generate(r *rand.Rand) string {
	g := &generator{Rand: r}
	g.plan()
	return g.write()
}

// write writes the machine that is planned.
func (g *generator) write() string {
	var body strings.Builder
	g.b = &body
	g.members()
	var b strings.Builder
	g.b = &b
	g.line("machine M%s {", g.params())
	g.declarations()
	return b.String() + body.String() + "}\n"
}

// generator knows what it has decided to declare.
type generator struct {
	*rand.Rand
	b     *strings.Builder
	depth int
	at    *plannedState // whose members are being written
	tree  []*plannedState
	all   []*plannedState // leaves and composites, in the order of a run that goes straight
	ends  map[string]bool // the terminal states

	careless   float64 // how often a rule of prudence is broken
	activities []plannedActivity
	events     []plannedEvent // external ones
	results    []plannedEvent
	param      bool // a parameter `limit int 0..2`
	enum, flag bool
	unset      bool   // a field without a default
	wait       bool   // a duration field
	host       bool   // a host guard
	plain      bool   // an unranged int, copied from events alone
	text       bool   // a string, copied from events alone
	fixed      bool   // fields that nothing assigns
	flat       bool   // no timers
	fans       bool   // activities run for elements of lists
	set        bool   // a list that events set
	child      string // the arguments of the machine that is called
	inFan      bool   // the arms of a fan-out are being written
	elements   string // the type of the list that is a parameter
	records    bool   // whose items are records
	category   bool   // a declared category of failure
	maybe      bool   // what may be absent: the parameter, payloads, and what activities and messages are given
}

type plannedState struct {
	name     string
	parent   *plannedState
	children []*plannedState
	number   int
	led      bool // some arm leads to it
}

type plannedEvent struct{ name, field string } // the type of the field `v`, or empty

type plannedActivity struct {
	name    string
	results []plannedEvent
	fails   bool
	cost    int
	called  bool // it is a machine
}

func (g *generator) chance(p float64) bool { return g.Float64() < p }

// slip is a chance that is rare in a prudent machine.
func (g *generator) slip() bool { return g.chance(g.careless) }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

func (g *generator) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("    ", g.depth))
	fmt.Fprintf(g.b, format, args...)
	g.b.WriteByte('\n')
	if strings.HasSuffix(format, "{") {
		g.depth++
	}
}

func (g *generator) close() {
	g.depth--
	g.line("}")
}

// sideBySide writes a machine of n states, none inside another.
func (g *generator) sideBySide(n int) string {
	for i := range n {
		g.all = append(g.all, &plannedState{name: fmt.Sprintf("S%d", i), number: i})
	}
	g.tree, g.ends = g.all, map[string]bool{}
	return g.write()
}

// plan decides what there will be.
func (g *generator) plan() {
	g.careless = pick(g, []float64{0, 0, 0.05, 0.15, 0.4})
	for _, p := range []*bool{&g.param, &g.enum, &g.unset, &g.wait, &g.host, &g.plain, &g.text, &g.category} {
		*p = g.chance(0.25)
	}
	g.flag = g.chance(0.6)
	payload := func() string {
		types := []string{"", "", "int 0..2", "bool"}
		if g.enum {
			types = append(types, "Color")
		}
		if g.plain {
			types = append(types, "int", "int")
		}
		if g.text {
			types = append(types, "string", "string")
		}
		if g.wait {
			types = append(types, "duration 0s..20s")
		}
		return pick(g, types)
	}
	for i := range 1 + g.IntN(3) {
		g.events = append(g.events, plannedEvent{fmt.Sprintf("E%d", i), payload()})
	}
	for i := range g.IntN(3) {
		a := plannedActivity{name: fmt.Sprintf("act%d", i), fails: g.chance(0.5), cost: g.IntN(4)}
		for k := range g.IntN(3) {
			e := plannedEvent{fmt.Sprintf("R%d%d", i, k), payload()}
			if len(g.results) > 0 && g.chance(0.2) {
				e = pick(g, g.results)
			} else {
				g.results = append(g.results, e)
			}
			if len(a.results) == 0 || a.results[0] != e {
				a.results = append(a.results, e)
			}
		}
		g.activities = append(g.activities, a)
	}
	g.tree = g.states(nil, "S", 1+g.IntN(4), 0)
	g.ends = map[string]bool{}
}

func (g *generator) states(parent *plannedState, name string, n, depth int) []*plannedState {
	var list []*plannedState
	for i := range n {
		s := &plannedState{name: fmt.Sprintf("%s%d", name, i), parent: parent, number: len(g.all)}
		g.all = append(g.all, s)
		if depth < 2 && g.chance([]float64{0.25, 0.2}[depth]) {
			inner := s.name + string("ab"[depth])
			s.children = g.states(s, inner, 1+g.IntN(2), depth+1)
		}
		list = append(list, s)
	}
	return list
}

// path is the name from the machine down.
func (s *plannedState) path() string {
	if s.parent == nil {
		return s.name
	}
	return s.parent.path() + "." + s.name
}

func (g *generator) params() string {
	if g.fans {
		return "(xs " + g.elements + ")"
	}
	if g.param && g.maybe {
		return "(limit int 0..2?)"
	}
	if g.param {
		return "(limit int 0..2)"
	}
	return ""
}

func (g *generator) declarations() {
	if g.category {
		g.line("failures { broken }")
	}
	if g.enum {
		g.line("enum Color { Red, Green }")
	}
	if g.records {
		g.line("record Item { on bool }")
	}
	g.line("context {")
	g.line("n int 0..3 = 0")
	for _, f := range []struct {
		there bool
		text  string
	}{
		{g.flag, "b bool = false"}, {g.enum, "c Color = Color.Red"}, {g.unset, "u int 0..2"},
		{g.wait, "w duration 0s..20s = 8s"}, {g.fixed, "most int = 2"}, {g.fixed, `mode string = "slow"`}, {g.plain, "p int = 0"}, {g.set, "ys [0..2]string = []"}, {g.text, `t string = "no"`},
	} {
		if f.there {
			g.line("%s", f.text)
		}
	}
	g.close()
	for _, e := range append(append([]plannedEvent(nil), g.events...), g.results...) {
		if strings.Contains(e.name, ".") {
			continue // a terminal of the machine that is called
		}
		if e.field == "" {
			g.line("event %s", e.name)
		} else {
			g.line("event %s { v %s }", e.name, e.field)
		}
	}
	for _, a := range g.activities {
		if a.called {
			continue
		}
		text := "activity " + a.name + "()"
		if g.maybe {
			text = "activity " + a.name + "(a int 0..2?)"
		}
		for i, e := range a.results {
			text += []string{" -> ", " | "}[i] + e.name
		}
		if g.category && a.fails {
			text += " fails broken"
		} else if g.category && a.cost == 1 {
			text += " fails none"
		}
		if a.cost > 0 {
			text += fmt.Sprintf(" cost usd 0.%02d", a.cost)
		}
		g.line("%s", text)
	}
	if g.host {
		g.line("guard host(n int)")
	}
	if g.maybe {
		g.line("event Out { v int 0..1? }")
		g.line("guard maybe(n int 0..2?)")
	}
	for range max(0, g.IntN(4)-1) {
		g.promise()
	}
	if g.chance(0.3) {
		g.budget()
	}
}

func (g *generator) budget() {
	text := fmt.Sprintf("budget { steps %d", pick(g, []int{2, 5, 12, 40}))
	if slices.ContainsFunc(g.activities, func(a plannedActivity) bool { return a.cost > 0 }) && g.chance(0.7) {
		text += fmt.Sprintf(", usd 0.%02d", pick(g, []int{1, 4, 12, 60}))
	}
	g.line("%s }", text)
}

func (g *generator) promise() {
	a, b := g.anywhere(), g.anywhere()
	switch g.IntN(4) {
	case 0:
		if a != b {
			g.line("assert %s precedes %s", a, b)
		}
	case 1:
		if a != b {
			g.line("assert %s leads to %s | %s", a, b, g.anyEnd())
		}
	case 2:
		if !strings.HasPrefix(a, b) && !strings.HasPrefix(b, a) {
			g.line("assert %s excludes %s", a, b)
		}
	default:
		g.line("assert %s at most %d", a, g.IntN(4))
	}
}

func (g *generator) anywhere() string {
	if g.chance(0.3) {
		return g.anyEnd()
	}
	return pick(g, g.all).path()
}

func (g *generator) anyEnd() string {
	return pick(g, slices.Sorted(maps.Keys(g.ends)))
}
