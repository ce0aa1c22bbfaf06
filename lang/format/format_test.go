package format_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/format"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden formats testdata/*.fsm, whose canonical forms are the .golden
// files beside them.
func TestGolden(t *testing.T) {
	for _, path := range inputs(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			src := read(t, path)
			got := formatted(t, path, src)
			checkMeaning(t, parse(t, path, src), parse(t, path, got))
			checkDocs(t, parse(t, path, src), parse(t, path, got))
			if again := formatted(t, path, got); !bytes.Equal(again, got) {
				t.Errorf("formatting twice changes more:\n%s", format.Diff(path, got, again))
			}
			golden := strings.TrimSuffix(path, ".fsm") + ".golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := format.Diff(golden, read(t, golden), got); diff != nil {
				t.Errorf("%s", diff)
			}
		})
	}
}

// TestCanonicalIsUnchanged holds the form to the example of the language's
// documentation.
func TestCanonicalIsUnchanged(t *testing.T) {
	path := filepath.Join("testdata", "codereview.fsm")
	src := read(t, path)
	if diff := format.Diff(path, src, formatted(t, path, src)); diff != nil {
		t.Errorf("%s", diff)
	}
}

func TestOutputShape(t *testing.T) {
	for _, path := range inputs(t) {
		out := string(formatted(t, path, read(t, path)))
		if strings.Contains(out, "\r") || strings.HasPrefix(out, "\ufeff") {
			t.Errorf("%s: carriage returns or a byte order mark are left", path)
		}
		if !strings.HasSuffix(out, "\n") || strings.HasSuffix(out, "\n\n") {
			t.Errorf("%s: the output does not end in one newline", path)
		}
		if strings.Contains(out, "\n\n\n") {
			t.Errorf("%s: two blank lines follow each other", path)
		}
		lines := strings.Split(out, "\n")
		for i, l := range lines {
			if strings.TrimRight(l, " \t") != l {
				t.Errorf("%s:%d: blanks at the end of the line", path, i+1)
			}
			if i > 0 && (strings.HasSuffix(lines[i-1], "[") || strings.HasSuffix(lines[i-1], ",")) {
				continue // an item of a list
			}
			if trimmed := strings.TrimLeft(l, " "); strings.HasPrefix(trimmed, "(") ||
				strings.HasPrefix(trimmed, "-") && !strings.HasPrefix(trimmed, "->") {
				t.Errorf("%s:%d: a line begins with %q", path, i+1, trimmed[:1])
			}
		}
	}
}

func TestNothing(t *testing.T) {
	if got := formatted(t, "empty.fsm", nil); len(got) != 0 {
		t.Errorf("an empty file becomes %q", got)
	}
	if got := string(formatted(t, "comment.fsm", []byte("\n\n// alone"))); got != "// alone\n" {
		t.Errorf("a lone comment becomes %q", got)
	}
}

func TestErrorsLeaveTheTextAlone(t *testing.T) {
	got, list := lang.Format("bad.fsm", []byte("machine M { state }"))
	if got != nil || !list.HasErrors() {
		t.Errorf("a broken text becomes %q with findings %v", got, list)
	}
}

