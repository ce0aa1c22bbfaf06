package step

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A comparison with data that is not held is a choice for want of knowing, and a way
// out that rests on it may be none. But where one side is a field of the event at hand,
// who sends the event chooses it: `event.token == token` comes true whatever the token
// is, and comes false. Such a verdict is no guess.

// wish says of a comparison with fields of an event which verdicts their sender can
// bring about, whatever the other side is.
type wish struct {
	fields    []string // of the event
	yes, no   bool
	equality  bool // it says `==`
	boundless bool // the field has a value beside any number of others
}

// wishAt is a verdict that was chosen.
type wishAt struct {
	*wish
	holds bool
}

// wishOf is what the senders of all events of arm can do about e, which is compiled as
// `==` or as `<`; nil for nothing.
func (c *compiler) wishOf(e ir.Expr, arm *ir.Arm) *wish {
	b, ok := e.(*ir.Binary)
	if !ok || !isSimple(b.X) || !isSimple(b.Y) {
		return nil
	}
	x, y := b.X, b.Y
	if b.Op == ir.OpGt || b.Op == ir.OpLe {
		x, y = y, x
	}
	w := &wish{equality: b.Op == ir.OpEq || b.Op == ir.OpNe}
	switch left, right := c.sent(x, arm), c.sent(y, arm); {
	case left != "" && right != "":
		_, _, wide := endsOf(x)
		_, _, high := endsOf(y)
		if left == right || !wide || !high {
			return nil
		}
		w.fields, w.yes, w.no = []string{left, right}, true, true
	case left != "" && !isField(y):
		w.fields = []string{left}
		w.ask(x, y, true)
	case right != "" && !isField(x):
		w.fields = []string{right}
		w.ask(y, x, false)
	default:
		return nil
	}
	return w
}

// ask notes what the sender of x can do about `x == y`, or `x < y` where x is on the
// left, or `y < x`.
func (w *wish) ask(x, y ir.Expr, left bool) {
	lo, hi, whole := endsOf(x)
	least, most, _ := endsOf(y)
	switch {
	case w.equality:
		w.yes, w.no, w.boundless = lo <= least && most <= hi, lo < hi, whole
	case left:
		w.yes, w.no = lo < least, most <= hi
	default:
		w.yes, w.no = most < hi, lo <= least
	}
}

// endsOf are the ends of what e may be; whole where nothing but its kind limits it.
// Of what is no number there are values without end.
func endsOf(e ir.Expr) (lo, hi int64, whole bool) {
	if k := ir.Value(e); k != nil && (k.Kind == ir.Int || k.Kind == ir.Duration) {
		return k.Int, k.Int, false
	}
	if l, isLength := e.(*ir.Len); isLength {
		if r := l.X.Type().Len; r != nil {
			return r.Lo, r.Hi, false
		}
		return 0, math.MaxInt64, false
	}
	if r := e.Type().Range; r != nil {
		return r.Lo, r.Hi, false
	}
	return math.MinInt64, math.MaxInt64, true
}

// isSimple reports whether e is a constant, a variable, a field, or the length of one,
// of a kind with many values.
func isSimple(e ir.Expr) bool {
	switch e.Type().Kind {
	case ir.Int, ir.Duration, ir.Float, ir.String, ir.Time:
	default:
		return false
	}
	if ir.Value(e) != nil {
		return true
	}
	switch e.(type) {
	case *ir.VarRef, *ir.FieldRef, *ir.Len:
		return true
	}
	return false
}

func isField(e ir.Expr) bool {
	if l, isLength := e.(*ir.Len); isLength {
		e = l.X
	}
	_, is := e.(*ir.FieldRef)
	return is
}

// sent is the name of the field of an event that e is, or whose length it is; empty
// where e is none, or where it is not the sender who chooses it, within the same range
// for all events of arm.
func (c *compiler) sent(e ir.Expr, arm *ir.Arm) string {
	if l, isLength := e.(*ir.Len); isLength {
		e = l.X
	}
	ref, isField := e.(*ir.FieldRef)
	if !isField {
		return ""
	}
	for _, n := range c.t.Refs(ref, arm) {
		if n.Event == nil || !sameRange(n.Type.Limits(), ref.T.Limits()) {
			return ""
		}
	}
	return ref.Name
}

func sameRange(r, q *ir.Range) bool {
	return r == q || r != nil && q != nil && *r == *q
}

// and is what holds of both.
func (w *wish) and(v *wish) *wish {
	if w == nil || v == nil {
		return nil
	}
	return &wish{w.fields, w.yes && v.yes, w.no && v.no, w.equality, w.boundless && v.boundless}
}

// granted reports whether the sender of the event at hand can bring about all verdicts
// on it that were chosen: one on a field, or that it differs from several things. Of a field
// of which a value was chosen, too, only some of the verdicts come about.
func (s *Step) granted() bool {
	for i, w := range s.Wishes {
		if w.holds && !w.yes || !w.holds && !w.no || slices.ContainsFunc(s.had, func(i int) bool { return w.isOn(s.Program.Tracked.Chosen[i]) }) {
			return false
		}
		for _, v := range s.Wishes[:i] {
			if w.shares(v.wish) && !(w.differs() && v.differs()) {
				return false
			}
		}
	}
	return true
}

// differs reports whether all that was chosen is that a field has another value.
func (w wishAt) differs() bool { return w.equality && w.boundless && !w.holds }

// isOn reports whether n is a field that w compares.
func (w *wish) isOn(n *data.Node) bool {
	return n.Of == nil && slices.Contains(w.fields, n.Field.Name)
}

func (w *wish) shares(v *wish) bool {
	return slices.ContainsFunc(w.fields, func(name string) bool { return slices.Contains(v.fields, name) })
}
