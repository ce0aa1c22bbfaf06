package explore

import "github.com/fsmc-dev/fsmc/lang/ir"

// A message is checked as an assignment is: a step that would publish a value out
// of the range of its field cannot be computed. Of a value that fits whatever the
// data is nothing need be known.

// readPublished notes the values that may not fit, as assignments to fields of
// their events, and what they read.
func (t *tracked) readPublished() {
	t.published = map[*ir.Publish][]*ir.Assign{}
	for b, arm := range t.m.Blocks() {
		for _, p := range b.Publishes {
			for i, value := range p.Values {
				if f := p.Event.Fields[i]; f.Type.Range != nil && !within(value, f.Type.Range.Lo, f.Type.Range.Hi) {
					v := &ir.Var{Name: p.Event.Name + "." + f.Name, Type: f.Type, Span: f.Span}
					t.published[p] = append(t.published[p], &ir.Assign{Var: v, Value: value, Span: value.Span()})
					t.readValue(value, f.Type.Range, arm)
				}
			}
		}
	}
}

// readValue notes what must be known of the data in e to tell whether it lies in r:
// of a copy where the range begins and ends, else all.
func (t *tracked) readValue(e ir.Expr, r *ir.Range, arm *ir.Arm) {
	for _, n := range t.refs(e, arm) {
		n.read = true
		n.cuts = append(n.cuts, &ir.Const{Kind: n.typ.Kind, Int: r.Lo}, &ir.Const{Kind: n.typ.Kind, Int: r.Hi})
	}
	if len(t.refs(e, arm)) > 0 {
		return
	}
	ir.Walk(e, func(e ir.Expr) bool {
		for _, n := range t.refs(e, arm) {
			n.read, n.compared = true, true
		}
		return true
	})
}

// fits compiles whether a, a value that is published, lies in its range. Where
// that is not known it is a choice.
func (c *compiler) fits(a *ir.Assign, arm *ir.Arm) func(*step) (int64, bool) {
	lo, hi := a.Var.Type.Range.Lo, a.Var.Type.Range.Hi
	if region := c.region(a.Value, arm); region != nil {
		least, most := &ir.Const{Kind: a.Var.Type.Kind, Int: lo}, &ir.Const{Kind: a.Var.Type.Kind, Int: hi}
		return func(s *step) (int64, bool) {
			d, code := region(s)
			return 0, d.holds(code, ir.OpGe, least) && d.holds(code, ir.OpLe, most)
		}
	}
	if c.t.known(a.Value, arm) {
		v := c.number(a.Value, arm)
		return func(s *step) (int64, bool) {
			n := v(s)
			return 0, lo <= n && n <= hi
		}
	}
	return mayFit
}

// mayFit is a value of which nobody knows whether it is in range.
func mayFit(s *step) (int64, bool) {
	s.guessed = true
	return 0, s.oracle.choose(2) == 0
}
