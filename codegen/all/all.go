// Package all lists what every command can make of machines. A new target or
// language is a folder under codegen and a line here.
package all

import (
	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/dot"
	"github.com/fsmc-dev/fsmc/codegen/golang"
	"github.com/fsmc-dev/fsmc/codegen/mermaid"
	"github.com/fsmc-dev/fsmc/codegen/svg"
)

// Diagrams are the targets that draw a machine, the usual one first.
var Diagrams = []codegen.Target{
	dot.Target,
	mermaid.Target,
	svg.Target,
}

// Sources are the languages to which machines are compiled, the usual one first.
var Sources = []codegen.Source{
	golang.Source,
}
