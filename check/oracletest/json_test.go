package oracletest_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/check/oracletest"
)

var (
	sentField = regexp.MustCompile(`(event \w+ \{ v) (?:int 0\.\.2|bool|Color) \}`)
	sentCopy  = regexp.MustCompile(`\b([nubc]) = event\.v\b`)
)

// outOfJSON is src with what events carry in a json, from which the effects take it. It
// is empty where something else reads it.
func outOfJSON(src string) string {
	if !sentField.MatchString(src) || strings.Count(src, "event.v") != len(sentCopy.FindAllString(src, -1)) ||
		strings.Count(src, "{ v ") != len(sentField.FindAllString(src, -1)) {
		return ""
	}
	return sentCopy.ReplaceAllString(sentField.ReplaceAllString(src, "$1 json }"), "$1 = event.v.$1")
}

// TestOutOfJSON holds the checker against brute force on random machines whose effects
// take data out of a json that an event carries.
func TestOutOfJSON(t *testing.T) {
	g := &machines{generate: func(r *rand.Rand) string {
		for {
			src := outOfJSON(oracletest.Generate(r))
			if !strings.Contains(src, "event.v.") || strings.Contains(src, "event.v.n") && strings.Contains(src, "event.v.u") { // which are many documents
				continue
			}
			if s, why := brute(src); s != nil || why != "" {
				return src
			}
		}
	}, count: *oracleCount / 10}
	g.compare(t)
}
