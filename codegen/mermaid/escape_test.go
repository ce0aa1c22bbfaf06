package mermaid

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"do fetch(pr)", "do fetch(pr)"},
		{"a:b;c", "a#58;b#59;c"},
		{`"q" #35; %%`, "#34;q#34; #35;35#59; #37;#37;"},
		{"<b>&amp;", "#60;b#62;#38;amp#59;"},
		{"1. x", "1#46; x"},
		{"1s..30s", "1s..30s"},
		{"- x * y_z `c`", "#45; x #42; y#95;z #96;c#96;"},
		{"--> {", "#45;#45;#62; #123;"},
		{"日本 👩‍👧", "日本 👩‍👧"},
		{"a\nb\x00", "a b\uFFFD"},
	} {
		if got := escape(tt.in); got != tt.want {
			t.Errorf("escape(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestIDsAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, path := range []string{"A", "A_B", "A.B", "A._B", "A_.B", "A__B", "A_0B", "A.0B", "(any)", "A.(any)", "A_1any", "A.(start)", "end", "state"} {
		name := id(&drawing.Node{ID: path})
		if other, ok := seen[name]; ok {
			t.Errorf("%q and %q are both %s", path, other, name)
		}
		if !regexp.MustCompile(`^s_\w+$`).MatchString(name) {
			t.Errorf("%q is %s", path, name)
		}
		seen[name] = path
	}
}

var entity = regexp.MustCompile(`#(\d+);`)

// FuzzEscape checks that the text reads back as it was, and that nothing that
// means something to Mermaid is left of it.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "a:b", "#35;", "%%{x}%%", "a\nb", "\xff", "1. x", "👩‍👧"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := escape(text)
		if rest := entity.ReplaceAllString(e, ""); strings.ContainsAny(rest, "#:;\"<>&{}[]%\n\\`*_-+~^|") {
			t.Errorf("escape(%q) = %s", text, e)
		}
		read := html.UnescapeString(entity.ReplaceAllString(e, "&#$1;"))
		if want := strings.ReplaceAll(drawing.Clean(text), "\n", " "); read != want {
			t.Errorf("escape(%q) reads as %q, want %q", text, read, want)
		}
	})
}
