package lang

import (
	"runtime"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

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

// Unit is what several sources are together: one program, in which machine
// names are unique.
type Unit struct {
	Files   []*ast.File            // one for each source, in order
	Sources map[string]*token.File // by name
	Program *ir.Program
	Diags   diag.List // of the parser and of names and types, sorted by place
}

// File is the source called name, or nil.
func (u *Unit) File(name string) *token.File { return u.Sources[name] }

// Load parses sources, side by side on all cores, and resolves them. It always
// gives a whole unit, however broken the sources are; what it gives does not
// depend on the number of cores.
func Load(sources []Source) *Unit {
	u := &Unit{Files: make([]*ast.File, len(sources)), Sources: make(map[string]*token.File, len(sources))}
	texts := make([]*token.File, len(sources))
	lists := make([]diag.List, len(sources))
	inParallel(len(sources), func(i int) {
		u.Files[i], texts[i], lists[i] = Parse(sources[i].Name, sources[i].Src)
	})
	for i, list := range lists {
		u.Sources[sources[i].Name] = texts[i]
		u.Diags = append(u.Diags, list...)
	}
	program, list := resolve.Resolve(u.Files)
	u.Program = program
	placeInMachines(u.Diags, program)
	u.Diags = append(u.Diags, beside(u.Diags, list)...)
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
// stands, and marks that as incomplete where it is a syntax error.
func placeInMachines(list diag.List, program *ir.Program) {
	byFile := map[string][]*ir.Machine{}
	for _, m := range program.Machines {
		file := m.Body.Start.Filename
		byFile[file] = append(byFile[file], m)
	}
	for i := range list {
		d := &list[i]
		at := d.Span.Start
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

// inParallel calls f for 0 to n-1, on all cores.
func inParallel(n int, f func(int)) {
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	workers.Wait()
}
