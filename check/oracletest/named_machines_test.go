package oracletest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// named makes machines whose strings are compared with each other and with constants, and copied.
type named struct {
	*rand.Rand
	places, fields, states []string
}

// GenerateNamed makes a machine of that kind, and the same one with an enum that has more values than
// there are names at a time.
func GenerateNamed(r *rand.Rand) (text, asEnum string) {
	g := &named{Rand: r}
	var b strings.Builder
	b.WriteString("TYPES\nmachine M(asker NAME) {\n  guard host(s NAME)\n  context {\n")
	g.places = []string{"asker"}
	for i := range 1 + g.IntN(2) {
		field := fmt.Sprintf("f%d", i)
		def := []string{"", " = LIT0", " = LIT1"}[g.IntN(3)]
		fmt.Fprintf(&b, "    %s NAME%s\n", field, def)
		g.fields, g.places = append(g.fields, field), append(g.places, field)
	}
	b.WriteString("  }\n  event One { by NAME }\n  event Two { by NAME, of NAME }\n  event None\n")
	for i := range 1 + g.IntN(3) {
		g.states = append(g.states, fmt.Sprintf("S%d", i))
	}
	b.WriteString("  initial S0\n")
	for _, s := range g.states {
		fmt.Fprintf(&b, "  state %s {\n", s)
		if g.IntN(12) == 0 {
			fmt.Fprintf(&b, "    require %s else -> T\n", g.test(nil))
		}
		b.WriteString(g.handler("One", []string{"event.by"}))
		if g.IntN(2) == 0 {
			b.WriteString(g.handler("Two", []string{"event.by", "event.of"}))
		}
		if g.IntN(3) == 0 {
			b.WriteString(g.handler("None", nil))
		}
		if g.IntN(3) == 0 {
			arm := g.arm(nil)
			if strings.Contains(arm, " max ") {
				arm += " else -> T"
			}
			b.WriteString("    after 1h " + arm + "\n")
		}
		b.WriteString("  }\n")
	}
	b.WriteString("  terminal T\n}\n")
	enum := "enum Name { v0, v1"
	for i := range len(g.places) + 3 {
		enum += fmt.Sprintf(", n%d", i)
	}
	text, asEnum = b.String(), b.String()
	text = strings.NewReplacer("TYPES", "// names", "NAME", "string", "LIT0", `"v0"`, "LIT1", `"v1"`).Replace(text)
	asEnum = strings.NewReplacer("TYPES", enum+" }", "NAME", "Name", "LIT0", "Name.v0", "LIT1", "Name.v1").Replace(asEnum)
	return text, asEnum
}

func (g *named) one(of []string) string { return of[g.IntN(len(of))] }

// place is something that holds a name.
func (g *named) place(brings []string) string {
	if len(brings) > 0 && g.IntN(2) == 0 {
		return g.one(brings)
	}
	return g.one(g.places)
}

func (g *named) test(brings []string) string {
	left, right := g.place(brings), g.place(brings)
	if left == right || g.IntN(3) == 0 {
		right = g.one([]string{"LIT0", "LIT1"})
	}
	test := left + g.one([]string{" == ", " != "}) + right
	switch g.IntN(8) {
	case 0:
		return "!(" + test + ")"
	case 1, 2:
		return test + g.one([]string{" && ", " || "}) + g.test(brings)
	case 3:
		return test + " && host(" + left + ")"
	}
	return test
}

// arm is where it leads, and what it sets.
func (g *named) arm(brings []string) string {
	arm := "-> " + g.one(append([]string{"T"}, g.states...))
	switch g.IntN(5) {
	case 0:
		arm += fmt.Sprintf(" max %d", 1+g.IntN(2))
	case 1, 2, 3:
		arm += " { " + g.one(g.fields) + " = " + g.one([]string{g.place(brings), g.place(brings), "LIT0"}) + " }"
	}
	return arm
}

func (g *named) handler(event string, brings []string) string {
	arms := "when " + g.test(brings) + " " + g.arm(brings)
	if g.IntN(5) < 2 {
		arms += "\n      else when " + g.test(brings) + " " + g.arm(brings)
	}
	return "    on " + event + " " + arms + "\n      else " + g.one([]string{"-> T", "reject", "ignore", "-> " + g.one(g.states)}) + "\n"
}
