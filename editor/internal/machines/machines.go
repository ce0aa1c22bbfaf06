// Package machines has the texts of machines of the repository, for tests of grammars.
package machines

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Machine is a text and what the front end says of it.
type Machine struct {
	Name, Text string
	File       *token.File
	Unit       *lang.Unit
}

// Sound reports whether nothing is wrong with syntax and names.
func (m Machine) Sound() bool { return len(m.Unit.Diags) == 0 }

// Names are those of the text, by the byte at which each begins.
func (m Machine) Names() map[int]ir.NameKind {
	names := map[int]ir.NameKind{}
	for r := range m.Unit.Program.Refs.All() {
		if r.At.Filename == m.Name {
			names[r.At.Offset] = r.Kind
		}
	}
	return names
}

// All are the machines below root, the folder of the repository: files and members of
// archives. Names are paths from there.
func All(root string) ([]Machine, error) {
	sources, err := texts(os.DirFS(root))
	if err != nil {
		return nil, err
	}
	among := lang.Among(sources)
	var list []Machine
	for _, src := range sources {
		unit := lang.LoadFrom([]lang.Source{src}, among)
		list = append(list, Machine{src.Name, string(src.Src), unit.File(src.Name), unit})
	}
	return list, nil
}

func texts(root fs.FS) (sources []lang.Source, err error) {
	err = fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules") {
			return fs.SkipDir
		}
		kind := path.Ext(name)
		if kind != ".fsm" && kind != ".txtar" {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if kind == ".fsm" {
			sources = append(sources, lang.Source{Name: name, Src: text})
			return err
		}
		for _, file := range txtar.Parse(text).Files {
			if strings.HasSuffix(file.Name, ".fsm") {
				sources = append(sources, lang.Source{Name: name + "/" + file.Name, Src: file.Data})
			}
		}
		return err
	})
	return sources, err
}
