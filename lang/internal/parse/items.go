package parse

import (
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/ast"
)

// declWords open what stands in a file outside all braces.
var declWords = []string{"import", "enum", "record", "machine", "scenario"}

// decl parses the next declaration of the file, or reports what stands in its place
// and goes to where one may begin.
func (p *parser) decl(lex *lexer.PeekingLexer, tree *ast.File) ast.Decl {
	t := lex.Peek()
	if t.Type == tokName && !slices.Contains(declWords, t.Value) {
		if word, ok := p.meantDecl(lex); ok {
			p.report(misspelt(t, word))
			t.Value = word
		}
	}
	if t.Type != tokName || !slices.Contains(declWords, t.Value) {
		if !p.goesOn(t, tree) {
			p.report(p.noDecl(t))
		}
		return p.skip(lex, lex.MakeCheckpoint(), 0)
	}
	if t.Value == "scenario" {
		return p.scenario(lex)
	}
	var d ast.Decl
	bad := p.repaired(lex, t.Value, func() (err error) {
		d, err = p.grammar.decls[t.Value](lex)
		return err
	})
	if bad != nil {
		return bad
	}
	p.place(d)
	if _, ok := d.(*ast.Import); ok && !p.atTop(tree) {
		p.report(fault{
			span: span(t), message: "an import below something else",
			help: "Put it at the top of the file.",
		})
	}
	return d
}

// goesOn reports whether t opens what belongs into a machine, right behind something that was
// not understood: the same fault goes on.
func (p *parser) goesOn(t *lexer.Token, tree *ast.File) bool {
	if _, item := items[t.Value]; !item || t.Type != tokName || len(tree.Decls) == 0 {
		return false
	}
	_, bad := tree.Decls[len(tree.Decls)-1].(*ast.Bad)
	return bad
}

// atTop reports whether only imports have been understood so far.
func (p *parser) atTop(tree *ast.File) bool {
	for _, d := range slices.Backward(tree.Decls) {
		if _, bad := d.(*ast.Bad); !bad {
			_, ok := d.(*ast.Import)
			return ok
		}
	}
	return true
}

// meantDecl is the word that the next token, which opens no declaration, was meant to
// be.
func (p *parser) meantDecl(lex *lexer.PeekingLexer) (string, bool) {
	t := lex.Peek()
	word, ok := nearest(t, declWords)
	if _, item := items[t.Value]; item && word != "machine" {
		return "", false
	}
	return word, ok && (word == "machine" || fits(word, second(lex)))
}

func (p *parser) noDecl(t *lexer.Token) fault {
	if what, ok := later[t.Value]; ok && t.Type == tokName {
		return notYet(t, what)
	}
	f := unexpected(t, nil, `"machine", "enum", "record", "scenario" or "import"`, "")
	if _, ok := items[t.Value]; ok && t.Type == tokName {
		f.help = fmt.Sprintf("Put %q between the braces of a machine.", t.Value)
	}
	return f
}

// item parses an item for participle: one of a machine or of a state.
func (p *parser) item(lex *lexer.PeekingLexer) (ast.Item, error) {
	t := lex.Peek()
	if t.EOF() || is(t, "}") {
		return nil, participle.NextMatch
	}
	if t.Type == tokFold {
		return p.folded(lex), nil
	}
	if t.Type == tokName {
		if _, known := items[t.Value]; known {
			return p.known(lex), nil
		}
		if word, ok := p.habitItem(lex); ok {
			p.report(replaced(t, word))
			t.Value = word
			return p.known(lex), nil
		}
		if word, ok := p.meantItem(lex); ok {
			p.report(misspelt(t, word))
			t.Value = word
			return p.known(lex), nil
		}
	}
	p.report(p.noItem(t, second(lex)))
	return p.skip(lex, lex.MakeCheckpoint(), 0), nil
}

// folded parses the next item of the fold that is the next token, and takes that
// token with the last of them: a state without its brace may stand before
// another one.
func (p *parser) folded(lex *lexer.PeekingLexer) ast.Item {
	if p.inside == nil {
		p.inside = p.unfold(lex.Peek())
	}
	inside := p.inside
	it, err := p.item(inside)
	if err != nil {
		p.report(p.noItem(inside.Peek(), second(inside)))
		inside.Next()
		it = p.skip(inside, inside.MakeCheckpoint(), 0)
	}
	if inside.Peek().EOF() {
		p.inside = nil
		lex.Next()
	}
	return it
}

