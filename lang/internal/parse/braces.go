package parse

import (
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// maxNesting is how deep braces, parentheses, list types and expressions may
// be nested in each other.
const maxNesting = 200

// repairs says how a stream of tokens is changed so that its braces match.
type repairs struct {
	drop   map[int]bool     // offsets of braces that are left out
	insert map[int][]string // braces put in behind the token that ends at that offset
	faults []fault
}

// survey is what the first pass over a text finds: enough to parse it piece by
// piece.
type survey struct {
	repairs
	comments []comment // all of the text, in order
	foreign  []fault   // what is no token
	folds    []fold    // of a text whose braces match
}

func (m *repairs) size() int { return len(m.faults) }

// matchBraces surveys f: it finds the braces that have no partner, and how to
// repair them.
//
// Counting tells only at the end of the file that a brace is missing, and
// blames the outermost one. So where the count is wrong the indentation is
// asked, as rustc does (rustc_parse, lexer/diagnostics.rs): a line that stands
// no further right than the line of an open brace should have come behind that
// brace's partner. Its answer is taken if it explains the count exactly;
// otherwise braces left open are closed at the end of the file, and braces too
// many are dropped. Time is linear in the text.
//
// The second result is the place where nesting is too deep, if it is.
func matchBraces(f *token.File) (survey, *fault) {
	counted := &matcher{}
	if deep := counted.run(f); deep != nil {
		return survey{}, deep
	}
	if counted.size() == 0 {
		return counted.survey, nil
	}
	counted.folds = nil
	indented := &matcher{byIndent: true}
	indented.run(f)
	if indented.size() <= counted.size() {
		counted.repairs = indented.repairs
	}
	return counted.survey, nil
}

// brace is an open brace.
type brace struct {
	token  lexer.Token
	indent int // column of the first token of its line
}

// closed is a brace that was closed behind other tokens of a line.
type closed struct {
	brace
	by lexer.Token
}

type matcher struct {
	survey
	byIndent bool
	open     []brace
	closed   []closed // on this line, though they were opened on another one
	inner    int      // parentheses and brackets open since the last brace
	list     int      // brackets of a list type in a row
	indent   int
	end      int            // where the last token ends
	last     [2]lexer.Token // the last two tokens, the last one first
	scenario bool           // what is open, or was opened last, is a scenario
	word     bool           // last[1] is the first of its line
	machine  *lexer.Token   // the word of a machine whose brace has not come yet
}

// run goes through the tokens of f.
func (m *matcher) run(f *token.File) *fault {
	m.drop, m.insert = map[int]bool{}, map[int][]string{}
	s := newScanner(f)
	for {
		t, _ := s.Next()
		if elided(t.Type) {
			m.comment(&t)
			continue
		}
		m.foldAt(&t)
		first := t.Pos.Line != m.last[0].Pos.Line
		if first {
			m.indent = t.Pos.Column
		}
		if m.byIndent {
			m.missingOpen(&t, first)
			if first && !t.EOF() {
				m.reopen(&t)
				m.dedent(&t)
			}
		}
		if t.EOF() {
			break
		}
		m.step(&t, first)
		if m.depth() > maxNesting {
			return tooDeep(&t)
		}
		m.word = m.last[0].Pos.Line != m.last[1].Pos.Line
		m.last[0], m.last[1] = t, m.last[0]
		m.end = s.offset
		m.foldTo(s.pos())
	}
	m.foreign = s.faults
	for len(m.open) > 0 {
		m.close(nil)
	}
	return nil
}

func (m *matcher) depth() int { return len(m.open) + m.inner + m.list }

func tooDeep(t *lexer.Token) *fault {
	return &fault{
		span: span(t), message: fmt.Sprintf("nesting deeper than %d levels", maxNesting),
		help: "Take inner parts out of the outer ones.",
	}
}

func (m *matcher) step(t *lexer.Token, first bool) {
	if t.Type != tokPunct {
		m.list = 0
		return
	}
	switch t.Value {
	case "{":
		m.open = append(m.open, brace{*t, m.indent})
		m.inner, m.list = 0, 0
	case "}":
		m.inner, m.list = 0, 0
		if len(m.open) == 0 || m.byIndent && first && t.Pos.Column > m.open[len(m.open)-1].indent {
			m.extra(t)
			return
		}
		last := m.open[len(m.open)-1]
		if m.open = m.open[:len(m.open)-1]; !first && last.token.Pos.Line != t.Pos.Line {
			m.closed = append(m.closed, closed{last, *t})
		}
	case "(":
		m.inner++
	case ")":
		m.inner = max(0, m.inner-1)
	case "[":
		m.list++
	}
}

// reopen drops the braces at the end of a line that closed what t, the first token of the next one,
// stands in.
func (m *matcher) reopen(t *lexer.Token) {
	for _, c := range slices.Backward(m.closed) {
		if c.indent > t.Pos.Column || c.indent == t.Pos.Column && t.Value != "}" {
			break
		}
		m.open = append(m.open, c.brace)
		m.extra(&c.by)
	}
	m.closed = nil
}

// dedent closes the braces that should have been closed before t, the first
// token of its line.
func (m *matcher) dedent(t *lexer.Token) {
	closes := t.Type == tokPunct && t.Value == "}"
	for len(m.open) > 0 {
		indent := m.open[len(m.open)-1].indent
		if indent < t.Pos.Column || closes && indent == t.Pos.Column {
			return
		}
		if t.Type == tokName && t.Value == "else" || t.Type == tokPunct && !closes {
			return // a line that goes on with the one before
		}
		m.close(t)
	}
}

// close closes the innermost open brace before t, nil for the end of the file.
func (m *matcher) close(t *lexer.Token) {
	b := m.open[len(m.open)-1]
	m.open = m.open[:len(m.open)-1]
	m.insert[m.end] = append(m.insert[m.end], "}")
	f := fault{
		span: span(&b.token), message: `"{" is never closed`,
		help: `Add the "}" that belongs to it.`,
	}
	if t != nil {
		f.related = []diag.Related{{Span: span(t), Message: "it seems to be missing before this"}}
	}
	m.faults = append(m.faults, f)
}

func (m *matcher) extra(t *lexer.Token) {
	m.drop[t.Pos.Offset] = true
	m.faults = append(m.faults, fault{
		span: span(t), message: `"}" closes nothing`,
		help: `Take it out, or add the "{" that belongs to it.`,
	})
}

// missingOpen puts a brace before t where a line is `state Name`, or begins with
// `machine`, without one.
func (m *matcher) missingOpen(t *lexer.Token, first bool) {
	name, word := &m.last[0], &m.last[1]
	switch {
	case first && m.machine != nil && m.inner == 0 && t.Value != "{":
		m.opened(t, name, m.machine)
	case !m.scenario && m.word && word.Value == "state" && name.Type == tokName && name.Pos.Line == word.Pos.Line &&
		t.Value != "{" && t.Pos.Line != name.Pos.Line:
		m.opened(t, name, word)
	}
	switch {
	case first && len(m.open) == 0 && t.Type == tokName && t.Value == "machine":
		word := *t
		m.machine = &word
	case t.Value == "{":
		m.machine = nil
	}
}

// opened puts a brace behind last, for which t came: that of what word begins.
func (m *matcher) opened(t, last, word *lexer.Token) {
	m.machine = nil
	m.open = append(m.open, brace{*last, word.Pos.Column})
	m.inner = 0
	m.insert[m.end] = append(m.insert[m.end], "{")
	m.faults = append(m.faults, unexpected(t, last, `"{"`, ""))
}
