package guard

import (
	"math"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/wide"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// values are one value for each variable of a problem.
type values struct {
	numbers []int64 // number i+1 of the matrix
	class   []int32 // of each text
	texts   []string
	facts   []known
}

// value is what a is for v: yes or no.
func (v *values) value(a atom) known {
	switch a.kind {
	case bound:
		return knownIf(!a.c.Less(v.number(a.x).Add(v.number(a.y).Neg())))
	case equality:
		return knownIf((v.class[a.x] == v.class[a.y]) != a.neg)
	}
	return knownIf((v.facts[a.x] == yes) != a.neg)
}

func (v *values) number(i int32) wide.Int {
	if i == 0 {
		return wide.Int{}
	}
	return wide.Of(v.numbers[i-1])
}

// choose takes the plainest value that is left for one variable after another.
// It fails where it finds no string of the length that is wanted. What is open
// of facts becomes: fields are set, booleans false, host guards say no.
func (s *search) choose() (*values, bool) {
	m := s.mark()
	defer s.undo(m)
	v := &values{
		numbers: make([]int64, len(s.p.numbers)),
		class:   slices.Clone(s.texts.class),
		facts:   make([]known, len(s.facts)),
	}
	for _, at := range s.p.order {
		n := plain(s.p.numbers[at-1].kind(), s.matrix.at(0, at).Neg().Narrow(), s.matrix.at(at, 0).Narrow())
		s.matrix.tighten(at, 0, wide.Of(n))
		s.matrix.tighten(0, at, wide.Of(n).Neg())
		v.numbers[at-1] = n
	}
	for i, f := range s.facts {
		if v.facts[i] = f; f == open {
			v.facts[i] = knownIf(s.p.facts[i].kind == isSet)
		}
	}
	return v, s.chooseTexts(v)
}

// longest is the length up to which strings and lists are written out.
const longest = 64

// chooseTexts gives each class of strings without a constant a string of its own.
// One that is longer than is written out stands for itself: of such strings
// there are always enough.
func (s *search) chooseTexts(v *values) bool {
	if len(s.p.texts) == 0 {
		return true
	}
	taken := map[string]bool{}
	for value := range s.p.constantOf {
		taken[value] = true
	}
	v.texts = make([]string, len(s.p.texts))
	chosen := make([]bool, len(s.p.texts)) // by class
	for i, class := range v.class {
		switch {
		case s.texts.constant[class]:
			v.texts[i] = s.p.texts[class].value
			continue
		case chosen[class]:
			v.texts[i] = v.texts[class]
			continue
		}
		fresh, ok := s.fresh(int32(i), v, taken)
		if !ok {
			return false
		}
		taken[fresh], chosen[class] = true, true
		v.texts[i], v.texts[class] = fresh, fresh
	}
	return true
}

// fresh is a string for the class of text i that is not taken; empty where it
// would be too long.
func (s *search) fresh(i int32, v *values, taken map[string]bool) (string, bool) {
	n := int64(0)
	if length := s.length(i).variable; length != 0 {
		if n = v.numbers[length-1]; n > longest {
			return "", true
		}
	}
	for k := range len(taken) + 1 {
		text := word(k)
		if n == 0 && !taken[text] {
			return text, true
		}
		if pad := int(n) - len(text); n > 0 && pad >= 0 {
			if text = strings.Repeat(letters[:1], pad) + text; !taken[text] {
				return text, true
			}
		}
	}
	return "", false
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// word is the k-th of a, b, …, 9, ba, bb, …: k in digits that are letters.
func word(k int) string {
	text := letters[k%len(letters) : k%len(letters)+1]
	for k /= len(letters); k > 0; k /= len(letters) {
		text = letters[k%len(letters):k%len(letters)+1] + text
	}
	return text
}

// plain is the integer from lo to hi that is best to read as a value of a kind:
// 0, else the nearest to 0 that is whole in the largest unit.
func plain(kind ir.Kind, lo, hi int64) int64 {
	switch {
	case kind == ir.Float:
		return ordinal(plainest(floatAt(lo), floatAt(hi)))
	case lo <= 0 && hi >= 0:
		return 0
	case lo > 0:
		return roundUp(kind, lo, hi)
	case hi == math.MinInt64:
		return hi
	}
	return -roundUp(kind, -hi, -max(lo, -math.MaxInt64))
}

// roundUp is the least whole number of the largest unit of kind that lies from
// lo, which is positive, to hi.
func roundUp(kind ir.Kind, lo, hi int64) int64 {
	for _, unit := range unitsOf[kind] {
		if rest := lo % unit; rest == 0 {
			return lo
		} else if up := lo - rest; up <= hi-unit {
			return up + unit
		}
	}
	return lo
}

// unitsOf has the units in which values are rounded: s, ms, us of nanoseconds;
// s, ms of microseconds.
var unitsOf = map[ir.Kind][]int64{
	ir.Duration: {1e9, 1e6, 1e3},
	ir.Time:     {1e6, 1e3},
}
