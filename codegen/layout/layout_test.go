package layout_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fsmc-dev/fsmc/codegen/layout"
	"github.com/fsmc-dev/fsmc/codegen/layout/layouttest"
)

// random is a drawing with n boxes, some of them frames, and m arrows.
func random(r *rand.Rand, n, m int) (*layout.Box, []*layout.Arrow) {
	root := &layout.Box{Frame: true, Size: layout.Size{W: r.IntN(300), H: r.IntN(40)}}
	frames, all := []*layout.Box{root}, []*layout.Box{}
	for range n {
		frame := frames[r.IntN(len(frames))]
		b := &layout.Box{Size: layout.Size{W: 20 + r.IntN(200), H: 10 + r.IntN(100)}, Bottom: r.IntN(5) == 0}
		switch r.IntN(6) {
		case 0:
			b.Frame = true
			frames = append(frames, b)
		case 1:
			b.Loops = []layout.Size{{W: r.IntN(200), H: 14}, {W: r.IntN(100), H: 1 + r.IntN(50)}}[:1+r.IntN(2)]
		case 2:
			b.Dot, b.Size = true, layout.Size{W: 12, H: 12}
		}
		frame.Boxes = append(frame.Boxes, b)
		all = append(all, b)
	}
	var arrows []*layout.Arrow
	for range m {
		from, to := all[r.IntN(n)], all[r.IntN(n)]
		if from == to || within(from, to) || within(to, from) || from.Dot || to.Dot {
			continue
		}
		a := &layout.Arrow{From: from, To: to, Weight: 1, Back: r.IntN(4) == 0}
		if r.IntN(5) == 0 {
			a.Weight = layout.Main
		}
		if r.IntN(4) > 0 {
			a.Label = layout.Size{W: r.IntN(180), H: 12 + r.IntN(40)}
		}
		arrows = append(arrows, a)
	}
	return root, arrows
}

func within(b, frame *layout.Box) bool {
	for _, c := range frame.Boxes {
		if c == b || within(b, c) {
			return true
		}
	}
	return false
}

func TestNothingLiesOnAnything(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		n := 1 + r.IntN(20)
		root, arrows := random(r, n, r.IntN(2*n+1))
		layout.Place(root, arrows)
		for _, f := range layouttest.Faults(root, arrows) {
			t.Errorf("seed %d: %s", seed, f)
		}
		if t.Failed() {
			return
		}
	}
}

func TestSameAgain(t *testing.T) {
	for seed := range uint64(30) {
		var seen [2]string
		for i := range seen {
			root, arrows := random(rand.New(rand.NewPCG(seed, 4)), 15, 30)
			layout.Place(root, arrows)
			for _, a := range arrows {
				seen[i] += fmt.Sprint(a.Points, a.LabelAt, a.From.At, a.To.At)
			}
		}
		if !reflect.DeepEqual(seen[0], seen[1]) {
			t.Fatalf("seed %d: two drawings", seed)
		}
	}
}

// TestFaultsBite proves that the tests above can fail.
func TestFaultsBite(t *testing.T) {
	box := func() *layout.Box { return &layout.Box{Size: layout.Size{W: 80, H: 30}} }
	for name, spoil := range map[string]func(a, b, c *layout.Box, r *layout.Arrow){
		"a box on a box":   func(a, b, _ *layout.Box, _ *layout.Arrow) { a.At = b.At },
		"a label on a box": func(a, _, _ *layout.Box, r *layout.Arrow) { r.LabelAt = a.At },
		"a label outside":  func(_, _, _ *layout.Box, r *layout.Arrow) { r.LabelAt.X = -50 },
		"an arrow through a box": func(_, _, c *layout.Box, r *layout.Arrow) {
			c.At = layout.Point{X: r.Points[0].X - 5, Y: r.Points[0].Y + 2}
		},
		"an arrow that ends nowhere": func(_, _, _ *layout.Box, r *layout.Arrow) { r.Points[0].Y++ },
	} {
		a, b, c := box(), box(), box()
		r := &layout.Arrow{From: a, To: b, Label: layout.Size{W: 40, H: 15}, Weight: 1}
		root := &layout.Box{Frame: true, Boxes: []*layout.Box{a, b, c}}
		layout.Place(root, []*layout.Arrow{r})
		if faults := layouttest.Faults(root, []*layout.Arrow{r}); len(faults) > 0 {
			t.Fatal(faults)
		}
		spoil(a, b, c, r)
		if len(layouttest.Faults(root, []*layout.Arrow{r})) == 0 {
			t.Errorf("%s is not found", name)
		}
	}
}

// A rank has its boxes beside each other, a long arrow passes them, and the main way is straight.
func TestShape(t *testing.T) {
	box := func() *layout.Box { return &layout.Box{Size: layout.Size{W: 80, H: 30}} }
	a, b, c, d := box(), box(), box(), box()
	main := []*layout.Arrow{{From: a, To: b, Weight: layout.Main}, {From: b, To: d, Weight: layout.Main}}
	side := []*layout.Arrow{{From: a, To: c, Weight: 1}, {From: c, To: d, Weight: 1}, {From: a, To: d, Weight: 1}, {From: d, To: b, Weight: 1, Back: true}}
	root := &layout.Box{Frame: true, Boxes: []*layout.Box{a, b, c, d}}
	layout.Place(root, append(main, side...))
	for i, r := range main {
		if len(r.Points) != 2 || r.Points[0].X != r.Points[1].X {
			t.Errorf("arrow %d of the main way is not straight: %v", i, r.Points)
		}
	}
	if b.At.Y != c.At.Y || a.At.Y >= b.At.Y || b.At.Y >= d.At.Y {
		t.Errorf("a %v, b %v, c %v, d %v", a.At, b.At, c.At, d.At)
	}
	if up := side[3].Points; up[0].Y < up[len(up)-1].Y || up[0].Y != d.At.Y {
		t.Errorf("the arrow back is %v", up)
	}
}

func TestFar(t *testing.T) {
	root := &layout.Box{Frame: true}
	var arrows []*layout.Arrow
	for i := range 10 {
		root.Boxes = append(root.Boxes, &layout.Box{Size: layout.Size{W: 80, H: 30}})
		if i > 0 {
			arrows = append(arrows, &layout.Arrow{From: root.Boxes[i-1], To: root.Boxes[i], Weight: 1})
		}
	}
	long := &layout.Arrow{From: root.Boxes[0], To: root.Boxes[9], Weight: 1}
	if far := layout.Far(root, append(arrows, long), 8, 100); len(far) != 1 || far[0] != long {
		t.Errorf("%d are far", len(far))
	}
	if far := layout.Far(root, append(arrows, long), 9, 100); len(far) != 0 {
		t.Errorf("%d are far", len(far))
	}
	if far := layout.Far(root, append(arrows, long), 9, 15); len(far) != 1 || far[0] != long {
		t.Errorf("%d are far in total", len(far))
	}
}
