package check

import (
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Cover finds runs of m that together take every arm that can be taken, telling
// apart at most limit configurations; nil past it, and for a machine that is
// broken. Arms are looked for in the order in which a breadth-first search meets
// them, so each run is the shortest to what it is for; then those are dropped
// all of whose arms the longer ones behind them take too.
func Cover(m *ir.Machine, limit int) *ir.Cover {
	if m.Broken || m.Incomplete || m.Root.Leaf() == nil {
		return nil
	}
	p := explore.NewProduct(newSession([]*ir.Machine{m}, nil, limit).shared(m).Table(), limit)
	if p == nil {
		return nil
	}
	cover, taken := &ir.Cover{}, make([]bool, len(m.Arms))
	for from, e := range p.InOrder() {
		a := p.Arm(e)
		if a == nil || taken[a.ID] {
			continue
		}
		path := append(p.PathTo(from), e)
		if run, sure := coverRun(m, p, path); sure && !tellsApart(p, run) {
			cover.Runs = append(cover.Runs, run)
			mark(taken, run)
		}
	}
	clear(taken)
	for i := len(cover.Runs) - 1; i >= 0; i-- {
		if !mark(taken, cover.Runs[i]) {
			cover.Runs = slices.Delete(cover.Runs, i, i+1)
		}
	}
	for _, a := range m.Arms {
		if !taken[a.ID] && a.Kind != ir.Reject {
			cover.Missed = append(cover.Missed, a)
		}
	}
	return cover
}

// mark notes the arms that run takes, and reports whether there was a new one.
func mark(taken []bool, run ir.CoverRun) bool {
	fresh := false
	for _, s := range run.Steps {
		if s.Arm != nil {
			fresh = fresh || !taken[s.Arm.ID]
			taken[s.Arm.ID] = true
		}
	}
	return fresh
}

// tellsApart reports whether run depends on which element of a list an input is of: a test
// that performs it takes any that is open. That matters where elements make retries, and
// where an arm reads which one it is.
func tellsApart(p *explore.Product, run ir.CoverRun) bool {
	retried := func(d *ir.Do) bool { return d.Fan != nil && len(p.Table.Retries(d)) > 0 }
	return slices.ContainsFunc(run.Steps, func(s ir.CoverStep) bool {
		if s.To != nil && slices.ContainsFunc(s.To.Dos, retried) {
			return true
		}
		d := s.Input.Do
		return d != nil && d.Fan != nil && (d.Fan.Limit > 0 || retried(d) ||
			s.Arm != nil && s.Arm.Handler != nil && slices.ContainsFunc(s.Arm.Handler.Arms, readsElement))
	})
}

// readsElement reports whether a reads which element of a list an input is of.
func readsElement(a *ir.Arm) bool {
	reads := false
	for whole := range a.Exprs() {
		ir.Walk(whole, func(e ir.Expr) bool {
			ref, ok := e.(*ir.FieldRef)
			reads = reads || ok && (ref.Name == ir.IndexField || ref.Name == ir.ItemField)
			return !reads
		})
	}
	return reads
}

// coverRun is a path of the product as a run, and whether it surely is one: it is
// performed, with values for what the path leaves open.
func coverRun(m *ir.Machine, p *explore.Product, path []int32) (ir.CoverRun, bool) {
	w, sure := p.Run(path, -1)
	for _, said := range w.Guards {
		sure = sure && !said // as a generated run starts no host guard says yes
	}
	if !sure {
		return ir.CoverRun{}, false
	}
	w, err := replay.Witness(m, w, replay.Any, nil)
	if err != nil {
		return ir.CoverRun{}, false
	}
	run := ir.CoverRun{Params: w.Params}
	row := 0
	for _, e := range path {
		l := p.Label(e)
		if l.Kind == explore.Started || l.Kind == explore.Begun || p.IsWithin(e) {
			continue // of these no row tells
		}
		c, ok := p.Input(e)
		if ok && l.Kind != explore.Ended && l.Kind != explore.Dropped { // those do nothing to state and data
			r := w.Path[row]
			data := maps.Clone(r.Rest)
			if data == nil {
				data = map[string]any{}
			}
			maps.Copy(data, r.Data)
			run.Steps = append(run.Steps, ir.CoverStep{
				Input: c, Deferred: l.Again, Data: data, Guards: r.Guards, After: r.At.String(), Arm: p.Arm(e), To: p.Leaf(p.To[e]),
			})
		}
		row++
	}
	return run, true
}
