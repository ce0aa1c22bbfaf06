package parse

import (
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/diag"
)

// units are the units of durations.
var units = []string{"ns", "us", "ms", "s", "m", "h", "d", "w"}

// number takes a whole number, a number with a fraction, or a duration. A
// digit run with letters behind it is one token, good or bad; ".." never
// belongs to a number.
func (s *scanner) number(t *lexer.Token) lexer.TokenType {
	start := s.offset
	s.word()
	for s.at(0) == '.' && isDigit(s.at(1)) {
		s.offset++
		s.word()
	}
	text := s.src[start:s.offset]
	kind, help := classify(text)
	if help != "" {
		t.Value = placeholder(kind)
		s.fault(t, help, "%q is not a number or a duration", text)
	}
	return kind
}

// classify says what text is: tokInt, tokNumber or tokDuration. If it is none
// of them, help says what to do, and the kind is the one nearest to it.
func classify(text string) (kind lexer.TokenType, help string) {
	parts := 0
	for rest := text; rest != ""; parts++ {
		digits, fraction, after := cutNumber(rest)
		unit := after[:unitLength(after)]
		rest = after[len(unit):]
		switch {
		case !wellSpaced(digits) || !wellSpaced(fraction):
			return kindOf(unit), "Underscores stand between digits, one at a time, as in 12_000."
		case unit != "" && !isUnit(unit):
			return badUnit(unit)
		case unit != "":
			continue
		case parts > 0:
			return tokDuration, "Each number in a duration has a unit, as in 1h30m."
		case rest != "":
			return tokNumber, "A number has at most one decimal point, as in 0.04."
		case fraction == "":
			return tokInt, ""
		default:
			return tokNumber, ""
		}
	}
	return tokDuration, ""
}

func kindOf(unit string) lexer.TokenType {
	if unit == "" {
		return tokInt
	}
	return tokDuration
}

// cutNumber cuts text behind the number that it begins with.
func cutNumber(text string) (digits, fraction, after string) {
	n := digitsLength(text)
	digits, after = text[:n], text[n:]
	if len(after) > 1 && after[0] == '.' {
		n = digitsLength(after[1:])
		fraction, after = after[1:1+n], after[1+n:]
	}
	return digits, fraction, after
}

func digitsLength(text string) int {
	n := 0
	for n < len(text) && (isDigit(text[n]) || text[n] == '_') {
		n++
	}
	return n
}

func unitLength(text string) int {
	n := 0
	for n < len(text) && isLetter(text[n]) && text[n] != '_' {
		n++
	}
	return n
}

// wellSpaced reports whether the underscores of digits stand between digits.
func wellSpaced(digits string) bool {
	return !strings.HasPrefix(digits, "_") && !strings.HasSuffix(digits, "_") && !strings.Contains(digits, "__")
}

func isUnit(word string) bool {
	return slices.Contains(units, word)
}

// longUnits are what people write for a unit.
var longUnits = map[string]string{
	"sec": "s", "secs": "s", "second": "s", "seconds": "s",
	"min": "m", "mins": "m", "minute": "m", "minutes": "m",
	"hr": "h", "hrs": "h", "hour": "h", "hours": "h",
	"day": "d", "days": "d", "week": "w", "weeks": "w",
	"msec": "ms", "millis": "ms", "usec": "us", "nsec": "ns",
}

// badUnit says what to do about letters behind a number that are no unit.
func badUnit(word string) (lexer.TokenType, string) {
	if u, ok := longUnits[strings.ToLower(word)]; ok {
		return tokDuration, `Write the unit as "` + u + `".`
	}
	if u, ok := diag.Nearest(word, units); ok {
		return tokDuration, `Did you mean the unit "` + u + `"? The units are ns, us, ms, s, m, h, d and w.`
	}
	return tokInt, "The units of a duration are ns, us, ms, s, m, h, d and w; a name does not begin with a digit."
}

// placeholder is a good token of the given kind.
func placeholder(kind lexer.TokenType) string {
	switch kind {
	case tokDuration:
		return "1s"
	case tokNumber:
		return "1.0"
	}
	return "1"
}
