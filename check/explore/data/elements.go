package data

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// The index of an element, and the parts of its item, are chosen as the fields of an event are: one for
// all places of a step that read it. From one step to another nothing is known of items.

// part is what an arm may read of the elements of a fan-out.
type part struct {
	do   *ir.Do
	name string // as a field of `event`
}

// addElements adds a node for each part of an element that some arm reads. Whether an element has what may
// be absent is another question; see step.compiler.partComes.
func (t *Tracked) addElements() {
	for _, d := range t.machine.Dos {
		if d.Fan == nil || d.Fan.Most == 0 {
			continue
		}
		fields := d.Fan.Element().Fields(nil)
		for _, h := range t.handlersOf(d) {
			for _, a := range h.Arms {
				for e := range ir.Parts(a.Exprs()) {
					ref, ok := e.(*ir.FieldRef)
					if !ok || ref.Optional || !ref.IsElement() || t.parts[part{d, ref.Name}] != nil {
						continue
					}
					if i := slices.IndexFunc(fields, func(f *ir.EventField) bool { return f.Name == ref.Name }); i >= 0 {
						t.parts[part{d, ref.Name}] = t.addChosen(&Node{Do: d, Field: fields[i], Type: fields[i].Type})
					}
				}
			}
		}
	}
}

// handlersOf are those that may take a result or a failure of d.
func (t *Tracked) handlersOf(d *ir.Do) (out []*ir.Handler) {
	for _, c := range t.machine.Cases(d.State) {
		for s := d.State; c.Do == d && s != nil; s = s.Parent {
			for _, h := range s.HandlersFor(c) {
				if !slices.Contains(out, h) {
					out = append(out, h)
					t.elements[h] = append(t.elements[h], d)
				}
			}
		}
	}
	return out
}

// partsOf are the nodes of e, a part of the elements whose inputs arm takes.
func (t *Tracked) partsOf(e *ir.FieldRef, arm *ir.Arm) (out []*Node) {
	for _, d := range t.elements[arm.Handler] {
		if n := t.parts[part{d, e.Name}]; n != nil {
			out = append(out, n)
		}
	}
	return out
}

// Index is what stands for the index of the elements of d where an arm reads it, as far as it is told; else nil.
func (t *Tracked) Index(d *ir.Do) *Node {
	if n := t.parts[part{d, ir.IndexField}]; n != nil && n.Valued() {
		return n
	}
	return nil
}

// Group is the code of n, an index, where it is i, and the last index that is not told apart from that.
func (n *Node) Group(i int64) (code, last int64) {
	code = n.Code(&ir.Const{Kind: ir.Int, Int: i})
	_, last = n.Alike(code)
	return code, min(last, math.MaxInt64-1)
}
