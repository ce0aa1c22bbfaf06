package oracletest

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

// GenerateOptionalRecords is GenerateOptional with whole records for all that may be absent: the
// parameter, the payloads of events, a field of a record of the context, and what activities and a
// host guard are given. In half of them a record that may be absent has another in it.
func GenerateOptionalRecords(r *rand.Rand) string {
	src := GenerateOptional(r)
	nested := r.IntN(2) == 0
	for _, into := range intoOptional {
		src = into.old.ReplaceAllString(src, into.new)
	}
	head := "record Ints { k bool, v int 0..2 }\nrecord Bools { v bool, k bool }\n"
	if nested {
		src = strings.ReplaceAll(src, ", k = true }", pickOf(r, " }", ", d = Deep { k = w.k } }"))
		head = "record Ints { d Deep?, v int 0..2 }\nrecord Bools { v bool, d Deep? }\nrecord Deep { k bool }\n"
		src = sometimes(r, 3, src, "event.r is set", "event.r.d is set && event.r.d.k")
		src = sometimes(r, 4, src, "w.in = event.r", "w.in.d = event.r.d")
		src = sometimes(r, 4, src, "w.in = unset", "w.in.d = unset")
		src = sometimes(r, 4, src, "w.in is set", "w.in.d is set && (w.k || w.in.d.k)")
	}
	src = sometimes(r, 4, src, "w.in = event.r ", "w.in.v = event.r.v ")
	src = sometimes(r, 4, src, "w.in = q", "w = Hold { k = w.k, in = q }")
	src = sometimes(r, 2, src, "w.in = unset", "w.k = true, w.in = unset")
	src = sometimes(r, 3, src, "publish Out }", "publish Rec { r = w.in } }")
	return head + "record Hold { k bool, in Ints? }\n" + src
}

// sometimes is src with one in n of old replaced.
func sometimes(r *rand.Rand, n int, src, old, new string) string {
	parts := strings.Split(src, old)
	out := parts[0]
	for _, part := range parts[1:] {
		if r.IntN(n) == 0 {
			out += new + part
		} else {
			out += old + part
		}
	}
	return out
}

func pickOf(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// intoOptional make of fields that may be absent records that may be. W is a record of the context
// with a default, which holds one.
var intoOptional = []struct {
	old *regexp.Regexp
	new string
}{
	{regexp.MustCompile(`(?m)^(    event [ER].*)\{ v int 0\.\.2(\??) \}`), "$1{ r Ints$2 }"},
	{regexp.MustCompile(`(?m)^(    event [ER].*)\{ v bool(\??) \}`), "$1{ r Bools$2 }"},
	{regexp.MustCompile(`(?m)^    event Out `), "    event Rec { r Ints? }\n    event Out "},
	{regexp.MustCompile(`( returns .*)\blimit\b`), "${1}q"},
	{regexp.MustCompile(`( returns .*)\bu\b`), "${1}w"},
	{regexp.MustCompile(`\blimit int 0\.\.2\?`), "q Ints?"},
	{regexp.MustCompile(`\b(maybe\(\w+ |act\d\(\w+ )int 0\.\.2\?`), "${1}Ints?"},
	{regexp.MustCompile(`(?m)^        u int 0\.\.2$`), "        w Hold = Hold { k = false }"},
	{regexp.MustCompile(`\bu = event\.v\b`), "w.in = event.r"},
	{regexp.MustCompile(`\bu = limit\b`), "w.in = q"},
	{regexp.MustCompile(`\bu = unset\b`), "w.in = unset"},
	{regexp.MustCompile(`\bu = (min\([^)]*\)|max\([^)]*\)|[^,}]+?)( ?[,}])`), "w.in = Ints { v = $1, k = true }$2"},
	{regexp.MustCompile(`\b(maybe|act\d)\(event\.v\)`), "$1(event.r)"},
	{regexp.MustCompile(`\b(maybe|act\d)\(limit\)`), "$1(q)"},
	{regexp.MustCompile(`\b(maybe|act\d)\(u\)`), "$1(w.in)"},
	{regexp.MustCompile(`\bevent\.v is\b`), "event.r is"},
	{regexp.MustCompile(`\blimit is\b`), "q is"},
	{regexp.MustCompile(`\bu is\b`), "w.in is"},
	{regexp.MustCompile(`\bevent\.v\b`), "event.r.v"},
	{regexp.MustCompile(`\blimit\b`), "q.v"},
	{regexp.MustCompile(`\bu\b`), "w.in.v"},
}

// Asked is by what it is asked whether the field called name is set: of a leaf of a record that may
// be absent that record.
func (s *Space) Asked(name string) string {
	for _, f := range fieldsOf(s.Def) {
		if f.Name == name && len(f.Within) > 0 {
			return f.Within[len(f.Within)-1]
		}
	}
	return name
}
