package svg

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/codegen/drawing"
	"github.com/fsmc-dev/fsmc/codegen/layout"
)

const (
	tipLong = 9 // how long the tip of an arrow is
	tipWide = 4 // and how wide on either side
	bend    = 7 // the radius of a corner
)

// arrow writes e, which has been placed.
func (w *printer) arrow(e *drawing.Edge, a *layout.Arrow) {
	points := slices.Clone(a.Points)
	n := len(points)
	end, before := points[n-1], points[n-2]
	points[n-1] = towards(end, before, tipLong-1)
	w.drawn(e, points, end, before, a.LabelAt)
}

// drawn writes e with a line behind its tip, which is at end and comes from before.
func (w *printer) drawn(e *drawing.Edge, line []layout.Point, end, before, label layout.Point) {
	w.edge("arrow", e)
	w.out.WriteString(`<path d="`)
	w.line(line)
	w.out.WriteString(`"/>`)
	w.tip(end, before)
	w.content(w.plan.labels[e], label)
	w.kind = ""
	w.out.WriteString("</g>\n")
}

// towards is the place so far from p on the way to q, at most half of it.
func towards(p, q layout.Point, far int) layout.Point {
	dx, dy := q.X-p.X, q.Y-p.Y
	long := abs(dx) + abs(dy) // of an upright or a level line; of a slanted one about
	if long == 0 {
		return p
	}
	far = min(far, long/2)
	return layout.Point{X: p.X + dx*far/long, Y: p.Y + dy*far/long}
}

func abs(n int) int { return max(n, -n) }

// line writes a line with round corners. A place is written by how far it is from the one before,
// which makes pictures a tenth smaller.
func (w *printer) line(points []layout.Point) {
	at := points[0]
	fmt.Fprintf(&w.out, "M%d %d", at.X+margin, at.Y+margin)
	for i := 1; i+1 < len(points); i++ {
		p := points[i]
		in, out := towards(p, points[i-1], bend), towards(p, points[i+1], bend)
		w.straight(at, in)
		w.out.WriteByte('q')
		w.far(p.X-in.X, p.Y-in.Y)
		w.far(out.X-in.X, out.Y-in.Y)
		at = out
	}
	w.straight(at, points[len(points)-1])
}

// straight goes from p to q.
func (w *printer) straight(p, q layout.Point) {
	switch {
	case p == q:
	case p.X == q.X:
		fmt.Fprintf(&w.out, "v%d", q.Y-p.Y)
	case p.Y == q.Y:
		fmt.Fprintf(&w.out, "h%d", q.X-p.X)
	default:
		w.out.WriteByte('l')
		w.far(q.X-p.X, q.Y-p.Y)
	}
}

// far writes two numbers behind a command or other numbers. A sign parts them as a blank does.
func (w *printer) far(x, y int) {
	for _, n := range []int{x, y} {
		if last := w.out.Bytes()[w.out.Len()-1]; n >= 0 && last >= '0' && last <= '9' {
			w.out.WriteByte(' ')
		}
		fmt.Fprint(&w.out, n)
	}
}

// tip writes the tip of an arrow that ends at p and comes from q: from above or below, or,
// of a loop, from the right.
func (w *printer) tip(p, q layout.Point) {
	x, y := p.X+margin, p.Y+margin
	switch {
	case q.Y < p.Y:
		fmt.Fprintf(&w.out, `<path d="M%d %dl-%d-%dh%dZ"/>`, x, y, tipWide, tipLong, 2*tipWide)
	case q.Y > p.Y:
		fmt.Fprintf(&w.out, `<path d="M%d %dl-%d %dh%dZ"/>`, x, y, tipWide, tipLong, 2*tipWide)
	default:
		fmt.Fprintf(&w.out, `<path d="M%d %dl%d-%dv%dZ"/>`, x, y, tipLong, tipWide, 2*tipWide)
	}
}

// loop writes the i-th arrow from b to itself, which leaves and enters it on the right.
func (w *printer) loop(e *drawing.Edge, b *layout.Box, i int) {
	x, n := b.At.X+b.W, len(b.Loops)
	y := b.At.Y + b.H*(2*i+1)/(2*n)
	half := min(7, b.H/(2*n)-1)
	far := x + layout.LoopWide
	line := []layout.Point{{X: x, Y: y - half}, {X: far, Y: y - half}, {X: far, Y: y + half}, {X: x + tipLong - 1, Y: y + half}}
	w.drawn(e, line, layout.Point{X: x, Y: y + half}, layout.Point{X: far, Y: y + half}, b.LoopAt[i])
}

// tipOf is what a pointer over e shows: the documentation of its events, or what did not fit
// beside it.
func tipOf(e *drawing.Edge) string {
	var whole []string
	cut := false
	for _, l := range e.Labels {
		for _, line := range l.Lines(drawing.ArrowWidth) {
			cut = cut || strings.HasSuffix(line.Text, "…")
		}
		for _, line := range l.Lines(math.MaxInt / 2) {
			whole = append(whole, line.Text)
		}
	}
	if e.Doc != "" || !cut {
		return e.Doc
	}
	return strings.Join(whole, "\n")
}
