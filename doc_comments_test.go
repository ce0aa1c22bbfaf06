package fsmc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocComments holds that comments of exported functions, methods and types begin with their
// names, also after these were renamed.
func TestDocComments(t *testing.T) {
	files := token.NewFileSet()
	check := func(name *ast.Ident, doc *ast.CommentGroup) {
		if words := strings.Fields(doc.Text()); name.IsExported() && len(words) > 0 && strings.TrimRight(words[0], ",:") != name.Name {
			t.Errorf("%s: the comment of %s begins with %q", files.Position(name.Pos()), name.Name, words[0])
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "testdata" {
			return fs.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				check(n.Name, n.Doc)
				return false
			case *ast.GenDecl:
				if !n.Lparen.IsValid() && n.Tok == token.TYPE {
					n.Specs[0].(*ast.TypeSpec).Doc = n.Doc
				}
			case *ast.TypeSpec:
				check(n.Name, n.Doc)
			}
			return true
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
