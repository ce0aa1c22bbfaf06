// Package editor tests what editors get beside the language server: grammars, settings
// and an extension. Tests that need Node say so aloud where it, or what `npm ci` in
// editor/vscode installs, is not there.
package editor

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// machines are all texts of machines in the repository, by their names from its root.
func machines(t *testing.T) []lang.Source {
	t.Helper()
	var sources []lang.Source
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		kind := filepath.Ext(path)
		if kind != ".fsm" && kind != ".txtar" {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if kind == ".fsm" {
			sources = append(sources, lang.Source{Name: path, Src: text})
			return err
		}
		for _, file := range txtar.Parse(text).Files {
			if strings.HasSuffix(file.Name, ".fsm") {
				sources = append(sources, lang.Source{Name: path + "/" + file.Name, Src: file.Data})
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// machine is a text in which nothing is wrong with syntax and names.
type machine struct {
	name, text string
	file       *token.File
	unit       *lang.Unit
}

// sound are the machines of the repository with no findings of syntax and names.
func sound(t *testing.T) []machine {
	t.Helper()
	sources := machines(t)
	among := lang.Among(sources)
	var units []machine
	for _, src := range sources {
		if unit := lang.LoadFrom([]lang.Source{src}, among); len(unit.Diags) == 0 {
			units = append(units, machine{src.Name, string(src.Src), unit.File(src.Name), unit})
		}
	}
	if len(units) < 150 {
		t.Fatalf("there are %d sound machines: the test sees too little", len(units))
	}
	return units
}

// node runs a script with Node and the packages of editor/vscode, and gives what it prints.
func node(t *testing.T, input []byte, args ...string) []byte {
	t.Helper()
	modules, err := filepath.Abs(filepath.Join("vscode", "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("THE EDITORS WERE NOT TESTED: there is no node")
	}
	if _, err := os.Stat(modules); err != nil {
		t.Skip("THE EDITORS WERE NOT TESTED: run npm ci in editor/vscode")
	}
	cmd := exec.CommandContext(t.Context(), "node", args...)
	cmd.Env = append(os.Environ(), "NODE_PATH="+modules)
	cmd.Stdin = bytes.NewReader(input)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("node %s: %v\n%s%s", strings.Join(args, " "), err, out.Bytes(), errs.Bytes())
	}
	return out.Bytes()
}
