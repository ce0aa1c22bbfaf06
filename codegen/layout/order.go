package layout

import (
	"cmp"
	"slices"
)

// order chooses the order in each rank so that few arrows cross: sweeps down and up, in which
// each item goes where its neighbours in the rank before are on average (the barycentre
// method of Sugiyama, Tagawa and Toda 1981), then exchanges of neighbours that save
// crossings; the best order seen is kept. What arrows cross the frame's border begins in the
// order of their other ends, where that is known.
func (l *level) order(known bool) {
	var best [][]*item
	least := -1
	for _, down := range [2]bool{true, false} {
		l.begin(down)
		if known {
			for _, r := range [2]int{0, len(l.ranks) - 1} {
				slices.SortStableFunc(l.ranks[r], func(a, b *item) int { return cmp.Compare(a.hint, b.hint) })
				count(l.ranks[r])
			}
		}
		for sweep := range l.sweeps() {
			if c := l.crossings(); least < 0 || c < least {
				best, least = l.copied(), c
			}
			if least == 0 {
				break
			}
			l.sweep(sweep%2 == 0)
			l.exchange()
		}
	}
	for r, items := range best {
		l.ranks[r] = items
		count(items)
	}
}

// sweeps is how many sweeps there are: fewer in large drawings.
func (l *level) sweeps() int {
	items := 0
	for _, r := range l.ranks {
		items += len(r)
	}
	return 4 + min(20, 10_000/(items+1))
}

// begin puts the items in the order in which a search finds them that follows the arrows, down
// or up, in their order from the boxes in theirs.
func (l *level) begin(down bool) {
	clear(l.ranks)
	seen := map[*item]bool{}
	var visit func(*item)
	visit = func(n *item) {
		if seen[n] {
			return
		}
		seen[n] = true
		l.ranks[n.rank] = append(l.ranks[n.rank], n)
		if down {
			for _, k := range n.down {
				visit(k.to)
			}
		} else {
			for _, k := range n.up {
				visit(k.from)
			}
		}
	}
	if l.heading != nil {
		visit(l.heading)
	}
	for _, n := range l.nodes {
		visit(n)
	}
	for _, r := range l.ranks {
		count(r)
	}
}

// count tells items at which place they are.
func count(items []*item) {
	for i, n := range items {
		n.pos = i
	}
}

func (l *level) copied() [][]*item {
	out := make([][]*item, len(l.ranks))
	for r, items := range l.ranks {
		out[r] = slices.Clone(items)
	}
	return out
}

// fine is into how many parts the place of an item is divided, for arrows of one frame.
const fine = 1024

// place is where an arrow meets n, in the order of a rank; off is how far from its axis.
func place(n *item, off int) int {
	if n.kind != boxItem || !n.box.Frame {
		return n.pos * fine
	}
	return n.pos*fine + (off+n.left)*(fine-1)/max(1, n.left+n.right)
}

func (k *link) above() int { return place(k.from, k.out) }
func (k *link) below() int { return place(k.to, k.in) }

// sweep orders rank after rank, from above or from below.
func (l *level) sweep(down bool) {
	for i := 1; i < len(l.ranks); i++ {
		r := i
		if !down {
			r = len(l.ranks) - 1 - i
		}
		l.ranks[r] = sorted(l.ranks[r], down)
	}
}

// sorted are the items of a rank by where their neighbours in the rank above, or below,
// are; those without any keep their places.
func sorted(items []*item, down bool) []*item {
	middle := make(map[*item]int, len(items))
	var moving []*item
	for _, n := range items {
		links, at := n.up, (*link).above
		if !down {
			links, at = n.down, (*link).below
		}
		if len(links) == 0 || n.kind == heading {
			continue
		}
		sum := 0
		for _, k := range links {
			sum += at(k)
		}
		middle[n] = 16 * sum / len(links)
		moving = append(moving, n)
	}
	slices.SortStableFunc(moving, func(a, b *item) int { return cmp.Compare(middle[a], middle[b]) })
	out := slices.Clone(items)
	next := 0
	for i, n := range items {
		if _, moves := middle[n]; moves {
			out[i] = moving[next]
			next++
		}
	}
	count(out)
	return out
}

// exchange exchanges neighbours where that saves crossings.
func (l *level) exchange() {
	for range 4 {
		better := false
		for _, items := range l.ranks {
			for i := 0; i+1 < len(items); i++ {
				a, b := items[i], items[i+1]
				if a.kind == heading || crossed(a, b) <= crossed(b, a) {
					continue
				}
				items[i], items[i+1] = b, a
				a.pos, b.pos = i+1, i
				better = true
			}
		}
		if !better {
			return
		}
	}
}
