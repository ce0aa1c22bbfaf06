package drawing

import "github.com/fsmc-dev/fsmc/lang/ir"

// Exit is a terminal of a machine that runs as a child, or with no outcome a failure that
// it may have.
type Exit struct {
	Name    string
	Outcome string // "success", "failure", "cancelled"
}

// exitsOf are the terminals of the machine that d calls; none of an activity.
func exitsOf(d *ir.Do) []Exit {
	var exits []Exit
	for _, e := range d.Activity.Results {
		if e.Terminal != nil {
			exits = append(exits, Exit{e.Terminal.Name, e.Terminal.Outcome})
		}
	}
	return exits
}

// mostExpanded is how many states a drawing with the insides of children has at most: machines
// that each call two others would have no end of them.
const mostExpanded = 500

// Expand is Plan with the insides of the machines that m calls, and of those that these
// call: a state that calls machines is a frame around them.
func Expand(m *ir.Machine, h *Highlight) *Drawing {
	left := mostExpanded - len(m.States)
	return plan(m, h, &left)
}

// expand puts the machines that s calls into its node, as far as there is room; left says
// how many states there may still be.
func (p *planner) expand(s *ir.State, n *Node) {
	for _, d := range s.Dos {
		m := d.Activity.Machine
		if m == nil || p.left == nil || *p.left < len(m.States) {
			continue
		}
		*p.left -= len(m.States)
		n.Kind = Composite
		inner := plan(m, nil, p.left)
		frame := inner.Root
		frame.Title, frame.Doc, frame.Parent, frame.Child = inner.Title, m.Doc, n, true
		if d.Label != m.Name {
			frame.Title = d.Label + ": " + frame.Title
		}
		within := n.ID + ".(" + d.Label + ")"
		frame.Walk(func(c *Node) { c.ID = ir.Joined(within, c.ID) })
		n.Children = append(n.Children, frame)
		p.inner = append(p.inner, inner.Edges...)
	}
}
