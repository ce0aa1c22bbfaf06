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
	"fmt"
	"go/format"

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

// Generate gives the Go file for machines, which have no errors. The same
// machines and options give the same bytes. Where two names of the source
// would become one in Go the file is nil, and the list says which.
func Generate(machines []*ir.Machine, o Options) ([]byte, diag.List) {
	f, list := newPlan(machines, o)
	if list.HasErrors() {
		return nil, list
	}
	p := &printer{}
	p.file(f)
	src, err := format.Source(p.buf.Bytes())
	if err != nil {
		// The fuzz target holds that no accepted machine comes here.
		panic(fmt.Sprintf("golang: the generated file does not parse: %v\n%s", err, p.buf.Bytes()))
	}
	return src, list
}
