package oracletest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

var (
	returned  = regexp.MustCompile(` returns .*`)
	ofMachine = regexp.MustCompile(`(?m)^    terminal (\w+)( failure| success)?`)
	theFlag   = regexp.MustCompile(`\bb\b`)
	itsPlace  = regexp.MustCompile(`\bv\b`)
	assertion = regexp.MustCompile(`(?m)^    (assert|budget) .*\n`)
)

// GenerateTree writes a random machine that calls another one, and that one behind it. The
// callee is small. Its terminals may return a flag, which the caller may read, or that flag in a
// record.
func GenerateTree(r *rand.Rand) string {
	callee, results, argument := generateCallee(r)
	kind := r.IntN(4)
	g := &generator{Rand: r, flat: kind > 0, fans: r.IntN(3) == 0}
	g.careless = pick(g, []float64{0, 0, 0.1, 0.4})
	g.flag = g.chance(0.4)
	g.events, g.results = []plannedEvent{{"E0", ""}}, results
	g.activities = []plannedActivity{{name: "Child", results: results, called: true}}
	if argument {
		g.child = pick(g, []string{"n", "0", "2"})
	}
	if g.chance(0.4) {
		a := plannedActivity{name: "act0", cost: g.IntN(3), results: []plannedEvent{{"R0", ""}}}
		g.activities, g.results = append(g.activities, a), append(g.results, a.results...)
	}
	if g.fans {
		g.elements = fmt.Sprintf("[%d..2]string", g.IntN(2))
	}
	caller := g.sideBySide(pick(g, []int{1, 2, 2, 3}))
	if kind%2 == 0 && strings.Contains(callee, "returns v") {
		caller, callee = inRecord(caller), inRecord(callee)
		return caller + "\nrecord Held { on bool }\n" + callee
	}
	return caller + "\n" + callee
}

// inRecord puts what is called v into a record.
func inRecord(src string) string {
	src = itsPlace.ReplaceAllString(src, "v.on")
	return strings.NewReplacer("v.on bool = false", "v Held = Held { on = false }", "returns v.on", "returns v").Replace(src)
}

// generateCallee writes a machine that may be called, its terminals, and whether it has a
// parameter.
func generateCallee(r *rand.Rand) (src string, results []plannedEvent, argument bool) {
	g := &generator{Rand: r, flat: r.IntN(3) > 0}
	g.careless = pick(g, []float64{0, 0, 0.1})
	g.param, g.flag = g.chance(0.25), g.chance(0.5)
	g.events = []plannedEvent{{"E0", ""}}
	if g.chance(0.7) {
		a := plannedActivity{name: "pay", cost: 1 + g.IntN(3), results: []plannedEvent{{"Paid", ""}}}
		g.activities, g.results = []plannedActivity{a}, a.results
	}
	src = assertion.ReplaceAllString(returned.ReplaceAllString(g.sideBySide(pick(g, []int{1, 1, 2})), ""), "")
	src = strings.Replace(src, "machine M", "machine Child", 1)
	src = strings.NewReplacer("Done", "Ended", "Failed", "Lost").Replace(src) // so that a name is of one machine
	returns := g.flag && g.chance(0.5)
	if returns { // what an event carries is called v
		src = theFlag.ReplaceAllString(src, "v")
		src = ofMachine.ReplaceAllString(src, "$0 returns v")
	}
	for _, m := range ofMachine.FindAllStringSubmatch(src, -1) {
		e := plannedEvent{name: "Child." + m[1]}
		if returns {
			e.field = "bool"
		}
		results = append(results, e)
	}
	return src, results, g.param
}
