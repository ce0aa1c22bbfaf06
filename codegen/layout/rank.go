package layout

import "github.com/fsmc-dev/fsmc/codegen/layout/simplex"

// rank gives each node a rank, so that arrows are short, most of all between an arrow's
// beginning and its label. The border's ports are first and last.
func (l *level) rank() {
	index := make(map[*item]int, len(l.nodes))
	const top, bottom = 0, 1
	for i, n := range l.nodes {
		switch n.kind {
		case topPort:
			index[n] = top
		case lastPort:
			index[n] = bottom
		default:
			index[n] = i + 2
		}
	}
	edges := []simplex.Edge{{From: top, To: bottom, Least: 1}}
	linked := make(map[*item]bool, len(l.nodes))
	for _, c := range l.pieces {
		linked[c.upper], linked[c.lower] = true, true
		edges = append(edges, c.ranked(index)...)
	}
	for _, n := range l.nodes {
		i := index[n]
		if i == top || i == bottom {
			continue
		}
		up, down := simplex.Edge{From: top, To: i, Least: 1}, simplex.Edge{From: i, To: bottom, Least: 1}
		switch {
		case n.kind == heading:
			up.Weight = 1
		case l.heading != nil && !(n.kind == boxItem && n.box.Dot):
			up.Least = 2
		}
		if n.kind == boxItem && !linked[n] {
			if n.box.Bottom {
				down.Weight = 1
			} else {
				up.Weight = 1
			}
		}
		edges = append(edges, up, down)
	}
	ranks := simplex.Solve(len(l.nodes)+2, edges, workOfRanks)
	l.ranks = make([][]*item, ranks[bottom]+1)
	for _, n := range l.nodes {
		n.rank = ranks[index[n]]
		if n.kind == heading {
			n.rank = 1 // also where the ranks are not the best
		}
	}
}

// ranked are the conditions on the ranks of c: an arrow leads down, and has its label on the
// way, rather near to where it begins.
func (c *piece) ranked(index map[*item]int) []simplex.Edge {
	upper, lower, weight := index[c.upper], index[c.lower], c.arrow.Weight
	if c.label == nil {
		return []simplex.Edge{{From: upper, To: lower, Least: 1, Weight: weight}}
	}
	middle := index[c.label]
	edges := []simplex.Edge{{From: upper, To: middle, Least: 1, Weight: weight}, {From: middle, To: lower, Least: 1, Weight: weight}}
	if c.arrow.up {
		edges[1].Weight *= nearLabel
	} else {
		edges[0].Weight *= nearLabel
	}
	return edges
}

const (
	// nearLabel is how much more an arrow is short before its label than behind it.
	nearLabel = 3
	// workOfRanks and workOfPlaces are how much is looked at to find good ranks, and places
	// in them: the most that a machine of a thousand states can wait for.
	workOfRanks  = 20_000_000
	workOfPlaces = 60_000_000
)

// lengthen links each piece through an item in every rank between its ends, and lists the
// items of each rank.
func (l *level) lengthen() {
	for _, c := range l.pieces {
		if c.label == nil {
			l.chain(c, c.upper, c.lower)
		} else {
			l.chain(c, c.upper, c.label)
			l.chain(c, c.label, c.lower)
		}
		c.links[0].ends[0] = c.arrow.up && c.upper.box == c.arrow.To && c.upper.box != nil
		last := c.links[len(c.links)-1]
		last.ends[1] = !c.arrow.up && c.lower.box == c.arrow.To && c.lower.box != nil
	}
}

// chain links two items of c.
func (l *level) chain(c *piece, from, to *item) {
	for from.rank+1 < to.rank {
		n := &item{kind: pass, rank: from.rank + 1, left: passWide, right: passWide}
		c.link(from, n)
		from = n
	}
	c.link(from, to)
}

func (c *piece) link(from, to *item) {
	k := &link{from: from, to: to, weight: c.arrow.Weight}
	from.down = append(from.down, k)
	to.up = append(to.up, k)
	c.links = append(c.links, k)
}
