package golang_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// randomMachine writes a machine that resolves, with every kind of member, arm
// and type among its choices. It need not pass the checker: the generated core
// and the interpreter must agree on what a bad machine does, too.
func randomMachine(seed uint64) string {
	g := &machineWriter{Rand: rand.New(rand.NewPCG(seed, 3))}
	g.declarations()
	g.plan("", 0)
	g.line("initial %s", g.tops[0])
	g.members("", 0)
	g.bodies("", 0)
	for i, outcome := range []string{"success", "failure", "cancelled"}[:1+g.IntN(3)] {
		g.line("terminal End%d %s%s%s", i, outcome, g.maybeReturns(), g.maybeBlock(3, nil))
	}
	return "machine M(limit int 0..9, id string, from string?, most int 0..9?) {\n" + g.b.String() + "}\n"
}

// machineWriter writes one.
type machineWriter struct {
	*rand.Rand
	b      strings.Builder
	fields []typed // that a block may assign
	events []eventDecl
	acts   []actDecl
	states []*stateDecl // all but terminals, outermost first
	tops   []string
	paths  []string // of what a transition may go to
}

// maybeReturns lets a terminal return some fields and a parameter.
func (g *machineWriter) maybeReturns() string {
	var names []string
	for _, f := range g.fields {
		if g.chance(2) {
			names = append(names, f.name)
		}
	}
	if g.chance(2) {
		names = append(names, "limit")
	}
	if len(names) == 0 {
		return ""
	}
	return " returns " + strings.Join(names, ", ")
}

type typed struct{ name, typ string }

type eventDecl struct {
	name   string
	fields []typed
}

type actDecl struct {
	name    string
	params  []typed
	results []int // among the events
}

// stateDecl is a state that is not terminal.
type stateDecl struct {
	name, path, parent string
	inner              []*stateDecl
	depth              int
}

func (g *machineWriter) line(format string, args ...any) {
	fmt.Fprintf(&g.b, format+"\n", args...)
}

func (g *machineWriter) chance(n int) bool { return g.IntN(n) == 0 }

func pickOf[T any](g *machineWriter, list ...T) T { return list[g.IntN(len(list))] }

const (
	external = 4 // events; those behind them are raised by activities
	internal = 3
)

func (g *machineWriter) declarations() {
	g.line("failures { busy }\nenum Mood { Good, Bad }\nrecord Inner { n int 0..9, s string? }\nrecord Rec { text string, m int?, in Inner? }\nguard lucky(n int)\nguard fine(r Rec?, s string?)\nguard open()\ncontext {")
	for i := range 4 + g.IntN(6) {
		f := typed{fmt.Sprintf("f%d", i), pickOf(g, "int", "int 0..9", "int -3..40", "bool", "string", "float", "duration 0s..1h", "duration", "time", "Mood", "[]int", "[]string", "[0..2]int 0..9", "[1..3]int", "[0..2]string", "Rec", "Rec", "Inner")}
		g.fields = append(g.fields, f)
		start := ""
		if !g.chance(3) && !strings.HasPrefix(f.typ, "[1") { // [] is the only literal of a list
			start = g.literal(f.typ)
		}
		if start != "" {
			start = " = " + start
		}
		g.line("%s %s%s", f.name, f.typ, start)
	}
	g.line("}")
	for i := range external + internal {
		e := eventDecl{name: fmt.Sprintf("E%d", i)}
		for k := range g.IntN(3) {
			e.fields = append(e.fields, typed{fmt.Sprintf("v%d", k), pickOf(g, "int", "int 0..9", "bool", "string", "duration 0s..1h", "time", "Mood", "float", "[]int", "[0..2]int", "[1..2]int 0..9", "Rec", "Inner") + pickOf(g, "", "", "?")})
		}
		g.events = append(g.events, e)
		g.line("event %s { %s }", e.name, joined(e.fields))
	}
	for i := range 3 {
		a := actDecl{name: fmt.Sprintf("act%d", i)}
		for k := range g.IntN(2) {
			a.params = append(a.params, typed{fmt.Sprintf("p%d", k), pickOf(g, "int", "string")})
		}
		g.acts = append(g.acts, a)
	}
	for i := range internal { // each is raised by some activity
		a := &g.acts[g.IntN(len(g.acts))]
		a.results = append(a.results, external+i)
	}
	for _, a := range g.acts {
		var names []string
		for _, e := range a.results {
			names = append(names, g.events[e].name)
		}
		results := ""
		if len(names) > 0 {
			results = " -> " + strings.Join(names, " | ")
		}
		g.line("activity %s(%s)%s", a.name, joined(a.params), results)
	}
}

