package parse

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// want is the comment that says which findings a line has: `// want` and a
// regular expression in backquotes for each, matched against message and help.
// `want:-1` speaks of the line before.
var (
	want    = regexp.MustCompile("// want(:-[0-9]+)?((?: +`[^`]*`)+)")
	pattern = regexp.MustCompile("`([^`]*)`")
)

func TestErrors(t *testing.T) {
	for _, path := range sources(t, "testdata", "errors") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			f := load(t, path)
			tree, list := File(f)
			compareFindings(t, f, list)
			if problem := unsound(tree); problem != "" {
				t.Error(problem)
			}
		})
	}
}

func compareFindings(t *testing.T, f *token.File, list diag.List) {
	t.Helper()
	wants := expectations(t, f)
	for _, d := range list {
		line := d.Span.Start.Line
		text := d.Message + " " + d.Help
		i := matching(wants[line], text)
		if i < 0 {
			t.Errorf("%s: unexpected finding: %s", d.Span, text)
			continue
		}
		wants[line] = append(wants[line][:i:i], wants[line][i+1:]...)
	}
	for line, rest := range wants {
		for _, re := range rest {
			t.Errorf("%s:%d: no finding like %s", f.Name, line, re)
		}
	}
}

func expectations(t *testing.T, f *token.File) map[int][]*regexp.Regexp {
	t.Helper()
	wants := map[int][]*regexp.Regexp{}
	for n := 1; n <= f.Lines(); n++ {
		m := want.FindStringSubmatch(f.Line(n))
		if m == nil {
			continue
		}
		line := n
		if m[1] != "" {
			back, err := strconv.Atoi(m[1][1:])
			if err != nil {
				t.Fatal(err)
			}
			line += back
		}
		for _, p := range pattern.FindAllStringSubmatch(m[2], -1) {
			wants[line] = append(wants[line], regexp.MustCompile(p[1]))
		}
	}
	return wants
}

func matching(wants []*regexp.Regexp, text string) int {
	for i, re := range wants {
		if re.MatchString(text) {
			return i
		}
	}
	return -1
}

// TestWhatIsLeft checks that a fault costs no more than the part it is in.
func TestWhatIsLeft(t *testing.T) {
	for _, tc := range []struct{ name, src, want string }{
		{"arm", "state A { on X -> \n on Y -> B\n do f() }", "State(A)[Bad On Do]"},
		{"guard", "state A { on X when a + -> B }", "State(A)[On]"},
		{"field", "context { a int\n b\n c int }", "Context{a c}"},
		{"payload", "event E { a int, b, c int }", "Event{a c}"},
		{"effect", "state A { entry { a = 1\n b 2\n c = 3 } }", "State(A)[Entry{a Bad c}]"},
		{"misspelt", "sate A { on X -> B }", "State(A)[On]"},
		{"nameless", "state { on X -> B }", "State()[On]"},
		{"unclosed", "state A {\n  on X -> B\nstate B { }", "State(A)[On State(B)[]]"},
		{"indented", "  state A {\n    on X -> B\n  state B { }", "State(A)[On] State(B)[]"},
		{"junk", "state A { 1 2 3 on X -> B }", "State(A)[Bad On]"},
		{"mid-line", "state A { on X -> 3 on Y -> B }", "State(A)[Bad On]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := token.NewFile("x.fsm", []byte("machine M {\n"+tc.src+"\n}\n"))
			tree, list := File(f)
			if len(list) != 1 {
				t.Errorf("%d findings, want 1: %v", len(list), list)
			}
			machines := slices.Collect(ast.Of[*ast.Machine](tree.Decls))
			if len(machines) != 1 {
				t.Fatalf("%d machines", len(machines))
			}
			if got := outline(machines[0].Items); got != tc.want {
				t.Errorf("left is %s, want %s", got, tc.want)
			}
		})
	}
}

// outline is the shape of items in few words.
func outline(items []ast.Item) string {
	var parts []string
	for _, it := range items {
		word := strings.TrimPrefix(typeName(it), "*ast.")
		var names []string
		switch it := it.(type) {
		case *ast.State:
			word += "(" + it.Name.Text + ")[" + outline(it.Items) + "]"
		case *ast.Context:
			for _, f := range it.Fields {
				names = append(names, f.Name.Text)
			}
		case *ast.Event:
			for _, f := range it.Fields {
				names = append(names, f.Name.Text)
			}
		case *ast.Entry:
			for _, e := range it.Block.Effects {
				if a, ok := e.(*ast.Assign); ok {
					names = append(names, a.Name.Text)
				} else {
					names = append(names, "Bad")
				}
			}
		}
		if names != nil {
			word += "{" + strings.Join(names, " ") + "}"
		}
		parts = append(parts, word)
	}
	return strings.Join(parts, " ")
}

func sources(t testing.TB, dir ...string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(append(dir, "*.fsm")...))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no sources in %v: %v", dir, err)
	}
	return paths
}

func load(t testing.TB, path string) *token.File {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return token.NewFile(filepath.ToSlash(path), src)
}
