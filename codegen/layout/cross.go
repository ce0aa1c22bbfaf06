package layout

import (
	"cmp"
	"slices"
)

// cost is what a crossing of k counts: more for the drawing's main way.
func (k *link) cost() int {
	if k.weight >= Main {
		return 3
	}
	return 1
}

// Main is the weight from which an arrow belongs to the drawing's main way.
const Main = 40

// crossed is what the crossings of the links of a and of b cost if a is to the left of b.
func crossed(a, b *item) int {
	return inverted(a.up, b.up, (*link).above) + inverted(a.down, b.down, (*link).below)
}

// mostPairs is for how many pairs of links an exchange is thought about.
const mostPairs = 10_000

func inverted(left, right []*link, at func(*link) int) int {
	if len(left)*len(right) > mostPairs {
		return 0
	}
	sum := 0
	for _, a := range left {
		for _, b := range right {
			if at(a) > at(b) {
				sum += a.cost() * b.cost()
			}
		}
	}
	return sum
}

// crossings is what all crossings cost: for each rank, the links from left to right, each
// with those before it that end further to the right (Barth, Jünger and Mutzel 2002).
func (l *level) crossings() int {
	sum := 0
	for r := range l.ranks {
		var links []*link
		for _, n := range l.ranks[r] {
			links = append(links, n.down...)
		}
		if len(links) < 2 {
			continue
		}
		slices.SortStableFunc(links, func(a, b *link) int {
			return cmp.Or(cmp.Compare(a.above(), b.above()), cmp.Compare(a.below(), b.below()))
		})
		ends := newSums(links)
		for i := 0; i < len(links); {
			j := i
			for ; j < len(links) && links[j].above() == links[i].above(); j++ {
				sum += ends.after(links[j].below()) * links[j].cost()
			}
			for ; i < j; i++ {
				ends.add(links[i].below(), links[i].cost())
			}
		}
	}
	return sum
}

// sums keeps how much there is to the right of a place (Fenwick 1994).
type sums struct {
	places []int
	tree   []int
	total  int
}

func newSums(links []*link) *sums {
	s := &sums{places: make([]int, len(links))}
	for i, k := range links {
		s.places[i] = k.below()
	}
	slices.Sort(s.places)
	s.places = slices.Compact(s.places)
	s.tree = make([]int, len(s.places)+1)
	return s
}

func (s *sums) add(place, amount int) {
	i, _ := slices.BinarySearch(s.places, place)
	for i++; i < len(s.tree); i += i & -i {
		s.tree[i] += amount
	}
	s.total += amount
}

// after is how much there is to the right of place.
func (s *sums) after(place int) int {
	i, _ := slices.BinarySearch(s.places, place)
	sum := s.total
	for i++; i > 0; i -= i & -i {
		sum -= s.tree[i]
	}
	return sum
}
