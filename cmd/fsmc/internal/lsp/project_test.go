package lsp

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fsmc-dev/fsmc/check/all"
	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
)

// TestRenameEverywhere renames each name of a project of several folders, from each of its
// places: what comes out has no more to be said against it than before, as a whole.
func TestRenameEverywhere(t *testing.T) {
	a, err := txtar.ParseFile("testdata/project.txtar")
	if err != nil {
		t.Fatal(err)
	}
	c := begin(t, Options{})
	c.s.Load = loadBelow(c.dir)
	files := map[string]string{}
	for _, f := range a.Files {
		if filepath.Ext(f.Name) != ".fsm" {
			continue
		}
		files[c.path(f.Name)] = string(f.Data)
		if err := os.MkdirAll(filepath.Dir(c.path(f.Name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(c.path(f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	whole := func(texts map[string]string) *lang.Unit {
		var sources []lang.Source
		for _, path := range slices.Sorted(maps.Keys(texts)) {
			sources = append(sources, lang.Source{Name: path, Src: []byte(texts[path])})
		}
		return lang.Load(sources)
	}
	before := whole(files)
	for _, d := range before.Diags {
		t.Fatalf("%s: %s", d.Span, d.Message)
	}
	for _, f := range a.Files {
		if filepath.Ext(f.Name) == ".fsm" {
			c.open(f.Name, string(f.Data))
		}
	}
	renamed, far := 0, 0
	for path, list := range namesOf(before).inFile {
		for _, r := range list {
			if len(namesOf(before).same(namesOf(before).at(path, r.At.Offset+r.Len/2))) == 0 {
				continue
			}
			at := positionOf(before.File(path), before.File(path).Pos(r.At.Offset+r.Len/2), c.s.encoding)
			var answer proto.WorkspaceEdit
			c.must("textDocument/rename", proto.RenameParams{TextDocumentPositionParams: proto.TextDocumentPositionParams{DocumentParams: proto.DocumentParams{TextDocument: proto.TextDocumentIdentifier{URI: uriOf(path)}}, Position: at}, NewName: "Zz9"}, &answer)
			texts := maps.Clone(files)
			for uri, edits := range answer.Changes {
				texts[pathOf(uri)] = applied(t, texts[pathOf(uri)], edits)
			}
			for _, d := range whole(texts).Diags {
				t.Errorf("%s renamed at %s: %s: %s", textOf(before, r), r.At, d.Span, d.Message)
			}
			renamed++
			if len(answer.Changes) > 2 {
				far++
			}
		}
	}
	if renamed < 80 || far < 30 {
		t.Errorf("it renames at %d places, and in more than two files at %d", renamed, far)
	}
}

// applied is text with edits, which are in order.
func applied(t *testing.T, text string, edits []proto.TextEdit) string {
	t.Helper()
	d := newDocument("", 1, []byte(text))
	for _, e := range slices.Backward(edits) {
		next, _, err := d.changed(proto.TextDocumentContentChangeEvent{Range: &e.Range, Text: e.NewText}, proto.UTF16)
		if err != nil {
			t.Fatal(err)
		}
		d = next
	}
	return string(d.file.Src)
}

// TestRenameUnread: a name is not renamed where some file that may use it cannot be read.
func TestRenameUnread(t *testing.T) {
	c := begin(t, Options{})
	load := loadBelow(c.dir)
	c.s.Load = func(paths []string, open map[string][]byte) (*lang.Unit, error) { // before the server works
		if slices.Contains(paths, c.path("app/a.fsm")) {
			return nil, os.ErrPermission
		}
		return load(paths, open)
	}
	for _, dir := range []string{"lib", "app"} {
		if err := os.Mkdir(c.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"lib/a.fsm": "enum Tier { free }\n", "app/a.fsm": "import \"../lib\"\nmachine M(t Tier) {\n    initial T\n    terminal T\n}\n"} {
		if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.open("lib/a.fsm", "enum Tier { free }\n")
	at := c.at("lib/a.fsm", "Tier", 1)
	err := c.call("textDocument/rename", proto.RenameParams{TextDocumentPositionParams: at, NewName: "Level"}, nil)
	if err == nil {
		t.Error("it is renamed")
	}
	var found []proto.Location // a look is worth something all the same
	c.must("textDocument/references", map[string]any{"textDocument": at.TextDocument, "position": at.Position, "context": map[string]any{"includeDeclaration": true}}, &found)
	if len(found) != 1 {
		t.Errorf("the references are %v", found)
	}
}

// TestRulePages: the page to which a finding leads is there.
func TestRulePages(t *testing.T) {
	for _, r := range all.Rules {
		_, inTree, _ := strings.Cut(rulePages, "/main/")
		if _, err := os.Stat(filepath.Join("../../../..", inTree, r.Name, "page.md")); err != nil {
			t.Error(err)
		}
	}
}
