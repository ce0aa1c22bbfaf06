package zone

import (
	"math/rand/v2"
	"testing"
)

// span is how far points go in each direction.
const span = 6

// points are the solutions of a zone of two moments with now at 0, by brute force:
// a moment lies from -span to span.
type points map[[3]int64]bool

func all(keep func(p [3]int64) bool) points {
	out := points{}
	for now := int64(0); now <= span; now++ {
		for a := int64(-span); a <= 2*span; a++ {
			for b := int64(-span); b <= 2*span; b++ {
				if p := [3]int64{now, a, b}; keep(p) {
					out[p] = true
				}
			}
		}
	}
	return out
}

func (z *Zone) has(p [3]int64) bool {
	for i := range z.n {
		for j := range z.n {
			if c := z.Bound(i, j); c != Infinite && p[i]-p[j] > c {
				return false
			}
		}
	}
	return true
}

// random is a zone that is not empty, and the constraints that made it.
func random(r *rand.Rand) (*Zone, [][3]int64) {
	for {
		z, made := New(2), [][3]int64(nil)
		ok := true
		for range r.IntN(6) {
			i, j, c := r.IntN(3), r.IntN(3), int64(r.IntN(2*span)-span)
			if i != j {
				made = append(made, [3]int64{int64(i), int64(j), c})
				ok = ok && z.And(i, j, c)
			}
		}
		if ok {
			return z, made
		}
	}
}

func holds(made [][3]int64, p [3]int64) bool {
	for _, c := range made {
		if p[c[0]]-p[c[1]] > c[2] {
			return false
		}
	}
	return true
}

// TestAgainstPoints holds every operation against the points of the zone.
func TestAgainstPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 2000 {
		z, made := random(r)
		for p := range all(func([3]int64) bool { return true }) {
			if z.has(p) != holds(made, p) {
				t.Fatalf("%v: And and the constraints differ at %v", made, p)
			}
		}
		closed := *z
		closed.m = append([]int64(nil), z.m...)
		closed.close()
		for i := range z.m {
			if z.m[i] != closed.m[i] {
				t.Fatalf("%v: And does not leave it canonical", made)
			}
		}
		was := all(z.has)

		up := New(0)
		up.Copy(z)
		up.Elapse()
		for p := range all(up.has) {
			earlier := false
			for now := p[0]; now >= -4*span && !earlier; now-- {
				earlier = z.has([3]int64{now, p[1], p[2]})
			}
			if !earlier {
				t.Fatalf("%v: Elapse reaches %v from nowhere", made, p)
			}
		}
		for p := range was {
			for now := p[0]; now <= span; now++ {
				if !up.has([3]int64{now, p[1], p[2]}) {
					t.Fatalf("%v: Elapse leaves out %v at %d", made, p, now)
				}
			}
		}

		set := New(0)
		set.Copy(z)
		least, more := int64(r.IntN(3)), int64(r.IntN(3))
		set.Set(1, 0, least, least+more)
		for p := range was {
			for a := p[0] + least; a <= p[0]+least+more; a++ {
				if !set.has([3]int64{p[0], a, p[2]}) {
					t.Fatalf("%v: Set leaves out %v with %d", made, p, a)
				}
			}
			if set.has([3]int64{p[0], p[0] + least - 1, p[2]}) || set.has([3]int64{p[0], p[0] + least + more + 1, p[2]}) {
				t.Fatalf("%v: Set lets too much", made)
			}
		}
	}
}

// TestAbstract: what becomes one zone has the same futures, as far as its clocks
// tell: whether the time since moment 2 is at least each constant up to Past, and
// how moment 1 stands to now.
func TestAbstract(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 0))
	clocks := []Clock{{}, {Ahead: span, Past: Infinite}, {Ahead: 0, Past: 3}}
	for range 2000 {
		z, made := random(r)
		if !z.And(0, 1, 0) || !z.And(1, 0, span) || !z.And(2, 0, 0) { // a timer, and an attempt
			continue
		}
		wide := New(0)
		wide.Copy(z)
		wide.Abstract(clocks)
		for p := range all(z.has) {
			if !wide.has(p) {
				t.Fatalf("%v: Abstract leaves out %v", made, p)
			}
		}
		for p := range all(wide.has) {
			like := false
			for b := int64(-8 * span); b <= span && !like; b++ {
				same := p[0]-p[2] == p[0]-b || p[0]-p[2] >= 3 && p[0]-b >= 3
				like = same && z.has([3]int64{p[0], p[1], b})
			}
			if !like {
				t.Fatalf("%v: nothing in it is like %v, which Abstract lets in", made, p)
			}
		}
	}
}

func TestTable(t *testing.T) {
	tab := NewTable()
	a, b := New(1), New(1)
	a.Set(1, 0, 1, 2)
	b.Set(1, 0, 1, 2)
	if tab.Number(a) != tab.Number(b) || tab.Len() != 2 {
		t.Fatal("equal zones have two numbers")
	}
	b.Elapse()
	if tab.Number(b) == tab.Number(a) {
		t.Fatal("different zones have one number")
	}
	if got := tab.At(tab.Number(a)).Bound(1, 0); got != 2 {
		t.Fatalf("zone kept as %d", got)
	}
}
