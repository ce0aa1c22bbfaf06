package layout

import "github.com/fsmc-dev/fsmc/codegen/layout/simplex"

// How far apart things are.
const (
	boxGap   = 26 // two boxes beside each other
	lineGap  = 8  // a box and an arrow
	padding  = 16 // a frame's border and what is in it
	trackGap = 9  // two arrows that run sideways
)

// placeItems chooses the axes of all items, so that arrows run straight, by network simplex
// (Gansner et al. 1993, section 4.2): neighbours in a rank are so far apart, and of the
// two ends of a link the one further to the right pulls at a node to the left of both.
func (l *level) placeItems() {
	index := map[*item]int{}
	for _, r := range l.ranks {
		for _, n := range r {
			index[n] = len(index)
		}
	}
	n := len(index)
	var edges []simplex.Edge
	for _, r := range l.ranks {
		for i, item := range r {
			if i > 0 {
				edges = append(edges, simplex.Edge{From: index[r[i-1]], To: index[item], Least: apart(r[i-1], item)})
			}
			for _, k := range item.down {
				edges = append(edges, pull(n, index[k.from], index[k.to], k.out-k.in, k.straight())...)
				n++
			}
		}
	}
	for _, pair := range l.freePorts() {
		edges = append(edges, pull(n, index[pair[0]], index[pair[1]], 0, 1)...)
		n++
	}
	at := simplex.Solve(n, edges, workOfPlaces)
	for item, i := range index {
		item.x = at[i]
	}
	l.setWidth()
}

// pull are the edges that hold two nodes together: to's number should be from's and off.
func pull(n, from, to, off, weight int) []simplex.Edge {
	return []simplex.Edge{
		{From: n, To: from, Least: max(0, -off), Weight: weight},
		{From: n, To: to, Least: max(0, off), Weight: weight},
	}
}

// straight is how much k should be straight: a bend far from both ends is the worst.
func (k *link) straight() int {
	long := 0
	for _, n := range [2]*item{k.from, k.to} {
		if n.kind == pass {
			long++
		}
	}
	return k.weight * [3]int{1, 2, 8}[long]
}

// apart is how far the axes of two neighbours are from each other.
func apart(a, b *item) int {
	gap := 0
	switch boxes := a.solid() + b.solid(); boxes {
	case 1:
		gap = lineGap
	case 2:
		gap = boxGap
	}
	return a.right + gap + b.left
}

// solid is 1 for what is no line, with or without a label.
func (n *item) solid() int {
	if n.kind == boxItem || n.kind == heading {
		return 1
	}
	return 0
}

// freePorts pairs the places of arrows that end at the frame's border with what they should
// be near to: the dot from which the frame begins, or what is in the middle.
func (l *level) freePorts() [][2]*item {
	var pairs [][2]*item
	last := len(l.ranks) - 1
	for _, at := range [2][2]int{{0, 1}, {last, last - 1}} {
		r, next := at[0], at[1]
		for _, port := range l.ranks[r] {
			if len(port.up)+len(port.down) > 0 || len(l.ranks[next]) == 0 {
				continue
			}
			near := l.ranks[next][len(l.ranks[next])/2]
			for _, n := range l.ranks[next] {
				if n.kind == boxItem && n.box.Dot {
					near = n
				}
			}
			pairs = append(pairs, [2]*item{port, near})
		}
	}
	return pairs
}

// setWidth moves all items to where the frame's left edge is 0, and gives the frame its width.
func (l *level) setWidth() {
	left, right := 0, 0
	first := true
	for _, r := range l.ranks {
		for _, n := range r {
			if n.kind == heading {
				continue
			}
			if first || n.x-n.left < left {
				left = n.x - n.left
			}
			if first || n.x+n.right > right {
				right = n.x + n.right
			}
			first = false
		}
	}
	around := l.around()
	if l.heading != nil {
		left = min(left, l.heading.x)
		l.heading.x = left
	}
	wide := max(right-left, l.frame.W)
	move := around + (wide-(right-left))/2 - left
	for _, r := range l.ranks {
		for _, n := range r {
			n.x += move
		}
	}
	if l.heading != nil {
		l.heading.x = around
	}
	l.frame.W = wide + 2*around
}

// around is how much room there is between the frame's border and what is in it.
func (l *level) around() int {
	if l.frame.in == nil {
		return 0
	}
	return padding
}
