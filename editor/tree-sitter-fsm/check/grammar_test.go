// Package check holds the tree-sitter grammar against the language's own parser. It is a
// module of its own for the sake of the generator of parsers in Go.
package check

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/odvcencio/gotreesitter"
	"github.com/odvcencio/gotreesitter/grammargen"

	"github.com/fsmc-dev/fsmc/editor/internal/machines"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/langtest"
)

// must ends a test that cannot go on with an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// language is what src/grammar.json says.
func language(t *testing.T) *gotreesitter.Language {
	t.Helper()
	text, err := os.ReadFile("../src/grammar.json")
	must(t, err)
	grammar, err := grammargen.ImportGrammarJSON(text)
	must(t, err)
	made, err := grammargen.GenerateLanguage(grammar)
	must(t, err)
	return made
}

// TestFresh: src/grammar.json is what grammar.js says.
func TestFresh(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("THE GRAMMAR OF TREE-SITTER WAS NOT TESTED: there is no node")
	}
	made, err := exec.CommandContext(t.Context(), "node", "../generate.js", "-").Output()
	must(t, err)
	kept, err := os.ReadFile("../src/grammar.json")
	must(t, err)
	if string(made) != string(kept) {
		t.Error("run node generate.js in editor/tree-sitter-fsm")
	}
}

var (
	bar    = regexp.MustCompile(`(?m)^={80}\n`)
	fields = regexp.MustCompile(`[a-z]+: `)
)

// TestCorpus: texts have the trees that stand behind them.
func TestCorpus(t *testing.T) {
	lang := language(t)
	text, err := os.ReadFile("../test/corpus/machines.txt")
	must(t, err)
	parts := bar.Split(string(text), -1)[1:]
	for ; len(parts) >= 2; parts = parts[2:] {
		name := strings.TrimSpace(parts[0])
		source, want, _ := strings.Cut(parts[1], "\n"+strings.Repeat("-", 80)+"\n")
		tree, err := gotreesitter.NewParser(lang).Parse([]byte(source))
		must(t, err)
		want = strings.ReplaceAll(strings.Join(strings.Fields(fields.ReplaceAllString(want, "")), " "), " )", ")")
		if got := tree.RootNode().SExpr(lang); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	if len(parts) > 0 {
		t.Errorf("behind the last example stands %q", parts)
	}
}

// TestQueries: the queries of editors fit the grammar, and colour every word and name.
func TestQueries(t *testing.T) {
	lang := language(t)
	text, err := os.ReadFile("../../../examples/orderfulfillment/orderfulfillment.fsm")
	must(t, err)
	tree, err := gotreesitter.NewParser(lang).Parse(text)
	must(t, err)
	for _, name := range []string{"highlights", "folds", "indents", "locals"} {
		source, err := os.ReadFile("../queries/" + name + ".scm")
		must(t, err)
		query, err := gotreesitter.NewQuery(string(source), lang)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		coloured := map[uint32]bool{}
		matches := query.Execute(tree)
		for _, match := range matches {
			for _, capture := range match.Captures {
				coloured[capture.Node.StartByte()] = true
			}
		}
		if len(matches) < 15 {
			t.Errorf("%s has %d matches", name, len(matches))
		}
		if name != "highlights" {
			continue
		}
		leaves(tree.RootNode(), func(n *gotreesitter.Node) {
			if !coloured[n.StartByte()] {
				t.Errorf("%q has no colour", n.Text(text))
			}
		})
	}
}

func leaves(n *gotreesitter.Node, visit func(*gotreesitter.Node)) {
	if n.ChildCount() == 0 {
		visit(n)
	}
	for _, child := range n.Children() {
		leaves(child, visit)
	}
}

// TestMachines parses all machines of the repository: where the language's own parser finds
// nothing wrong, neither does this one, and what is a name is a name.
func TestMachines(t *testing.T) {
	lang := language(t)
	parser := gotreesitter.NewParser(lang)
	sound, names := 0, 0
	for _, m := range machines.Sound(langtest.Repository(t, "../../..", ".txtar")) {
		sound++
		tree, err := parser.Parse([]byte(m.Text))
		must(t, err)
		if tree.RootNode().HasError() {
			at := fault(tree.RootNode())
			t.Errorf("%s: it does not parse: %.60q", m.File.Pos(int(at.StartByte())), m.Text[at.StartByte():])
			continue
		}
		found := map[int]bool{}
		identifiers(tree.RootNode(), lang, func(n *gotreesitter.Node) { found[int(n.StartByte())] = true })
		noted := m.Names()
		for at := range found {
			if noted[at] == ir.NoName {
				t.Errorf("%s: %.20q is taken for a name", m.File.Pos(at), m.Text[at:])
			}
		}
		for at, kind := range noted {
			// An event called over_budget is one by where it is declared, which no grammar sees.
			if !found[at] && kind != ir.BuiltInName && kind != ir.KeyName && !strings.HasPrefix(m.Text[at:], "over_budget") {
				t.Errorf("%s: %.20q is a %s", m.File.Pos(at), m.Text[at:], kind)
			}
		}
		names += len(found)
	}
	t.Logf("%d machines, %d names", sound, names)
	if sound < 150 || names < 10_000 {
		t.Errorf("%d machines, %d names: the test sees too little", sound, names)
	}
}

// fault is the first part of a tree that does not fit.
func fault(n *gotreesitter.Node) *gotreesitter.Node {
	for _, child := range n.Children() {
		if child.HasError() || child.IsError() || child.IsMissing() {
			return fault(child)
		}
	}
	return n
}

func identifiers(n *gotreesitter.Node, lang *gotreesitter.Language, visit func(*gotreesitter.Node)) {
	if n.Type(lang) == "identifier" {
		visit(n)
	}
	for _, child := range n.Children() {
		identifiers(child, lang, visit)
	}
}
