// Package replay takes a witness and performs it, step by step, on the rules of
// language.md, section 5. It is written to be plain: whole values, a map for
// every counter, no packing, no sharing with the explorer, so that a fault in
// the one does not hide a fault in the other. What it cannot perform is not
// printed as a refutation.
package replay

import (
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// run is a run: what section 5 says that it keeps. Times are nanoseconds since
// its start.
type run struct {
	m      *ir.Machine
	book   *book
	leaf   *ir.State // nil before the start
	now    int64
	params []value
	fields []value

	timers    []alarm
	attempts  []attempt      // of the visit, in the order of the dos
	next      map[*ir.Do]int // the number of the next attempt of an execution that outlives a visit
	counters  map[*ir.Arm]int64
	deferred  []deferredEvent
	looked    int  // how many of deferred have been looked at in this visit
	done      bool // `done` is the next input
	cancelled bool
	finished  bool

	lap   lap     // after the first round of the loop
	over  int64   // when that round ended
	slow  bool    // jitter makes waits as long as they can be, not as short
	plan  *player // whose times the run keeps to, where it has any
	row   int     // of the witness: the input that is taken
	round int     // how often the loop has been gone round
	at    int64   // when that comes, where it is said
	steps int     // how many checkpoints there were
}

// alarm is a timer that runs.
type alarm struct {
	timer *ir.Timer
	due   int64
	wait  int64 // of an idle one, to start again
}

// attempt is the attempt of a do, under way or waiting.
type attempt struct {
	do      *ir.Do
	number  int
	started int64
	ended   bool
}

type deferredEvent struct {
	event *ir.Event
	data  map[string]value
}

// clone is a copy that shares nothing that a step changes.
func (r *run) clone() *run {
	c := *r
	c.fields = slices.Clone(r.fields)
	c.timers, c.attempts, c.deferred = slices.Clone(r.timers), slices.Clone(r.attempts), slices.Clone(r.deferred)
	c.counters, c.next = maps.Clone(r.counters), maps.Clone(r.next)
	return &c
}

func newRun(about *book, params []value) *run {
	m := about.m
	r := &run{m: m, book: about, params: params, counters: map[*ir.Arm]int64{}, next: map[*ir.Do]int{}}
	for _, v := range m.Fields {
		field := value{}
		if v.Default != nil {
			field = constant(v.Default)
		}
		r.fields = append(r.fields, field)
	}
	return r
}

func (r *run) value(v *ir.Var) value {
	if v.Param {
		return r.params[v.Index]
	}
	return r.fields[v.Index]
}

// due is the timer that fires next, if one is due by now: the earliest, of
// equals the inner one, then by name.
func (r *run) due() *ir.Timer {
	var best *alarm
	for i := range r.timers {
		a := &r.timers[i]
		if a.due <= r.now && (best == nil || a.before(best)) {
			best = a
		}
	}
	if best == nil {
		return nil
	}
	return best.timer
}

func (a *alarm) before(b *alarm) bool {
	if a.due != b.due {
		return a.due < b.due
	}
	if a.timer.State.Depth != b.timer.State.Depth {
		return a.timer.State.Depth > b.timer.State.Depth
	}
	return a.timer.Text() < b.timer.Text()
}
