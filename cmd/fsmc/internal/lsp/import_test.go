package lsp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/cmd/fsmc/internal/lsp/proto"
	"github.com/fsmc-dev/fsmc/lang"
)

// loadImports is loadFiles with imports of other folders, whose files are open.
func loadImports(paths []string, open map[string][]byte) (*lang.Unit, error) {
	unit, err := loadFiles(paths, open)
	if err != nil {
		return nil, err
	}
	var sources, all []lang.Source
	for _, path := range paths {
		sources = append(sources, lang.Source{Name: path, Src: unit.File(path).Src})
	}
	for path, text := range open {
		all = append(all, lang.Source{Name: path, Src: text})
	}
	return lang.LoadFrom(sources, lang.Among(all)), nil
}

// loadBelow is loadFiles with imports of files below a folder.
func loadBelow(dir string) func(paths []string, open map[string][]byte) (*lang.Unit, error) {
	return func(paths []string, open map[string][]byte) (*lang.Unit, error) {
		unit, err := loadFiles(paths, open)
		if err != nil {
			return nil, err
		}
		docs := map[string]*document{}
		for path, text := range open {
			docs[path] = newDocument(uriOf(path), 1, text)
		}
		var sources []lang.Source
		for _, path := range paths {
			sources = append(sources, lang.Source{Name: path, Src: unit.File(path).Src})
		}
		return lang.LoadFrom(sources, lang.Among(sourcesBelow(context.Background(), []string{dir}, docs))), nil
	}
}

// TestImportedText renames what an import brings from a text that is open and edited: the
// places are those of the text as it is.
func TestImportedText(t *testing.T) {
	c := begin(t, Options{})
	c.s.Load = loadImports
	for _, dir := range []string{"lib", "app"} {
		if err := os.Mkdir(filepath.Join(c.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c.open("lib/t.fsm", "enum Tier { free, paid }\n")
	c.open("app/a.fsm", "import \"../lib/t.fsm\"\nmachine M(tier Tier) {\n    initial T\n    terminal T\n}\n")
	c.settle()
	c.edit("lib/t.fsm", 0, 0, "// a line above\n\n")
	at := c.at("app/a.fsm", "Tier", 1)
	var answer proto.WorkspaceEdit
	c.must("textDocument/rename", proto.RenameParams{TextDocumentPositionParams: at, NewName: "Level"}, &answer)
	list := answer.Changes[c.uri("lib/t.fsm")]
	if len(list) != 1 || list[0].Range.Start != (proto.Position{Line: 2, Character: 5}) {
		t.Errorf("the edits are %v", answer.Changes)
	}
	c.edit("lib/t.fsm", strings.Index(c.texts["lib/t.fsm"], "Tier"), strings.Index(c.texts["lib/t.fsm"], "Tier")+4, "Level")
	c.settle()
	if got := c.findings(); !strings.Contains(got, `unknown type "Tier"`) {
		t.Errorf("it finds\n%s", got)
	}
}
