// Package resolve turns syntax trees into the resolved form of package ir:
// names become pointers, expressions get types, numbers become exact values,
// and what the language fills in by default is filled in. It reports the rules
// under "Names and types".
//
// A machine is resolved in passes, because order never matters in it:
// declarations first (each kind in a name space of its own), then the tree of
// states, then the activities that they run, then everything that names those:
// triggers, arms, blocks, asserts. Each pass is linear in the text; names are
// looked up in maps, and the search for a nearest name is paid for by a
// misspelt one alone, out of a fixed allowance.
//
// Its parts, in the order in which to read them:
//
//   - a unit: resolve.go; files.go and filetypes.go, of imports and types of files; machine.go, of
//     one machine; callgraph.go, of which calls which
//   - declarations: names.go, fields.go, types.go, records.go, recordsizes.go, optional.go
//   - states and what they run: states.go, members.go, activities.go, calls.go, fans.go, limits.go
//   - what names those: triggers.go, eventfields.go, targets.go, arms.go, blocks.go, recordplaces.go,
//     asserts.go; ahead.go, of deadlines
//   - expressions: exprs.go, operators.go, literals.go, recordreads.go, recordvalues.go,
//     guards.go, payloads.go, own.go
//   - scenario*.go; suppress.go, of comments that allow a finding
//   - refs.go, which tells editors what each name means; messages.go and fixes.go
//
// One fault gives one finding. An expression that holds a fault is an *ir.Bad
// of type Invalid, which fits everything; a name that is not declared is not
// looked at again; and where the parser met a bad item, which may have been
// the missing declaration, only a name that looks misspelt is reported.
package resolve

import (
	"github.com/fsmc-dev/fsmc/lang/ast"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Resolve resolves all machines of files, which form one unit; find says where their
// imports lead. Names of machines are unique within a folder, and with what a file
// imports. Machines come in the order of the files; what could not be resolved is left
// out. The findings are sorted by place.
func Resolve(files []*ast.File, find Finder) (*ir.Program, diag.List) {
	u := &unit{shared: &shared{
		allowance: comparisons, room: maxLeaves, values: map[*ir.Enum]map[string]int{}, find: find,
		files: map[*ast.File]*file{}, homes: map[*ir.Record]*file{}, sizes: map[*ir.Record]size{}, declaring: map[string]*ast.Name{},
		valueNames: map[*ir.Enum][]*ast.Name{}, firstCosts: map[string]*ast.Name{},
	}}
	for _, src := range files {
		f := newFile(u, src)
		u.files[src], f.named = f, true
		for m := range ast.Of[*ast.Machine](src.Decls) {
			if present(m.Name) && u.declaring[m.Name.Text] == nil {
				u.declaring[m.Name.Text] = m.Name
			}
		}
	}
	folders := map[string]*space[*ir.Machine]{}
	prog := &ir.Program{}
	var resolvers []*resolver
	var waiting []scenariosOf
	for _, src := range files {
		f := u.files[src]
		names := folders[f.folder()]
		if names == nil {
			names = newSpace[*ir.Machine]("machine")
			folders[f.folder()] = names
		}
		f.declare()
		f.resolveImports()
		f.completeRecords()
		machines := map[*ast.Machine]*ir.Machine{}
		for src := range ast.Of[*ast.Machine](src.Decls) {
			if src.Name == nil {
				continue
			}
			r := f.resolverOf(src)
			fresh := claim(r, names, src.Name, r.m)
			r.members()
			resolvers = append(resolvers, r)
			f.noteMachine(r.m)
			if fresh {
				machines[src] = r.m
				prog.Machines = append(prog.Machines, r.m)
			}
		}
		waiting = append(waiting, scenariosOf{f, f.findScenarios()})
		placeAllows(src, machines, f.out)
		prog.Files = append(prog.Files, f.out)
		f.forget()
	}
	u.called(resolvers)
	for _, w := range waiting {
		list := w.file.scenarios(w.list)
		w.file.out.Scenarios = len(list)
		prog.Scenarios = append(prog.Scenarios, list...)
	}
	u.list.Sort()
	prog.Refs = u.refs
	return prog, u.list
}

// unit is what the machines of one unit, or of one imported file, share.
type unit struct {
	list diag.List
	*shared
}

// shared is what the files of a unit and those that they import share.
type shared struct {
	allowance int // names that may still be compared with misspelt ones
	room      int // of records, that fields and expressions may still have
	values    map[*ir.Enum]map[string]int
	find      Finder
	files     map[*ast.File]*file
	homes     map[*ir.Record]*file // of records of files
	sizes     map[*ir.Record]size
	brings    int                  // names that imports bring
	declaring map[string]*ast.Name // where machines of the unit are declared
	outside   []*resolver          // machines of imported files that others call

	refs       ir.Refs
	valueNames map[*ir.Enum][]*ast.Name // where its values are declared
	firstCosts map[string]*ast.Name     // where a cost of that name stands first
}

// comparisons bounds the work spent on nearest names, which would otherwise
// grow with the product of misspelt and declared names.
const comparisons = 500_000
