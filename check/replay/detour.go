package replay

import (
	"errors"
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A path of the product has no steps that change only data which is not told apart: they lead back to
// their configuration. A guard further on may hang on that data. So where a row cannot be performed, events that set what
// the row reads are put before it, once or several times.

const (
	maxDetourRows = 200 // of the witness
	maxDetours    = 400 // witnesses with such events that are tried of one machine
	maxPlaces     = 3   // at which one of them has some
	detourSteps   = 2_000
)

// detour is an event that comes before a row, so many times.
type detour struct {
	row   int
	event *ir.Event
	arm   *ir.Arm
	data  map[string]any
	times int
	first bool // before the loop that begins with row; else within
}

// attempt performs a witness; where it cannot, far is the row at which that shows.
type attempt func(w *witness.Witness) (filled *witness.Witness, far int, err error)

// around performs w, which cannot be performed from row far on, with events before that. Deep is how many
// more times that may be done. It is nil where no way is found.
func (s *Stage) around(w *witness.Witness, far int, fault *Fault, deep int, perform attempt) *witness.Witness {
	if len(w.Path) > maxDetourRows || deep == 0 {
		return nil
	}
	vars := s.deciding(w, far, fault)
	if len(vars) == 0 {
		return nil
	}
	type onward struct {
		w   *witness.Witness
		far int
	}
	var further []onward // those that can be performed beyond the row
	for _, d := range s.detours(w, far, vars) {
		if s.detoured++; s.detoured > maxDetours {
			return nil
		}
		longer := d.before(w)
		filled, reached, err := perform(longer)
		switch {
		case err == nil:
			return filled
		case errors.Is(err, errTooLarge):
			return nil
		case reached > far+d.times:
			further = append(further, onward{longer, reached})
		}
	}
	for _, o := range further[:min(len(further), maxPlaces)] {
		if filled := s.around(o.w, o.far, fault, deep-1, perform); filled != nil {
			return filled
		}
	}
	return nil
}

// deciding are the fields on which it hangs what becomes of row far, or of the one before: which of the two it was
// shows only where the run then is.
func (s *Stage) deciding(w *witness.Witness, far int, fault *Fault) (vars []*ir.Var) {
	note := func(e ir.Expr) {
		if e != nil {
			vars = append(vars, ir.Vars(e)...)
		}
	}
	for _, row := range w.Path[max(far-1, 0):min(far+1, len(w.Path))] {
		if row.State == nil || row.Input.Kind != witness.Comes {
			continue
		}
		for _, choice := range s.about.choicesOf(row.State, row.Input.Case) {
			if choice.Arm == nil {
				continue
			}
			note(choice.Arm.When)
			if t := choice.Arm.Target; t != nil && t.Leaf().Require != nil {
				note(t.Leaf().Require.Cond)
			}
		}
	}
	if fault != nil && fault.Assigned != nil && far >= len(w.Path)-2 {
		note(fault.Assigned.Value)
	}
	return slices.DeleteFunc(vars, func(v *ir.Var) bool { return v.Param })
}

// detours are the events to put before row far that set one of vars and lead nowhere else, the latest place and the
// fewest times first.
func (s *Stage) detours(w *witness.Witness, far int, vars []*ir.Var) (out []detour) {
	seen := map[*ir.State]bool{}
	for row := min(far, len(w.Path)-1); row >= 0; row-- {
		leaf := w.Path[row].State
		if leaf == nil || leaf.Kind != ir.Leaf || seen[leaf] {
			continue
		}
		seen[leaf] = true
		for _, e := range s.m.Events {
			if !e.External() {
				continue
			}
			for _, choice := range s.about.choicesOf(leaf, ir.Case{Kind: ir.CaseEvent, Event: e}) {
				if a := choice.Arm; a != nil && a.Kind == ir.Stay && a.Block != nil && slices.ContainsFunc(a.Block.Assigns, func(x *ir.Assign) bool { return slices.Contains(vars, x.Var) }) {
					out = append(out, detoursBy(a, e, row, w.Loop)...)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b detour) int { return a.times - b.times })
	return out
}

// detoursBy are those by one arm: with payloads that the search finds, and of many with the greatest and the least.
func detoursBy(a *ir.Arm, e *ir.Event, row, loop int) (out []detour) {
	sought, most, least := map[string]any{}, map[string]any{}, map[string]any{}
	for _, x := range a.Block.Assigns {
		if x.Value == nil {
			continue
		}
		for _, f := range ir.Sent(x.Value) {
			sought[f.Name] = witness.Present
			if r := f.T.Range; r != nil {
				most[f.Name] = (&ir.Const{Kind: f.T.Kind, Int: r.Hi}).JSONValue()
				least[f.Name] = (&ir.Const{Kind: f.T.Kind, Int: r.Lo}).JSONValue()
			}
		}
	}
	for times := 1; times <= 64; times *= 2 {
		payloads := []map[string]any{sought, most, least}
		if len(most) == 0 {
			payloads = payloads[:1]
		} else if times > 2 {
			payloads = payloads[1:]
		}
		for _, data := range payloads {
			if row <= loop {
				out = append(out, detour{row, e, a, data, times, true})
			}
			if row >= loop {
				out = append(out, detour{row, e, a, data, times, false})
			}
		}
	}
	return out
}

// before is w with d.
func (d *detour) before(w *witness.Witness) *witness.Witness {
	longer := *w
	next := w.Path[d.row]
	row := witness.Row{
		State: next.State, Input: witness.Input{Kind: witness.Comes, Case: ir.Case{Kind: ir.CaseEvent, Event: d.event}},
		Arm: d.arm, At: next.At, Data: maps.Clone(d.data), Begins: next.Begins,
	}
	rows := slices.Repeat([]witness.Row{row}, d.times)
	for i := range rows[1:] {
		rows[i+1].Begins = nil
	}
	longer.Path = slices.Concat(w.Path[:d.row], rows, w.Path[d.row:])
	longer.Path[d.row+d.times].Begins = nil
	switch {
	case w.Loop >= 0 && d.first:
		longer.Loop += d.times
	case w.Loop >= 0:
		longer.Again = nil // the laps are longer
	}
	return &longer
}
