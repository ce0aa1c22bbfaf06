package oracletest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// GenerateOptional is GenerateFlat for machines in which the parameter, the payloads of
// events, and what activities, messages and a host guard are given may be absent.
func GenerateOptional(r *rand.Rand) string {
	g := &generator{Rand: r, flat: true, maybe: true, unset: true}
	g.careless = pick(g, []float64{0, 0.1, 0.4})
	g.flag, g.host, g.param = g.chance(0.4), g.chance(0.2), g.chance(0.6)
	types := []string{"", "int 0..2?", "int 0..2?", "bool?", "int 0..2"}
	for i := range 1 + g.IntN(3) {
		g.events = append(g.events, plannedEvent{fmt.Sprintf("E%d", i), pick(g, types)})
	}
	if g.chance(0.4) {
		g.activities = []plannedActivity{{name: "act0", results: []plannedEvent{{"R00", "int 0..2?"}, {"R01", "bool?"}}[:1+g.IntN(2)], cost: g.IntN(3)}}
		g.results = g.activities[0].results
	}
	return g.sideBySide(1 + g.IntN(4))
}

// asks is a condition that asks whether something is there; empty for none.
func (g *generator) asks(field string) string {
	base, optional := strings.CutSuffix(field, "?")
	switch {
	case optional && g.chance(0.3):
		return pick(g, []string{"event.v is set", "event.v is not set"})
	case optional && !g.slip():
		return fmt.Sprintf(pick(g, []string{"event.v is set && %s", "!(event.v is not set) && %s", "(event.v is not set || %s)"}), g.atom(base))
	case g.param && g.chance(0.3):
		return pick(g, []string{"limit is set", "limit is not set", "limit is set && limit > 0", "limit is set && n < limit"})
	case g.chance(0.1):
		return "maybe(" + g.given(field) + ")"
	}
	return ""
}

// given is what may be absent, of the type int 0..2.
func (g *generator) given(field string) string {
	names := []string{"u"}
	if g.param {
		names = append(names, "limit")
	}
	if strings.HasPrefix(field, "int") {
		names = append(names, "event.v", "event.v")
	}
	return pick(g, names)
}

// copies is an effect that copies what may be absent; empty for none.
func (g *generator) copies(field string) string {
	switch {
	case g.chance(0.5):
		if of := g.given(field); of != "u" {
			return "u = " + of
		}
		return "u = unset"
	case g.chance(0.2):
		return "publish Out { v = " + g.given(field) + " }"
	case g.chance(0.1):
		return "publish Out"
	}
	return ""
}

// GenerateOptionalPlaces is GenerateOptional with all that may be absent in records: the parameter, a field of the
// context and the payloads of events are places in records that have another field, too.
func GenerateOptionalPlaces(r *rand.Rand) string {
	src := GenerateOptional(r)
	for _, into := range intoRecords {
		src = into.old.ReplaceAllString(src, into.new)
	}
	return "record Ints { k bool, v int 0..2? }\nrecord Bools { k bool, v bool? }\nrecord Sure { v int 0..2 }\nrecord Flag { v bool }\n" + src
}

// intoRecords make of fields places in records.
var intoRecords = []struct {
	old *regexp.Regexp
	new string
}{
	{regexp.MustCompile(`(?m)^(    event [ER].*)\{ v int 0\.\.2\? \}`), "$1{ r Ints }"},
	{regexp.MustCompile(`(?m)^(    event [ER].*)\{ v bool\? \}`), "$1{ r Bools }"},
	{regexp.MustCompile(`(?m)^(    event [ER].*)\{ v (int 0\.\.2|bool) \}`), "$1{ r Sure$2 }"},
	{regexp.MustCompile(`Sureint 0\.\.2`), "Sure"},
	{regexp.MustCompile(`Surebool`), "Flag"},
	{regexp.MustCompile(`\bevent\.v\b`), "event.r.v"},
	{regexp.MustCompile(` returns \w+(, \w+)*`), ""},
	{regexp.MustCompile(`\blimit int 0\.\.2\?`), "q Ints"},
	{regexp.MustCompile(`\blimit\b`), "q.v"},
	{regexp.MustCompile(`(?m)^        u int 0\.\.2$`), "        w Ints = Ints { k = false }"},
	{regexp.MustCompile(`\bu\b`), "w.v"},
}
