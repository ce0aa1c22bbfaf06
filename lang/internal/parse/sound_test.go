package parse

import (
	"fmt"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// byGrammar parses f without the parts that are parsed by hand for speed.
func byGrammar(f *token.File) (*ast.File, diag.List) {
	p := parsers.Get().(*parser)
	p.grammarOnly = true
	defer func() {
		p.grammarOnly = false
		parsers.Put(p)
	}()
	return p.file(f)
}

// unsound says what is wrong with the shape of tree, empty for nothing: each
// node must lie in its parent, behind its elder siblings, and each comment must
// be attached once.
func unsound(tree *ast.File) string {
	attached := map[*ast.Comment]int{}
	problem := ""
	var walk func(n ast.Any)
	walk = func(n ast.Any) {
		s := n.Span()
		if c := n.Base().Comments; c != nil {
			for _, list := range [][]*ast.Comment{c.Before, c.Suffix, c.Inside} {
				for _, c := range list {
					attached[c]++
				}
			}
		}
		end := s.Start.Offset
		ast.Children(n, func(child ast.Any) {
			c := child.Span()
			if c.Start.Offset < end || c.End.Offset > s.End.Offset || c.End.Offset < c.Start.Offset {
				problem = fmt.Sprintf("a %T at %s..%s is not where it should be in the %T at %s..%s", child, c.Start, c.End, n, s.Start, s.End)
			}
			end = c.End.Offset
			walk(child)
		})
	}
	walk(tree)
	for _, c := range tree.Comments {
		if attached[c] != 1 {
			problem = fmt.Sprintf("%s: the comment %s is attached %d times", c.Pos, c.Text, attached[c])
		}
		delete(attached, c)
	}
	if len(attached) > 0 {
		problem = "a comment is attached that is not in the file"
	}
	return problem
}

func FuzzParse(f *testing.F) {
	for _, path := range append(sources(f, "testdata"), sources(f, "testdata", "errors")...) {
		f.Add(load(f, path).Src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		file := token.NewFile("fuzz.fsm", src)
		tree, list := File(file)
		if problem := unsound(tree); problem != "" {
			t.Error(problem)
		}
		for _, d := range list {
			if d.Severity != diag.Error || d.Message == "" || d.Span.End.Offset < d.Span.Start.Offset || d.Span.End.Offset > len(src)+1 {
				t.Errorf("a bad finding: %+v", d)
			}
		}
		if len(list) == 0 {
			checkDirect(t, file)
		}
	})
}