// meantItem is the word that the next token, which opens no item, was meant to
// be.
func (p *parser) meantItem(lex *lexer.PeekingLexer) (string, bool) {
	t := lex.Peek()
	if opensItem(t) {
		return "", false
	}
	word, ok := nearest(t, itemWords)
	behind := second(lex)
	return word, ok && fits(word, behind) && (behind.Pos.Line == t.Pos.Line || !opensItem(behind))
}

// habitItem is like meantItem for a word of another language.
func (p *parser) habitItem(lex *lexer.PeekingLexer) (string, bool) {
	word := habits[lex.Peek().Value]
	_, ok := items[word]
	return word, ok && fits(word, second(lex))
}

// second is the token behind the next one.
func second(lex *lexer.PeekingLexer) *lexer.Token {
	here := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(here)
	lex.Next()
	return lex.Peek()
}

// noItem is the fault that t, which behind follows, opens no item.
func (p *parser) noItem(t, behind *lexer.Token) fault {
	if t.Type == tokName {
		if what, ok := later[t.Value]; ok {
			return notYet(t, what)
		}
		if t.Value == "import" && behind.Type == tokString {
			return fault{
				span: span(t), message: "an import inside a machine",
				help: "Put it at the top of the file.",
			}
		}
		if t.Value == "scenario" && behind.Type == tokString {
			return fault{
				span: span(t), message: "a scenario inside a machine",
				help: "Put it outside the machine: below it, or in a file of its own that imports this one.",
			}
		}
		if t.Value == "machine" {
			help := `Close the machine before it with a "}".`
			if p.states > 0 && behind.Type == tokName {
				help = `Write "do machine ` + behind.Value + `(…)" to run it as a child; else close what stands before it with a "}".`
			}
			return fault{span: span(t), message: "a machine inside another machine", help: help}
		}
	}
	help := opening(t, behind)
	word, ok := nearest(t, itemWords)
	switch {
	case help != "":
	case ok:
		return misspelt(t, word)
	case t.Type == tokName && is(behind, "{"):
		help = `Write "state ` + t.Value + ` {".`
	}
	return misplaced(t, help)
}

// known parses the item that the next token, a word that opens one, opens.
func (p *parser) known(lex *lexer.PeekingLexer) ast.Item {
	t := lex.Peek()
	word := t.Value
	if word == "state" {
		p.states++
		defer func() { p.states-- }()
	}
	var it ast.Item
	bad := p.repaired(lex, word, func() (err error) {
		it, err = p.grammar.items[word](lex)
		return err
	})
	if bad != nil {
		return bad
	}
	p.place(it)
	if a, ok := it.(*ast.Assert); ok && !p.assert(a) {
		return badAt(it)
	}
	if items[word].declaration && p.states > 0 {
		p.report(fault{
			span: span(t), message: fmt.Sprintf("%q inside a state", word),
			help: fmt.Sprintf("Put %q between the braces of the machine, outside its states.", word),
		})
		return badAt(it)
	}
	return it
}

func badAt(n ast.Any) *ast.Bad {
	s := n.Span()
	return &ast.Bad{Node: ast.Node{Pos: s.Start, EndPos: s.End}}
}

// assert completes a, and reports whether its objects are those that its verb
// takes.
func (p *parser) assert(a *ast.Assert) bool {
	switch a.Verb {
	case "leadsto":
		a.Verb = "leads to"
	case "atmost":
		a.Verb = "at most"
	}
	switch {
	case a.Done != nil && a.Verb != "leads to":
		p.wrong(a.Done, fmt.Sprintf("expected \"leads to\" after the activity, found %q", a.Verb), "Name the state in which it runs, or the one behind it.")
	case a.Verb == "at most" && a.N == nil:
		p.wrong(a.Objects[0], `expected a whole number after "at most"`, "")
	case a.Verb != "at most" && a.N != nil:
		p.wrong(a.N, fmt.Sprintf("expected the name of a state after %q", a.Verb), "")
	case a.Verb != "leads to" && len(a.Objects) > 1:
		p.wrong(a.Objects[1], fmt.Sprintf("several states after %q", a.Verb), "Write an assert for each of them.")
	default:
		return true
	}
	return false
}

// wrong reports that something is wrong with n.
func (p *parser) wrong(n ast.Any, message, help string) {
	p.report(fault{span: n.Span(), message: message, help: help})
}
