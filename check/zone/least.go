package zone

import "time"

// Moments are moments in time of which rules say by how much one comes after another.
// Moment 0 comes before all others. The zero value has that one.
type Moments struct {
	last  int // the number of the last moment
	rules []rule
}

// rule says that moment b comes at least so long after moment a, and if they must
// differ, not at that very time.
type rule struct {
	a, b   int
	after  int64
	differ bool
}

// Next is one more moment.
func (m *Moments) Next() int {
	m.last++
	return m.last
}

// After adds that moment b comes at least wait after moment a, and if they must differ,
// not at that very time.
func (m *Moments) After(a, b int, wait int64, differ bool) {
	m.rules = append(m.rules, rule{a, b, wait, differ})
}

// gaps are by how much moments that must differ do: as much as reads well, and at
// least what can be told apart.
var gaps = []time.Duration{time.Millisecond, time.Microsecond, 1}

// maxRounds is how often all rules are gone through at most.
const maxRounds = 1000

// Least is the earliest time of every moment, moment 0 being at 0; nil where no times
// keep to all rules.
func (m *Moments) Least() []int64 {
	for _, gap := range gaps {
		if at := m.leastWith(int64(gap)); at != nil {
			return at
		}
	}
	return nil
}

func (m *Moments) leastWith(gap int64) []int64 {
	at := make([]int64, m.last+1)
	for range maxRounds {
		changed := false
		for _, r := range m.rules {
			least := at[r.a] + r.after
			if r.differ {
				least += gap
			}
			if at[r.b] < least {
				at[r.b], changed = least, true
			}
		}
		if at[0] > 0 {
			return nil
		}
		if !changed {
			return at
		}
	}
	return nil
}
