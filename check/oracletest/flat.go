package oracletest

import (
	"fmt"
	"math/rand/v2"
)

// GenerateFlat writes a random machine of two to six states side by side whose
// paths depend on counters, booleans, an enum, ranged numbers and host guards
// alone: bounds of each scope, few of which have an `else`, and no timers. On such
// a machine everything can be decided.
func GenerateFlat(r *rand.Rand) string {
	g := &generator{Rand: r, flat: true}
	g.careless = pick(g, []float64{0, 0.1, 0.4})
	g.flag, g.enum, g.host = g.chance(0.4), g.chance(0.2), g.chance(0.2)
	g.param, g.fixed, g.unset = g.chance(0.2), g.chance(0.25), g.chance(0.15)
	for i := range 1 + g.IntN(3) {
		g.events = append(g.events, plannedEvent{fmt.Sprintf("E%d", i), pick(g, []string{"", "", "", "int 0..2", "bool"})})
	}
	if g.chance(0.3) {
		g.activities = []plannedActivity{{name: "act0", results: []plannedEvent{{"R00", ""}, {"R01", "bool"}}[:1+g.IntN(2)], cost: g.IntN(3)}}
		g.results = g.activities[0].results
	}
	return g.sideBySide(2 + g.IntN(5))
}
