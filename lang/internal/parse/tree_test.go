package parse

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/token"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestTree holds the tree of a file that uses every construct, with its places
// and comments, to a golden file.
func TestTree(t *testing.T) {
	for _, path := range sources(t, "testdata") {
		f := load(t, path)
		tree, list := File(f)
		if len(list) > 0 {
			t.Errorf("%s: findings: %v", path, list)
		}
		golden(t, strings.TrimSuffix(path, ".fsm")+".golden", dump(tree))
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func typeName(n any) string { return reflect.TypeOf(n).String() }

// dump writes a line for each node below tree: its place, type, and what it
// says by itself, and its comments.
func dump(tree *ast.File) string {
	var b strings.Builder
	var walk func(n ast.Any, depth int)
	walk = func(n ast.Any, depth int) {
		s := n.Span()
		indent := strings.Repeat("  ", depth)
		fmt.Fprintf(&b, "%s%s %d:%d-%d:%d%s\n", indent, strings.TrimPrefix(typeName(n), "*ast."),
			s.Start.Line, s.Start.Column, s.End.Line, s.End.Column, scalars(n))
		if c := n.Base().Comments; c != nil {
			for _, list := range []struct {
				kind     string
				comments []*ast.Comment
			}{{"before", c.Before}, {"suffix", c.Suffix}, {"inside", c.Inside}} {
				for _, c := range list.comments {
					fmt.Fprintf(&b, "%s  %s: %s\n", indent, list.kind, c.Text)
				}
			}
		}
		ast.Children(n, func(child ast.Any) { walk(child, depth+1) })
	}
	walk(tree, 0)
	return b.String()
}

// scalars are the strings, numbers and truths of n that are set.
func scalars(n ast.Any) string {
	if _, file := n.(*ast.File); file {
		return ""
	}
	var out string
	v := reflect.ValueOf(n).Elem()
	for i := range v.NumField() {
		name, f := v.Type().Field(i).Name, v.Field(i)
		switch f.Kind() {
		case reflect.String, reflect.Bool, reflect.Int:
			if !f.IsZero() {
				out += fmt.Sprintf(" %s=%v", name, f.Interface())
			}
		}
	}
	return out
}

// TestPositions holds every name and literal to the text at its place.
func TestPositions(t *testing.T) {
	for _, path := range sources(t, "testdata") {
		f := load(t, path)
		tree, _ := File(f)
		var walk func(n ast.Any)
		walk = func(n ast.Any) {
			s := n.Span()
			text := string(f.Src[s.Start.Offset:s.End.Offset])
			if s.Start != f.Pos(s.Start.Offset) || s.End != f.Pos(s.End.Offset) {
				t.Errorf("%s: the place of a %T disagrees with the lines of the file", s, n)
			}
			switch n := n.(type) {
			case *ast.Name:
				if n.Text != text {
					t.Errorf("%s: name %q stands at %q", s, n.Text, text)
				}
			case *ast.Literal:
				if n.Text != strings.TrimLeft(strings.TrimPrefix(text, "-"), " ") {
					t.Errorf("%s: literal %q stands at %q", s, n.Text, text)
				}
			case *ast.File:
			default:
				if strings.TrimSpace(text) != text {
					t.Errorf("%s: a %T begins or ends in white space: %q", s, n, text)
				}
			}
			ast.Children(n, walk)
		}
		walk(tree)
	}
}

// TestDirect checks that what is parsed by hand is what the grammar says.
func TestDirect(t *testing.T) {
	paths := append(sources(t, "testdata"), sources(t, "testdata", "errors")...)
	for _, path := range paths {
		checkDirect(t, load(t, path))
	}
	checkDirect(t, token.NewFile("wide.fsm", wide(20)))
}

func checkDirect(t *testing.T, f *token.File) {
	t.Helper()
	tree, list := File(f)
	slowTree, slowList := byGrammar(f)
	if diff := cmp.Diff(slowTree, tree); diff != "" {
		t.Errorf("%s: the tree differs from that of the grammar alone (-grammar +direct):\n%s", f.Name, diff)
	}
	if diff := cmp.Diff(slowList, list); diff != "" {
		t.Errorf("%s: the findings differ from those of the grammar alone (-grammar +direct):\n%s", f.Name, diff)
	}
}

// TestLineEnds checks that carriage returns and a byte order mark change
// nothing but places.
func TestLineEnds(t *testing.T) {
	f := load(t, filepath.Join("testdata", "all.fsm"))
	plain, _ := File(f)
	tree, list := File(token.NewFile(f.Name, []byte("\ufeff"+strings.ReplaceAll(string(f.Src), "\n", "\r\n"))))
	if len(list) > 0 {
		t.Fatalf("findings: %v", list)
	}
	ignorePlaces := cmp.Options{cmp.Comparer(func(a, b token.Pos) bool { return a.Line == b.Line })}
	if diff := cmp.Diff(plain, tree, ignorePlaces); diff != "" {
		t.Errorf("-plain +with line ends:\n%s", diff)
	}
}
