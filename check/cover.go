package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Cover finds runs of m that together take every arm that can be taken, telling
// apart at most limit configurations; nil past it, and for a machine that is
// broken. Arms are looked for in the order in which a breadth-first search meets
// them, so each run is the shortest to what it is for; then those are dropped
// all of whose arms the longer ones behind them take too.
func Cover(m *ir.Machine, limit int) *ir.Cover { return coverOn(replay.On(m), m, limit) }

func coverOn(stage *replay.Stage, m *ir.Machine, limit int) *ir.Cover {
	if m.Broken || m.Incomplete || m.Root.Leaf() == nil {
		return nil
	}
	p := explore.NewProduct(newSession([]*ir.Machine{m}, nil, limit).shared(m).Table(), limit)
	if p == nil {
		return nil
	}
	cover, taken, tried := &ir.Cover{}, make([]bool, len(m.Arms)), make([]int, len(m.Arms))
	each := max(maxCoverSteps/max(len(m.Arms), 1), minCoverSteps)
	left := slices.Repeat([]int{each}, len(m.Arms)) // steps that may be tried for it
	for from, e := range p.InOrder() {
		a := p.Arm(e)
		if a == nil || taken[a.ID] || tried[a.ID] == maxCoverTries || left[a.ID] <= 0 {
			continue
		}
		tried[a.ID]++
		stage.Most = stage.Steps + left[a.ID]
		if run, ok := coverAlong(stage, p, append(p.PathTo(from), e)); ok {
			cover.Runs = append(cover.Runs, run)
			mark(taken, run)
		}
		left[a.ID] = stage.Most - stage.Steps
	}
	for _, a := range m.Arms {
		if taken[a.ID] || a.Kind == ir.Reject {
			continue
		}
		stage.Most = stage.Steps + each
		if run, ok := coverInPlace(stage, p, a); ok {
			cover.Runs = append(cover.Runs, run)
			mark(taken, run)
		}
	}
	clear(taken)
	for _, checkpoints := range []bool{false, true} { // not everybody can make these
		for i := len(cover.Runs) - 1; i >= 0; i-- {
			if cover.Runs[i].Checkpoints == checkpoints && !mark(taken, cover.Runs[i]) {
				cover.Runs = slices.Delete(cover.Runs, i, i+1)
			}
		}
	}
	for _, a := range m.Arms {
		if !taken[a.ID] && a.Kind != ir.Reject {
			cover.Missed = append(cover.Missed, a)
		}
	}
	return cover
}

// coverInPlace is a run to an arm that changes nothing there, so that no edge of the product has it.
func coverInPlace(stage *replay.Stage, p *explore.Product, a *ir.Arm) (run ir.CoverRun, ok bool) {
	for _, leaf := range p.Table.Machine.States {
		if leaf.Kind != ir.Leaf || !leaf.Inside(a.State) {
			continue
		}
		for in := range p.Table.Inputs(leaf) {
			at := slices.IndexFunc(in.Choices, func(c ir.Choice) bool { return c.Arm == a })
			if at < 0 {
				continue
			}
			if met := p.Meet(leaf, in, Want(in, at, explore.Passed, explore.Applies)); met.Verdict == guard.Sat {
				w, _ := p.RunMeeting(met, in, a)
				if run, ok := coverRun(stage, w); ok {
					return run, true
				}
			}
		}
	}
	return run, false
}

// maxCoverTries is how many paths are tried for an arm: the shortest may not be performed where
// which element an input is of matters.
const maxCoverTries = 100

// A cover tries at most about maxCoverSteps steps along paths, and as many for arms that change
// nothing. Each arm has an equal part of them, at least minCoverSteps, and coverStepsEach more for
// each row of a witness. A machine whose events can carry much in many ways would else take hours
// for one arm that no run takes. All arms of an example take less than 1000 together.
const (
	maxCoverSteps  = 100_000
	minCoverSteps  = 1000
	coverStepsEach = 4
)

// coverAlong is path as a run, and whether it is one. Where it is none, lists are longer: an arm
// may ask which element an input is of.
func coverAlong(stage *replay.Stage, p *explore.Product, path []int32) (run ir.CoverRun, ok bool) {
	w, _ := p.Run(path, -1)
	if run, ok = coverRun(stage, w); ok {
		return run, true
	}
	for _, elements := range []int64{2, 8} {
		if w := p.RunOfMany(path, elements); w != nil {
			if run, ok = coverRun(stage, w); ok {
				return run, true
			}
		}
	}
	return run, false
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

// coverRun is a witness as a run, and whether it is one: it is performed, with values for what
// it leaves open. It is not tried where stage has no steps left.
func coverRun(stage *replay.Stage, w *witness.Witness) (ir.CoverRun, bool) {
	for _, said := range w.Guards {
		if said { // as a generated run starts no host guard says yes
			return ir.CoverRun{}, false
		}
	}
	if stage.Steps >= stage.Most {
		return ir.CoverRun{}, false
	}
	stage.Most += coverStepsEach * len(w.Path)
	w, err := stage.Witness(w, replay.Taken, nil, nil, nil)
	if err != nil {
		return ir.CoverRun{}, false
	}
	return *w.Steps(), true
}
