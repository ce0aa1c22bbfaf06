package foreign

import (
	"strings"
	"unicode/utf8"
)

// Lex cuts an expression into names, with points and dollars in them, literals and operators: those of
// several characters, a longer one before what it begins with, and any other character. A quote without
// its end is "?", behind which nothing is read.
func Lex(text string, operators ...string) (tokens []string) {
	named := func(c byte) bool { return ascii(rune(c)) || c >= utf8.RuneSelf || strings.IndexByte("_.$", c) >= 0 }
	for {
		if text = strings.TrimLeft(text, " \t\n\v\f\r"); text == "" {
			return tokens
		}
		end := 1
		switch c := text[0]; {
		case c == '\'' || c == '"':
			n := strings.IndexByte(text[1:], c)
			if n < 0 {
				return append(tokens, "?")
			}
			end += n + 1
		case named(c):
			for end < len(text) && named(text[end]) {
				end++
			}
		default:
			for _, op := range operators {
				if strings.HasPrefix(text, op) {
					end = len(op)
					break
				}
			}
		}
		tokens, text = append(tokens, text[:end]), text[end:]
	}
}

// Tokens are those of an expression, of which a parser takes one after another.
type Tokens struct{ rest []string }

// NewTokens are those of a list, of which none is empty.
func NewTokens(tokens []string) Tokens { return Tokens{tokens} }

// Peek is the next one; empty behind the last.
func (t *Tokens) Peek() string {
	if len(t.rest) == 0 {
		return ""
	}
	return t.rest[0]
}

// Next is Peek, and takes it.
func (t *Tokens) Next() string {
	next := t.Peek()
	t.rest = t.rest[min(1, len(t.rest)):]
	return next
}

// Joined are parts between which word stands, joined by op; it ends where bad is set.
func (t *Tokens) Joined(word, op string, bad *bool, part func() string) string {
	text := part()
	for !*bad && t.Peek() == word {
		t.Next()
		text += " " + op + " " + part()
	}
	return text
}

// Left reports whether there is another one.
func (t *Tokens) Left() bool { return len(t.rest) > 0 }
