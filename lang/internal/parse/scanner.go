package parse

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// scanner cuts a text into tokens. A text that is wrong gives tokens too: the
// fault is kept in faults, and a token of the kind that was most likely meant
// takes its place, so that the parser finds nothing more to complain about.
type scanner struct {
	name      string
	src       string
	offset    int
	line      int
	lineStart int // offset of the first byte of the line
	faults    []fault
}

func newScanner(f *token.File) *scanner {
	begin := f.LineStart(1)
	return &scanner{name: f.Name, src: string(f.Src), line: 1, offset: begin, lineStart: begin}
}

// Next is the next token. There is no error: see faults.
func (s *scanner) Next() (lexer.Token, error) {
	t := lexer.Token{Type: lexer.EOF, Pos: s.pos()}
	if s.offset == len(s.src) {
		return t, nil
	}
	start := s.offset
	t.Type = s.scan(&t)
	if t.Value == "" && t.Type != tokSpace {
		t.Value = s.src[start:s.offset]
	}
	return t, nil
}

func (s *scanner) pos() lexer.Position {
	return lexer.Position{Filename: s.name, Offset: s.offset, Line: s.line, Column: s.offset - s.lineStart + 1}
}

// moveTo goes to a place between tokens.
func (s *scanner) moveTo(p lexer.Position) {
	s.offset, s.line, s.lineStart = p.Offset, p.Line, p.Offset-p.Column+1
}

// scan goes to the end of the token that begins here. It sets t.Value where
// that is not the text itself.
func (s *scanner) scan(t *lexer.Token) lexer.TokenType {
	switch c := s.src[s.offset]; {
	case isSpace(c):
		s.space()
		return tokSpace
	case isLetter(c):
		s.word()
		if s.offset < len(s.src) && s.src[s.offset] >= utf8.RuneSelf {
			s.foreignName(t)
		}
		return tokName
	case isDigit(c):
		return s.number(t)
	case c == '"':
		return s.quoted(t)
	case c == '/' && s.at(1) == '/':
		s.toLineEnd()
		return tokComment
	}
	if n := punctLength(s.src[s.offset:]); n > 0 {
		s.offset += n
		switch s.src[s.offset-n : s.offset] {
		case "-":
			s.brokenArrow(t)
		case "=":
			s.doubleArrow(t)
		}
		return tokPunct
	}
	return s.stranger(t)
}

