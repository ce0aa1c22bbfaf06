package readbeforeset

import (
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/check"
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// leafOf is the leaf in which the run stands, or which it is about to enter,
// when it comes to f.
func (w *walk) leafOf(f fault) *ir.State {
	if f.at == explore.None {
		return w.g.Leaf(0)
	}
	return w.g.Leaf(w.nodes[f.at].config)
}

// witness is the run that comes to f; nil where it retries, which takes time
// that the witness's clock does not know.
func (w *walk) witness(p *check.Pass, f fault) *diag.Witness {
	run := w.runTo(f.at)
	input, given := f.input, f.given
	for len(run) > 0 && input == nil && !w.g.Settled(run[len(run)-1].config) { // the fault is met within a step
		last := run[len(run)-1]
		run = run[:len(run)-1]
		input, given = last.step.input, last.given
	}
	var edges []int32
	for _, n := range run {
		if n.step.spent || n.step.arm != nil && n.step.arm.Kind == ir.Retry {
			return nil
		}
		if n.step.edge != explore.None {
			edges = append(edges, n.step.edge)
		}
	}
	var then []ir.Case
	if input != nil {
		then = append(then, *input)
	}
	out := p.WitnessAlong(edges, -1, then...)
	if out == nil {
		return nil
	}
	row := 0
	for _, n := range run {
		if n.step.input == nil {
			continue
		}
		if n.step.edge == explore.None { // the graph has no edge for what changes data alone
			out.Path = slices.Insert(out.Path, row, w.stay(n, out.Path[:row]))
		}
		fill(&out.Path[row], n.step.input, n.given)
		row++
	}
	if input != nil {
		fill(&out.Path[row], input, given)
	}
	return out
}

// runTo lists the nodes of the run to node i, the first one first.
func (w *walk) runTo(i int32) []node {
	var run []node
	for ; i >= 0; i = w.nodes[i].from {
		run = append(run, w.nodes[i])
	}
	slices.Reverse(run)
	return run
}

// stay is the row of a step that stays where it is, at the time of the one
// before.
func (w *walk) stay(n node, before []diag.Step) diag.Step {
	row := diag.Step{State: w.g.Leaf(n.config).Path, Input: explore.InputText(*n.step.input), At: "0s"}
	if len(before) > 0 {
		row.At = before[len(before)-1].At
	}
	return row
}

// fill puts into row what must come with the input.
func fill(row *diag.Step, input *ir.Case, given moment) {
	if input.Event != nil && len(given.event) > 0 {
		row.Data = map[string]any{}
		for name, v := range given.event {
			row.Data[name] = v.json()
		}
	}
	if len(given.hosts) > 0 {
		row.Guards = given.hosts
	}
}

// json is v in its JSON form.
func (v value) json() any {
	switch v.kind {
	case ir.Bool:
		return v.n != 0
	case ir.Int:
		return v.n
	case ir.Duration:
		return time.Duration(v.n).String()
	case ir.Float:
		return v.f
	}
	return v.s
}
