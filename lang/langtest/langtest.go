// Package langtest loads what tests are about: texts without faults, and files of the
// repository. Only tests import it.
package langtest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Unit is what src means, in which the front end must find no fault.
func Unit(tb testing.TB, src string) *lang.Unit {
	tb.Helper()
	unit := lang.Load([]lang.Source{{Name: "m.fsm", Src: []byte(src)}})
	for _, d := range unit.Diags {
		tb.Fatalf("%s: %s: %s\n%s", d.Span, d.Rule, d.Message, src)
	}
	return unit
}

// Machine is the first machine of src, in which the front end must find no fault.
func Machine(tb testing.TB, src string) *ir.Machine {
	tb.Helper()
	return Unit(tb, src).Program.Machines[0]
}

// Sources are the files that patterns mean, without those of scenarios. Each pattern must mean one.
func Sources(tb testing.TB, patterns ...string) (list []lang.Source) {
	tb.Helper()
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			tb.Fatalf("there is no file %s: %v", pattern, err)
		}
		for _, path := range paths {
			if !lang.InFolder(path) {
				continue
			}
			src, err := os.ReadFile(path)
			if err != nil {
				tb.Fatal(err)
			}
			list = append(list, lang.Source{Name: path, Src: src})
		}
	}
	return list
}

// Machines are those of the files that patterns mean, faults and all.
func Machines(tb testing.TB, patterns ...string) (list []*ir.Machine) {
	tb.Helper()
	for _, s := range Sources(tb, patterns...) {
		list = append(list, lang.Load([]lang.Source{s}).Program.Machines...)
	}
	return list
}

// Repository is what is written in the language below root, by its path from there: files, and
// what files of other kinds have of it, ".txtar" and ".md".
func Repository(tb testing.TB, root string, kinds ...string) (list []lang.Source) {
	tb.Helper()
	add := func(name string, src []byte) {
		list = append(list, lang.Source{Name: filepath.ToSlash(name), Src: src})
	}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		kind := filepath.Ext(path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir() || kind != ".fsm" && !slices.Contains(kinds, kind):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		switch kind {
		case ".fsm":
			add(name, text)
		case ".txtar":
			for _, file := range txtar.Parse(text).Files {
				if strings.HasSuffix(file.Name, ".fsm") {
					add(name+"/"+file.Name, file.Data)
				}
			}
		case ".md":
			for i, block := range strings.Split(string(text), "```fsm\n")[1:] {
				code, _, _ := strings.Cut(block, "```")
				add(fmt.Sprintf("%s/%d.fsm", name, i), []byte(code))
			}
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return list
}
