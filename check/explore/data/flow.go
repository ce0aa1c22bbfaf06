package data

import (
	"maps"
	"slices"
	"sync"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// spans says between what fields and parameters lie, of those that are numbers with a range. What is
// not there has no value. In a step, what its guards say of a field of the event is there as well,
// by its name: it is no longer known in the leaf that is reached.
type spans map[any]span

// flow follows through the leaves between what numbers lie there, by their guards and effects alone:
// a `max` may be open or used up, and what a host guard says is not known. Where a cycle moves an
// end again and again, the end is that of the range, until what leads there has been looked at again.
// (Intervals: Cousot and Cousot, Abstract interpretation, POPL 1977.)
type flow struct {
	table *flat.Table
	at    map[*ir.State]spans
	joins map[*ir.State]int // how often more was found to be possible; nil where ends may move further
	work  []*ir.State
	made  map[ir.Expr]span // what effects compute, by their right sides, and by parts of these
}

const (
	maxFlow  = 100_000 // how many inputs times fields are looked at
	maxJoins = 4       // how often an end may move
)

// BetweenInEffects says between what the parts of effects of m lie where these are carried out. The flow
// is asked where their ranges do not say which way they move something.
func BetweenInEffects(m *ir.Machine) flat.Between {
	follow := sync.OnceValue(func() *flow { return flowOf(m) })
	return func(e ir.Expr) *ir.Range {
		r := flat.Declared(e)
		if r == nil || r.Lo > 0 || r.Hi < 0 {
			return r
		}
		if x, made := follow().made[e]; made && x.fits && x.lo <= x.hi {
			return &ir.Range{Lo: x.lo, Hi: x.hi}
		}
		return r
	}
}

// flowOf follows m; nothing is known where that would take long.
func flowOf(m *ir.Machine) *flow {
	f := &flow{table: flat.New(m, nil), joins: map[*ir.State]int{}}
	var leaves []*ir.State
	cost := 1
	for _, s := range m.States {
		if s.Kind == ir.Leaf {
			leaves = append(leaves, s)
			for range f.table.Inputs(s) {
				cost += 1 + len(m.Fields)
			}
		}
	}
	if m.Broken || m.Incomplete || cost > maxFlow {
		return f
	}
	f.start()
	for ; len(f.work) > 0; f.work = f.work[1:] {
		f.leave(f.work[0], f.at[f.work[0]])
	}
	f.joins = nil
	for range min(len(leaves)+2, maxFlow/cost) {
		before := f.at
		f.start()
		for _, leaf := range leaves {
			if s := before[leaf]; s != nil {
				f.leave(leaf, s)
			}
		}
		if maps.EqualFunc(before, f.at, maps.Equal[spans, spans]) {
			break
		}
	}
	return f
}

// start is the first step of a run.
func (f *flow) start() {
	f.at, f.made, f.work = map[*ir.State]spans{}, map[ir.Expr]span{}, nil
	s := spans{}
	for _, v := range f.table.Machine.Inputs() {
		if isNumber(v) {
			s[v] = rangeOf(v)
		}
	}
	for _, v := range f.table.Machine.Fields {
		if isNumber(v) && v.Default != nil {
			s[v] = span{lo: v.Default.Int, hi: v.Default.Int, fits: true}
		}
	}
	f.enter(f.table.Machine.Root, nil, s)
}

// leave is each step out of leaf, or within it.
func (f *flow) leave(leaf *ir.State, s spans) {
	for in := range f.table.Inputs(leaf) {
		left, ok := s, true
		for choice := range flat.Takeable(in.Choices) {
			if choice.Arm == nil {
				break
			}
			if taken, can := left.where(choice.Arm.When, true); can {
				f.take(leaf, choice.Arm, taken)
			}
			if choice.Arm.Max == nil {
				left, ok = left.where(choice.Arm.When, false)
			}
			if !ok {
				break
			}
		}
	}
}

func (f *flow) take(leaf *ir.State, a *ir.Arm, s spans) {
	if a.Kind != ir.Goto {
		if s, ok := f.after(a.Block, s); ok {
			f.reach(leaf, s)
		}
		return
	}
	domain := ir.Domain(leaf, a.Target)
	s, ok := f.exit(leaf, domain, s)
	if ok {
		s, ok = f.after(a.Block, s)
	}
	if ok {
		f.enter(a.Target, domain, s)
	}
}

// exit is behind the exit blocks from state outwards, up to domain.
func (f *flow) exit(state, domain *ir.State, s spans) (_ spans, ok bool) {
	for ok = true; ok && state != domain; state = state.Parent {
		s, ok = f.after(state.Exit, s)
	}
	return s, ok
}

// enter enters target from domain, or where requires send the run on from there.
func (f *flow) enter(target, domain *ir.State, s spans) {
	for range len(f.table.Machine.States) {
		leaf := target.Leaf()
		var path []*ir.State
		for around := leaf.Parent; around != domain; around = around.Parent {
			path = append(path, around)
		}
		ok := true
		for _, around := range slices.Backward(path) {
			if s, ok = f.after(around.Entry, s); !ok {
				return
			}
		}
		var cond ir.Expr
		if leaf.Require != nil {
			cond = leaf.Require.Cond
		}
		if entered, can := s.where(cond, true); can {
			if entered, can = f.after(leaf.Entry, entered); can {
				f.reach(leaf, entered)
			}
		}
		if leaf.Require == nil {
			return
		}
		if s, ok = s.where(cond, false); !ok {
			return
		}
		target = leaf.Require.Target
		domain = ir.Domain(leaf, target)
		if s, ok = f.exit(leaf.Parent, domain, s); !ok {
			return
		}
	}
}

// reach notes that leaf may be entered, or stayed in, with s.
func (f *flow) reach(leaf *ir.State, s spans) {
	if leaf.Kind != ir.Leaf {
		return
	}
	known := f.at[leaf]
	more := known == nil
	if more {
		known = spans{}
		f.at[leaf] = known
	}
	for key, x := range s {
		v, isVar := key.(*ir.Var)
		if !isVar {
			continue
		}
		old, set := known[v]
		if set {
			x = x.or(old)
		}
		if set && x == old {
			continue
		}
		r := rangeOf(v)
		more = true
		if set && x.lo < old.lo && f.joins[leaf] > maxJoins {
			x.lo = r.lo
		}
		if set && x.hi > old.hi && f.joins[leaf] > maxJoins {
			x.hi = r.hi
		}
		known[v] = x
	}
	if more && f.joins != nil {
		f.joins[leaf]++
		f.work = append(f.work, leaf)
	}
}

// after is behind b; not ok where some value of it never lies in its range.
func (f *flow) after(b *ir.Block, s spans) (_ spans, ok bool) {
	if b == nil || len(b.Assigns) == 0 {
		return s, true
	}
	out := maps.Clone(s)
	for _, a := range b.Assigns {
		switch {
		case !isNumber(a.Var):
		case a.Value == nil:
			delete(out, a.Var)
		default:
			x, r := spanIn(a.Value, s), rangeOf(a.Var)
			ir.Walk(a.Value, func(e ir.Expr) bool {
				made := spanIn(e, s)
				if before, known := f.made[e]; known {
					made = made.or(before)
				}
				f.made[e] = made
				return true
			})
			if out[a.Var] = x.and(r); out[a.Var].lo > out[a.Var].hi {
				return nil, false
			}
		}
	}
	return out, true
}

// where is s where cond is known to hold, or not to; not ok where that cannot be. A sum in a guard
// may have more than 64 bits.
func (s spans) where(cond ir.Expr, holds bool) (_ spans, ok bool) {
	out := s
	for e, holds := range ir.Known(cond, holds) {
		b, isBinary := e.(*ir.Binary)
		if !isBinary {
			continue
		}
		op := b.Op
		if !holds {
			op = op.Opposite()
		}
		for _, c := range []struct {
			side, other ir.Expr
			op          ir.Op
		}{{b.X, b.Y, op}, {b.Y, b.X, op.Turned()}} {
			key, old, known := out.of(c.side)
			other := spanIn(c.other, out)
			if !known || !other.fits {
				continue
			}
			switch x := old.compared(c.op, other); {
			case x.lo > x.hi:
				return nil, false
			case x != old:
				out = maps.Clone(out)
				out[key] = x
			}
		}
	}
	return out, true
}

// of says between what e lies, if that is kept, and as what.
func (s spans) of(e ir.Expr) (key any, x span, known bool) {
	switch e := e.(type) {
	case *ir.VarRef:
		x, known = s[e.Var]
		return e.Var, x, known
	case *ir.FieldRef:
		return e.Name, spanIn(e, s), e.Type().Range != nil && (e.Type().Kind == ir.Int || e.Type().Kind == ir.Duration)
	}
	return nil, span{}, false
}

// isNumber reports whether v is followed.
func isNumber(v *ir.Var) bool {
	return v.Type.Range != nil && (v.Type.Kind == ir.Int || v.Type.Kind == ir.Duration)
}

func rangeOf(v *ir.Var) span {
	return span{lo: v.Type.Range.Lo, hi: v.Type.Range.Hi, fits: true}
}
