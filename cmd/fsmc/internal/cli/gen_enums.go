package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// enums are those that the files of prog declare outside machines.
func enums(prog *ir.Program) []*ir.Enum {
	var list []*ir.Enum
	for _, f := range prog.Files {
		list = append(list, f.Enums...)
	}
	return list
}

// elsewhere reports whether e, an enum of a file, is declared in another folder than m:
// what is generated of the files of one folder is taken to be of one package.
func elsewhere(m *ir.Machine, e *ir.Enum) bool {
	return filepath.Dir(placeOf(m.Span.Start.Filename)) != filepath.Dir(placeOf(e.Span.Start.Filename))
}

// sharedType is the declaration of the type of an enum of a file.
var sharedType = regexp.MustCompile(`(?m)^type (\w+) string$`)

// sayUndeclared says which types the output uses that no Go file beside it declares.
func (g *generator) sayUndeclared(prog *ir.Program, output string) {
	if g.core || output == "-" {
		return
	}
	declared := map[string]bool{}
	for _, e := range enums(prog) {
		declared[ir.Exported(e.Name)] = true
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(output), "*.go"))
	read := false
	for _, m := range prog.Machines {
		for _, e := range m.Enums {
			name := ir.Exported(e.Name)
			if !e.OfFile || declared[name] || elsewhere(m, e) {
				continue
			}
			if !read {
				read = true
				noteTypes(files, declared)
			}
			if !declared[name] {
				declared[name] = true
				fmt.Fprintf(g.err, "fsmc: the Go type of enum %q is not there yet: run fsmc gen for %s, too\n", e.Name, e.Span.Start.Filename)
			}
		}
	}
}

func noteTypes(files []string, declared map[string]bool) {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, found := range sharedType.FindAllSubmatch(text, -1) {
			declared[string(found[1])] = true
		}
	}
}
