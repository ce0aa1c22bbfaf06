package oracletest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// GenerateLists writes a random machine whose paths depend on the lengths of lists, with
// and without a range: they grow by an item, are cleared, come with events and results,
// flow into each other and are published. Items are all the same, and decide nothing.
func GenerateLists(r *rand.Rand) string {
	g := &lists{generator: &generator{Rand: r}}
	g.states = []string{"S0", "S1", "S2"}[:1+g.IntN(3)]
	for i := range 1 + g.IntN(2) {
		g.fields = append(g.fields, list{fmt.Sprintf("l%d", i), g.length()})
	}
	g.events = []list{{"Take", g.length()}, {"Put", g.length()}}
	var b strings.Builder
	b.WriteString("machine M")
	if g.chance(0.3) {
		g.param = true
		fmt.Fprintf(&b, "(p %s)", g.length())
	}
	b.WriteString(" {\n context {")
	for _, f := range g.fields {
		start := " = []"
		if !g.clear(f) {
			start = ""
		}
		fmt.Fprintf(&b, " %s %s%s,", f.name, f.length, start)
	}
	b.WriteString(" n int 0..2 = 0 }\n")
	for _, e := range g.events {
		fmt.Fprintf(&b, " event %s { v %s }\n", e.name, e.length)
	}
	fmt.Fprintf(&b, " event Add\n event Out { v %s }\n event Found { v %s }\n activity act() -> Found\n", g.length(), g.length())
	b.WriteString(" event Go\n guard host()\n initial S0\n")
	works := g.chance(0.3)
	for i, s := range g.states {
		fmt.Fprintf(&b, " state %s {\n", s)
		if works && i == len(g.states)-1 {
			b.WriteString("  do act() timeout 1m\n  on Found" + g.chain(true, false) + "  on failed -> T\n  on done " + g.goal() + "\n")
		}
		for _, e := range g.events {
			if g.chance(0.6) {
				b.WriteString("  on " + e.name + g.chain(true, true))
			}
		}
		b.WriteString("  on Add" + g.chain(false, true))
		if g.chance(0.6) {
			b.WriteString("  on Go -> T\n")
		}
		if g.chance(0.15) {
			fmt.Fprintf(&b, "  entry {%s }\n", g.assign(false))
		}
		if g.chance(0.1) {
			fmt.Fprintf(&b, "  exit {%s }\n", g.assign(false))
		}
		if g.chance(0.1) {
			fmt.Fprintf(&b, "  require %s else -> T\n", g.test(false))
		}
		b.WriteString(" }\n")
	}
	b.WriteString(" terminal T\n}\n")
	return b.String()
}

type lists struct {
	*generator
	states         []string
	fields, events []list
	param          bool
}

type list struct{ name, length string }

// length is a type of lists.
func (g *lists) length() string {
	return pick(g.generator, []string{"[]bool", "[0..1]bool", "[0..2]bool", "[0..3]bool", "[1..2]bool", "[1..3]bool", "[2..2]bool"})
}

// clear reports whether l may be empty, and so is set from the start.
func (g *lists) clear(l list) bool { return l.length[1] == ']' || l.length[1] == '0' }

// ranged reports whether a guard that compares the length of the list called name with that of
// another is decided.
func (g *lists) ranged(name string) bool {
	return slices.ContainsFunc(g.fields, func(f list) bool { return f.name == name && f.length[1] != ']' })
}

func (g *lists) goal() string {
	return "-> " + pick(g.generator, append([]string{"T"}, g.states...)) + pick(g.generator, []string{"", " max 1", " max 2", " unbounded"})
}

// list is one that can be read.
func (g *lists) list(brings bool) string {
	names := []string{}
	for _, f := range g.fields {
		names = append(names, f.name)
	}
	if g.param {
		names = append(names, "p")
	}
	if brings {
		names = append(names, "event.v", "event.v")
	}
	return pick(g.generator, names)
}

func (g *lists) test(brings bool) string {
	if g.chance(0.08) {
		return "host()"
	}
	of := g.list(brings)
	test := fmt.Sprintf("len(%s) %s %d", of, pick(g.generator, comparisons), g.IntN(4))
	switch {
	case g.chance(0.1):
		test = fmt.Sprintf("len(%s) + 1 <= %d", of, 1+g.IntN(3))
	case g.chance(0.1):
		test = fmt.Sprintf("len(%s) %s n", of, pick(g.generator, comparisons))
	case g.chance(0.15) && (g.ranged(of) || g.ranged("l0")): // of two without a range it is open
		test = fmt.Sprintf("len(%s) %s len(l0)", of, pick(g.generator, comparisons))
	}
	if strings.HasPrefix(of, "l") && g.chance(0.3) {
		test = of + " is set && " + test
	}
	if g.chance(0.2) {
		return test + pick(g.generator, []string{" && ", " || "}) + g.test(brings)
	}
	return test
}

// chain is the arms of a handler, and the end of its line.
func (g *lists) chain(brings, refused bool) string {
	if g.chance(0.3) {
		return " " + g.arm(brings) + "\n"
	}
	text := ""
	if f := pick(g.generator, g.fields); g.chance(0.4) { // one that lets f grow up to some length
		text = fmt.Sprintf(" when len(%[1]s) < %[2]d %[3]s{ %[1]s = %[1]s + true }", f.name, 1+g.IntN(3), pick(g.generator, []string{"", "-> S0 unbounded "}))
	} else {
		text = " when " + g.test(brings) + " " + g.arm(brings)
	}
	last := []string{" else ignore", " else " + g.arm(brings), " else " + g.arm(brings)}
	if refused {
		last = append(last, " else reject")
	}
	return text + pick(g.generator, last) + "\n"
}

// arm stays or leads somewhere, and sets lists.
func (g *lists) arm(brings bool) string {
	goal := ""
	if g.chance(0.6) {
		goal = g.goal() + " "
	}
	return goal + "{" + g.assign(brings) + " }"
}

func (g *lists) assign(brings bool) string {
	f := pick(g.generator, g.fields)
	text := " " + f.name + " = "
	switch {
	case g.chance(0.15):
		return " publish Out { v = " + g.list(brings) + pick(g.generator, []string{"", "", " + true"}) + " }"
	case g.chance(0.15):
		text += "[]"
	case g.chance(0.4):
		text += g.list(brings)
	case g.chance(0.1):
		return fmt.Sprintf(" n = min(len(%s), 2)", g.list(brings))
	default:
		text += g.list(brings) + pick(g.generator, []string{" + true", " + true", " + true + true"})
	}
	if len(g.fields) > 1 && g.chance(0.15) {
		for _, other := range g.fields { // which of two faults of a block comes first is not asked here
			if other != f && g.clear(f) && g.clear(other) {
				text += ", " + other.name + " = " + g.list(brings)
			}
		}
	}
	return text
}
