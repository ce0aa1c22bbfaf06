package dot

import (
	"html"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
)

func TestQuote(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "Idle", `"Idle"`},
		{"empty", "", `""`},
		{"quote", `a"b`, `"a\"b"`},
		{"trailing backslash", `a\`, "\"a\\\\\u2060\""},
		{"graphviz escape", `\N\l`, "\"\\\\\u2060N\\\\\u2060l\""},
		{"backslash before quote", `\"`, "\"\\\\\u2060\\\"\""},
		{"newline", "a\nb", `"a\nb"`},
		{"entity", "&lt; <b>", `"&amp;lt; <b>"`},
		{"emoji joiner", "👩‍👧", `"👩‍👧"`},
		{"control characters", "a\x00\x1b\u0085b", "\"a\uFFFD\uFFFD\uFFFDb\""},
		{"not utf-8", "a\xffb", "\"a\uFFFDb\""},
		{"direction override", "a\u202Eb", "\"a\uFFFDb\""},
		{"tab", "a\tb", `"a b"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := quote(tt.in); got != tt.want {
				t.Errorf("quote(%q) = %s, want %s", tt.in, got, tt.want)
			}
		})
	}
}

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"do fetch(pr)", "do fetch(pr)"},
		{`<b> & "x" \N`, `&lt;b&gt; &amp; &quot;x&quot; &#92;&#8288;N`},
		{"&amp;", "&amp;amp;"},
		{"]]> -->", "]]&gt; --&gt;"},
		{"a\x01b", "a\uFFFDb"},
	} {
		if got := escape(tt.in); got != tt.want {
			t.Errorf("escape(%q) = %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestRenameKeepsQuotedText(t *testing.T) {
	names := map[string]string{"n1": `"A"`, "cluster_s2": `"cluster B"`}
	in := `subgraph cluster_s2 {n1[label="n1 \" n1",x=<n1 <B>n1</B>>]; n1->n12; n1:n}`
	want := `subgraph "cluster B" {"A"[label="n1 \" n1",x=<n1 <B>n1</B>>]; "A"->n12; "A":n}`
	if got := rename(in, names); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// FuzzQuote checks that a reader of DOT gets back what was quoted, and that
// nothing of the text stands outside the quotes.
func FuzzQuote(f *testing.F) {
	for _, s := range []string{"", `\`, `"`, `\"`, "a\nb", "&lt;", "<>", "\xff", "👩‍👧\u202e", `\\N"];x`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := quote(text)
		if skip(q) != len(q) || strings.ContainsAny(q, "\n\x00") {
			t.Fatalf("quote(%q) = %s ends early", text, q)
		}
		inner := strings.NewReplacer(`\"`, `"`, `\\`+wordJoiner, `\`, `\n`, "\n", "&amp;", "&").Replace(q[1 : len(q)-1])
		if want := drawing.Clean(text); inner != want {
			t.Errorf("quote(%q) reads as %q, want %q", text, inner, want)
		}
		e := escape(text)
		if strings.ContainsAny(e, `<>"\`) || html.UnescapeString(strings.ReplaceAll(e, "&#92;&#8288;", "&#92;")) != drawing.Clean(text) {
			t.Errorf("escape(%q) = %s", text, e)
		}
	})
}

// FuzzPrint checks that text from a machine changes nothing outside quotes and
// labels, wherever in a drawing it stands.
func FuzzPrint(f *testing.F) {
	for _, s := range []string{"x", `"];evil[`, "<B>", "</TD></TABLE>>];", `\`, "a\nb c", "&#10;", "n1 -> n2"} {
		f.Add(s)
	}
	want := skeleton(string(Print(sample("plain"))))
	f.Fuzz(func(t *testing.T, text string) {
		if got := skeleton(string(Print(sample(text)))); got != want {
			t.Errorf("text %q changes the graph:\n%s", text, got)
		}
	})
}

// skeleton is a DOT text without its quoted strings and labels.
func skeleton(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		if n := skip(text[i:]); n > 0 {
			i += n
			continue
		}
		b.WriteByte(text[i])
		i++
	}
	return b.String()
}

// sample is a drawing of every sort of part, with text in each.
func sample(text string) *drawing.Drawing {
	rows := []drawing.Row{{Text: text, Detail: text}}
	root := &drawing.Node{Kind: drawing.Composite, Title: text}
	add := func(parent *drawing.Node, id string, kind drawing.NodeKind) *drawing.Node {
		n := &drawing.Node{ID: id, Kind: kind, Title: text, Rows: rows, Doc: "doc " + text, Parent: parent}
		parent.Children = append(parent.Children, n)
		return n
	}
	start := add(root, "(start)", drawing.Start)
	frame := add(root, "F", drawing.Composite)
	inner := add(frame, "F.A", drawing.State)
	any := add(root, "(any)", drawing.Any)
	choice := add(root, "C", drawing.Choice)
	end := add(root, "End", drawing.Terminal)
	label := drawing.Label{Kind: drawing.Normal, Trigger: text, Else: text, Guard: text, Bound: text, Effects: []string{text}}
	edge := func(from, to *drawing.Node) *drawing.Edge {
		return &drawing.Edge{From: from, To: to, Kind: drawing.Normal, Labels: []drawing.Label{label}, Doc: "doc " + text}
	}
	return &drawing.Drawing{Title: text, Name: "g", Doc: "doc " + text, Root: root, Edges: []*drawing.Edge{
		{From: start, To: frame, Kind: drawing.Initial}, edge(inner, inner), edge(any, end), edge(frame, choice), edge(choice, end),
	}}
}
