// Package parse turns source text into a syntax tree.
//
// A first pass over the text matches braces and keeps the comments (braces.go).
// Then a hand-written lexer (scanner.go) feeds participle piece by piece
// (stream.go); the grammar stands in the struct tags of package ast. Three
// productions are parsed by hand over participle's lexer: items, because that is
// where errors are repaired and parsing goes on behind them (items.go, repair.go);
// steps, which their first token tells apart (grammar.go); and expressions
// (expr.go). What makes up most of a large text is taken by hand as well
// (direct.go). Then one pass over the tree attaches the comments and checks what
// no grammar says (settle.go, comments.go).
//
// What is wrong with a text is a fault (fault.go), said in words for what was expected
// (expect.go) and with what to do about it (advice.go); habits.go knows how other languages
// write it. An element that is wrong is taken out of its list (takeout.go, skip.go), and put
// back into the tree as a bad one (place.go). Scenarios are parsed in scenario.go and
// scenario_line.go; words.go and token.go have the words and the tokens.
package parse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// maxSize is how many bytes a file may have.
const maxSize = 64 << 20

// parsers keeps parsers for the next file: making one is much more work than
// parsing a small file. Each is used by one goroutine at a time.
var parsers = sync.Pool{New: func() any {
	p := &parser{}
	p.grammar = newGrammar(p)
	return p
}}

// File parses f. The tree holds all that could be understood, however much is
// wrong with the text; the list says what is wrong, in the order of the text,
// each fault once. File may be called from several goroutines at once.
func File(f *token.File) (*ast.File, diag.List) {
	p := parsers.Get().(*parser)
	defer parsers.Put(p)
	return p.file(f)
}

func (p *parser) file(f *token.File) (*ast.File, diag.List) {
	tree := &ast.File{Name: f.Name}
	tree.Pos, tree.EndPos = f.Pos(0), f.Pos(len(f.Src))
	if bad := unreadable(f); bad != nil {
		return tree, diag.List{bad.diagnostic()}
	}
	found, deep := matchBraces(f)
	if deep != nil {
		return tree, diag.List{deep.diagnostic()}
	}
	return tree, p.parse(f, tree, found)
}

// unreadable is what makes f no text at all, nil if nothing does.
func unreadable(f *token.File) *fault {
	src := f.Src[:min(len(f.Src), maxSize)]
	switch nul, mark, kind := bytes.IndexByte(src, 0), conflict(src), foreign(src); {
	case len(f.Src) > maxSize:
		return &fault{
			span: f.Span(0, 0), message: fmt.Sprintf("a file of %d bytes, more than %d MiB", len(f.Src), maxSize>>20),
			help: "Divide it into several files.",
		}
	case nul >= 0:
		return &fault{
			span: f.Span(nul, nul+1), message: "a NUL byte: this is not a text",
			help: aSource,
		}
	case mark >= 0:
		return &fault{
			span: f.Span(mark, mark+len(conflictMark)), message: "a merge conflict is not resolved here",
			help: "Keep one of the two sides, and remove the lines with the marks.",
		}
	case kind != "":
		return &fault{
			span: f.Span(0, 0), message: kind + ": this is not the source of a machine",
			help: aSource + " `fsmc import` reads other formats.",
		}
	case !utf8.Valid(f.Src):
		at := firstInvalid(f.Src)
		return &fault{
			span: f.Span(at, at+1), message: "text that is not valid UTF-8",
			help: "Save the file in the encoding UTF-8.",
		}
	}
	if at := bytes.IndexAny(src, turning); at >= 0 {
		r, n := utf8.DecodeRune(src[at:])
		return &fault{
			span: f.Span(at, at+n), message: fmt.Sprintf("the character %U turns the direction of writing: what follows can read other than it means", r),
			help: fmt.Sprintf("Take it out; in a string write it as \\u%04x.", r),
		}
	}
	if at := loneReturn(src); at >= 0 {
		return &fault{
			span: f.Span(at, at+1), message: "a carriage return without a line feed: what follows can hide what is before it",
			help: `End lines with LF or CRLF; in a string write it as \r.`,
		}
	}
	return nil
}

// loneReturn is where a carriage return is that no line feed follows; -1 for none. Editors end a line there,
// and terminals write over it.
func loneReturn(src []byte) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(src[at:], '\r')
		if i < 0 {
			return -1
		}
		if at += i; !bytes.HasPrefix(src[at+1:], []byte("\n")) {
			return at
		}
	}
}

// turning are the characters of Unicode that embed, override or isolate a direction of writing. With
// them a line shows other code than it has (CVE-2021-42574).
const turning = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

const aSource = "Name a file with the source of a machine."

const conflictMark = "<<<<<<< " // as git writes it

// conflict is where the first mark of a merge conflict begins a line; -1 for none.
func conflict(src []byte) int {
	if bytes.HasPrefix(src, []byte(conflictMark)) {
		return 0
	}
	if at := bytes.Index(src, []byte("\n"+conflictMark)); at >= 0 {
		return at + 1
	}
	return -1
}

// foreign is what src is if it is plainly of another format; empty if it may be a machine.
func foreign(src []byte) string {
	text := bytes.TrimSpace(bytes.TrimPrefix(src, []byte(token.ByteOrderMark)))
	switch {
	case bytes.HasPrefix(text, []byte("<")):
		return "a text that begins with \"<\""
	case (bytes.HasPrefix(text, []byte("{")) || bytes.HasPrefix(text, []byte("["))) && json.Valid(text):
		return "a JSON text"
	}
	return ""
}

func firstInvalid(src []byte) int {
	at := 0
	for at < len(src) {
		r, n := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return at
}

// parser is the state of parsing one file.
type parser struct {
	grammar   *grammar
	list      diag.List
	blamed    map[int]bool // offsets about which something has been reported
	bareCalls map[int]bool // offsets behind calls without parentheses, which the grammar does not take
	behindBad map[int]bool // offsets behind bad expressions: what does not fit there is no fault of its own
	states    int          // how many states are around what is being parsed
	deleted   []*ast.Bad   // what was taken out, and is not yet in the tree

	scanner *scanner
	folds   []fold              // of the file
	inside  *lexer.PeekingLexer // of the fold that is being parsed; nil for none

	grammarOnly bool // nothing is parsed directly, and nothing is folded; for tests
}

// report keeps f, unless something has been said about its place before.
func (p *parser) report(f fault) {
	at := f.span.Start.Offset
	if p.blamed[at] {
		return
	}
	p.blamed[at] = true
	p.list.Add(f.diagnostic())
}

func (p *parser) parse(f *token.File, tree *ast.File, found survey) diag.List {
	p.reset()
	p.blamed, p.behindBad, p.bareCalls = map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, f := range append(found.foreign, found.faults...) {
		p.report(f)
	}
	p.scanner = newScanner(f)
	if !p.grammarOnly {
		p.folds = found.folds
	}
	lex := newLexer(&stream{scanner: p.scanner, end: len(f.Src), repairs: found.repairs, folds: p.folds})
	for !lex.Peek().EOF() {
		tree.Decls = append(tree.Decls, p.decl(lex, tree))
	}
	settle(tree, p, found.comments)
	list := p.list
	p.reset() // so that the pool holds on to nothing of f
	list.Sort()
	return list
}

func (p *parser) reset() { *p = parser{grammar: p.grammar, grammarOnly: p.grammarOnly} }
