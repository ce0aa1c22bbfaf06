package check

import (
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A run is replayed with the results of the machines that it calls as those of activities.
// That such a run is one of the whole tree, and that the machines do in it what a figure
// counts for them, takes more:
//
//   - Each machine ends as it does in some run of its own, whatever it is given, and no
//     path depends on what it returns.
//   - A run of it that ends so reaches the figure.
//   - There is time for that. Runs of machines last, and the replay knows nothing of it: so
//     no timer around them may fire, however one follows the other; or one of their state fires after
//     all that they do there.
//
// Where one of these is not known the figure is an upper bound.

// combined is a run of the path of f, written out as w and replayed as run, that is one of
// the whole tree and reaches f; false where none is known, with run. Where machines end in it
// in a way that does not reach f, others that lead on in the same way are tried.
func (s *shared) combined(f *Figure, w, run *witness.Witness) (*witness.Witness, bool) {
	if s.combines(f, run) {
		s.showChildren(run, f)
		return run, true
	}
	changed := s.endingBest(f, w)
	if changed == nil {
		return run, false
	}
	other, replays := s.replays(s.ends(changed, replay.Taken))
	if replays && s.combines(f, other) {
		s.showChildren(other, f)
		return other, true
	}
	return run, false
}

// combines reports whether run is one of the whole tree and reaches f, and notes how long it
// lasts.
func (s *shared) combines(f *Figure, run *witness.Witness) bool {
	tracked := data.New(s.Machine)
	total := time.Duration(0)           // if machines run one after the other
	waited := map[*ir.State]*ir.Timer{} // the timer with which each visit of a leaf ends that has time for all; nil where one has not
	for i, row := range run.Path {
		leaf := row.State
		if leaf == nil || !slices.ContainsFunc(leaf.Dos, callsMachine) {
			continue
		}
		d := row.Input.Of()
		if d != nil && callsMachine(d) {
			lasts, ok := s.endsAs(f, row.Input.Case, tracked, childOf(row, d))
			if total += lasts; !ok {
				return false
			}
		}
		last := i == len(run.Path)-1
		if !last && !leaves(row, run.Path[i+1]) || row.Input.Kind == witness.Comes && row.Input.Case.Kind == ir.CaseDone {
			continue
		}
		during := time.Duration(0)
		for _, open := range leaf.Dos { // it is cancelled then
			if !callsMachine(open) || len(leaf.Dos) == 1 && open.Fan == nil && d == open {
				continue
			}
			lasts, ok := s.attains(f, open, nil, childOf(row, open))
			if !ok {
				return false
			}
			_, elements := open.Elements()
			during += lasts * time.Duration(elements)
		}
		t := row.Input.Fires()
		if before, known := waited[leaf]; known && before != t || t == nil || t.State != leaf || i > 0 && !leaves(run.Path[i-1], row) || !waitsFor(t, during) {
			t, total = nil, total+during
		}
		waited[leaf] = t
	}
	f.lasts = lastOf(run) + total
	return total == 0 || s.leavesTime(run, f.lasts, waited)
}

// waitsFor reports whether t fires only once what takes so long is over.
func waitsFor(t *ir.Timer, takes time.Duration) bool {
	least, _ := timing.WaitOf(t)
	return int64(takes) < least
}

// endsAs reports whether a machine surely can end as c says, in a run that reaches the figure
// that f has of it, and how long that lasts. Of what the runtime says of it, and no run of it,
// nobody knows.
func (s *shared) endsAs(f *Figure, c ir.Case, tracked *data.Tracked, child *witness.Child) (lasts time.Duration, ok bool) {
	switch {
	case c.Kind == ir.CaseFailure && !c.Category.BuiltIn:
		return s.attains(f, c.Do, nil, child) // somebody has cancelled it
	case c.Kind != ir.CaseResult || slices.ContainsFunc(c.Event.Fields, tracked.Reads):
		return 0, false
	}
	return s.attains(f, c.Do, c.Event.Terminal, child)
}

// childOf is what d runs when row comes; nil where that is not told, or is several machines.
func childOf(row witness.Row, d *ir.Do) *witness.Child {
	i := slices.IndexFunc(row.Children, func(c witness.Child) bool { return c.Do == d })
	if i < 0 || d.Fan != nil {
		return nil
	}
	return &row.Children[i]
}

// callsMachine reports whether d runs a machine.
func callsMachine(d *ir.Do) bool { return d.Activity.Machine != nil }

// leaves reports whether the state of row is left, or entered again, with its input.
func leaves(row, next witness.Row) bool {
	return row.State != next.State || row.Arm != nil && row.Arm.Kind == ir.Goto
}

// attains reports whether a machine that d calls, with what child says that it is given, has a run
// that reaches the figure that f has of it, and ends in terminal, or for nil has not ended, and how long
// that lasts.
func (s *shared) attains(f *Figure, d *ir.Do, terminal *ir.State, child *witness.Child) (lasts time.Duration, ok bool) {
	u := s.callees[d.Activity.Index]
	if u.broken || !fits(d) {
		return 0, false
	}
	given, known := u.readOf(child)
	of := s.figureOf(d.Activity, f.measure)
	switch {
	case terminal == nil && of.zero():
		ok = true
	case !known:
		return 0, false
	case !of.zero():
		found := u.reaches(f.measure, terminal, given)
		lasts, ok = found.lasts, found.reached
	default:
		if e := u.end(terminal, given); e != nil {
			lasts, ok = e.lasts, e.sure
		}
	}
	return lasts, ok && (d.Timeout == nil || lasts < time.Duration(*d.Timeout))
}

// fits reports whether whatever d gives to the machine that it calls fits.
func fits(d *ir.Do) bool {
	for i, arg := range d.Args {
		of := d.Activity.Params[i].Type
		if v := ir.Value(arg); v != nil && of.Range != nil {
			if !of.Range.Contains(v.Int) {
				return false
			}
		} else if _, computed := arg.(*ir.Fit); computed || !takes(of, arg.Type()) {
			return false
		}
	}
	return true
}

// takes reports whether each value of type u is one of t, which is the same type but for
// ranges.
func takes(t, u *ir.Type) bool {
	if of, r := t.Limits(), u.Limits(); of != nil && (r == nil || r.Lo < of.Lo || r.Hi > of.Hi) {
		return false
	}
	return t.Kind != ir.List || t.Elem == nil || u.Elem == nil || takes(t.Elem, u.Elem)
}

// leavesTime reports whether no timer around a machine that is called fires in run, though
// it lasts so long, but for those for which its leaf has waited.
func (s *shared) leavesTime(run *witness.Witness, lasts time.Duration, waited map[*ir.State]*ir.Timer) bool {
	for _, row := range run.Path {
		if row.State == nil || !slices.ContainsFunc(row.State.Dos, callsMachine) {
			continue
		}
		for _, t := range timing.TimersAround(row.State) {
			fires := func(row witness.Row) bool { return row.Input.Fires() == t }
			if waited[row.State] != t && (!waitsFor(t, lasts) || slices.ContainsFunc(run.Path, fires)) {
				return false
			}
		}
	}
	return true
}

// endingBest is w with machines that end in a way that reaches f, where there is one that
// the same kind of arm takes to the same place; nil where nothing changes.
func (s *shared) endingBest(f *Figure, w *witness.Witness) *witness.Witness {
	tracked := data.New(s.Machine)
	best := func(row witness.Row, c ir.Case) bool { _, ok := s.endsAs(f, c, tracked, childOf(row, c.Do)); return ok }
	out := *w
	out.Path = slices.Clone(w.Path)
	changed := false
	for i := range out.Path {
		row := &out.Path[i]
		d := row.Input.Of()
		if d == nil || row.Arm == nil || !callsMachine(d) || best(*row, row.Input.Case) {
			continue
		}
		for in := range s.Table().Inputs(row.State) {
			if in.Do != d || !best(*row, in.Case) || len(in.Choices) == 0 {
				continue
			}
			a := in.Choices[0].Arm
			if a != nil && a.Kind == row.Arm.Kind && a.Target == row.Arm.Target && flat.Guard(a.When) == flat.True {
				row.Input.Case, row.Arm, row.Data, row.Rest, changed = in.Case, a, nil, nil, true
				break
			}
		}
	}
	if !changed {
		return nil
	}
	return &out
}

// showChildren gives each machine that run calls a run of its own, which ends as it does
// there: one that reaches the figure that f has of it, or with nil the shortest.
func (s *shared) showChildren(run *witness.Witness, f *Figure) {
	s.eachChild(run, func(u *Summary, c *witness.Child, given map[string]any) {
		switch e := u.end(c.Exit, given); {
		case f != nil && !s.figureOf(c.Do.Activity, f.measure).zero():
			c.Run = u.reaches(f.measure, c.Exit, given).run
		case e != nil:
			c.Run = e.run
		}
	})
}

// eachChild calls show with each machine that run calls, and what it is given: where that is not known it is an example.
func (s *shared) eachChild(run *witness.Witness, show func(u *Summary, c *witness.Child, given map[string]any)) {
	if !s.calls() {
		return
	}
	for i := range run.Path {
		for k := range run.Path[i].Children {
			c := &run.Path[i].Children[k]
			u := s.callees[c.Do.Activity.Index]
			given, _ := u.readOf(c)
			show(u, c, given)
		}
	}
}

// showLongest gives each machine that run calls the run of its own that lasts longest, as the time
// of the caller counts it; none where that ends otherwise than run says.
func (s *shared) showLongest(run *witness.Witness) {
	s.eachChild(run, func(u *Summary, c *witness.Child, given map[string]any) {
		if c.Exit != nil {
			c.Run = u.longest(c.Exit, given)
		}
	})
}

// longest is a run of the machine that lasts as long as any and ends in terminal; nil where none
// is known.
func (u *Summary) longest(terminal *ir.State, given map[string]any) *witness.Witness {
	if u.broken {
		return nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	s := u.callee
	p, path := s.Product(), s.proof.worst.Time.path
	if p == nil || len(path) == 0 || !s.mayShow(len(path)) || p.Leaf(p.To[path[len(path)-1]]) != terminal {
		return nil
	}
	a := s.along(path, replay.Latest, given)
	if !a.replays {
		return nil
	}
	run := a.copied()
	s.showLongest(run)
	return run
}