func joined(list []typed) string {
	var parts []string
	for _, f := range list {
		parts = append(parts, f.name+" "+f.typ)
	}
	return strings.Join(parts, ", ")
}

// plan decides the states below parent, so that transitions can name them.
func (g *machineWriter) plan(parent string, depth int) []*stateDecl {
	var out []*stateDecl
	for range 2 + g.IntN(2) {
		s := &stateDecl{name: fmt.Sprintf("S%d", len(g.states)), parent: parent, depth: depth}
		s.path = s.name
		if parent != "" {
			s.path = parent + "." + s.name
		}
		g.states = append(g.states, s)
		g.paths = append(g.paths, s.path)
		if depth < 2 && g.chance(3) {
			s.inner = g.plan(s.path, depth+1)
		}
		if depth == 0 {
			g.tops = append(g.tops, s.name)
		}
		out = append(out, s)
	}
	return out
}

// bodies writes the states below parent.
func (g *machineWriter) bodies(parent string, depth int) {
	for _, s := range g.states {
		if s.parent != parent || s.depth != depth {
			continue
		}
		g.line("state %s {", s.name)
		if len(s.inner) > 0 {
			g.line("initial %s", s.inner[0].name)
			g.members(s.path, depth+1)
			g.bodies(s.path, depth+1)
		} else {
			g.leaf()
		}
		g.line("}")
	}
}

func (g *machineWriter) leaf() {
	if g.chance(4) {
		g.line("require %s else -> %s", g.cond(nil, 1), g.target())
	}
	acts := g.Perm(len(g.acts))[:pickOf(g, 0, 1, 1, 1, 2)]
	raised := map[int]bool{}
	for i, k := range acts {
		a := g.acts[k]
		var args []string
		for _, p := range a.params {
			args = append(args, g.expr(p.typ, nil, 0))
		}
		g.line("do %s(%s) as d%d%s%s", a.name, strings.Join(args, ", "), i, pickOf(g, "", "", " per run"), pickOf(g, "", " timeout 30s"))
		for _, e := range a.results {
			raised[e] = true
		}
	}
	for e := range g.events {
		if raised[e] && !g.chance(8) {
			g.line("on %s %s", g.events[e].name, g.arms(&g.events[e], true, false))
		}
	}
	if len(acts) > 0 && !g.chance(4) {
		g.line("on failed(%s) %s", pickOf(g, "busy", "timeout, busy", "unknown"), g.arms(nil, true, false))
	}
	if len(acts) > 0 && g.chance(2) || len(acts) == 0 && g.chance(4) {
		g.line("on done %s", g.arms(nil, false, false))
	}
	g.members("", 1)
}

// members writes what any state may have, the machine too.
func (g *machineWriter) members(path string, depth int) {
	g.maybeEntry()
	seen := map[string]bool{}
	for range 1 + g.IntN(3) {
		e := g.IntN(external)
		if seen[g.events[e].name] {
			continue
		}
		seen[g.events[e].name] = true
		switch n := g.IntN(10); {
		case n == 0:
			g.line("ignore %s", g.events[e].name)
		case n == 1:
			g.line("defer %s", g.events[e].name)
		default:
			g.line("on %s %s", g.events[e].name, g.arms(&g.events[e], false, true))
		}
	}
	if g.chance(3) {
		wait := fmt.Sprintf("%dm", 1+g.IntN(90))
		for _, f := range g.fields {
			if (strings.HasPrefix(f.typ, "duration") || f.typ == "time") && g.chance(3) {
				wait = f.name
			}
		}
		g.line("after %s%s%s %s", wait, pickOf(g, "", "", " idle"), pickOf(g, "", " jitter 0.3"), g.arms(nil, false, false))
	}
	if path == "" && depth == 0 {
		if !g.chance(4) {
			g.line("on failed %s", g.arms(nil, false, false))
		}
		if g.chance(3) {
			g.line("on cancel %s", g.arms(nil, false, false))
		}
	}
}

