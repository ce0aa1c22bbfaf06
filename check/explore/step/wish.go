package step

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/wide"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A comparison with data that is not held is a choice for want of knowing, and a way
// out that rests on it may be none. But where one side is a field of the event at hand,
// who sends the event chooses it: `event.token == token` comes true whatever the token
// is, and comes false. Such a verdict is no guess. Nor is one on a sum with one such field, as
// `event.sec - last < 60`, where for all values of the others its range has one that fits.

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
	if !ok {
		return nil
	}
	x, y := b.X, b.Y
	if b.Op == ir.OpGt || b.Op == ir.OpLe {
		x, y = y, x
	}
	w := &wish{equality: b.Op == ir.OpEq || b.Op == ir.OpNe}
	if isSimple(x) && isSimple(y) && isField(x) && isField(y) {
		left, right := c.sent(x, arm), c.sent(y, arm)
		_, _, free := endsOf(x)
		_, _, alsoFree := endsOf(y)
		if left == "" || right == "" || left == right || !free || !alsoFree {
			return nil
		}
		w.fields, w.yes, w.no = []string{left, right}, true, true
		return w
	}
	parts, ok := partsOf(x, false, nil)
	if ok {
		parts, ok = partsOf(y, true, parts)
	}
	i := slices.IndexFunc(parts, func(p part) bool { return isField(p.e) })
	if !ok || i < 0 {
		return nil
	}
	field := parts[i]
	parts = slices.Delete(parts, i, i+1)
	name := c.sent(field.e, arm)
	if name == "" || slices.ContainsFunc(parts, func(p part) bool { return isField(p.e) }) {
		return nil
	}
	w.fields = []string{name}
	w.ask(field, parts)
	return w
}

// part is what a sum adds, or takes away.
type part struct {
	e    ir.Expr
	less bool
}

// partsOf are parts and those of e, or of -e; not ok where one is not simple.
func partsOf(e ir.Expr, less bool, parts []part) (_ []part, ok bool) {
	if isSimple(e) {
		return append(parts, part{e, less}), true
	}
	sum, is := e.(*ir.Binary)
	if !is || sum.Op != ir.OpAdd && sum.Op != ir.OpSub {
		return nil, false
	}
	if parts, ok = partsOf(sum.X, less, parts); !ok {
		return nil, false
	}
	return partsOf(sum.Y, less != (sum.Op == ir.OpSub), parts)
}

// ask notes what the sender of field can do about `field == rest`, or `field < rest` where it is
// added, or `rest < field`. The rest is what its sum with the others given, or their difference,
// is compared with: it may be all that their ranges allow.
func (w *wish) ask(field part, others []part) {
	a, b, whole := endsOf(field.e)
	lo, hi := wide.Of(a), wide.Of(b)
	var least, most wide.Int
	for _, p := range others {
		a, b, _ := endsOf(p.e)
		l, m := wide.Of(a), wide.Of(b)
		if p.less == field.less {
			l, m = m.Neg(), l.Neg()
		}
		least, most = least.Add(l), most.Add(m)
	}
	switch {
	case w.equality:
		w.yes, w.no, w.boundless = !least.Less(lo) && !hi.Less(most), lo.Less(hi), whole
	case !field.less:
		w.yes, w.no = lo.Less(least), !hi.Less(most)
	default:
		w.yes, w.no = most.Less(hi), !least.Less(lo)
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

func isField(e ir.Expr) bool { return fieldOf(e) != nil }

// fieldOf is the field of an event that e is, or whose length it is; nil where it is none.
func fieldOf(e ir.Expr) *ir.FieldRef {
	if l, isLength := e.(*ir.Len); isLength {
		e = l.X
	}
	ref, _ := e.(*ir.FieldRef)
	return ref
}

// sent is the name of the field of an event that e is, or whose length it is; empty
// where e is none, or where it is not the sender who chooses it, within the same range
// for all events of arm.
func (c *compiler) sent(e ir.Expr, arm *ir.Arm) string {
	ref := fieldOf(e)
	if ref == nil {
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
