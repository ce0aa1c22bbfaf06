package flat

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Callee is what a machine that calls another one knows of it. Times are nanoseconds,
// math.MaxInt64 without end.
type Callee struct {
	Never []*ir.Event // the results, in the machine that calls, of terminals that no run reaches
	Soon  []int64     // how long a run lasts at the least that ends with each result; nil where nothing is known
	Waits bool        // some run may wait for ever
	Time  int64       // how long a run may last
	Stops int64       // how long it may last once it is cancelled
}

// unknown is all that the text of a machine says of its runs.
var unknown = &Callee{Waits: true, Time: math.MaxInt64, Stops: math.MaxInt64}

// Callee is what is known of the machine that a calls; nil for an activity of the host.
func (t *Table) Callee(a *ir.Activity) *Callee {
	if a.Machine == nil {
		return nil
	}
	if a.Index < len(t.callees) && t.callees[a.Index] != nil {
		return t.callees[a.Index]
	}
	return unknown
}

// Never reports whether a calls a machine no run of which ends as e says.
func (t *Table) Never(a *ir.Activity, e *ir.Event) bool {
	c := t.Callee(a)
	return c != nil && slices.Contains(c.Never, e)
}

// Soonest is how long after its start an attempt of a raises e at the earliest.
func (t *Table) Soonest(a *ir.Activity, e *ir.Event) int64 {
	if c := t.Callee(a); c != nil && c.Soon != nil {
		return c.Soon[slices.Index(a.Results, e)]
	}
	return 0
}

// Limitless reports whether an attempt of d may run without end.
func (t *Table) Limitless(d *ir.Do) bool {
	if d.Activity.Circular || d.NeverRuns() {
		return false // a circle is the fault of the calls
	}
	if c := t.Callee(d.Activity); c != nil && !c.Waits {
		return false
	}
	return len(d.Limits()) == 0
}
