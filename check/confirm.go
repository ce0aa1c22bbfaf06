package check

import (
	"errors"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// "A refutation is replayed on the rules of a step before it is printed; one that
// does not replay is undecided" (language.md, section 7).

// confirm replays the witness of f and makes it complete. It reports whether f
// may be printed: where the witness does not replay, the question is left open.
func (p *Pass) confirm(f *Finding) bool {
	if f.Witness == nil || len(f.Witness.Path) == 0 || p.Machine.Broken || p.Machine.Incomplete {
		return true
	}
	filled, replays := p.replays(f.Witness)
	if n := len(f.Witness.Path); !replays && p.rule.Static && n > 1 && f.Witness.Path[n-2].State.Inside(f.State) {
		filled, replays = p.replays(entering(f.Witness))
	}
	if replays {
		f.Witness = filled
		return true
	}
	q := Question{State: f.State, Span: f.Span, finding: f}
	if f.State != nil && !p.reaches(f.State) {
		q = Question{Rule: "unreachable-state", State: f.State, finding: f}
	}
	p.LeaveOpen(q)
	return false
}

// reaches reports whether the shortest way to state is a run.
func (s *shared) reaches(state *ir.State) bool {
	w := s.PathTo(state)
	if w == nil {
		return true // there are too many to say
	}
	_, replays := s.replays(w)
	return replays
}

// entering is w without its last input.
func entering(w *witness.Witness) *witness.Witness {
	short := *w
	short.Path = slices.Clone(w.Path[:len(w.Path)-1])
	short.Path[len(short.Path)-1] = witness.Row{State: w.Path[len(short.Path)-1].State}
	return &short
}

// replays is w with all its values, and whether it is a run.
func (s *shared) replays(w *witness.Witness) (*witness.Witness, bool) {
	s.changes = nil
	if s.stage == nil {
		s.stage = replay.On(s.Machine)
	}
	end := s.endings[w]
	filled, err := s.stage.Witness(w, end.what, end.fault, s.lasts(), s.stop)
	if err != nil {
		errors.As(err, &s.changes)
		return w, false
	}
	s.showChildren(filled, nil)
	keepChildren(filled, w)
	s.endings[filled] = end
	return filled, true
}

// replayed is how many steps the replays of s have tried.
func (s *shared) replayed() int {
	if s.stage == nil {
		return 0
	}
	return s.stage.Steps
}

// keepChildren lets machines in run, which is w with its values, run as w shows them: it may show
// what reaches a figure.
func keepChildren(run, w *witness.Witness) {
	for i := range min(len(run.Path), len(w.Path)) {
		shown := w.Path[i].Children
		for k := range run.Path[i].Children {
			c := &run.Path[i].Children[k]
			same := slices.IndexFunc(shown, func(o witness.Child) bool { return o.Do == c.Do && o.Element == c.Element && o.Exit == c.Exit })
			if same >= 0 && shown[same].Run != nil {
				c.Run = shown[same].Run
			}
		}
	}
}

// ends notes what w says of its last input, and gives it.
func (s *shared) ends(w *witness.Witness, what replay.Ending) *witness.Witness {
	s.endings[w] = lastRow{what: what}
	return w
}

// lastRow is what a witness says of its last input, and if that is Broken, by what.
type lastRow struct {
	what  replay.Ending
	fault *replay.Fault
}

// breaks notes that w ends with f. Of a guess the run has to show that it is f: what is known to
// happen may come behind another fault of the same step, of which alone the run tells.
func (s *shared) breaks(w *witness.Witness, f explore.Fault) {
	if s.ends(w, replay.Broken); !f.Guessed {
		return
	}
	s.endings[w] = lastRow{replay.Broken, &replay.Fault{Assigned: f.Assign, Unset: f.Unset, Absent: f.Absent}}
}
