package table

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Tree turns m and all machines that it calls, and that these call, into their
// definitions: each once, those that are called before those that call them, m last. A
// definition names those that it calls by their hashes.
func Tree(m *ir.Machine) []Compiled {
	t := &tree{hashes: map[*ir.Machine]string{}}
	t.add(m)
	return t.all
}

// Compiled is a machine with its definition.
type Compiled struct {
	Machine    *ir.Machine
	Definition *machine.Definition
}

// tree is what the compilations of machines that call each other share.
type tree struct {
	hashes map[*ir.Machine]string
	all    []Compiled
}

func (t *tree) add(m *ir.Machine) {
	if _, known := t.hashes[m]; known {
		return
	}
	d := t.compiler(m).compile()
	t.hashes[m] = d.Hash()
	t.all = append(t.all, Compiled{m, d})
}
