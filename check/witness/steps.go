package witness

import (
	"maps"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Steps is w for those that perform it elsewhere: a replayed witness, so that it has all values.
func (w *Witness) Steps() *ir.CoverRun {
	run := &ir.CoverRun{Params: both(w.Params, w.Rest)}
	for i := range w.Path {
		r, c := &w.Path[i], w.Path[i].Input.Case
		switch r.Input.Kind {
		case Ended:
			if r.Input.Element == 0 { // it does nothing to state and data
				continue
			}
			c = ir.Case{Kind: ir.CaseResult, Do: r.Input.Activity} // another element may begin
		case Checkpoint:
			run.Checkpoints = true
			continue
		case None, Dropped:
			continue
		}
		s := ir.CoverStep{
			Input: c, Element: r.Input.Element - 1, Deferred: r.Input.Deferred(), Data: both(r.Data, r.Rest), Guards: r.Guards,
			After: r.At.String(), Arm: r.Arm,
		}
		if i+1 < len(w.Path) {
			s.To = w.Path[i+1].State
		}
		run.Steps = append(run.Steps, s)
	}
	return run
}

// Of is the witness that w was made of; nil where it was made of none.
func Of(w *diag.Witness) *Witness {
	if w == nil {
		return nil
	}
	source, _ := w.Source.(*Witness)
	return source
}

// both are the values that matter and the rest, which have values of their own.
func both(said, rest map[string]any) map[string]any {
	out := known(rest)
	if out == nil {
		out = map[string]any{}
	}
	maps.Copy(out, known(said))
	return out
}
