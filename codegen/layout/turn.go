package layout

// turn decides which arrows lead up. A drawing in layers needs a graph without cycles;
// seen from a frame, an arrow leads between two boxes of it, which may be frames around its
// ends. Where the wishes of a frame's arrows close a cycle, those that should lead down go
// first, in their order, and each that would close one turns.
func turn(arrows []*Arrow) {
	frames := map[*Box][]*Arrow{}
	var order []*Box
	for _, a := range arrows {
		a.up = a.Back
		frame, _, _ := a.meet()
		if frames[frame] == nil {
			order = append(order, frame)
		}
		frames[frame] = append(frames[frame], a)
	}
	for _, frame := range order {
		turnIn(frame, frames[frame])
	}
}

// turnIn is turn for the arrows between boxes of one frame.
func turnIn(frame *Box, arrows []*Arrow) {
	g := newDescent(frame)
	for _, a := range arrows {
		g.add(a)
	}
	if !g.cyclic() {
		return
	}
	g = newDescent(frame)
	for _, back := range []bool{false, true} {
		for _, a := range arrows {
			if a.Back != back {
				continue
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

// cyclic reports whether some way leads back to where it began: not all boxes can be taken
// away, one after the other, when nothing is above them any more.
func (g *descent) cyclic() bool {
	above := make([]int, len(g.below))
	for _, list := range g.below {
		for _, b := range list {
			above[b]++
		}
	}
	var free []int
	for b, n := range above {
		if n == 0 {
			free = append(free, b)
		}
	}
	taken := 0
	for ; taken < len(free); taken++ {
		for _, b := range g.below[free[taken]] {
			if above[b]--; above[b] == 0 {
				free = append(free, b)
			}
		}
	}
	return taken < len(above)
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