func (g *machineWriter) maybeEntry() {
	for _, when := range []string{"entry", "exit"} {
		if g.chance(4) {
			g.line("%s%s", when, g.block(nil))
		}
	}
}

// arms writes a chain of arms for an event; e is nil for what carries nothing.
func (g *machineWriter) arms(e *eventDecl, retry, reject bool) string {
	var out []string
	for i := 0; ; i++ {
		when := ""
		if g.chance(2) {
			when = "when " + g.cond(e, 2) + " "
		}
		step, bounded := g.step(e, retry, reject)
		out = append(out, when+step)
		if i == 2 || when == "" && !bounded {
			return strings.Join(out, "\n    else ")
		}
		if when != "" && !bounded && g.chance(2) {
			return strings.Join(out, "\n    else ")
		}
	}
}

func (g *machineWriter) step(e *eventDecl, retry, reject bool) (text string, bounded bool) {
	scope := func() string { return pickOf(g, "", " per run", " per visit", " per "+g.anyState()) }
	switch n := g.IntN(12); {
	case n < 3 && retry:
		backoff := pickOf(g, "", " backoff 2s", " backoff 1s..20s factor 1.5 jitter 0.4")
		return fmt.Sprintf("retry %d%s%s%s", 1+g.IntN(3), scope(), backoff, g.maybeBlock(4, e)), true
	case n == 3:
		return "ignore", false
	case n == 4 && reject:
		return "reject", false
	case n < 6:
		return g.block(e), false
	case n < 8:
		return fmt.Sprintf("-> %s max %d%s%s", g.target(), 1+g.IntN(4), scope(), g.maybeBlock(2, e)), true
	}
	return fmt.Sprintf("-> %s%s%s", g.target(), pickOf(g, "", " unbounded"), g.maybeBlock(2, e)), false
}

func (g *machineWriter) anyState() string { return g.paths[g.IntN(len(g.paths))] }

func (g *machineWriter) target() string {
	if g.chance(8) {
		return "End0"
	}
	return g.anyState()
}

func (g *machineWriter) maybeBlock(n int, e *eventDecl) string {
	if g.chance(n) {
		return g.block(e)
	}
	return ""
}

// block assigns some fields and publishes now and then.
func (g *machineWriter) block(e *eventDecl) string {
	var parts []string
	for _, i := range g.Perm(len(g.fields))[:1+g.IntN(2)] {
		f := g.fields[i]
		place, typ := f.name, f.typ
		if kindOf(typ) == "Rec" && g.chance(2) {
			part := pickOf(g, typed{".text", "string"}, typed{".m", "int"}, typed{".in", "Inner"}, typed{".in.n", "int"}, typed{".in.s", "string"})
			place, typ = place+part.name, part.typ
		}
		value := g.expr(typ, e, 2)
		if place != f.name && g.chance(4) && !strings.HasSuffix(place, ".text") && !strings.HasSuffix(place, ".n") {
			value = "unset"
		}
		parts = append(parts, place+" = "+value)
	}
	if g.chance(5) {
		out := &g.events[g.IntN(external)]
		var values []string
		for _, f := range out.fields {
			if !strings.HasSuffix(f.typ, "?") || !g.chance(3) {
				values = append(values, f.name+" = "+g.expr(f.typ, e, 1))
			}
		}
		parts = append(parts, fmt.Sprintf("publish %s { %s }", out.name, strings.Join(values, ", ")))
	}
	return " { " + strings.Join(parts, ", ") + " }"
}
