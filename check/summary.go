package check

import (
	"math/big"
	"slices"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/lifetime"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// A machine that is called is checked alone, and its callers see a summary of it: in which
// terminals its runs end, whether they may wait for ever, and what they cost. No product of
// the two is made. So a summary holds for every argument, whatever the caller passes, and
// the values that a terminal returns are any of their types.

// Summary is what the callers of a machine know of it.
type Summary struct {
	machine *ir.Machine
	broken  bool      // it has errors of its own: nothing is known of its runs
	reads   []*ir.Var // the parameters that its paths depend on
	waits   bool      // some run may wait for ever
	time    int64
	stops   int64   // how long a run may last once it is cancelled
	soonest []int64 // by state ID: see lifetime.Soonest; nil where nothing is known
	ends    map[*ir.State]*end

	mu     sync.Mutex // of what is found out when a caller asks
	callee *shared
	shown  map[ending]shown
	given  map[ending]*end // the ends of runs that are given what their paths depend on
}

// end is how runs of a machine end in a terminal.
type end struct {
	run   *witness.Witness // the shortest that ends there; nil where none was replayed
	sure  bool             // it is one of all that the machine starts, too
	lasts time.Duration    // that it takes then
}

// ending is a figure of a run that ends in a terminal; nil is one that has not ended.
type ending struct {
	of       measure
	terminal *ir.State
	given    string // the parameters that its path depends on
}

// shown is a run that reaches a figure, and lasts so long.
type shown struct {
	lasts   time.Duration
	reached bool
	run     *witness.Witness
}

// summarize makes the summary of the machine once it was checked.
func (s *shared) summarize(errors bool) *Summary {
	u := &Summary{machine: s.Machine, callee: s, time: graph.Infinite, stops: graph.Infinite, shown: map[ending]shown{}, given: map[ending]*end{}}
	if u.broken = errors || s.proof.worst == nil; u.broken {
		return u
	}
	tracked := data.New(s.Machine)
	u.reads = slices.DeleteFunc(slices.Clone(s.Machine.Params), func(v *ir.Var) bool { return !tracked.Vars[v].Read })
	u.waits = slices.ContainsFunc(s.Leaves(), s.mayStay)
	if t := s.proof.worst.Time.Amount; t != nil && t.Num().IsInt64() {
		u.time = t.Num().Int64()
	}
	if p := s.Product(); p != nil {
		of, n := p.Components()
		u.stops = min(u.time, lifetime.New(p, of, n).Stops())
		u.soonest = lifetime.Soonest(p)
	}
	u.ends = map[*ir.State]*end{}
	for _, state := range s.Machine.States {
		if state.Kind == ir.Terminal && !s.NeverEntered(state) {
			u.ends[state] = s.endOf(s.PathTo(state))
		}
	}
	return u
}

// endOf is what is known of a run that ends as w does; nothing where there is none.
func (s *shared) endOf(w *witness.Witness) *end {
	if w == nil {
		return &end{}
	}
	run, replays := s.replays(w)
	switch {
	case !replays:
		return &end{}
	case !s.calls():
		return &end{run, true, lastOf(run)}
	}
	f := Figure{}
	sure := s.combines(&f, run)
	return &end{run, sure, f.lasts}
}

// known is what the table of the machine says of those that it calls.
func (s *shared) known() []*flat.Callee {
	list := make([]*flat.Callee, len(s.Machine.Activities))
	for i, u := range s.callees {
		if u == nil {
			continue
		}
		a := s.Machine.Activities[i]
		c := &flat.Callee{Waits: u.waits, Time: u.time, Stops: u.stops}
		for _, e := range a.Results {
			if !u.broken && u.ends[e.Terminal] == nil {
				c.Never = append(c.Never, e)
			}
			if soon := int64(0); u.soonest != nil {
				if u.ends[e.Terminal] != nil && u.soonest[e.Terminal.ID] < graph.Infinite { // else no run is shown to end so, and none may
					soon = u.soonest[e.Terminal.ID]
				}
				c.Soon = append(c.Soon, soon)
			}
		}
		list[i] = c
	}
	return list
}

// lasts is how long a run of each machine lasts that is called, by activity; nil where
// there is none.
func (s *shared) lasts() []int64 {
	if !s.calls() {
		return nil
	}
	list := make([]int64, len(s.callees))
	for i, u := range s.callees {
		if u != nil {
			list[i] = u.time
		}
	}
	return list
}

// calls reports whether the machine calls another.
func (s *shared) calls() bool {
	return slices.ContainsFunc(s.Machine.Activities, func(a *ir.Activity) bool { return a.Machine != nil })
}

// CallsBroken reports whether the machine calls one of whose runs nothing is known, since
// it has errors of its own.
func (s *shared) CallsBroken() bool {
	return slices.ContainsFunc(s.callees, func(u *Summary) bool { return u != nil && u.broken })
}

// figure is the worst case of the machine in one measure; nil where it has no such figure.
func (u *Summary) figure(of measure) *Figure {
	if u.broken {
		return nil
	}
	return u.callee.proof.worst.of(u.machine, of)
}

// reaches looks for a run that reaches the figure of a measure and ends in terminal, or
// for nil has not ended, and says how long it lasts.
func (u *Summary) reaches(of measure, terminal *ir.State, given map[string]any) shown {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := ending{of, terminal, textOf(given)}
	found, known := u.shown[key]
	if !known {
		found = u.callee.reachesAt(u.figure(of), terminal, given)
		u.shown[key] = found
	}
	return found
}

// reachesAt replays the longest run of f that ends in terminal and was given that.
func (s *shared) reachesAt(f *Figure, terminal *ir.State, given map[string]any) shown {
	p := s.Product()
	if f == nil || f.weight == nil || f.past || !f.Exact {
		return shown{}
	}
	starts := p.StartsWith(given)
	if starts == nil {
		return shown{}
	}
	length, path := p.LongestInto(f.weight, terminal, starts)
	if length != f.length || len(path) == 0 || !s.mayShow(len(path)) {
		return shown{}
	}
	if short := f.weight.Needed(path); terminal == nil && len(short) < len(path) {
		if found := s.reachesAlong(f, short, given); found.reached { // it is over sooner
			return found
		}
	}
	return s.reachesAlong(f, path, given)
}

// reachesAlong replays path, which adds up to f, by a run that is given that.
func (s *shared) reachesAlong(f *Figure, path []int32, given map[string]any) shown {
	at := *f
	at.path = path
	a := s.along(path, replay.Taken, given)
	run := a.copied()
	switch {
	case !a.replays || !a.retries || !a.whole:
		return shown{}
	case !s.calls():
		return shown{lastOf(run), true, run}
	}
	run, ok := s.combined(&at, a.w, run)
	return shown{at.lasts, ok, run}
}

// lastOf is when the last input of run comes.
func lastOf(run *witness.Witness) time.Duration {
	last := time.Duration(0)
	for _, row := range run.Path {
		last = max(last, row.At)
	}
	return last
}

// zero reports whether f is known to be nothing.
func (f *Figure) zero() bool { return f != nil && f.Amount != nil && f.Amount.Sign() == 0 }

// one is a weight or an amount of one.
func one() *big.Rat { return big.NewRat(1, 1) }
