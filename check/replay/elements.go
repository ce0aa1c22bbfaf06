package replay

import (
	"cmp"
	"errors"
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Elements of a fan-out are alike, as long as none of them has made a retry that another
// has not. So where a witness names one that has no place to run in, another like it may
// say what it is to say; from there on each plays the part of the other.

// elements are those of one fan-out in a visit.
type elements struct {
	parts []int   // by part that the witness names: who plays it
	start []int64 // by element: when its attempt begins
}

// cloneElements is a copy that shares nothing.
func (r *run) cloneElements() map[int]*elements {
	out := maps.Clone(r.elements)
	for do, e := range out {
		out[do] = &elements{slices.Clone(e.parts), slices.Clone(e.start)}
	}
	return out
}

// elementsOf are those of a fan-out.
func (r *run) elementsOf(do int) *elements {
	e := r.elements[do]
	if e == nil {
		n := r.tasksOf(do)
		e = &elements{start: make([]int64, n)}
		for i := range n {
			e.parts = append(e.parts, i)
		}
		if r.elements == nil {
			r.elements = map[int]*elements{}
		}
		r.elements[do] = e
	}
	return e
}

// startOf is when the attempt of t begins, or has begun.
func (r *run) startOf(t *machine.Task) int64 {
	if r.book.m.Dos[t.Do].Fan == nil {
		return r.started[t.Do]
	}
	return r.elementsOf(t.Do).start[t.Index]
}

// setStart notes when the attempt of t, which starts with the step at hand, begins. An
// element keeps to the wait that the runtime gives it.
func (r *run) setStart(next *machine.Snapshot, t *machine.Task) {
	begin := r.now
	if !t.NotBefore.IsZero() {
		begin = max(begin, since(t.NotBefore))
	}
	before := r.s
	r.s = next
	r.elementsOf(t.Do).start[t.Index] = begin
	r.s = before
}

// who are the elements that may play the part that row names: those that have an attempt
// and have made the same retries, the one first that may say something first. All of them
// are given where an arm reads which element it is. A part of -1 is any element that may
// make the retry arm.
func (r *run) who(d *ir.Do, part int, arm *ir.Arm) ([]int, error) {
	e := r.elementsOf(d.ID)
	if part >= len(e.parts) || part < 0 && (arm == nil || arm.Max == nil) {
		return nil, errors.New("there is no such element")
	}
	var out []int
	for i := range r.s.Tasks {
		t := &r.s.Tasks[i]
		if t.Do != d.ID || t.State != machine.TaskOpen {
			continue
		}
		if part < 0 && r.hasLeft(d.ID, t.Index, arm) || part >= 0 && r.sameTries(d.ID, e.parts[part], t.Index) {
			out = append(out, t.Index)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("no attempt can say that")
	}
	byStart := func(i, k int) int { return cmp.Compare(e.start[i], e.start[k]) }
	if !r.book.readsElement() {
		return []int{slices.MinFunc(out, byStart)}, nil
	}
	slices.SortStableFunc(out, byStart)
	if i := slices.Index(out, e.parts[max(part, 0)]); part >= 0 && i > 0 { // the one that the row names
		out = slices.Insert(slices.Delete(out, i, i+1), 0, e.parts[part])
	}
	return out, nil
}

// sameTries reports whether two elements have made the same retries.
func (r *run) sameTries(do, i, k int) bool {
	return i == k || slices.EqualFunc(r.tries(do, i), r.tries(do, k), func(x, y machine.Tries) bool { return x.Arm == y.Arm && x.Used == y.Used })
}

// tries are the retries that an element has made, by arm: a run has those of all in order.
func (r *run) tries(do, index int) []machine.Tries {
	behind := func(index int) int {
		i, _ := slices.BinarySearchFunc(r.s.Tries, index, func(x machine.Tries, index int) int {
			return cmp.Or(cmp.Compare(x.Do, do), cmp.Compare(x.Index, index))
		})
		return i
	}
	return r.s.Tries[behind(index):behind(index+1)]
}

// hasLeft reports whether an element may still make the retry a.
func (r *run) hasLeft(do, index int, a *ir.Arm) bool {
	tries := r.tries(do, index)
	i := slices.IndexFunc(tries, func(x machine.Tries) bool { return x.Arm == a.ID })
	return i < 0 && *a.Max > 0 || i >= 0 && tries[i].Used < *a.Max
}

// plays notes that element index plays the part from now on.
func (r *run) plays(d *ir.Do, part, index int) {
	if part < 0 {
		return
	}
	e := r.elementsOf(d.ID)
	e.parts[slices.Index(e.parts, index)] = e.parts[part]
	e.parts[part] = index
}

// begins reports whether the fan-outs of the visit have as many elements as the row says.
func (r *run) begins(row *witness.Row) bool {
	for _, b := range row.Begins {
		if int64(r.tasksOf(b.Do.ID)) != b.Elements {
			return false
		}
	}
	return true
}

// tasksOf is how many tasks a do has.
func (r *run) tasksOf(do int) (n int) {
	for i := range r.s.Tasks {
		if r.s.Tasks[i].Do == do {
			n++
		}
	}
	return n
}

// wanted are the lengths of lists that the witness says.
func (p *player) wanted() []int64 {
	if p.lengths == nil {
		p.lengths = []int64{}
		for i := range p.w.Path {
			for _, b := range p.w.Path[i].Begins {
				if !slices.Contains(p.lengths, b.Elements) {
					p.lengths = append(p.lengths, b.Elements)
				}
			}
		}
	}
	return p.lengths
}
