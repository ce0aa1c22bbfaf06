package explore

import (
	"maps"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/timing"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// recorder writes out a path of the product.
type recorder struct {
	p      *Product
	teller *search
	clock  timing.Clock
	at     int32
	w      *witness.Witness
	sure   bool

	deferrals map[int]int // by place among step.Program.Kept: the row that last deferred it
	edge      *Label      // of the row at hand; nil where it has none
	schedule  *schedule   // nil where the product does not know times
	lap       int         // in the second lap of the cycle: how many rows the first path has; else 0

	elements map[*ir.Do][]element // of the fan-outs of the visit
	more     map[*ir.Do]int64     // of those that the path does not tell apart: how many more there are
	begins   []witness.Begins     // of the visit, until its first row
	ahead    []int32              // the edges behind the one at hand
	refuses  bool                 // nothing takes what comes behind the path
	alike    map[*ir.Do]int64     // how many elements this visit has only because others of the list have them: their ends change nothing
	long     map[*ir.Var]int64    // see seeLists
	asked    *ir.Var              // the list of the elements one of which says that; and
	atLeast  int64                // how long it is to be, if it can
	letStart []*ir.Do             // the row that comes next waits for their attempts
	all      bool                 // lists are as long as they can be, and all retries are made
	bare     bool                 // but for these
	fewer    bool                 // a retry that counts where a visit begins was not made
	short    bool                 // an attempt that counts where a visit begins did not start

	given map[int]map[string]any // payloads by place in the path, instead of what is known of them
}

func (p *Product) recorder(all bool) *recorder {
	r := &recorder{
		p: p, teller: p.teller(), clock: timing.NewClock(p.Table), all: all,
		w: &witness.Witness{Loop: -1}, sure: true, deferrals: map[int]int{}, elements: map[*ir.Do][]element{}, more: map[*ir.Do]int64{},
		alike: map[*ir.Do]int64{}, long: map[*ir.Var]int64{},
	}
	if p.program.Clocks != nil {
		r.schedule = newSchedule(p.Table)
	}
	return r
}

// take adds the rows of path.
func (r *recorder) take(path []int32, loop int) {
	r.seeLists(path)
	for i, e := range path {
		if i == loop {
			r.w.Loop = len(r.w.Path)
		}
		r.ahead = path[i+1:]
		r.step(e)
		r.give(i)
	}
	if loop >= 0 && r.schedule != nil {
		r.goRoundAgain(path[loop:])
	}
}

// give puts what is given at place i of the path into the last row.
func (r *recorder) give(i int) {
	if data, n := r.given[i], len(r.w.Path); len(data) > 0 && n > 0 {
		row := &r.w.Path[n-1]
		row.Data = maps.Clone(row.Data)
		if row.Data == nil {
			row.Data = map[string]any{}
		}
		maps.Copy(row.Data, data)
	}
}

// goRoundAgain notes when the rows of the cycle come in the second lap: it need not
// take as long as the first, which comes from elsewhere.
func (r *recorder) goRoundAgain(round []int32) {
	r.lap = len(r.w.Path)
	for i, e := range round {
		r.ahead = round[i+1:]
		r.step(e)
	}
	r.w.Path, r.lap = r.w.Path[:r.lap], 0
}

// step adds the row of edge e, and moves on along it.
func (r *recorder) step(e int32) {
	if r.p.IsWithin(e) {
		return // the row is that of the edge which comes next
	}
	l := r.p.Label(e)
	c, _ := r.p.Input(e)
	if r.all && r.p.CountedOnEntering(l) {
		r.at = r.p.To[e]
		return // all of them are made where the visit begins
	}
	s := r.teller.edge(r.at, e)
	r.sure = r.sure && s.found && !s.guessed
	r.edge = &l
	if l.Again {
		r.deferEarlier(s.place)
	}
	defer func() { r.edge = nil }()
	switch l.Kind {
	case Started:
		r.begin(s)
	case Ended:
		r.say(l, e, s, witness.Ended)
	case Begun: // it needs no row: attempts start by themselves
		r.schedule.begins(r.p.Table.Machine.Dos[l.Do])
	case Checkpoint:
		r.say(l, e, s, witness.Checkpoint)
	case Dropped:
		r.row(witness.Input{Kind: witness.Dropped, Case: c}, nil, nil)
	default:
		leaving := l.Kind == Moved && c.Kind != ir.CaseTimer
		if l.Kind == Moved && r.all {
			r.letAllStart()
		}
		if leaving {
			r.clock.LetStart(r.p.Leaf(r.at))
		}
		if s.found && s.place >= 0 && l.Kind == Stayed && l.Arm == graph.None {
			r.deferrals[s.place] = len(r.w.Path)
		}
		if in, a := arriving(c, l.Again), r.p.Arm(e); c.Do != nil && c.Do.Fan != nil {
			r.said(l, e, in, a, s, r.elementRow(in, a, s))
		} else {
			r.row(in, s.data, s.guards)
			r.takenBy(a)
		}
		if l.Kind == Moved && (c.Kind == ir.CaseTimer || c.Kind == ir.CaseOverBudget) {
			r.noteLate()
		}
		if leaving && r.schedule != nil {
			r.schedule.letStart(r.p.Leaf(r.at), r.p.program.Clocks)
		}
	}
	if l.Again && r.p.isDeferred(r.p.To[e], s.place) && (l.Kind == Dropped || l.Arm != graph.None) {
		r.deferAgain(s.place)
	}
	if r.schedule != nil && (l.Kind != Retried || c.Do.Fan == nil) {
		r.schedule.goesOn(l, r.p.Leaf(r.p.To[e]), c, s)
	}
	if r.advance(e, l, c); l.Begun > 0 {
		r.beginVisit(l)
	}
}

// begin notes how the run starts.
func (r *recorder) begin(s *sought) {
	r.w.Params = r.p.program.Params(s.params)
	if len(s.guards) > 0 {
		r.w.Guards = s.guards
	}
}

// deferEarlier moves the row that deferred what is in place at before those of events that are still
// to be looked at: a configuration does not say in which order they came, and a path
// may have them in another one than that in which it looks at them. Only rows of one
// state change places.
func (r *recorder) deferEarlier(at int) {
	from, deferred := r.deferrals[at]
	to := from
	for other, row := range r.deferrals {
		if row < to && r.p.isPending(r.at, other) {
			to = row
		}
	}
	if !deferred || to == from || to < r.w.Loop && r.w.Loop <= from {
		return
	}
	rows := r.w.Path[to : from+1]
	last := len(rows) - 1
	if slices.ContainsFunc(rows, func(row witness.Row) bool { return row.State != rows[last].State }) {
		return
	}
	for i := last; i > 0; i-- { // the times stay where they are
		rows[i], rows[i-1] = rows[i-1], rows[i]
		rows[i].At, rows[i-1].At = rows[i-1].At, rows[i].At
	}
	for e, row := range r.deferrals {
		if to <= row && row < from {
			r.deferrals[e] = row + 1
		}
	}
	r.deferrals[at] = to
}

// deferAgain repeats the row that deferred what is in a place: one of that kind has been
// looked at and gone, and more follow.
func (r *recorder) deferAgain(place int) {
	at, deferred := r.deferrals[place]
	if !deferred || r.lap > 0 {
		return
	}
	again := r.w.Path[at]
	again.Data, again.Guards = maps.Clone(again.Data), maps.Clone(again.Guards)
	r.w.Path = slices.Insert(r.w.Path, at, again)
	if r.schedule != nil {
		r.schedule.insert(at)
	}
	for e, row := range r.deferrals {
		if row >= at {
			r.deferrals[e] = row + 1
		}
	}
	if r.w.Loop > at {
		r.w.Loop++
	}
}

// isDeferred reports whether what is in place at stands deferred in configuration c.
func (p *Product) isDeferred(c int32, at int) bool {
	return p.program.Packing.Deferred.Has(p.words(c), at)
}

// isPending reports whether what is in place at, which was deferred, is looked at again in
// configuration c.
func (p *Product) isPending(c int32, at int) bool {
	return p.program.Packing.Pending.Has(p.words(c), at)
}

// advance moves the clock along an edge.
func (r *recorder) advance(e int32, l Label, c ir.Case) {
	to := r.p.To[e]
	leaf := r.p.Leaf(to)
	switch l.Kind {
	case Started, Moved:
		var domain *ir.State
		if l.Shared >= 0 {
			domain = r.p.program.States[leaf.ID].Path[l.Shared]
		}
		r.clock.Move(domain, leaf)
		for _, d := range leaf.Dos {
			r.clock.Started[d] = r.clock.Now
		}
	case Retried:
		if c.Do.Fan != nil {
			break
		}
		wait, _ := r.p.RetryWait(r.at, r.p.Arm(e))
		r.clock.Started[c.Do] = r.clock.Now + max(wait, 0)
	}
	r.at = to
}

// row adds what comes in the configuration at hand.
func (r *recorder) row(in witness.Input, data map[string]any, guards map[string]bool) {
	c := in.Case
	leaf := r.p.Leaf(r.at)
	if leaf == nil {
		return
	}
	r.clock.Wait(leaf, c)
	if r.schedule != nil {
		var do *ir.Do
		if r.edge != nil && r.edge.Do != graph.None {
			do = r.p.Table.Machine.Dos[r.edge.Do]
		}
		r.schedule.comes(c, r.edge, do, r.p.comesAtOnce(r.at), len(r.w.Path))
	}
	row := witness.Row{State: leaf, Input: in, At: time.Duration(r.clock.Now), Begins: r.begins, LetStart: r.letStart}
	r.begins, r.letStart = nil, nil
	if len(data) > 0 {
		row.Data = data
	}
	if len(guards) > 0 {
		row.Guards = guards
	}
	r.w.Path = append(r.w.Path, row)
}

// takenBy notes in the last row which arm takes what comes; nil for none.
func (r *recorder) takenBy(a *ir.Arm) {
	if n := len(r.w.Path); a != nil && n > 0 {
		r.w.Path[n-1].Arm = a
	}
}

func (r *recorder) finish() (*witness.Witness, bool) {
	last := witness.Row{} // of a run that cannot even start
	if leaf := r.p.Leaf(r.at); leaf != nil {
		last.State = leaf
	}
	if r.schedule != nil {
		for i, at := range r.schedule.solve() {
			if i < len(r.w.Path) {
				r.w.Path[i].At = at
			} else {
				r.w.Again = append(r.w.Again, at)
			}
		}
		r.w.Path, r.w.Loop = withoutVain(r.w.Path, r.w.Loop)
	}
	r.w.Path = append(r.w.Path, last)
	if values := r.p.values(r.at); len(values) > 0 {
		r.w.Values, r.w.AtEnd, r.w.Alike = values, true, r.p.program.Alike(r.p.Leaf(r.at), r.p.words(r.at))
	}
	r.w.Recalled = r.p.program.Recalled(r.p.words(r.at))
	if len(r.w.Params) == 0 {
		r.w.Params = nil
	}
	return r.w, r.sure
}

// withoutVain leaves out the checkpoints that come in the moment in which idle timers start or start
// again, before the row with index loop, if there is one: no timer starts later for them.
func withoutVain(rows []witness.Row, loop int) ([]witness.Row, int) {
	kept, before := rows[:0], loop
	for i, row := range rows {
		started := i == 0 && row.At == 0 || i > 0 && rows[i-1].At == row.At && rows[i-1].Arm != nil
		switch {
		case row.Input.Kind != witness.Checkpoint || !started || before >= 0 && i >= before:
			kept = append(kept, row)
		case before >= 0:
			loop--
		}
	}
	return kept, loop
}

// say adds the row of what an activity does that is no input.
func (r *recorder) say(l Label, e int32, s *sought, what witness.Kind) {
	in := witness.Input{Kind: what, Case: ir.Case{Kind: ir.CaseDone}, Activity: r.p.Table.Machine.Dos[l.Do]}
	switch {
	case in.Activity.Fan == nil:
		r.row(in, nil, nil)
	case what == witness.Ended:
		r.said(l, e, in, nil, s, r.elementRow(in, nil, s))
	default:
		r.elementRow(in, nil, s)
	}
}

// arriving is c, which is an event that was deferred where again is true.
func arriving(c ir.Case, again bool) witness.Input {
	if again {
		return witness.Input{Kind: witness.Again, Case: c}
	}
	return witness.Input{Kind: witness.Comes, Case: c}
}

// comesAtOnce reports whether no time passes in configuration c: `over_budget` or `done` is
// due, or a deferred event is looked at.
func (p *Product) comesAtOnce(c int32) bool {
	return p.doneDue(c) || p.program.Packing.OverDue.Any(p.words(c)) || p.program.Packing.Pending.Any(p.words(c))
}

// RetryWait is the longest wait of a's next retry in configuration c; false where it
// has no end.
func (p *Product) RetryWait(c int32, a *ir.Arm) (wait int64, bounded bool) {
	return timing.RetryWait(a, p.used(c, a))
}

// LeastRetryWait is the shortest one.
func (p *Product) LeastRetryWait(c int32, a *ir.Arm) int64 {
	return timing.ShortestWait(a, p.used(c, a))
}

// used is how often a has been taken in configuration c; 0 where it has no bound.
func (p *Product) used(c int32, a *ir.Arm) int64 {
	if a.Max == nil {
		return 0
	}
	return int64(p.program.Counter(p.Leaf(c), a).Get(p.words(c)))
}
