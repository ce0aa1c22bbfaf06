package layout

// turn decides which arrows lead up. A drawing in layers needs a graph without cycles;
// seen from a frame, an arrow leads between two boxes of it, which may be frames around its
// ends. Where the wishes of a frame's arrows close a cycle, those that should lead down go
// first, in their order, and each that would close one turns.
func turn(arrows []*Arrow) {
	frames := map[*Box]*descent{}
	for _, back := range []bool{false, true} {
		for _, a := range arrows {
			if a.Back != back {
				continue
			}
			a.up = a.Back
			frame, _, _ := a.meet()
			g := frames[frame]
			if g == nil {
				g = newDescent(frame)
				frames[frame] = g
			}
			if from, to := g.ends(a); g.reaches(to, from) {
				a.up = !a.up
			}
			g.add(a)
		}
	}
}

// descent is which boxes of a frame have arrows down to which others.
type descent struct {
	index map[*Box]int
	below [][]int
}

func newDescent(frame *Box) *descent {
	g := &descent{index: make(map[*Box]int, len(frame.Boxes)), below: make([][]int, len(frame.Boxes))}
	for i, b := range frame.Boxes {
		g.index[b] = i
	}
	return g
}

// ends are the upper and the lower box of a as it leads now.
func (g *descent) ends(a *Arrow) (from, to int) {
	_, upper, lower := a.meet()
	if a.up {
		upper, lower = lower, upper
	}
	return g.index[upper], g.index[lower]
}

func (g *descent) add(a *Arrow) {
	from, to := g.ends(a)
	g.below[from] = append(g.below[from], to)
}

// reaches reports whether a way leads down from one box to another.
func (g *descent) reaches(from, to int) bool {
	seen := make([]bool, len(g.below))
	seen[from] = true
	for next := []int{from}; len(next) > 0; {
		b := next[len(next)-1]
		next = next[:len(next)-1]
		if b == to {
			return true
		}
		for _, c := range g.below[b] {
			if !seen[c] {
				seen[c] = true
				next = append(next, c)
			}
		}
	}
	return false
}
