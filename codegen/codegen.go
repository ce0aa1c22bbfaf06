// Package codegen says what can be made of machines: a Target draws one, a Source
// compiles them to a language. Each is a folder of its own below this one;
// codegen/all lists them.
package codegen

import (
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Target draws machines in one format.
type Target struct {
	Name string // as the command line calls it: "dot"
	// Print writes a drawing. The same drawing and options give the same bytes.
	Print func(*drawing.Drawing, Options) []byte
}

// Generate is the diagram of m that o asks for, in the format of t.
func (t Target) Generate(m *ir.Machine, o Options) []byte { return t.Print(Draw(m, o), o) }

// Options are what is asked of a target beside the machine. A target reads
// those that concern it.
type Options struct {
	Highlight *drawing.Highlight // of a diagram: the run to show; nil for none
	Cover     *drawing.Coverage  // of a diagram: what runs took; nil for none
	Expand    bool               // of a diagram: with the insides of the machines that are called
	Compact   bool               // of a diagram: titles and triggers alone
	Theme     string             // of a diagram with colours that its reader may choose: "light", "dark", or "auto"
}

// Draw is the diagram of m that o asks for.
func Draw(m *ir.Machine, o Options) *drawing.Drawing {
	d := drawing.Plan(m, o.Highlight)
	if o.Expand {
		d = drawing.Expand(m, o.Highlight)
	}
	if o.Cover != nil {
		o.Cover.Mark(d)
	}
	if o.Compact {
		d = drawing.Compact(d)
	}
	return d
}

// Source compiles machines to a language.
type Source struct {
	Name string // as the command line calls it: "go"
	// Generate makes the files for machines that have no errors. The same machines
	// and options give the same bytes. Where two names of the source would become
	// one there are no files, and the list says which.
	Generate func([]*ir.Machine, SourceOptions) ([]File, diag.List)
}

// SourceOptions are what is asked of a source beside the machines.
type SourceOptions struct {
	Base    string // with which the names of the files begin: "review_fsm"
	Package string // to which they belong
	Source  string // name of the .fsm file, without its folder
	Core    bool   // the pure machine, which needs no runtime, in place of the binding to it

	// Enums are those that the files of the machines declare outside them. A binding
	// declares their types; a core, which is one machine alone, has a type of its own
	// for each enum.
	Enums []*ir.Enum
	// Records likewise.
	Records []*ir.Record
	// Elsewhere reports whether what is declared at a place is of another package than
	// what is declared at from, a machine or a record: an enum that is not among Enums then
	// has a type for the machine alone, as has a record with a type of another package in it;
	// and of a machine that is called the definition is held. Nil says no.
	Elsewhere func(from, at token.Span) bool

	// Definition is the compiled form of a machine, which the binding holds. It is
	// not called with Core.
	Definition func(*ir.Machine) []byte
	// Text is the source of a machine, which the binding keeps with its runs for people
	// to read, and Embed the name of the file beside the output in which it
	// stands, empty where none does. Both may be nil.
	Text, Embed func(*ir.Machine) string
	// Bounds is the worst case of a machine, nil where it is not known; it may be
	// nil itself.
	Bounds func(*ir.Machine) *ir.Bounds
	// Cover is runs of a machine for a test that takes every arm; nil where no test is
	// asked for.
	Cover func(*ir.Machine) *ir.Cover
}

// File is one generated file. Name has no folder.
type File struct {
	Name    string
	Content []byte
}
