package data

import "github.com/fsmc-dev/fsmc/lang/ir"

// A message is checked as an assignment is: a step that would publish a value out
// of the range of its field cannot be computed. Of a value that fits whatever the
// data is nothing need be known.

// readPublished notes the values that may not fit, as assignments to fields of
// their events, and what they read.
func (t *Tracked) readPublished() {
	t.Published = map[*ir.Publish][]*ir.Assign{}
	for b, arm := range t.machine.Blocks() {
		for _, p := range b.Publishes {
			for i, value := range p.Values {
				if f := p.Event.Fields[i]; f.Type.Range != nil && !Within(value, f.Type.Range.Lo, f.Type.Range.Hi) {
					v := &ir.Var{Name: p.Event.Name + "." + f.Name, Type: f.Type, Span: f.Span}
					t.Published[p] = append(t.Published[p], &ir.Assign{Var: v, Value: value, Span: value.Span()})
					t.readValue(value, f.Type.Range, arm)
				}
			}
		}
	}
}

// readValue notes what must be known of the data in e to tell whether it lies in r:
// of a copy where the range begins and ends, else all.
func (t *Tracked) readValue(e ir.Expr, r *ir.Range, arm *ir.Arm) {
	for _, n := range t.Refs(e, arm) {
		n.Read = true
		n.cuts = append(n.cuts, &ir.Const{Kind: n.Type.Kind, Int: r.Lo}, &ir.Const{Kind: n.Type.Kind, Int: r.Hi})
	}
	if len(t.Refs(e, arm)) > 0 {
		return
	}
	ir.Walk(e, func(e ir.Expr) bool {
		for _, n := range t.Refs(e, arm) {
			n.Read, n.compared = true, true
		}
		return true
	})
}
