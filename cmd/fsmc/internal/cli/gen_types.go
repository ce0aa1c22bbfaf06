package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// types are those of one kind that the files of prog declare outside machines.
func types[T any](prog *ir.Program, of func(*ir.File) []T) []T {
	var list []T
	for _, f := range prog.Files {
		list = append(list, of(f)...)
	}
	return list
}

// hasTypes reports whether a file of prog declares a type outside machines.
func hasTypes(prog *ir.Program) bool {
	return slices.ContainsFunc(prog.Files, func(f *ir.File) bool { return len(f.Enums)+len(f.Records) > 0 })
}

// elsewhere reports whether what is declared at a place stands in another folder than what
// is declared at from: what is generated of the files of one folder is taken to be of one package.
func elsewhere(from, at token.Span) bool {
	return filepath.Dir(placeOf(from.Start.Filename)) != filepath.Dir(placeOf(at.Start.Filename))
}

// declaration is that of the type of an enum or a record of a file, or of what registers a machine.
var declaration = regexp.MustCompile(`(?m)^(?:type (\w+) (?:string|struct \{)$|func (Register\w+)\()`)

// sayUndeclared says what the output uses that no Go file beside it declares.
func (g *generator) sayUndeclared(prog *ir.Program, output string) {
	if g.core || output == "-" {
		return
	}
	declared := map[string]bool{}
	for _, f := range prog.Files {
		for _, e := range f.Enums {
			declared[ir.Exported(e.Name)] = true
		}
		for _, r := range f.Records {
			declared[ir.Exported(r.Name)] = true
		}
	}
	for _, m := range prog.Machines {
		declared["Register"+ir.Exported(m.Name)] = true
	}
	files, _ := filepath.Glob(filepath.Join(filepath.Dir(output), "*.go"))
	read := false
	needs := func(m *ir.Machine, name, what string, at token.Span) {
		if declared[name] || elsewhere(m.Span, at) {
			return
		}
		if !read {
			read = true
			noteDeclared(files, declared)
		}
		if !declared[name] {
			declared[name] = true
			fmt.Fprintf(g.err, "fsmc: the Go %s is not there yet: run fsmc gen for %s, too\n", what, at.Start.Filename)
		}
	}
	for _, m := range prog.Machines {
		for _, e := range m.Enums {
			if e.OfFile {
				needs(m, ir.Exported(e.Name), fmt.Sprintf("type of enum %q", e.Name), e.Span)
			}
		}
		for _, r := range m.Records {
			apart := func(at token.Span) bool { return elsewhere(m.Span, at) } // then the machine has a type of its own
			if r.OfFile && !slices.ContainsFunc(r.Places(), apart) {
				needs(m, ir.Exported(r.Name), fmt.Sprintf("type of record %q", r.Name), r.Span)
			}
		}
		for _, a := range m.Activities {
			if a.Machine != nil {
				needs(m, "Register"+ir.Exported(a.Name), fmt.Sprintf("function that registers machine %q", a.Name), a.Machine.Span)
			}
		}
	}
}

func noteDeclared(files []string, declared map[string]bool) {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, found := range declaration.FindAllSubmatch(text, -1) {
			declared[string(found[1])+string(found[2])] = true
		}
	}
}
