package explore

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A field that arms add to, and on which no path depends, would be held for one question:
// whether it stays in its range. A sum over the elements of a list has a thousand values,
// each of which all the rest is multiplied with; so has a list that gets an item for each. So in a machine that is not small the most
// that can be added is asked first, of the graph without the field: it is a longest path, as
// the figures of the worst case are. Where the most fits, the field is held no
// more; elsewhere it is held by value.

// TryLarge is TryFurther for a machine that is not small: sums that surely stay in their
// range are not held.
func TryLarge(t *flat.Table, before, limit int) (p *Product, seen *Seen) {
	all := data.Sums(t.Machine)
	if len(all) == 0 {
		return tryWithout(t, nil, true, before, limit, limit)
	}
	p, seen = tryWithout(t, all, true, 0, limit, limit)
	if p == nil {
		if seen != nil {
			seen.Guessed = true // a sum may have left its range before
		}
		return nil, seen
	}
	fit := slices.DeleteFunc(slices.Clone(all), func(s *data.Sum) bool { return !p.fits(s) })
	switch len(fit) {
	case len(all):
		return p, nil
	case 0:
		return tryWithout(t, nil, true, before, limit, limit)
	}
	return tryWithout(t, fit, true, 0, limit, limit)
}

// SumsFit reports whether every effect surely stays in the range of its field, since what arms
// add to does, whatever guards say of it: paths that depend on it are guessed. Where that
// takes more than limit configurations, it is false.
func SumsFit(t *flat.Table, limit int) bool {
	all := data.AllSums(t.Machine)
	if len(all) == 0 {
		return false
	}
	p := tryAdding(t, all, false, limit)
	return p != nil && !slices.ContainsFunc(p.Faults(), func(f Fault) bool { return f.Assign != nil }) &&
		!slices.ContainsFunc(all, func(s *data.Sum) bool { return !p.fits(s) })
}

// tryAdding is try without the values of sums, whatever guards say of them. With stays, steps that stay have edges.
func tryAdding(t *flat.Table, sums []*data.Sum, stays bool, limit int) *Product {
	held := data.NewWithout(t.Machine, sums, data.MostValues)
	for _, s := range sums {
		held.Vars[s.Var].Read = false
	}
	held.Stays = stays
	p, _ := try(t, limit, held, nil)
	return p
}

// fits reports whether s surely stays in its range. Behind a step that leaves a leaf and sets s nothing counts
// that was added before: what the leaf has begun has ended, and what it enters is counted with the step.
func (p *Product) fits(s *data.Sum) bool {
	sets := func(e int32) bool { a := p.Arm(e); return a != nil && p.IsMove(e) && s.Sets[a] }
	kept := p.keeping(func(e int32) bool { return !sets(e) })
	most := func(by func(data.Added) int64) int64 {
		w := p.additions(func(a *ir.Arm) int64 { return by(s.Adds[a]) })
		if !slices.ContainsFunc(w.weights, func(n int64) bool { return n > 0 }) {
			return 0
		}
		length := kept.all(w).Length
		most := length(0)
		for e, to := range p.To {
			if sets(int32(e)) {
				most = max(most, graph.Sum(w.Of(graph.None, int32(e)), length(to)))
			}
		}
		return most
	}
	return s.Fits(most(data.Added.Up), most(data.Added.Down))
}

// additions counts by for each arm that is taken. What elements say at last counts where
// their visit begins, whichever arm takes it.
func (p *Product) additions(by func(*ir.Arm) int64) *Weigher {
	last, again := p.mostOf(by)
	w := &Weigher{p: p, weights: make([]int64, len(p.labels))}
	add := func(i int, n int64) { w.weights[i] = graph.Sum(w.weights[i], n) }
	for i, l := range p.labels {
		if l.Kind == Started || l.Kind == Moved {
			for _, e := range p.begun[l.Begun] {
				d := p.Table.Machine.States[l.Into].Dos[e.Place]
				add(i, graph.Times(e.Most, graph.Sum(last[d.ID], graph.Times(p.retriesEach(d), again[d.ID]))))
			}
		}
		if l.Arm == graph.None || l.Input == graph.None {
			continue
		}
		if d := p.Table.Case(l.Input).Do; d == nil || d.Fan == nil || l.Kind == Retried && !p.CountedOnEntering(l) {
			add(i, by(p.Table.Machine.Arms[l.Arm]))
		}
	}
	return w
}

// mostOf is, by do, the most that by counts for an arm that takes what its activity says: one
// that retries, and one with which it has ended.
func (p *Product) mostOf(by func(*ir.Arm) int64) (last, again []int64) {
	dos := p.Table.Machine.Dos
	last, again = make([]int64, len(dos)), make([]int64, len(dos))
	for _, d := range dos {
		for in := range p.Table.Inputs(d.State) {
			for _, c := range in.Choices {
				switch {
				case in.Do != d || c.Arm == nil:
				case c.Arm.Kind == ir.Retry:
					again[d.ID] = max(again[d.ID], by(c.Arm))
				default:
					last[d.ID] = max(last[d.ID], by(c.Arm))
				}
			}
		}
	}
	return last, again
}
