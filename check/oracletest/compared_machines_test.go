package oracletest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// GenerateCompared writes a random machine whose numbers are only compared and copied: with and
// from parameters, fields, events and constants, more or less a little.
func GenerateCompared(r *rand.Rand) string {
	g := &compared{generator: &generator{Rand: r}, most: 6 + r.IntN(10), states: []string{"S0", "S1", "S2", "S3"}[:1+r.IntN(4)]}
	g.constants = [2]int{g.IntN(g.most), g.IntN(g.most)}
	typ := func() string {
		lo := g.IntN(2)
		return fmt.Sprintf("int %d..%d", lo, lo+g.most-g.IntN(2))
	}
	var b strings.Builder
	b.WriteString("machine M(")
	for i := range 1 + g.IntN(2) {
		g.vars = append(g.vars, fmt.Sprintf("p%d", i))
		fmt.Fprintf(&b, "p%d %s, ", i, typ())
	}
	b.WriteString("name string) {\n context { ")
	for i := range 1 + g.IntN(2) {
		g.fields = append(g.fields, fmt.Sprintf("v%d", i))
		fmt.Fprintf(&b, "v%d int 0..%d = %d, ", i, g.most+1, g.IntN(g.most))
	}
	g.vars = append(g.vars, g.fields...)
	g.peers = map[string]string{"event.x": g.vars[g.IntN(len(g.vars))], "event.y": g.vars[g.IntN(len(g.vars))]}
	fmt.Fprintf(&b, "}\n event E { x %s, y %s }\n event G\n guard host(n int)\n initial S0\n", typ(), typ())
	for _, s := range g.states {
		fmt.Fprintf(&b, " state %s {\n", s)
		if g.chance(0.2) {
			fmt.Fprintf(&b, "  entry { %s }\n", g.copy(false))
		}
		if g.chance(0.2) {
			fmt.Fprintf(&b, "  require %s else -> T\n", g.test(false))
		}
		b.WriteString(g.handler("E", true) + g.handler("G", false))
		if g.chance(0.3) {
			b.WriteString("  after 1h " + g.goal() + "\n")
		}
		b.WriteString(" }\n")
	}
	b.WriteString(" terminal T\n}\n")
	return b.String()
}

type compared struct {
	*generator
	most                 int
	constants            [2]int
	states, vars, fields []string
	peers                map[string]string // of fields of the event
}

// place is something to read: what the event brings, too, where brings says so.
func (g *compared) place(brings bool) string {
	if brings && g.chance(0.6) {
		return []string{"event.x", "event.y"}[g.IntN(2)]
	}
	return g.vars[g.IntN(len(g.vars))]
}

// test is a comparison, or two. Mostly a field of an event is compared with a variable of its
// own, and anything else with a constant.
func (g *compared) test(brings bool) string {
	op := []string{"<", "<=", ">", ">=", "==", "!="}[g.IntN(6)]
	left, right := g.place(brings), fmt.Sprint(g.constants[g.IntN(2)])
	switch {
	case strings.HasPrefix(left, "event.") && g.chance(0.6):
		right = g.peers[left]
		if g.chance(0.15) {
			right = g.vars[g.IntN(len(g.vars))]
		}
		if g.chance(0.2) {
			right += fmt.Sprintf(" %s %d", []string{"+", "-"}[g.IntN(2)], 1+g.IntN(2))
		}
	case g.chance(0.03):
		right = g.place(brings)
	}
	if left == right {
		right = fmt.Sprint(g.constants[0])
	}
	test := left + " " + op + " " + right
	switch {
	case g.chance(0.15):
		return "!(" + test + ")"
	case g.chance(0.2):
		return test + []string{" && ", " || "}[g.IntN(2)] + g.test(brings)
	case g.chance(0.05):
		return test + " && host(" + left + ")"
	}
	return test
}

// copy sets a field, mostly to what something else holds.
func (g *compared) copy(brings bool) string {
	to := g.fields[g.IntN(len(g.fields))]
	switch {
	case g.chance(0.2):
		return fmt.Sprintf("%s = %d", to, g.constants[g.IntN(2)])
	case g.chance(0.05):
		return fmt.Sprintf("%[1]s = min(%[1]s + 1, %d)", to, g.most)
	}
	return to + " = " + g.place(brings)
}

func (g *compared) goal() string {
	if g.chance(0.2) {
		return "-> T"
	}
	return "-> " + g.states[g.IntN(len(g.states))]
}

// arm is where it leads, and what it sets.
func (g *compared) arm(brings bool) string {
	arm := g.goal()
	if g.chance(0.2) {
		arm += fmt.Sprintf(" max %d", 1+g.IntN(3))
	}
	if g.chance(0.6) {
		arm += " { " + g.copy(brings) + " }"
	}
	return arm
}

func (g *compared) handler(event string, brings bool) string {
	arms := []string{"when " + g.test(brings) + " " + g.arm(brings)}
	if g.chance(0.4) {
		arms = append(arms, "when "+g.test(brings)+" "+g.arm(brings))
	}
	arms = append(arms, []string{"-> T", "reject", "ignore", g.goal()}[g.IntN(4)])
	return "  on " + event + " " + strings.Join(arms, "\n   else ") + "\n"
}
