package guard

import "github.com/fsmc-dev/fsmc/check/wide"

// matrix is a difference-bound matrix (Dill, "Timing Assumptions and
// Verification of Finite-State Concurrent Systems", 1989): entry (i, j) is the
// least c known for which x_i - x_j <= c, and x_0 is 0. It is closed: no entry
// can be lowered by a detour, so that it is the least c that follows. As all
// coefficients are 1 and constants are integers, every integer that the entries
// of one variable allow is part of an integer solution.
//
// One bound more keeps it closed in O(n²) (Bengtsson and Yi, "Timed Automata:
// Semantics, Algorithms and Tools", 2004, algorithm 4): the only new detours are
// those over it. Rows and columns for which the bound itself is no news are
// passed over, so that a bound of a variable by a constant costs O(n).
type matrix struct {
	n     int
	d     []wide.Int // row by row
	trail []entry
	work  int
}

// entry is what stood at a place of the matrix.
type entry struct {
	at  int
	old wide.Int
}

// newMatrix has variable i for numbers[i-1], which lies in its range; no range is empty.
func newMatrix(numbers []*variable) *matrix {
	n := len(numbers) + 1
	m := &matrix{n: n, d: make([]wide.Int, n*n)}
	for i := 1; i < n; i++ {
		m.d[i*n] = wide.Of(numbers[i-1].hi)
		m.d[i] = wide.Of(numbers[i-1].lo).Neg()
	}
	for i := 1; i < n; i++ {
		for j := 1; j < n; j++ {
			if i != j {
				m.d[i*n+j] = m.d[i*n].Add(m.d[j])
			}
		}
	}
	m.work = n * n
	return m
}

func (m *matrix) at(i, j int32) wide.Int { return m.d[int(i)*m.n+int(j)] }

// allows reports whether x_i - x_j <= c, alone, goes with what is known.
func (m *matrix) allows(i, j int32, c wide.Int) bool { return c.Add(m.at(j, i)).Sign() >= 0 }

// tighten adds x_u - x_v <= c, and reports whether there still is a solution;
// where there is none it changes nothing.
func (m *matrix) tighten(u, v int32, c wide.Int) bool {
	m.work++
	if !c.Less(m.at(u, v)) {
		return true
	}
	if !m.allows(u, v, c) {
		return false
	}
	ends := make([]int32, 0, 16) // the j to which the way from u over v is news
	n := int32(m.n)
	for j := range n {
		if c.Add(m.at(v, j)).Less(m.at(u, j)) {
			ends = append(ends, j)
		}
	}
	m.work += 2 * m.n
	for i := range n {
		toV := m.at(i, u).Add(c)
		if !toV.Less(m.at(i, v)) {
			continue
		}
		for _, j := range ends {
			m.lower(int(i)*m.n+int(j), toV.Add(m.at(v, j)))
		}
		m.work += len(ends)
	}
	return true
}

func (m *matrix) lower(at int, c wide.Int) {
	if c.Less(m.d[at]) {
		m.trail = append(m.trail, entry{at, m.d[at]})
		m.d[at] = c
	}
}

// undo takes back what was added since the trail had length mark.
func (m *matrix) undo(mark int) {
	for i := len(m.trail) - 1; i >= mark; i-- {
		m.d[m.trail[i].at] = m.trail[i].old
	}
	m.trail = m.trail[:mark]
}