func isSpace(c byte) bool  { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// at is the byte i places on, 0 behind the end of the text.
func (s *scanner) at(i int) byte {
	if s.offset+i < len(s.src) {
		return s.src[s.offset+i]
	}
	return 0
}

func (s *scanner) space() {
	for ; s.offset < len(s.src) && isSpace(s.src[s.offset]); s.offset++ {
		if s.src[s.offset] == '\n' {
			s.line++
			s.lineStart = s.offset + 1
		}
	}
}

func (s *scanner) word() {
	for s.offset < len(s.src) && (isLetter(s.src[s.offset]) || isDigit(s.src[s.offset])) {
		s.offset++
	}
}

// toLineEnd goes to the line end, which is no part of a comment.
func (s *scanner) toLineEnd() {
	if i := strings.IndexByte(s.src[s.offset:], '\n'); i >= 0 {
		s.offset += i
		if s.src[s.offset-1] == '\r' {
			s.offset--
		}
		return
	}
	s.offset = len(s.src)
}

// punctLength is the length of the operator or bracket that text begins with.
func punctLength(text string) int {
	if len(text) > 1 {
		switch text[:2] {
		case "->", "..", "==", "!=", "<=", ">=", "&&", "||":
			return 2
		}
	}
	if strings.IndexByte("{}()[],.:=|<>+-*!?", text[0]) >= 0 {
		return 1
	}
	return 0
}

// fault keeps what is wrong with the token t, of which the text up to here is
// a part.
func (s *scanner) fault(t *lexer.Token, help, format string, args ...any) {
	end := token.Pos(s.pos())
	s.faults = append(s.faults, fault{
		span:    token.Span{Start: pos(t.Pos), End: end},
		message: fmt.Sprintf(format, args...),
		help:    help,
	})
}

// brokenArrow repairs "- >", which nothing but a torn arrow can be.
func (s *scanner) brokenArrow(t *lexer.Token) {
	rest := strings.TrimLeft(s.src[s.offset:], " \t")
	if len(rest) == len(s.src)-s.offset || !strings.HasPrefix(rest, ">") {
		return
	}
	s.offset = len(s.src) - len(rest) + 1
	t.Value = "->"
	s.fault(t, `Write "->" without a blank.`, `an arrow with a blank in it`)
}

// doubleArrow repairs "=>", which is nothing: where an arrow follows on its line,
// or a number, it was meant to compare.
func (s *scanner) doubleArrow(t *lexer.Token) {
	if s.at(0) == '>' {
		s.offset++
		t.Value = "->"
		rest, _, _ := strings.Cut(s.src[s.offset:], "\n")
		rest, _, _ = strings.Cut(rest, "//")
		next := strings.TrimLeft(rest, " \t")
		if strings.Contains(rest, "->") || next != "" && strings.IndexByte("0123456789-(", next[0]) >= 0 {
			t.Value = ">="
		}
		s.fault(t, `Write ">=" to compare, and "->" to lead on.`, `unexpected "=>"`)
	}
}

// foreignName takes a name with letters that are not allowed in one.
func (s *scanner) foreignName(t *lexer.Token) {
	for s.offset < len(s.src) {
		r, n := utf8.DecodeRuneInString(s.src[s.offset:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' {
			break
		}
		s.offset += n
	}
	name := s.src[t.Pos.Offset:s.offset]
	if strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		s.fault(t, "Names are made of the letters a to z and A to Z, digits and underscores.",
			"%q is not a name", name)
	}
}

// quoted takes a string.
func (s *scanner) quoted(t *lexer.Token) lexer.TokenType {
	start := s.offset
	for s.offset++; s.offset < len(s.src) && s.src[s.offset] != '\n'; s.offset++ {
		switch s.src[s.offset] {
		case '\\':
			if s.at(1) != '\n' && s.at(1) != 0 {
				s.offset++
			}
		case '"':
			s.offset++
			if _, err := strconv.Unquote(s.src[start:s.offset]); err != nil {
				s.badString(t)
			}
			return tokString
		}
	}
	s.openString(t)
	return tokString
}

func (s *scanner) badString(t *lexer.Token) {
	t.Value = `""`
	s.fault(t, `Escapes are those of Go, such as \n, \t, \", \\ and \u00e9.`, "a string with an escape that does not exist")
}

func (s *scanner) openString(t *lexer.Token) {
	s.offset -= len(s.src[t.Pos.Offset:s.offset]) - len(strings.TrimRight(s.src[t.Pos.Offset:s.offset], "\r"))
	t.Value = `""`
	s.fault(t, `Close it with a '"' on the same line; write a line end in it as \n.`, "a string that is not closed on its line")
}

// stranger takes what begins no token, and guesses what it stands for.
func (s *scanner) stranger(t *lexer.Token) lexer.TokenType {
	rest := s.src[s.offset:]
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case strings.HasPrefix(rest, "/*"):
		s.blockComment(t)
		return tokSpace
	case r == '#':
		s.toLineEnd()
		s.fault(t, `Begin a comment with "//".`, `"#" does not begin a comment`)
		return tokSpace
	case r == ';':
		s.offset += n
		s.fault(t, "Leave it out: a new line is enough, or \",\" between effects.", `unexpected ";"`)
		return tokSpace
	case r == '&':
		s.offset += n
		t.Value = "&&"
		s.fault(t, `Write "&&" for "and".`, `unexpected "&"`)
		return tokPunct
	case r == '\'' || r == '`':
		return s.otherQuotes(t, byte(r))
	case r == '/' || r == '%':
		s.offset += n
		s.fault(t, "There is no division; compute the value in an activity.", "unexpected character %s", strconv.QuoteRune(r))
		return tokPunct
	case unicode.IsLetter(r):
		s.foreignName(t)
		return tokName
	}
	s.offset += n
	s.fault(t, "Take it out, or put it in a string or a comment.", "unexpected character %s", strconv.QuoteRune(r))
	return tokPunct
}

func (s *scanner) blockComment(t *lexer.Token) {
	length := strings.Index(s.src[s.offset:], "*/")
	if length < 0 {
		s.offset += len("/*")
	} else {
		text := s.src[s.offset : s.offset+length]
		s.line += strings.Count(text, "\n")
		if i := strings.LastIndexByte(text, '\n'); i >= 0 {
			s.lineStart = s.offset + i + 1
		}
		s.offset += length + len("*/")
	}
	s.fault(t, `Begin each line of a comment with "//".`, `"/*" does not begin a comment`)
}

// otherQuotes takes a string in quotes that are not those of a string.
func (s *scanner) otherQuotes(t *lexer.Token, quote byte) lexer.TokenType {
	line := s.src[s.offset+1:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if i := strings.IndexByte(line, quote); i >= 0 {
		s.offset += i + 2
	} else {
		s.offset++
	}
	t.Value = `""`
	s.fault(t, `Put strings in double quotes.`, "a string in the wrong quotes")
	return tokString
}
