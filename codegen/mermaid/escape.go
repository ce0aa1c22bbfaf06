package mermaid

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

// id makes a name that Mermaid takes for a state. Its lexer knows keywords
// wherever a name may stand (state, note, class, default, as), so that each
// gets a prefix; and a class is given to letters, digits and underscores alone,
// so that dots and brackets become an underscore and a digit. An underscore is
// doubled, which keeps different paths different.
func id(n *drawing.Node) string {
	return "s_" + idLetters.Replace(n.ID)
}

var idLetters = strings.NewReplacer("_", "__", ".", "_0", "(", "_1", ")", "")

// escape writes text so that Mermaid shows it as it is. Its own form of
// entities, #59;, is used for everything but what is known to be harmless in
// all that a label passes through: the lexer, which ends labels at a colon, a
// semicolon or a newline; the removal of %% comments and directives; Markdown,
// where "1. x" and "- x" are lists; and HTML.
func escape(text string) string {
	var b strings.Builder
	runes := []rune(strings.ReplaceAll(drawing.Clean(text), "\n", " "))
	for i, r := range runes {
		switch {
		case r == '.' && (i+1 == len(runes) || runes[i+1] == ' '):
			b.WriteString("#46;")
		case harmless(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

func harmless(r rune) bool {
	return r > unicode.MaxASCII || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,/()=", r)
}
