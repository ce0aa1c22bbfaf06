package check

import "github.com/fsmc-dev/fsmc/lang/ir"

// Counts are the sizes of a machine.
type Counts struct {
	States      int // leaves and terminals
	Terminals   int
	Transitions int // arms with `->`, as written
}

// Stats counts the states and transitions of m.
func Stats(m *ir.Machine) Counts {
	var c Counts
	for _, s := range m.States {
		switch s.Kind {
		case ir.Leaf:
			c.States++
		case ir.Terminal:
			c.States++
			c.Terminals++
		}
	}
	for _, a := range m.Arms {
		if a.Kind == ir.Goto {
			c.Transitions++
		}
	}
	return c
}
