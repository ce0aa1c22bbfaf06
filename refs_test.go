package fsmc_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/langtest"
	"github.com/fsmc-dev/fsmc/lang/token"
)

var (
	written  = regexp.MustCompile(`//[^\n]*|"(?:\\.|[^"\\\n])*"|[0-9][0-9A-Za-z_.]*[0-9A-Za-z_]|[A-Za-z_][A-Za-z0-9_]*`)
	ebnfWord = regexp.MustCompile(`"([a-z_]+)"`)
)

// TestEveryNameIsNoted looks at every identifier of every machine of the repository:
// what resolve notes of names leaves none out, and each has the text of its declaration.
func TestEveryNameIsNoted(t *testing.T) {
	grammar, err := os.ReadFile("docs/grammar.ebnf")
	must(t, err)
	words := map[string]bool{}
	for _, m := range ebnfWord.FindAllSubmatch(grammar, -1) {
		words[string(m[1])] = true
	}
	sources := langtest.Repository(t, ".", ".txtar")
	among := lang.Among(sources)
	names, files := 0, 0
	for _, src := range sources {
		unit := lang.LoadFrom([]lang.Source{src}, among)
		if len(unit.Diags) > 0 {
			continue
		}
		noted := map[token.Pos]bool{}
		for r := range unit.Program.Refs.All() {
			noted[r.At] = true
			if r.Decl.IsValid() && textAt(unit, r.At, r.Len) != textAt(unit, r.Decl, r.Len) {
				t.Errorf("%s: %q is said to mean %q at %s", r.At, textAt(unit, r.At, r.Len), textAt(unit, r.Decl, r.Len), r.Decl)
			}
		}
		file := unit.File(src.Name)
		for _, at := range written.FindAllIndex(src.Src, -1) {
			text := string(src.Src[at[0]:at[1]])
			if c := text[0]; c == '/' || c == '"' || c >= '0' && c <= '9' || words[text] {
				continue
			}
			names++
			if !noted[file.Pos(at[0])] {
				t.Errorf("%s: nothing is noted of %q", file.Pos(at[0]), text)
			}
		}
		files++
		everyName(unit.Files[0], func(n ast.Any, text string) {
			if !noted[n.Span().Start] && text != "done" { // behind an arrow in a scenario it is no event
				t.Errorf("%s: nothing is noted of the name %q", n.Span(), text)
			}
		})
		if t.Failed() {
			return
		}
	}
	if files < 200 || names < 10_000 {
		t.Errorf("there are %d names in %d files: the test sees too little", names, files)
	}
}

func textAt(u *lang.Unit, at token.Pos, n int) string {
	return string(u.File(at.Filename).Src[at.Offset : at.Offset+n])
}

// everyName calls visit for the names below n, which may be words of the language elsewhere.
func everyName(n ast.Any, visit func(ast.Any, string)) {
	switch n := n.(type) {
	case *ast.Name:
		visit(n, n.Text)
	case *ast.Ident:
		visit(n, n.Name)
	case *ast.Type:
		if n.Name != "" {
			visit(n, n.Name)
		}
	}
	ast.Children(n, func(child ast.Any) { everyName(child, visit) })
}
