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
		t.Value = placeholders[kind]
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
		unit := after[:prefix(after, func(c byte) bool { return isLetter(c) && c != '_' })]
		rest = after[len(unit):]
		switch {
		case !wellSpaced(digits) || !wellSpaced(fraction):
			return kindOf(unit), "Underscores stand between digits, one at a time, as in 12_000."
		case unit != "" && !slices.Contains(units, unit):
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
	inNumber := func(c byte) bool { return isDigit(c) || c == '_' }
	n := prefix(text, inNumber)
	digits, after = text[:n], text[n:]
	if len(after) > 1 && after[0] == '.' {
		n = prefix(after[1:], inNumber)
		fraction, after = after[1:1+n], after[1+n:]
	}
	return digits, fraction, after
}

// prefix is how many bytes at the start of text are ones that has takes.
func prefix(text string, has func(byte) bool) int {
	n := 0
	for n < len(text) && has(text[n]) {
		n++
	}
	return n
}

// wellSpaced reports whether the underscores of digits stand between digits.
func wellSpaced(digits string) bool {
	return !strings.HasPrefix(digits, "_") && !strings.HasSuffix(digits, "_") && !strings.Contains(digits, "__")
}

// unitWords are what people write for a unit.
var unitWords = map[string]string{
	"ms": "ms", "s": "s", "m": "m", "h": "h", "d": "d", "w": "w",
	"sec": "s", "secs": "s", "second": "s", "seconds": "s",
	"min": "m", "mins": "m", "minute": "m", "minutes": "m",
	"hr": "h", "hrs": "h", "hour": "h", "hours": "h",
	"day": "d", "days": "d", "week": "w", "weeks": "w",
	"msec": "ms", "millis": "ms", "usec": "us", "nsec": "ns",
}

// badUnit says what to do about letters behind a number that are no unit.
func badUnit(word string) (lexer.TokenType, string) {
	if u, ok := unitWords[strings.ToLower(word)]; ok {
		return tokDuration, `Write the unit as "` + u + `".`
	}
	if u, ok := diag.Nearest(word, units); ok {
		return tokDuration, `Did you mean the unit "` + u + `"? The units are ns, us, ms, s, m, h, d and w.`
	}
	return tokInt, "The units of a duration are ns, us, ms, s, m, h, d and w; a name does not begin with a digit."
}

// placeholders are good tokens, by their kind.
var placeholders = map[lexer.TokenType]string{tokInt: "1", tokNumber: "1.0", tokDuration: "1s"}
