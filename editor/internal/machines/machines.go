// Package machines has what tests of grammars ask of the machines of the repository.
package machines

import (
	"github.com/fsmc-dev/fsmc/lang"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
)

// Machine is a text and what the front end says of it.
type Machine struct {
	Name, Text string
	File       *token.File
	Unit       *lang.Unit
}

// Names are those of the text, by the byte at which each begins.
func (m Machine) Names() map[int]ir.NameKind {
	names := map[int]ir.NameKind{}
	for r := range m.Unit.Program.Refs.All() {
		if r.At.Filename == m.Name {
			names[r.At.Offset] = r.Kind
		}
	}
	return names
}

// Sound are those of sources in which nothing is wrong with syntax and names.
func Sound(sources []lang.Source) (list []Machine) {
	among := lang.Among(sources)
	for _, src := range sources {
		if unit := lang.LoadFrom([]lang.Source{src}, among); len(unit.Diags) == 0 {
			list = append(list, Machine{src.Name, string(src.Src), unit.File(src.Name), unit})
		}
	}
	return list
}
