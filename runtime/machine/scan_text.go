package machine

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string.
func (s *scanner) text() (string, error) {
	chars, err := s.chars()
	return string(chars), err
}

// chars are what text reads, as they stand in the data where nothing of them is escaped; nil for an error.
func (s *scanner) chars() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.fail("expected a string, found " + s.found())
	}
	s.pos++
	start := s.pos
	for s.pos < len(s.data) && s.data[s.pos] != '"' && s.data[s.pos] != '\\' && s.data[s.pos] >= ' ' {
		s.pos++
	}
	out := s.data[start:s.pos:s.pos]
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			if !utf8.Valid(out) {
				return nil, s.fail("a string is not valid UTF-8")
			}
			s.pos++
			return out, nil
		case c == '\\':
			r, err := s.escape()
			if err != nil {
				return nil, err
			}
			out = utf8.AppendRune(out, r)
		case c < ' ':
			return nil, s.fail("a string holds a control character")
		default:
			out = append(out, c)
			s.pos++
		}
	}
	return nil, s.fail("a string does not end")
}

// escape reads one escape sequence, or two that are one surrogate pair.
func (s *scanner) escape() (rune, error) {
	s.pos++
	if s.pos >= len(s.data) {
		return 0, s.fail("a string does not end")
	}
	c := s.data[s.pos]
	s.pos++
	if c != 'u' {
		i := bytes.IndexByte([]byte(`"\/bfnrt`), c)
		if i < 0 {
			return 0, s.fail("there is no such escape")
		}
		return rune("\"\\/\b\f\n\r\t"[i]), nil
	}
	r, err := s.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	if !bytes.HasPrefix(s.data[s.pos:], []byte(`\u`)) {
		return 0, s.fail("half of a surrogate pair is missing")
	}
	s.pos += 2
	low, err := s.hex()
	if r = utf16.DecodeRune(r, low); err == nil && r == utf8.RuneError {
		err = s.fail("half of a surrogate pair is missing")
	}
	return r, err
}

func (s *scanner) hex() (rune, error) {
	if s.pos+4 > len(s.data) {
		return 0, s.fail("an escape needs four digits")
	}
	n, err := strconv.ParseUint(string(s.data[s.pos:s.pos+4]), 16, 32)
	if err != nil {
		return 0, s.fail("an escape needs four digits")
	}
	s.pos += 4
	return rune(n), nil
}
