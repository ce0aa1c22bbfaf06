package parse

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"
)

// participle's lexer keeps all tokens of its input in one slice, 80 bytes each,
// which it grows as it goes: for a text of 5 MB it took 600 MB, and half of the
// time of parsing. So the states of a machine are folded: to the machine each is
// one token, and when its turn comes it gets a lexer of its own.
//
// A fold begins at the word "state", directly between the braces of a machine,
// behind a "{" or a "}": there it cannot go on with anything before it. It ends
// with the next brace that leaves it. There are none where braces do not match, and none
// in a scenario, where an activity may be called "state".

// fold is a stretch of text that is one token at first.
type fold struct{ start, end lexer.Position }

// foldAt begins a fold at t, the next token, if one begins there.
func (m *matcher) foldAt(t *lexer.Token) {
	if len(m.open) == 0 && t.Type == tokName && (t.Value == "scenario" || t.Value == "machine") {
		m.scenario = t.Value == "scenario"
	}
	if m.scenario || len(m.open) != 1 || t.Type != tokName || t.Value != "state" || m.folding() {
		return
	}
	if before := &m.last[0]; is(before, "{") || is(before, "}") {
		m.folds = append(m.folds, fold{start: t.Pos})
	}
}

// foldTo ends the fold behind the last token, if it ends there. A state without
// braces, behind which the machine ends, is none.
func (m *matcher) foldTo(end lexer.Position) {
	if !m.folding() || !is(&m.last[0], "}") {
		return
	}
	last := len(m.folds) - 1
	switch len(m.open) {
	case 0:
		m.folds = m.folds[:last]
	case 1:
		m.folds[last].end = end
	}
}

func (m *matcher) folding() bool {
	n := len(m.folds)
	return n > 0 && m.folds[n-1].end.Line == 0
}

// stream gives the tokens of a text up to end, repaired.
type stream struct {
	scanner *scanner
	end     int
	repairs repairs
	queue   []string // braces to be put in
	folds   []fold   // still to come
}

func (s *stream) Next() (lexer.Token, error) {
	if len(s.queue) > 0 {
		t := lexer.Token{Type: tokPunct, Value: s.queue[0], Pos: s.scanner.pos()}
		s.queue = s.queue[1:]
		return t, nil
	}
	if s.scanner.offset == s.end {
		return lexer.Token{Type: lexer.EOF, Pos: s.scanner.pos()}, nil
	}
	if len(s.folds) > 0 && s.folds[0].start.Offset == s.scanner.offset {
		f := s.folds[0]
		s.folds = s.folds[1:]
		s.scanner.moveTo(f.end)
		return lexer.Token{Type: tokFold, Value: "state", Pos: f.start}, nil
	}
	t, err := s.scanner.Next()
	if s.repairs.drop[t.Pos.Offset] && t.Value == "}" {
		blank(&t)
	}
	if !elided(t.Type) && !t.EOF() {
		s.queue = s.repairs.insert[s.scanner.offset]
	}
	return t, err
}

// blank makes white space of t.
func blank(t *lexer.Token) { t.Type, t.Value = tokSpace, "" }

// newLexer makes a lexer of what s gives.
func newLexer(s *stream) *lexer.PeekingLexer {
	lex, err := lexer.Upgrade(s, tokSpace, tokComment)
	if err != nil {
		panic(err) // the scanner has no errors
	}
	return lex
}

// unfold is a lexer of what is folded into t.
func (p *parser) unfold(t *lexer.Token) *lexer.PeekingLexer {
	i, _ := slices.BinarySearchFunc(p.folds, t.Pos.Offset, func(f fold, offset int) int { return f.start.Offset - offset })
	p.scanner.moveTo(t.Pos)
	return newLexer(&stream{scanner: p.scanner, end: p.folds[i].end.Offset})
}
