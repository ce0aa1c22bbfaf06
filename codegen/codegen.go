// Package codegen says what a target is: something that turns a machine into
// files. Each target is a folder of its own below this one; codegen/all lists
// them.
package codegen

import (
	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Target turns machines into files of one format.
type Target struct {
	Name    string // as the command line calls it: "dot"
	Summary string // what it is, in a few words
	// Generate makes the files for one machine. The same machine and options
	// give the same bytes.
	Generate func(*ir.Machine, Options) []File
}

// Options are what is asked of a target beside the machine. A target reads
// those that concern it.
type Options struct {
	Highlight *drawing.Highlight // of a diagram: the run to show; nil for none
}

// File is one generated file. Name has no folder.
type File struct {
	Name    string
	Content []byte
}
