// Package golang compiles machines to Go: the binding to the runtime, in which
// nothing is untyped, or the core, which imports the standard library alone.
//
// The binding (bind*.go) is what a program calls, and nothing that it does not: types,
// activities, start and send. What it does stands in package runtime.
//
// The core (core*.go) is what language.md, section 5, says of state, data and
// counters, as a switch over the leaves. It changes them in place, without
// allocating, and goes back where something cannot be computed; the arms that can
// fail keep a copy first. TestEquality holds it to the runtime's step.
//
// It works in two stages. The plan (plan*.go) decides every name and every
// type and prints nothing; the printers write what was planned, and go/format has
// the last word.
package golang

import (
	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Source compiles machines to Go.
var Source = codegen.Source{Name: "go", Generate: Generate}

// Generate gives the Go for machines, which have no errors: one file, and with a
// cover the test beside it. The same machines and options give the same bytes.
// Where two names of the source would become one in Go there are no files, and the
// list says which.
func Generate(machines []*ir.Machine, o codegen.SourceOptions) ([]codegen.File, diag.List) {
	f, list := newPlan(machines, o)
	if list.HasErrors() {
		return nil, list
	}
	p := &printer{}
	for _, e := range f.Enums {
		p.enumNames(e)
	}
	p.records(f.Records, true)
	for _, m := range f.Machines {
		if f.Core {
			p.core(m)
		} else {
			p.binding(m)
		}
	}
	files := []codegen.File{{Name: o.Base + ".go", Content: p.file(f)}}
	if o.Cover != nil && len(machines) > 0 {
		files = append(files, codegen.File{Name: o.Base + "_test.go", Content: coverTest(f, o.Cover)})
	}
	return files, list
}
