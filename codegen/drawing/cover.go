package drawing

import "slices"

// Coverage is what runs took of a machine together.
type Coverage struct {
	Arms   map[string]bool // by name, as history has them
	States map[string]bool // that were entered, by path
}

// Mark marks what was taken, and what was not: an arrow of several arms is taken where all
// of them were. Arms that lead nowhere have no arrow.
func (c *Coverage) Mark(d *Drawing) {
	d.Root.Walk(func(n *Node) {
		switch n.Kind {
		case State, Choice, Terminal:
			n.Mark = markOf(c.States[n.ID])
		}
	})
	for _, e := range d.Edges {
		if len(e.Arms) == 0 {
			continue
		}
		e.Mark = markOf(!slices.ContainsFunc(e.Arms, func(name string) bool { return !c.Arms[name] }))
	}
}

func markOf(taken bool) Mark {
	if taken {
		return Taken
	}
	return Missed
}
