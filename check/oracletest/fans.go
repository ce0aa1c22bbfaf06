package oracletest

import (
	"fmt"
	"math/rand/v2"
)

// GenerateFans writes a random machine of one to three states, most of which run an
// activity for each element of a list: a parameter, or a field that events set. Lists have
// up to three elements. There are few timers, and little else to multiply the ways in
// which so many elements can end.
func GenerateFans(r *rand.Rand) string {
	kind := r.IntN(6)
	g := &generator{Rand: r, flat: kind > 0, records: kind > 3, fans: true}
	g.careless = pick(g, []float64{0, 0.1, 0.4})
	g.flag, g.host, g.category = g.chance(0.4), g.chance(0.1), g.chance(0.4)
	g.events = []plannedEvent{{"E0", ""}}
	if g.set = g.chance(0.3); g.set {
		g.events = append(g.events, plannedEvent{"E1", "[0..2]string"})
	}
	a := plannedActivity{name: "act0", fails: g.chance(0.5), cost: g.IntN(3)}
	for k := range g.IntN(3) {
		a.results = append(a.results, plannedEvent{fmt.Sprintf("R0%d", k), pick(g, []string{"", "", "", "bool"})})
	}
	g.activities, g.results = []plannedActivity{a}, a.results
	least := g.IntN(2)
	item := "string"
	if g.records {
		item = "Item"
	}
	g.elements = fmt.Sprintf("[%d..%d]%s", least, max(least, pick(g, []int{1, 2, 2, 2, 2, 3})), item)
	return g.sideBySide(pick(g, []int{1, 1, 2, 2, 3}))
}

// fan writes for which elements an activity runs.
func (g *generator) fan() string {
	list := "xs"
	if g.set && !g.records && g.chance(0.5) { // else event.item were of two types
		list = "ys"
	}
	text := " for x in " + list
	if g.chance(0.4) {
		text += fmt.Sprintf(" limit %d", 1+g.IntN(2))
	}
	return text
}
