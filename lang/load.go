package lang

import (
	"slices"
	"sort"

	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/resolve"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Source is one text to load. Name is the name that positions bear; names are
// unique within one unit.
type Source struct {
	Name string
	Src  []byte
}

// Unit is what several sources are together: one program. Names of machines are unique
// in it within a folder, and with what a file imports.
type Unit struct {
	Files   []*ast.File            // one for each source, in order
	Sources map[string]*token.File // by name; also of the files that they import
	Program *ir.Program
	Diags   diag.List // of the parser and of names and types, sorted by place
}

// File is the source called name, or nil.
func (u *Unit) File(name string) *token.File { return u.Sources[name] }

// Load is LoadFrom with imports of the sources from each other.
func Load(sources []Source) *Unit { return LoadFrom(sources, Among(sources)) }

// LoadFrom parses sources, side by side on all cores, and resolves them; imports finds
// what they import. It always gives a whole unit, however broken the sources are; what
// it gives does not depend on the number of cores.
func LoadFrom(sources []Source, imports Importer) *Unit {
	u := &Unit{Sources: make(map[string]*token.File, len(sources))}
	l := &loader{unit: u, imports: imports, parsed: map[string]resolve.Target{}}
	for _, t := range l.parse(sources) {
		u.Files = append(u.Files, t.File)
		u.Diags = append(u.Diags, t.Faults...)
	}
	program, list := resolve.Resolve(u.Files, l.find)
	u.Program = program
	placeInMachines(u.Diags, program)
	list = beside(u.Diags, list)
	u.Diags = append(most(u.Diags), list...)
	u.Diags.Sort()
	return u
}

// beside leaves out those of list that stand where one of syntax does: what the
// parser made of a place that it could not read is not to be reported as well.
func beside(syntax, list diag.List) diag.List {
	if len(syntax) == 0 {
		return list
	}
	taken := make(map[token.Pos]bool, len(syntax))
	for _, d := range syntax {
		taken[d.Span.Start] = true
	}
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return taken[d.Span.Start] })
}

// placeInMachines gives what the parser found to the machine in which it
// stands, and marks that, and its file, as incomplete where it is a syntax error.
func placeInMachines(list diag.List, program *ir.Program) {
	byFile, files := map[string][]*ir.Machine{}, map[string]*ir.File{}
	for _, f := range program.Files {
		files[f.Name] = f
	}
	for _, m := range program.Machines {
		file := m.Body.Start.Filename
		byFile[file] = append(byFile[file], m)
	}
	for i := range list {
		d := &list[i]
		at := d.Span.Start
		f := files[at.Filename]
		f.Incomplete = f.Incomplete || d.Rule == "syntax"
		f.Broken = f.Broken || d.Rule != "syntax"
		machines := byFile[at.Filename]
		next := sort.Search(len(machines), func(i int) bool { return machines[i].Body.Start.Offset > at.Offset })
		if next == 0 || at.Offset > machines[next-1].Body.End.Offset {
			continue
		}
		m := machines[next-1]
		d.Machine = m.Name
		m.Incomplete = m.Incomplete || d.Rule == "syntax"
		m.Broken = m.Broken || d.Rule != "syntax"
	}
}
