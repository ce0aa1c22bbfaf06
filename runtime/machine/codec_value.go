package machine

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Values have one JSON form each: int as an integer, float as a finite number,
// duration as Go's string, time as RFC 3339 in UTC with microseconds, enum as
// its bare name, json as it came but compacted, list as an array, record as an object of all
// its fields.

// timeLayout writes six digits, always.
const timeLayout = "2006-01-02T15:04:05.000000Z"

// appendValue appends v, which fits t.
func appendValue(b []byte, t *Type, v *Value) []byte {
	switch t.Kind {
	case Bool:
		return strconv.AppendBool(b, v.n != 0)
	case Int:
		return strconv.AppendInt(b, v.n, 10)
	case Float:
		return appendFloat(b, v.Float())
	case DurationKind:
		return appendText(b, time.Duration(v.n).String())
	case TimeKind:
		return appendTime(b, v.Time())
	case JSON:
		return append(b, v.s...)
	case RecordKind:
		return appendFields(b, t.Fields, v.List())
	case ListKind:
		b = append(b, '[')
		for i, item := range v.List() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, t.Elem, &item)
		}
		return append(b, ']')
	}
	return appendText(b, v.s)
}

// appendTime writes t by timeLayout. The part up to the second is of a layout that
// package time knows by heart, which takes half as long.
func appendTime(b []byte, t time.Time) []byte {
	b = t.UTC().AppendFormat(append(b, '"'), time.RFC3339)
	b = append(b[:len(b)-1], `.000000Z"`...) // for the Z
	for i, micros := len(b)-3, t.Nanosecond()/1000; micros > 0; i-- {
		b[i] += byte(micros % 10)
		micros /= 10
	}
	return b
}

// appendFloat writes the shortest number that reads back the same, with an
// exponent where it is very large or very small: as encoding/json does, so that
// there is one form everywhere.
func appendFloat(b []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, 64)
	if n := len(b); format == 'e' && b[n-2] == '0' && b[n-3] == '-' {
		b = append(b[:n-2], b[n-1]) // e-07 is e-7
	}
	return b
}

// appendText writes a string with no more escapes than JSON demands. What is
// not UTF-8 becomes U+FFFD.
func appendText(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	if isPlain(s) {
		return append(append(b, s...), '"')
	}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\r':
			b = append(b, '\\', 'r')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ':
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// isPlain reports whether s is ASCII without anything to escape.
func isPlain(s string) bool {
	for i := range len(s) {
		if !plain[s[i]] {
			return false
		}
	}
	return true
}

// plain are the bytes that isPlain takes.
var plain = func() (all [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		all[c] = c != '"' && c != '\\'
	}
	return all
}()

// decodeValue reads a constant of a definition.
func decodeValue(d *Definition, t *Type, data json.RawMessage) (Value, error) {
	v, err := d.decode(t, data)
	if err == nil && t.Kind == JSON {
		v = JSONValue(plainJSON(v.s))
	}
	return v, err
}

// decode reads a value of type t that is all of data.
func (d *Definition) decode(t *Type, data []byte) (Value, error) {
	s := &scanner{data: data}
	v, err := d.scanValue(s, t)
	if err == nil {
		err = s.end()
	}
	return v, err
}

// scanValue reads a value of type t and checks that it fits.
func (d *Definition) scanValue(s *scanner, t *Type) (Value, error) {
	switch t.Kind {
	case ListKind:
		return d.scanList(s, t)
	case RecordKind:
		return d.scanRecord(s, t)
	}
	s.peek()
	start := *s
	v, err := scanScalar(s, t)
	if err != nil {
		if want, plain := wanted[t.Kind]; plain && want != start.found() {
			return Unset, fmt.Errorf("expected %s, found %s", d.expected(t), start.found())
		}
		return Unset, err
	}
	if why := d.misfit(t, &v); why != "" {
		return Unset, &scanError{start.pos, why}
	}
	return v, nil
}

// wanted is what scanner.found says of a value of the right sort.
var wanted = map[Kind]string{
	Bool: "a boolean", Int: "a number", Float: "a number", String: "a string",
	DurationKind: "a string", TimeKind: "a string", EnumKind: "a string",
}

func scanScalar(s *scanner, t *Type) (Value, error) {
	switch t.Kind {
	case Bool:
		b, err := s.boolean()
		return BoolValue(b), err
	case Int:
		n, err := s.integer()
		return IntValue(n), err
	case Float:
		return scanFloat(s)
	case JSON:
		text, err := s.raw()
		return JSONValue(text), err
	case DurationKind:
		d, err := s.duration()
		return DurationValue(d), err
	case TimeKind:
		t, err := s.time()
		return TimeValue(t), err
	}
	text, err := s.text()
	return StringValue(text), err
}

func scanFloat(s *scanner) (Value, error) {
	text, err := s.number()
	if err != nil {
		return Unset, err
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Unset, s.fail(fmt.Sprintf("%s is too large for a float", shorten(text)))
	}
	return FloatValue(f), nil
}

func (s *scanner) duration() (time.Duration, error) {
	text, err := s.text()
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, s.fail(fmt.Sprintf(`%q is no duration, expected one such as "1m30s"`, shorten(text)))
	}
	return d, nil
}

