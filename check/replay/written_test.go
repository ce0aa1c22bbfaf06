package replay_test

import (
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// perform replays a witness of m as it is printed.
func perform(m *ir.Machine, w *diag.Witness, ending replay.Ending) (*diag.Witness, error) {
	got, err := replay.On(m).Witness(read(m, w), ending, nil, nil, nil)
	return got.Diag(), err
}

// read is a witness of m from its printed form.
func read(m *ir.Machine, w *diag.Witness) *witness.Witness {
	out := &witness.Witness{Params: w.Params, Guards: w.Guards, Loop: w.Loop}
	for _, s := range w.Path {
		i := slices.IndexFunc(m.States, func(state *ir.State) bool { return state.Path == s.State })
		row := witness.Row{State: m.States[i], Data: s.Data, Guards: s.Guards, Input: inputOf(m, m.States[i], s.Input)}
		row.At, _ = time.ParseDuration(s.At)
		out.Path = append(out.Path, row)
	}
	return out
}

func inputOf(m *ir.Machine, leaf *ir.State, text string) witness.Input {
	if text == "" {
		return witness.Input{}
	}
	if name, ended := strings.CutSuffix(text, " ended"); ended {
		for _, d := range leaf.Dos {
			if d.Label == name || d.Activity.Name == name {
				return witness.Input{Kind: witness.Ended, Activity: d}
			}
		}
	}
	for _, c := range m.Cases(leaf) {
		if in := (witness.Input{Kind: witness.Comes, Case: c}); in.Text() == text {
			return in
		}
	}
	panic("nothing in " + leaf.Path + " is written " + text)
}
