package parse

import (
	"cmp"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// fault is something wrong with the text. Its rule is "syntax" unless said.
type fault struct {
	rule    string
	span    token.Span
	message string
	help    string
	related []diag.Related
}

func (f *fault) diagnostic() diag.Diagnostic {
	return diag.Diagnostic{
		Rule: cmp.Or(f.rule, "syntax"), Severity: diag.Error,
		Span: f.span, Message: f.message, Help: f.help, Related: f.related,
	}
}

// unexpected is the fault that found stands where something else was expected;
// behind is the token before it, nil for none. Where found is on a later line
// the fault is that behind is the last of its line.
func unexpected(found, behind *lexer.Token, what, help string) fault {
	f := fault{span: span(found), message: "expected " + what, help: help}
	if behind != nil {
		f.message += " after " + describe(behind)
		if behind.Pos.Line != found.Pos.Line {
			f.span = span(behind)
		}
	}
	f.message += ", found " + describe(found)
	return f
}

// describe is how messages call t.
func describe(t *lexer.Token) string {
	switch {
	case t.EOF():
		return "the end of the file"
	case t.Type == tokString:
		return "the string " + t.Value
	case t.Type == tokInt || t.Type == tokNumber:
		return "the number " + strconv.Quote(t.Value)
	case t.Type == tokDuration:
		return "the duration " + strconv.Quote(t.Value)
	}
	return strconv.Quote(t.Value)
}

// misplaced is the fault that found stands where it does not belong.
func misplaced(found *lexer.Token, help string) fault {
	return fault{span: span(found), message: "unexpected " + describe(found), help: help}
}

// misspelt is the fault that found is not the word that was meant.
func misspelt(found *lexer.Token, word string) fault {
	return misplaced(found, "Did you mean "+strconv.Quote(word)+"?")
}

// replaced is the fault that meant should stand in place of found.
func replaced(found *lexer.Token, meant string) fault {
	return misplaced(found, `Write "`+meant+`" instead.`)
}

func notYet(found *lexer.Token, what string) fault {
	return fault{
		rule: "not-yet", span: span(found), message: what + " are not supported yet",
		help: "The word " + strconv.Quote(found.Value) + " is reserved for a later version of the language; take this part out.",
	}
}
