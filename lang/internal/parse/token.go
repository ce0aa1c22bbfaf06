package parse

import (
	"io"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/token"
)

// Types of tokens. Space and Comment are elided: they are in the stream only
// so that the place behind a token is the place of the next one, which makes
// the EndPos of every node exact.
const (
	tokName lexer.TokenType = -(iota + 2) // lexer.EOF is -1
	tokInt
	tokNumber
	tokDuration
	tokString
	tokPunct
	tokSpace
	tokComment
	tokFold // a state as a whole; see stream.go
)

var symbols = map[string]lexer.TokenType{
	"EOF":      lexer.EOF,
	"Name":     tokName,
	"Int":      tokInt,
	"Number":   tokNumber,
	"Duration": tokDuration,
	"String":   tokString,
	"Punct":    tokPunct,
	"Space":    tokSpace,
	"Comment":  tokComment,
	"Fold":     tokFold,
}

func elided(t lexer.TokenType) bool { return t == tokSpace || t == tokComment }

// definition is the lexer as participle knows it.
type definition struct{}

func (definition) Symbols() map[string]lexer.TokenType { return symbols }

func (definition) Lex(filename string, r io.Reader) (lexer.Lexer, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return newScanner(token.NewFile(filename, src)), nil
}

func pos(p lexer.Position) token.Pos { return token.Pos(p) }

// span is the stretch of t in the source. No token but white space has a line
// end in it.
func span(t *lexer.Token) token.Span { return pos(t.Pos).Span(len(t.Value)) }
