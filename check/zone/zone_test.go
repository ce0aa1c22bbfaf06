package zone

import (
	"math/rand/v2"
	"testing"

	_ "github.com/fsmc-dev/fsmc/internal/seldom"
)

// Time is dense: points lie at fourths, and what is looked for beside them at eighths.
const (
	unit  = 8
	whole = 3            // how far points go in each direction
	span  = whole * unit // the same in eighths
)

// points are the solutions of a zone of two moments with now at 0, by brute force:
// a moment lies from -span to span.
type points map[[3]int64]bool

func all(keep func(p [3]int64) bool) points {
	out := points{}
	for now := int64(0); now <= span; now += 2 {
		for a := int64(-span); a <= 2*span; a += 2 {
			for b := int64(-span); b <= 2*span; b += 2 {
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
			bound := z.m[i*z.n+j]
			if bound == Infinite {
				continue
			}
			if d := p[i] - p[j] - (bound>>1)*unit; d > 0 || d == 0 && bound&1 == 0 {
				return false
			}
		}
	}
	return true
}

// constraint is that moment i less moment j is at most c; or that it is below 0.
type constraint struct {
	i, j   int
	c      int64
	before bool
}

// random is a zone that is not empty, and the constraints that made it.
func random(r *rand.Rand) (*Zone, []constraint) {
	for {
		z, made := New(2), []constraint(nil)
		ok := true
		for range r.IntN(6) {
			c := constraint{r.IntN(3), r.IntN(3), int64(r.IntN(2*whole) - whole), r.IntN(3) == 0}
			if c.i == c.j {
				continue
			}
			if made = append(made, c); c.before {
				ok = ok && z.Before(c.i, c.j)
			} else {
				ok = ok && z.And(c.i, c.j, c.c)
			}
		}
		if ok {
			return z, made
		}
	}
}

func holds(made []constraint, p [3]int64) bool {
	for _, c := range made {
		d := p[c.i] - p[c.j]
		if c.before && d >= 0 || !c.before && d > c.c*unit {
			return false
		}
	}
	return true
}

// TestAgainstPoints holds every operation against the points of the zone.
func TestAgainstPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	for range 400 {
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
			for a := p[0] + least*unit; a <= p[0]+(least+more)*unit; a++ {
				if !set.has([3]int64{p[0], a, p[2]}) {
					t.Fatalf("%v: Set leaves out %v with %d", made, p, a)
				}
			}
			if set.has([3]int64{p[0], p[0] + least*unit - 1, p[2]}) || set.has([3]int64{p[0], p[0] + (least+more)*unit + 1, p[2]}) {
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
	const past = 2
	clocks := []Clock{{}, {Ahead: whole, Past: Infinite}, {Ahead: 0, Past: past}}
	for range 400 {
		z, made := random(r)
		if !z.And(0, 1, 0) || !z.And(1, 0, whole) || !z.And(2, 0, 0) { // a timer, and an attempt
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
				same := p[0]-p[2] == p[0]-b || p[0]-p[2] >= past*unit && p[0]-b >= past*unit
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
	if tab.Number(a) != tab.Number(b) || len(tab.zones) != 2 {
		t.Fatal("equal zones have two numbers")
	}
	b.Elapse()
	if tab.Number(b) == tab.Number(a) {
		t.Fatal("different zones have one number")
	}
	if own := tab.At(tab.Number(a)); !own.Within(0, 1) || own.Within(1, 0) || own.m[2] != atMost(2) {
		t.Fatalf("zone stored as %v", own.m)
	}
}
