package machine

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scanner reads JSON strictly (RFC 8259): valid UTF-8 without lone surrogates,
// no key twice in one object, no more than MaxNesting levels, nothing behind
// the value. encoding/json allows all of these.
type scanner struct {
	data   []byte
	pos    int
	depth  int
	stored bool // it is what a run is stored as, where values stand deeper
}

// scanError is a fault of the JSON text itself.
type scanError struct {
	at  int // byte offset
	why string
}

func (e *scanError) Error() string { return fmt.Sprintf("%s, at byte %d", e.why, e.at) }

func (s *scanner) fail(why string) error { return &scanError{s.pos, why} }

// peek skips white space and gives the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// end makes sure that nothing follows.
func (s *scanner) end() error {
	if s.peek(); s.pos < len(s.data) {
		return s.fail("there is more behind the JSON value")
	}
	return nil
}

// found names what stands next, for messages.
func (s *scanner) found() string {
	c := s.peek()
	switch word := s.unread(); {
	case c == '{':
		return "an object"
	case c == '[':
		return "a list"
	case c == '"':
		return "a string"
	case word == "true" || word == "false":
		return "a boolean"
	case word == "null":
		return "null"
	case c >= '0' && c <= '9', c == '-' && len(word) > 1 && word[1] >= '0' && word[1] <= '9':
		return "a number"
	case c == 0 && s.pos >= len(s.data):
		return "nothing"
	}
	return strconv.Quote(shorten(s.unread()))
}

// unread is what stands next and is no JSON, up to where JSON could go on; of
// what could stand there at the wrong place the first character.
func (s *scanner) unread() string {
	rest := s.data[s.pos:]
	if n := bytes.IndexAny(rest, " \t\r\n,:\"[]{}"); n > 0 {
		rest = rest[:n]
	} else if n == 0 {
		rest = rest[:1]
	}
	return strings.ToValidUTF8(string(rest), "\uFFFD")
}

