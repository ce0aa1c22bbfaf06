package resolve

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// maxDigits is the length of the longest number; the largest float has 309
// digits before its point.
const maxDigits = 400

// units are the units of durations, in nanoseconds.
var units = map[string]int64{
	"ns": int64(time.Nanosecond),
	"us": int64(time.Microsecond),
	"ms": int64(time.Millisecond),
	"s":  int64(time.Second),
	"m":  int64(time.Minute),
	"h":  int64(time.Hour),
	"d":  24 * int64(time.Hour),
	"w":  7 * 24 * int64(time.Hour),
}

// fault is what is wrong with a literal, and what to do about it.
type fault struct{ why, help string }

var (
	faultDigits = &fault{"has a misplaced underscore or point", "Put digits on both sides of each."}
	faultLong   = &fault{fmt.Sprintf("has more than %d digits", maxDigits), "Write a shorter number."}
	faultInt    = &fault{"does not fit into 64 bits", fmt.Sprintf("Stay between %d and %d.", math.MinInt64, math.MaxInt64)}
	faultTime   = &fault{"is too long", "A duration is at most 292 years."}
	faultFine   = &fault{"is no whole number of nanoseconds", "A nanosecond is the finest unit of time."}
	faultFloat  = &fault{"is too large for a float", "Write a number below 1.8e308."}
	faultUTF8   = &fault{"is not valid UTF-8", "Write the character itself, or its \\u escape."}
)

// parseInt is the value of digits with underscores, after a minus where neg.
func parseInt(text string, neg bool) (int64, *fault) {
	digits, f := plainNumber(text)
	if f != nil {
		return 0, f
	}
	if neg {
		digits = "-" + digits
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, faultInt
	}
	return n, nil
}

// parseFloat is the float nearest to a number, after a minus where neg.
func parseFloat(text string, neg bool) (float64, *fault) {
	digits, f := plainNumber(text)
	if f != nil {
		return 0, f
	}
	x, err := strconv.ParseFloat(digits, 64)
	switch {
	case err != nil:
		return 0, faultFloat
	case neg:
		return -x, nil
	}
	return x, nil
}

// parseRat is the exact value of a number.
func parseRat(text string) (*big.Rat, *fault) {
	digits, f := plainNumber(text)
	if f != nil {
		return nil, f
	}
	x, _ := new(big.Rat).SetString(digits)
	return x, nil
}

// plainNumber is text, digits with underscores and at most one point, without
// the underscores. The parser has seen to it that these stand between digits, but for
// a point where a second part of a duration begins.
func plainNumber(text string) (string, *fault) {
	text = strings.ReplaceAll(text, "_", "")
	switch {
	case strings.HasPrefix(text, "."):
		return "", faultDigits
	case len(text)-strings.Count(text, ".") > maxDigits:
		return "", faultLong
	}
	return text, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// parseDuration is the value in nanoseconds of numbers with units, after a
// minus where neg.
func parseDuration(text string, neg bool) (int64, *fault) {
	if len(text) > 2*maxDigits {
		return 0, faultLong
	}
	total := new(big.Rat)
	for text != "" {
		digits := 0
		for digits < len(text) && (isDigit(text[digits]) || text[digits] == '_' || text[digits] == '.') {
			digits++
		}
		end := digits
		for end < len(text) && !isDigit(text[end]) {
			end++
		}
		x, f := parseRat(text[:digits])
		if f != nil {
			return 0, f
		}
		total.Add(total, x.Mul(x, new(big.Rat).SetInt64(units[text[digits:end]])))
		text = text[end:]
	}
	if neg {
		total.Neg(total)
	}
	switch {
	case !total.IsInt():
		return 0, faultFine
	case !total.Num().IsInt64():
		return 0, faultTime
	}
	return total.Num().Int64(), nil
}

// parseString is the value of a string between quotes, whose escapes the parser has seen.
func parseString(text string) (string, *fault) {
	s, _ := strconv.Unquote(text)
	if !utf8.ValidString(s) {
		return "", faultUTF8
	}
	return s, nil
}

// badLiteral reports what is wrong with lit.
func (r *resolver) badLiteral(lit *ast.Literal, f *fault) {
	r.literal(lit.Span(), literalText(lit)+" "+f.why, f.help)
}

// literalText names a literal in a message: what it is, and as it is written
// unless that is long.
func literalText(lit *ast.Literal) string {
	kind := [...]string{"number", "number", "duration", "string", "word"}[lit.Kind]
	text := signed(lit)
	if len(text) > 60 {
		return "this " + kind
	}
	if lit.Kind == ast.String {
		return kind + " " + text
	}
	return kind + " " + quote(text)
}

// The parser has reported a literal that is not of the kind that is wanted: then, too,
// its value is orElse.

// valueOf is the value of a literal of one of some kinds; orElse where it is missing or
// wrong.
func valueOf[T any](r *resolver, lit *ast.Literal, orElse T, parse func(text string, neg bool) (T, *fault), kinds ...ast.LiteralKind) T {
	if lit == nil || !slices.Contains(kinds, lit.Kind) {
		return orElse
	}
	v, f := parse(lit.Text, lit.Neg)
	if f != nil {
		r.badLiteral(lit, f)
		return orElse
	}
	return v
}

func (r *resolver) intOf(lit *ast.Literal, orElse int64) int64 {
	return valueOf(r, lit, orElse, parseInt, ast.Int)
}

// durationOf is in nanoseconds.
func (r *resolver) durationOf(lit *ast.Literal, orElse int64) int64 {
	return valueOf(r, lit, orElse, parseDuration, ast.Duration)
}

func (r *resolver) ratOf(lit *ast.Literal, orElse *big.Rat) *big.Rat {
	positive := func(text string, _ bool) (*big.Rat, *fault) { return parseRat(text) }
	return valueOf(r, lit, orElse, positive, ast.Int, ast.Number)
}
