// Package golang compiles machines to Go: the pure machine as types and
// switches, which imports the standard library alone, and the binding to the
// runtime, in which nothing is untyped.
//
// The pure machine (core*.go) is the step of language.md, section 5, as Go: a
// function for each leaf, one for each way of entering one, and the fixed parts
// around them. It changes a snapshot in place, without allocating, and goes back
// where something cannot be computed; the arms that can fail keep a copy first.
// TestEquality holds it to the interpreter.
//
// It works in two stages. The plan (plan*.go) decides every name and every
// type and prints nothing; the printers (print*.go, core*.go) write what was planned,
// and go/format has the last word.
package golang

import (
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Options are what is asked of the generator beside the machines.
type Options struct {
	Package string // of the generated file
	Source  string // name of the .fsm file, without its folder
	Core    bool   // the pure machine alone, without the binding to the runtime

	// Definition is the compiled form of a machine, which the binding embeds.
	// It is not called with Core.
	Definition func(*ir.Machine) []byte
	// Bounds is the worst case of a machine, nil where it is not known; it may
	// be nil itself.
	Bounds func(*ir.Machine) *ir.Bounds
	// Text is the source of a machine, which the binding keeps with its runs
	// for people to read; it may be nil.
	Text func(*ir.Machine) string
}

// File is one of the files that Generate gives.
type File struct {
	Suffix string // stands behind the name of the first one, which has none
	Text   []byte
}

// Generate gives the Go for machines, which have no errors: what a program
// calls, then, each in a file of its own, the pure machine and the forms as JSON.
// The same machines and options give the same bytes. Where two names of the
// source would become one in Go there are no files, and the list says which.
func Generate(machines []*ir.Machine, o Options) ([]File, diag.List) {
	p, f, list := printed(machines, o)
	if p == nil {
		return nil, list
	}
	return p.files(f), list
}

// GenerateOne gives the same as Generate in one file.
func GenerateOne(machines []*ir.Machine, o Options) ([]byte, diag.List) {
	p, f, list := printed(machines, o)
	if p == nil {
		return nil, list
	}
	return p.oneFile(f), list
}

// printed writes all parts; the printer is nil where two names would become one.
func printed(machines []*ir.Machine, o Options) (*printer, *filePlan, diag.List) {
	f, list := newPlan(machines, o)
	if list.HasErrors() {
		return nil, nil, list
	}
	p := newPrinter()
	for _, m := range f.Machines {
		p.machine(m, f.Core)
	}
	return p, f, list
}
