// Package all lists the targets that every command knows. A new target is a
// folder under codegen and a line here.
package all

import (
	"github.com/fsmc-dev/fsmc/codegen"
	"github.com/fsmc-dev/fsmc/codegen/dot"
	"github.com/fsmc-dev/fsmc/codegen/mermaid"
)

// Diagrams are the targets that draw a machine, the usual one first.
var Diagrams = []codegen.Target{
	dot.Target,
	mermaid.Target,
}
