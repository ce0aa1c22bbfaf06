package oracletest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// GenerateWide writes a random machine in which one event sets several fields at once:
// all of them or some, from its payload, from constants, or from each other, in a state
// that stays, on the way to another, or as an activity's result; under guards over the
// payload, over what the fields were, and over host guards.
func GenerateWide(r *rand.Rand) string {
	g := &wide{generator: &generator{Rand: r}, types: []string{"bool", "bool", "Kind", "int 0..2"}}
	g.types = g.types[:2+g.IntN(3)]
	g.states = []string{"S0", "S1", "S2"}[:1+g.IntN(3)]
	var b strings.Builder
	b.WriteString("machine M {\n enum Kind { a, b }\n")
	var fields, payload []string
	for i, typ := range g.types {
		fields = append(fields, fmt.Sprintf("v%d %s = %s", i, typ, g.value(i)))
		payload = append(payload, fmt.Sprintf("f%d %s", i, typ))
	}
	fmt.Fprintf(&b, " context { %s }\n", strings.Join(fields, ", "))
	fmt.Fprintf(&b, " event E { %[1]s }\n event F { %[1]s }\n event G\n guard host()\n", strings.Join(payload, ", "))
	results := g.chance(0.3)
	if results {
		fmt.Fprintf(&b, " event Found { %s }\n activity act() -> Found\n", strings.Join(payload, ", "))
	}
	b.WriteString(" initial S0\n")
	for i, s := range g.states {
		fmt.Fprintf(&b, " state %s {\n", s)
		if results && i == len(g.states)-1 {
			b.WriteString("  do act() timeout 1m\n" + g.handler("Found", true, false) + "  on failed -> T\n  on done " + g.goal() + "\n")
		}
		for _, e := range []string{"E", "F"} {
			if g.chance(0.7) {
				b.WriteString(g.handler(e, true, true))
			}
		}
		b.WriteString(g.handler("G", false, true))
		switch {
		case g.chance(0.15):
			b.WriteString("  after 1h " + g.goal() + "\n")
		case len(g.types) == 2 && g.chance(0.3) && !strings.Contains(b.String()[strings.LastIndex(b.String(), " state "):], "on F"):
			b.WriteString("  defer F\n")
		}
		b.WriteString(" }\n")
	}
	b.WriteString(" terminal T\n}\n")
	return b.String()
}

type wide struct {
	*generator
	types  []string
	states []string
}

// value is a constant for field i.
func (g *wide) value(i int) string {
	switch g.types[i] {
	case "bool":
		return pick(g.generator, []string{"true", "false"})
	case "Kind":
		return pick(g.generator, []string{"Kind.a", "Kind.b"})
	}
	return fmt.Sprint(g.IntN(3))
}

func (g *wide) goal() string {
	return "-> " + pick(g.generator, append([]string{"T"}, g.states...)) + pick(g.generator, []string{"", " unbounded", " unbounded", " unbounded"})
}

// handler is one for event, which may bring values and may be refused.
func (g *wide) handler(event string, brings, refused bool) string {
	text := "  on " + event
	if g.chance(0.4) {
		return text + g.arm(brings) + "\n"
	}
	text += " when " + g.guard(brings) + g.arm(brings)
	if g.chance(0.3) {
		text += " else when " + g.guard(brings) + g.arm(brings)
	}
	last := []string{" ignore", g.arm(brings)}
	if refused {
		last = append(last, " reject")
	}
	return text + " else" + pick(g.generator, last) + "\n"
}

func (g *wide) guard(brings bool) string {
	if g.chance(0.1) {
		return "host()"
	}
	i := g.IntN(len(g.types))
	of := fmt.Sprintf("v%d", i)
	if brings && g.chance(0.6) {
		of = fmt.Sprintf("event.f%d", i)
	}
	test := of + pick(g.generator, []string{" == ", " != "}) + g.value(i)
	if g.chance(0.4) {
		return test + pick(g.generator, []string{" && ", " || "}) + g.guard(brings)
	}
	return test
}

// arm stays or leads somewhere, and sets fields.
func (g *wide) arm(brings bool) string {
	var sets []string
	for i, typ := range g.types {
		name, field := fmt.Sprintf("v%d = ", i), fmt.Sprintf("event.f%d", i)
		switch {
		case brings && g.chance(0.6):
			sets = append(sets, name+field)
		case brings && typ == "bool" && g.chance(0.2):
			sets = append(sets, fmt.Sprintf("%sv%d || %s", name, i, field))
		case g.chance(0.2):
			sets = append(sets, name+g.value(i))
		case i > 0 && g.types[i-1] == typ && g.chance(0.3):
			sets = append(sets, fmt.Sprintf("%sv%d", name, i-1))
		case typ == "int 0..2" && g.chance(0.3):
			sets = append(sets, fmt.Sprintf("%smin(v%d + 1, 2)", name, i))
		}
	}
	text := " "
	if g.chance(0.4) {
		text += g.goal() + " "
	}
	return text + "{ " + strings.Join(sets, " ") + " }"
}
