package layout

import (
	"cmp"
	"slices"
)

// portGap is how far apart two arrows at a box's edge should be, and portMargin how far from
// its corners.
const (
	portGap    = 14
	widestGap  = 26
	portMargin = 10
)

// framePorts lets the arrows at a frame meet it where they cross its border.
func (p *placer) framePorts(l *level) {
	for _, c := range l.pieces {
		if b := c.upper.box; b != nil && b.Frame {
			c.links[0].out = p.levels[b].ports[c.arrow].x - c.upper.left
		}
		if b := c.lower.box; b != nil && b.Frame {
			c.links[len(c.links)-1].in = p.levels[b].ports[c.arrow].x - c.lower.left
		}
	}
}

// boxPorts spreads the arrows of each box along its edges, in the order of their other
// ends, so that they do not cross there.
func (l *level) boxPorts() {
	for _, n := range l.nodes {
		if n.kind != boxItem || n.box.Frame || n.box.Dot {
			continue
		}
		slices.SortStableFunc(n.up, func(a, b *link) int { return cmp.Compare(a.above(), b.above()) })
		slices.SortStableFunc(n.down, func(a, b *link) int { return cmp.Compare(a.below(), b.below()) })
		for i, at := range spread(n.up, n.box.W) {
			n.up[i].in = at
		}
		for i, at := range spread(n.down, n.box.W) {
			n.down[i].out = at
		}
	}
}

// spread gives the arrows at an edge of the given width their distances from its middle.
// One of the main way is in the middle, so that its line is straight.
func spread(links []*link, width int) []int {
	main := slices.IndexFunc(links, func(k *link) bool { return k.weight >= Main })
	out := make([]int, len(links))
	room := width/2 - portMargin
	for i := range links {
		if main >= 0 {
			side := max(main, len(links)-1-main, 1)
			out[i] = (i - main) * min(widestGap, room/side)
		} else if len(links) > 1 {
			gap := min(widestGap, 2*room/(len(links)-1))
			out[i] = (2*i - len(links) + 1) * gap / 2
		}
	}
	return out
}

// straighten moves the arrows at a box's edges, where there is room, so that they go straight
// on to the next rank.
func (l *level) straighten() {
	for _, n := range l.nodes {
		if n.kind != boxItem || n.box.Frame || n.box.Dot {
			continue
		}
		room := n.box.W/2 - portMargin
		for i, k := range n.up {
			at := k.x1() - n.x
			if from, to := free(n.up, i, room, (*link).lower); from <= at && at <= to {
				k.in = at
			}
		}
		for i, k := range n.down {
			at := k.x2() - n.x
			if from, to := free(n.down, i, room, (*link).upper); from <= at && at <= to {
				k.out = at
			}
		}
	}
}

func (k *link) upper() int { return k.out }
func (k *link) lower() int { return k.in }

// free is between which places the i-th of some links at an edge may move.
func free(links []*link, i, room int, at func(*link) int) (from, to int) {
	from, to = -room, room
	if i > 0 {
		from = at(links[i-1]) + leastPorts
	}
	if i+1 < len(links) {
		to = at(links[i+1]) - leastPorts
	}
	return from, to
}

// leastPorts is how close two arrows at a box's edge may be.
const leastPorts = 9
