package foreign

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Quote is s as a string of the language, on one line.
func Quote(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "?")) }

// NumberText is a number of JSON as a number of the language; false where it has no such form.
func NumberText(text string) (string, bool) {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return text, true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.Abs(f) > 1e15 || f != 0 && math.Abs(f) < 1e-9 {
		return "", false
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s, true
}

// Year is the longest duration that is written, in seconds.
const Year = 366 * 24 * 3600

// Seconds is a duration of the language, of at most a year, at least a millisecond.
func Seconds(s float64) string {
	if !(s > 0) {
		s = 0.001
	}
	d := time.Duration(min(s, Year) * float64(time.Second)).Round(time.Millisecond)
	return ir.FormatDuration(int64(max(d, time.Millisecond)))
}

// Literal is v as an expression of type json; false where part of it has no such form,
// for which null stands.
func Literal(v *Value) (string, bool) {
	switch {
	case v == nil || v.Kind == Null:
		return "null", true
	case v.Kind == Bool:
		return v.Text, true
	case v.Kind == String:
		return Quote(v.Text), true
	case v.Kind == Number:
		if s, ok := NumberText(v.Text); ok {
			return s, true
		}
		return "null", false
	}
	parts, all := []string{}, true
	for _, item := range v.Items {
		s, ok := Literal(item)
		parts, all = append(parts, s), all && ok
	}
	for _, m := range v.Members {
		s, ok := Literal(m.Value)
		parts, all = append(parts, Quote(m.Key)+": "+s), all && ok
	}
	if v.Kind == Array {
		return "[" + strings.Join(parts, ", ") + "]", all
	}
	return "{" + strings.Join(parts, ", ") + "}", all
}