// TestParentheses checks that a tree which no text gave keeps its meaning.
func TestParentheses(t *testing.T) {
	x, y, z := &ast.Ident{Name: "x"}, &ast.Ident{Name: "y"}, &ast.Ident{Name: "z"}
	binary := func(op string, x, y ast.Expr) ast.Expr { return &ast.Binary{Op: op, X: x, Y: y} }
	for _, tc := range []struct {
		expr ast.Expr
		want string
	}{
		{binary("*", binary("+", x, y), z), "(x + y) * z"},
		{binary("+", x, binary("*", y, z)), "x + y * z"},
		{binary("-", x, binary("-", y, z)), "x - (y - z)"},
		{binary("-", binary("-", x, y), z), "x - y - z"},
		{binary("&&", binary("||", x, y), z), "(x || y) && z"},
		{binary("==", binary("<", x, y), z), "(x < y) == z"},
		{&ast.Unary{Op: "!", X: binary("&&", x, y)}, "!(x && y)"},
		{&ast.Unary{Op: "!", X: binary("==", x, y)}, "!x == y"},
		{&ast.Unary{Op: "-", X: binary("*", x, y)}, "-(x * y)"},
		{binary("==", &ast.Unary{Op: "!", X: x}, y), "(!x) == y"},
	} {
		f := &ast.File{Decls: []ast.Decl{&ast.Machine{Name: &ast.Name{Text: "M"}, Items: []ast.Item{
			&ast.Require{Cond: tc.expr, Target: &ast.Path{Names: []*ast.Name{{Text: "T"}}}},
		}}}}
		want := "machine M {\n    require " + tc.want + " else -> T\n}\n"
		if got := string(format.File(f)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestDiff(t *testing.T) {
	if d := format.Diff("a.fsm", []byte("a\n"), []byte("a\n")); d != nil {
		t.Errorf("equal texts differ: %s", d)
	}
	want := "diff a.fsm.orig a.fsm\n--- a.fsm.orig\n+++ a.fsm\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
	if d := string(format.Diff("a.fsm", []byte("a\nb\n"), []byte("a\nc\n"))); d != want {
		t.Errorf("got %q, want %q", d, want)
	}
}

// FuzzFormat checks that formatting whatever parses gives a text that parses to
// the same tree with the same comments, and that formatting that again changes
// nothing.
func FuzzFormat(f *testing.F) {
	for _, path := range inputs(f) {
		f.Add(read(f, path))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		before, _, list := lang.Parse("fuzz.fsm", src)
		if len(list) > 0 {
			return
		}
		got := format.File(before)
		after := parse(t, "fuzz.fsm", got)
		checkMeaning(t, before, after)
		if again := format.File(after); !bytes.Equal(again, got) {
			t.Errorf("formatting twice changes more:\n%s", format.Diff("fuzz.fsm", got, again))
		}
	})
}

// checkMeaning compares what two texts of one machine say, wherever it stands
// and however it is put in parentheses, and their comments.
func checkMeaning(t *testing.T, before, after *ast.File) {
	t.Helper()
	unparen := cmp.FilterValues(
		func(a, b ast.Expr) bool { return isParen(a) || isParen(b) },
		cmp.Transformer("unparen", func(e ast.Expr) ast.Expr {
			for isParen(e) {
				e = e.(*ast.Paren).X
			}
			return e
		}))
	opts := cmp.Options{unparen, cmpopts.IgnoreTypes(ast.Node{}), cmpopts.IgnoreFields(ast.File{}, "Comments"), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(before, after, opts); diff != "" {
		t.Errorf("formatting changes the meaning (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(comments(before), comments(after)); diff != "" {
		t.Errorf("formatting changes the comments (-before +after):\n%s", diff)
	}
}

func isParen(e ast.Expr) bool {
	_, ok := e.(*ast.Paren)
	return ok
}

func comments(f *ast.File) []string {
	var texts []string
	for _, c := range f.Comments {
		texts = append(texts, strings.TrimRight(c.Text, " \t\r"))
	}
	return texts
}

// checkDocs compares the comments that document machines and their items.
func checkDocs(t *testing.T, before, after *ast.File) {
	t.Helper()
	if diff := cmp.Diff(docs(before), docs(after)); diff != "" {
		t.Errorf("formatting changes what documents what (-before +after):\n%s", diff)
	}
}

func docs(f *ast.File) []string {
	var texts []string
	var items func([]ast.Item)
	items = func(list []ast.Item) {
		for _, it := range list {
			texts = append(texts, it.Base().Doc())
			if s, ok := it.(*ast.State); ok {
				items(s.Items)
			}
		}
	}
	for m := range ast.Of[*ast.Machine](f.Decls) {
		texts = append(texts, m.Doc())
		items(m.Items)
	}
	return texts
}

func formatted(t testing.TB, name string, src []byte) []byte {
	t.Helper()
	got, list := lang.Format(name, src)
	if len(list) > 0 {
		t.Fatalf("%s has findings: %v\n%s", name, list, src)
	}
	return got
}

func parse(t testing.TB, name string, src []byte) *ast.File {
	t.Helper()
	file, _, list := lang.Parse(name, src)
	if len(list) > 0 {
		t.Fatalf("%s has findings: %v\n%s", name, list, src)
	}
	return file
}

func inputs(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.fsm"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	return paths
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}
