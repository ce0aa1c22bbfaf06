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