func (s *scanner) take(c byte) bool {
	if s.peek() == c && s.pos < len(s.data) {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) open(c byte) error {
	if !s.take(c) {
		return s.fail(fmt.Sprintf("expected %q, found %s", string(c), s.found()))
	}
	deepest := MaxNesting
	if s.stored {
		deepest = storedNesting
	}
	if s.depth++; s.depth > deepest {
		return s.fail(fmt.Sprintf("it is nested deeper than %d", deepest))
	}
	return nil
}

// duplicateKey is a key that an object has twice.
type duplicateKey struct{ key string }

func (d *duplicateKey) Error() string { return fmt.Sprintf("%q is given twice", d.key) }

// object reads an object and calls member for each key, which must read the
// value.
func (s *scanner) object(member func(key string) error) error {
	if err := s.open('{'); err != nil {
		return err
	}
	seen := make(map[string]bool)
	for first := true; ; first = false {
		text, err := s.key(first)
		if text == nil {
			s.depth--
			return err
		}
		key := string(text)
		if seen[key] {
			return &duplicateKey{key}
		}
		seen[key] = true
		if err := s.colon(); err != nil {
			return err
		}
		if err := member(key); err != nil {
			return err
		}
	}
}

// key reads the key of the next member of an object; it is nil for the end of that, or an error.
func (s *scanner) key(first bool) ([]byte, error) {
	switch {
	case s.take('}'):
		return nil, nil
	case !first && !s.take(','):
		return nil, s.fail(`expected "," or "}", found ` + s.found())
	case s.peek() != '"':
		return nil, s.fail("expected the name of a field in double quotes, found " + s.found())
	}
	return s.chars()
}

func (s *scanner) colon() error {
	if !s.take(':') {
		return s.fail(`expected ":", found ` + s.found())
	}
	return nil
}

// array reads a list and calls item for each, which must read it.
func (s *scanner) array(item func(i int) error) error {
	if err := s.open('['); err != nil {
		return err
	}
	for i := 0; !s.take(']'); i++ {
		if i > 0 && !s.take(',') {
			return s.fail(`expected "," or "]", found ` + s.found())
		}
		if err := item(i); err != nil {
			return err
		}
	}
	s.depth--
	return nil
}

// word reads one of the bare words of JSON.
func (s *scanner) word(w string) bool {
	if s.peek(); bytes.HasPrefix(s.data[s.pos:], []byte(w)) {
		s.pos += len(w)
		return true
	}
	return false
}

func (s *scanner) boolean() (bool, error) {
	switch {
	case s.word("true"):
		return true, nil
	case s.word("false"):
		return false, nil
	}
	return false, s.fail("expected true or false, found " + s.found())
}

// number reads a number and gives it as written.
func (s *scanner) number() (string, error) {
	s.peek()
	start := s.pos
	s.accept("-")
	if !s.accept("0") && !s.digits() {
		s.pos = start
		return "", s.fail("expected a number, found " + s.found())
	}
	if s.accept(".") && !s.digits() {
		return "", s.fail("a digit is missing")
	}
	if s.accept("eE") {
		s.accept("+-")
		if !s.digits() {
			return "", s.fail("a digit is missing")
		}
	}
	return string(s.data[start:s.pos]), nil
}

func (s *scanner) accept(set string) bool {
	if s.pos < len(s.data) && bytes.IndexByte([]byte(set), s.data[s.pos]) >= 0 {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) digits() bool {
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos > start
}

// integer reads a number without fraction and exponent.
func (s *scanner) integer() (int64, error) {
	start := s.pos
	text, err := s.number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		s.pos = start
		return 0, s.fail(fmt.Sprintf("expected a whole number of 64 bits, found %s", shorten(text)))
	}
	return n, nil
}

// shorten keeps what a message quotes from the input readable.
func shorten(text string) string {
	if len(text) <= 40 {
		return text
	}
	cut := 40
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// CheckJSON refuses what is not one JSON value.
func CheckJSON(text []byte) error {
	s := &scanner{data: text}
	if _, err := s.raw(); err != nil {
		return err
	}
	return s.end()
}

// raw reads any value and gives it compacted, otherwise as it came.
func (s *scanner) raw() (string, error) {
	out, err := s.appendRaw(nil)
	return string(out), err
}

func (s *scanner) appendRaw(out []byte) ([]byte, error) {
	switch c := s.peek(); c {
	case '{', '[':
		return s.appendNested(out, c)
	case '"':
		start := s.pos
		if _, err := s.text(); err != nil {
			return nil, err
		}
		return append(out, s.data[start:s.pos]...), nil
	}
	for _, w := range []string{"true", "false", "null"} {
		if s.word(w) {
			return append(out, w...), nil
		}
	}
	text, err := s.number()
	if err != nil {
		return nil, s.fail("expected a JSON value, found " + s.found())
	}
	return append(out, text...), nil
}

func (s *scanner) appendNested(out []byte, open byte) ([]byte, error) {
	if err := s.open(open); err != nil {
		return nil, err
	}
	closing := open + 2 // '}' behind '{', ']' behind '['
	out = append(out, open)
	for first := true; !s.take(closing); first = false {
		if !first {
			if !s.take(',') {
				return nil, s.fail(fmt.Sprintf(`expected "," or %q, found %s`, string(closing), s.found()))
			}
			out = append(out, ',')
		}
		var err error
		if open == '{' {
			if s.peek() != '"' {
				return nil, s.fail("expected a name in double quotes, found " + s.found())
			}
			if out, err = s.appendRaw(out); err != nil {
				return nil, err
			}
			if err := s.colon(); err != nil {
				return nil, err
			}
			out = append(out, ':')
		}
		if out, err = s.appendRaw(out); err != nil {
			return nil, err
		}
	}
	s.depth--
	return append(out, closing), nil
}
