// Package zone keeps what is known of moments in time: sets of solutions of
// constraints `a - b <= c` and `a - b < c`, as difference-bound matrices (Dill, Timing
// assumptions and verification of finite-state concurrent systems, 1989). Moment 0 is
// now. Time is dense: were it whole nanoseconds, a cycle that takes "more than nothing"
// would have a zone of its own for each time round.
package zone

import (
	"encoding/binary"
	"math"
)

// Infinite is a bound that bounds nothing.
const Infinite = math.MaxInt64

// Bounds in a zone are doubled, and odd where they may be reached.

// atMost is the bound `<= c`.
func atMost(c int64) int64 {
	if c == Infinite {
		return Infinite
	}
	return 2*c + 1
}

// less is the bound `< c`.
func less(c int64) int64 { return 2 * c }

// Zone is a set of moments, canonical: every bound is the tightest that follows.
// An operation that finds it empty says so; then it is worth nothing any more.
type Zone struct {
	n int
	m []int64 // m[i*n+j] bounds moment i less moment j; see atMost
}

// New is the zone of n moments beside now of which nothing is known.
func New(n int) *Zone {
	z := &Zone{}
	z.reset(n + 1)
	return z
}

func (z *Zone) reset(n int) {
	z.n = n
	if cap(z.m) < n*n {
		z.m = make([]int64, n*n)
	}
	z.m = z.m[:n*n]
	for i := range z.m {
		z.m[i] = Infinite
	}
	for i := range n {
		z.m[i*n+i] = atMost(0)
	}
}

// Keep makes z the first k moments of from, and n-k of which nothing is known.
func (z *Zone) Keep(from *Zone, k, n int) {
	z.reset(n + 1)
	for i := range k + 1 {
		copy(z.m[i*z.n:i*z.n+k+1], from.m[i*from.n:i*from.n+k+1])
	}
}

// sum is the bound that follows from two: it may be reached where both may.
func sum(a, b int64) int64 {
	if a == Infinite || b == Infinite {
		return Infinite
	}
	return a&^1 + b&^1 + a&b&1
}

// And adds that moment i less moment j is at most c, and reports whether anything
// is left.
func (z *Zone) And(i, j int, c int64) bool { return z.and(i, j, atMost(c)) }

// Before adds that moment i comes before moment j, and reports whether anything is
// left.
func (z *Zone) Before(i, j int) bool { return z.and(i, j, less(0)) }

func (z *Zone) and(i, j int, bound int64) bool {
	n := z.n
	if z.m[i*n+j] <= bound {
		return true
	}
	if sum(z.m[j*n+i], bound) < atMost(0) {
		return false
	}
	z.m[i*n+j] = bound
	for a := range n {
		to := sum(z.m[a*n+i], bound)
		if to == Infinite {
			continue
		}
		for b := range n {
			if through := sum(to, z.m[j*n+b]); through < z.m[a*n+b] {
				z.m[a*n+b] = through
			}
		}
	}
	return true
}

// Within reports whether moment i is moment j, or comes before it, in all solutions.
func (z *Zone) Within(i, j int) bool { return z.m[i*z.n+j] <= atMost(0) }

// Elapse lets any time pass.
func (z *Zone) Elapse() {
	for j := 1; j < z.n; j++ {
		z.m[j] = Infinite
	}
}

// Free forgets moment i.
func (z *Zone) Free(i int) {
	for j := range z.n {
		if j != i {
			z.m[i*z.n+j], z.m[j*z.n+i] = Infinite, Infinite
		}
	}
}

// Set puts moment i from least to most after moment j, another one.
func (z *Zone) Set(i, j int, least, most int64) {
	n := z.n
	for k := range n {
		if k != i {
			z.m[i*n+k] = sum(z.m[j*n+k], atMost(most))
			z.m[k*n+i] = sum(z.m[k*n+j], atMost(-least))
		}
	}
}

// Clock says how far a moment matters: it lies at most Ahead after now, and once it
// lies more than Past before now nothing asks any more by how much. Past is
// Infinite for one that never lies before now.
type Clock struct{ Ahead, Past int64 }

// Abstract forgets what no question asks, so that there are finitely many zones:
// two zones that become one have the same futures. It is the extrapolation by the
// greatest constants (Daws and Tripakis, Model checking of real-time reachability
// properties using abstractions, TACAS 1998), for clocks that show the time since
// a moment. Clocks are by moment; the first is now, and is not looked at.
func (z *Zone) Abstract(clocks []Clock) {
	n, changed := z.n, false
	for s := 1; s < n; s++ {
		past := clocks[s].Past
		if past == Infinite {
			continue
		}
		for j := range n {
			if j == s {
				continue
			}
			reach := past
			if j > 0 {
				if clocks[j].Ahead == Infinite {
					continue
				}
				reach += clocks[j].Ahead
			}
			if up := z.m[j*n+s]; up != Infinite && up > atMost(reach) {
				z.m[j*n+s], changed = Infinite, true
			}
			if low := z.m[s*n+j]; low != Infinite && low < atMost(-reach) {
				z.m[s*n+j], changed = atMost(-reach), true
			}
		}
	}
	if changed {
		z.close()
	}
}

// close makes z canonical.
func (z *Zone) close() {
	n := z.n
	for k := range n {
		for i := range n {
			to := z.m[i*n+k]
			if to == Infinite {
				continue
			}
			for j := range n {
				if through := sum(to, z.m[k*n+j]); through < z.m[i*n+j] {
					z.m[i*n+j] = through
				}
			}
		}
	}
}

// Copy makes z the same as from.
func (z *Zone) Copy(from *Zone) {
	z.n = from.n
	z.m = append(z.m[:0], from.m...)
}

// Table numbers zones; number 0 is the zone without moments.
type Table struct {
	zones []*Zone
	ids   map[string]int32
	key   []byte
}

// NewTable makes a table with zone 0.
func NewTable() *Table {
	t := &Table{ids: map[string]int32{}}
	t.Number(New(0))
	return t
}

// Number is the number of z, which is copied where it is new.
func (t *Table) Number(z *Zone) int32 {
	t.key = t.key[:0]
	for _, c := range z.m {
		t.key = binary.LittleEndian.AppendUint64(t.key, uint64(c))
	}
	if id, known := t.ids[string(t.key)]; known {
		return id
	}
	id := int32(len(t.zones))
	own := &Zone{}
	own.Copy(z)
	t.zones = append(t.zones, own)
	t.ids[string(t.key)] = id
	return id
}

// At is the zone with number id; it is not to be changed.
func (t *Table) At(id int32) *Zone { return t.zones[id] }
