package drawing

// Layered layouts (Sugiyama, Tagawa and Toda 1981) need a graph without
// cycles, and which arrows they leave out of account decides what stands above
// what. A layout that sees boxes alone may cut a loop at its best-known arrow;
// here the search begins where the run does and follows the source, so that an
// arrow counts as leading back only if a run that follows first arrows first
// has been at its end before. One depth-first search: linear.

// markBack sets Back on every edge that closes a cycle of several boxes.
func (d *Drawing) markBack() {
	s := search{out: map[*Node][]*Edge{}, seen: map[*Node]progress{}}
	for _, e := range d.Edges {
		s.out[e.Tail()] = append(s.out[e.Tail()], e)
	}
	d.Root.Walk(func(n *Node) {
		if n.Kind != Composite && s.seen[n] == unseen {
			s.visit(n)
		}
	})
}

type progress int

const (
	unseen progress = iota
	open            // on the way from the start to where the search is
	closed
)

type search struct {
	out  map[*Node][]*Edge
	seen map[*Node]progress
}

func (s *search) visit(n *Node) {
	s.seen[n] = open
	for _, e := range s.out[n] {
		switch head := e.Head(); s.seen[head] {
		case unseen:
			s.visit(head)
		case open:
			e.Back = head != n
		}
	}
	s.seen[n] = closed
}

// Head is the box to which e leads, and where it leads to a frame, the first
// box in it: its dot.
func (e *Edge) Head() *Node {
	n := e.To
	for n.Kind == Composite && len(n.Children) > 0 {
		n = n.Children[0]
	}
	return n
}

// Tail is the box from which e leads, and where it leads from a frame, the last
// box in it.
func (e *Edge) Tail() *Node {
	n := e.From
	for n.Kind == Composite && len(n.Children) > 0 {
		n = n.Children[len(n.Children)-1]
	}
	return n
}
