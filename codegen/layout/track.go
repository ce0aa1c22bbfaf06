package layout

import (
	"cmp"
	"slices"
)

// What runs sideways between two ranks needs a height of its own, or shares one with what is
// elsewhere (the channels of circuit boards: Hashimoto and Stevens 1971). An arrow that
// comes down where another one goes on down must be the lower of the two, or their
// lines would lie on each other; and of two that would cross in one order and not in the
// other, the order is chosen. Where the first rule goes round in a circle, an arrow leads
// slantwise, which touches the others in points alone.

// near is how close two upright lines may be, and how close the ends of two that share a height.
const near = 5

// slanted is the track of a link that leads slantwise.
const slanted = -1

// setTracks gives each link that is not straight a track.
func (l *level) setTracks() {
	for _, items := range l.ranks {
		var links []*link
		for _, n := range items {
			for _, k := range n.down {
				if k.x1() != k.x2() {
					links = append(links, k)
				}
			}
		}
		slices.SortStableFunc(links, func(a, b *link) int {
			return cmp.Or(cmp.Compare(a.left(), b.left()), cmp.Compare(a.right(), b.right()))
		})
		setTracks(links)
	}
}

// x1 and x2 are where a link begins and ends; left and right the same from left to right.
func (k *link) x1() int    { return k.from.x + k.out }
func (k *link) x2() int    { return k.to.x + k.in }
func (k *link) left() int  { return min(k.x1(), k.x2()) }
func (k *link) right() int { return max(k.x1(), k.x2()) }

// covers reports whether k runs sideways past x.
func (k *link) covers(x int) bool { return k.left() < x && x < k.right() }

// must reports whether k has to be above o.
func (k *link) must(o *link) bool { return abs(k.x1()-o.x2()) < near }

// crosses is how often k and o cross if k is above o.
func (k *link) crosses(o *link) int {
	n := 0
	if k.covers(o.x1()) {
		n++
	}
	if o.covers(k.x2()) {
		n++
	}
	return n
}

func abs(n int) int { return max(n, -n) }

// channel is the order, from above, of links that meet: which have to be below which, and
// which had better be.
type channel struct {
	links  []*link
	meets  [][]int
	must   [][]int // those that have to be below
	better [][]int
	// Of those above a link, how many are not placed.
	held, loose []int
	placed      []bool
}

func setTracks(links []*link) {
	n := len(links)
	c := &channel{links: links, meets: make([][]int, n), must: make([][]int, n), better: make([][]int, n),
		held: make([]int, n), loose: make([]int, n), placed: make([]bool, n)}
	for i, a := range links {
		for j := i + 1; j < n && links[j].left() <= a.right()+near; j++ {
			c.compare(i, j)
		}
	}
	for range links {
		c.place(c.next())
	}
}

// compare notes how i and j, which meet, should lie.
func (c *channel) compare(i, j int) {
	a, b := c.links[i], c.links[j]
	c.meets[i], c.meets[j] = append(c.meets[i], j), append(c.meets[j], i)
	if a.must(b) {
		c.must[i] = append(c.must[i], j)
		c.held[j]++
	}
	if b.must(a) {
		c.must[j] = append(c.must[j], i)
		c.held[i]++
	}
	switch ab, ba := a.crosses(b), b.crosses(a); {
	case ab < ba:
		c.better[i] = append(c.better[i], j)
		c.loose[j]++
	case ba < ab:
		c.better[j] = append(c.better[j], i)
		c.loose[i]++
	}
}

// next is the link that may be placed below all that are: one that none has to be above, and
// had best not be. If all have one that has to, the first leads slantwise.
func (c *channel) next() int {
	best, first := -1, -1
	for i := range c.links {
		if c.placed[i] {
			continue
		}
		if first < 0 || c.held[i] < c.held[first] {
			first = i
		}
		if c.held[i] == 0 && (best < 0 || c.loose[i] < c.loose[best]) {
			best = i
		}
	}
	if best < 0 {
		c.links[first].track = slanted
		return first
	}
	return best
}

// place gives i the first height below all that it meets.
func (c *channel) place(i int) {
	c.placed[i] = true
	if c.links[i].track != slanted {
		for _, j := range c.meets[i] {
			if o := c.links[j]; c.placed[j] && o.track != slanted {
				c.links[i].track = max(c.links[i].track, o.track+1)
			}
		}
	}
	for _, j := range c.must[i] {
		c.held[j]--
	}
	for _, j := range c.better[i] {
		c.loose[j]--
	}
}