// strictTime reports whether a text has the form of RFC 3339, section 5.6. Package time,
// which looks at the numbers, takes more: a comma, an hour of one digit, a zone of 24 hours
// (go.dev/issue/54580).
func strictTime(text string) bool {
	const seconds = len("2006-01-02T15:04:05")
	if len(text) <= seconds || !hasForm(text[:seconds], "0000-00-00T00:00:00") {
		return false
	}
	rest := text[seconds:]
	if rest[0] == '.' {
		digits := len(rest[1:]) - len(strings.TrimLeft(rest[1:], "0123456789"))
		if digits == 0 {
			return false
		}
		rest = rest[1+digits:]
	}
	return rest == "Z" || (hasForm(rest, "+00:00") || hasForm(rest, "-00:00")) && rest[1:3] < "24" && rest[4:] < "60"
}

// hasForm reports whether a text is form with other digits.
func hasForm(text, form string) bool {
	if len(text) != len(form) {
		return false
	}
	for i := range len(form) {
		if digit := text[i] >= '0' && text[i] <= '9'; digit != (form[i] == '0') || !digit && text[i] != form[i] {
			return false
		}
	}
	return true
}

// time reads a time in any zone and gives it in UTC, cut to the microsecond.
func (s *scanner) time() (time.Time, error) {
	text, err := s.text()
	if err != nil {
		return time.Time{}, err
	}
	var t time.Time
	if !strictTime(text) || t.UnmarshalText([]byte(text)) != nil {
		return t, s.fail(fmt.Sprintf(`%q is no time, expected one such as "2006-01-02T15:04:05Z"`, shorten(text)))
	}
	if micro := t.UnixMicro(); micro < minTime || micro > maxTime {
		return t, s.fail("a time lies in the years 1 to 9999")
	}
	return t.UTC().Truncate(time.Microsecond), nil
}

func (d *Definition) scanList(s *scanner, t *Type) (Value, error) {
	if s.peek() != '[' {
		return Unset, fmt.Errorf("expected %s, found %s", d.expected(t), s.found())
	}
	start := s.pos
	list := []Value{}
	err := s.array(func(i int) error {
		if t.Elem == nil {
			return s.fail("an empty list has no items")
		}
		v, err := d.scanValue(s, t.Elem)
		if err != nil {
			return &itemError{i, err}
		}
		list = append(list, v)
		return nil
	})
	if err != nil {
		return Unset, err
	}
	v := ListValue(list...)
	if why := d.misfitLength(t, &v); why != "" {
		return Unset, &scanError{start, why}
	}
	return v, nil
}

// itemError says in which item of a list the fault is.
type itemError struct {
	index int
	err   error
}

func (e *itemError) Error() string { return fmt.Sprintf("item %d: %v", e.index, e.err) }
func (e *itemError) Unwrap() error { return e.err }
