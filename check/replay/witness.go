package replay

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/check/stop"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Ending is what a witness says of its last input.
type Ending int

const (
	Any     Ending = iota // it is taken, or if the run stays where it is, not: what comes may halt it
	Taken                 // it is taken
	AtOnce                // the same, and a lap of the cycle takes no time
	Latest                // the same, and what can wait comes as late as it can
	Refused               // nothing takes it
	Broken                // the step cannot be computed
)

// Fault is why a step is said to be Broken: the effect that leaves its range, the field or the field of
// an event that is read and has no value, or else requires that lead round.
type Fault struct {
	Assigned *ir.Assign
	Unset    *ir.Var
	Absent   *ir.EventField
}

// is reports whether the runtime's step failed by f.
func (f *Fault) is(c *machine.Cause) bool {
	switch {
	case f.Assigned != nil:
		// The run names the whole field, also where an item or a published value does not fit.
		place := f.Assigned.Var.Name[strings.LastIndex(f.Assigned.Var.Name, " ")+1:]
		return c.Code == machine.Overflow ||
			(c.Code == machine.OutOfRange || c.Code == machine.BadValue) && strings.Contains("."+place+".", "."+c.Args[0]+".")
	case f.Unset != nil:
		return (c.Code == machine.FieldUnset || c.Code == machine.ParamUnset) && c.Args[0] == f.Unset.Name
	case f.Absent != nil:
		return c.Code == machine.InputField && c.Args[0] == f.Absent.Name
	}
	return c.Code == machine.RequireCircle
}

// Stage performs witnesses of one machine, one at a time. It makes the machine ready for the
// first of them: that takes longer than most of them do.
type Stage struct {
	// Steps is how many steps its witnesses have tried, and Most how many they may try: what is
	// past it is an error. Each set of parameters counts as a step, too.
	Steps, Most int

	m        *ir.Machine
	about    *book
	detoured int // see around
}

// On is a Stage for m, whose witnesses together may try any number of steps.
func On(m *ir.Machine) *Stage { return &Stage{Most: math.MaxInt, m: m} }

// step counts a step, and reports whether there may be one.
func (s *Stage) step(cost int) bool {
	s.Steps += cost
	return s.Steps <= s.Most
}

// Witness performs w, with values for whatever it leaves open, and gives it
// with all values and the times at which things happen. It is an error where
// some row is not what happens there; of a loop, where the run cannot go round
// again. Where the end is Broken, fault says by what; nil for anything. Lasts says how long a run of
// each machine may last that m calls, in nanoseconds, by activity; nil where nobody knows. The search
// for values polls until.
func (s *Stage) Witness(w *witness.Witness, ending Ending, fault *Fault, lasts []int64, until *stop.Stop) (*witness.Witness, error) {
	if s.about == nil {
		about, err := newBook(s.m)
		if err != nil {
			return nil, err
		}
		s.about = about
	}
	perform := func(w *witness.Witness, most int) (*witness.Witness, int, error) {
		s.about.open(w, lasts, until)
		return s.perform(w, ending, fault, most)
	}
	filled, far, err := perform(w, maxSteps)
	if err == nil || errors.Is(err, errTooLarge) {
		return filled, err
	}
	if longer := s.around(w, far, fault, maxPlaces, func(w *witness.Witness) (*witness.Witness, int, error) { return perform(w, detourSteps) }); longer != nil {
		return longer, nil
	}
	return nil, err
}

// perform is Witness for w as it is, and no more than most steps beside those for each row; where it is an error, far
// is the last row at which a run has stood.
func (s *Stage) perform(w *witness.Witness, ending Ending, fault *Fault, most int) (filled *witness.Witness, far int, first error) {
	m, about := s.m, s.about
	// At the times that it says, then with the waits as long as they can be, then as
	// short.
	ways := []way{{late: true, slow: true}, {timed: true}, {slow: true}, {}}
	if len(m.Enforced()) > 0 {
		ways = append(ways, way{timed: true, early: true}, way{early: true})
	}
	for _, way := range ways {
		if way.late && ending != Latest {
			continue
		}
		p := &player{early: way.early, m: m, w: w, ending: ending, fault: fault, late: way.late, book: about, stage: s, most: most, carried: map[int]map[string]machine.Value{}}
		if way.timed {
			p.timetable()
		}
		filled, err := p.play(way.slow)
		if err == nil {
			return filled, 0, nil
		}
		if far = max(far, p.far); first == nil {
			first = err
		}
		if p.changes != nil {
			first = p.changes
		}
	}
	return nil, far, first
}

// way is one in which a witness may be performed: what can wait comes late; at the times
// that it says; waits are as long as they can be; and an attempt that is tried again has said
// before that a cost is over its budget, not the one after it.
type way struct{ late, timed, slow, early bool }

// player searches for values with which a witness happens; see search. The rows
// of a loop are performed twice.
type player struct {
	m       *ir.Machine
	w       *witness.Witness
	ending  Ending
	fault   *Fault
	early   bool // see way
	late    bool // what can wait does, where the rows after it leave the time
	book    *book
	steps   int
	most    int // of them, beside those for each row
	far     int // the last row at which a run has stood
	stage   *Stage
	changes *Changes       // of a lap after which some data was not what it was
	rows    []witness.Row  // as performed
	ended   map[string]any // the data where the witness ends
	params  map[string]any
	rest    map[string]any                   // the parameters that have their plain value
	carried map[int]map[string]machine.Value // by row of the loop: what its event carried in the first lap
	times   []int64                          // by row: when its input comes; nil where that is found out
	second  []int64                          // the same of the rows of the loop in the second lap, where it is said

	deferred map[*ir.Event][]int // by event: the rows with data of one that was deferred
	dueAt    []machine.Value     // see instants
	waited   []machine.Value     // see waits
	lengths  []int64             // see wanted
}

func (p *player) play(slow bool) (*witness.Witness, error) {
	noStart := len(p.w.Path) == 1 && p.ending == Broken // the start cannot be computed
	last := errors.New("the run cannot start")
	for _, params := range p.paramChoices() {
		if !p.stage.step(1) {
			return nil, errTooMany
		}
		r := newRun(p.book, params)
		r.slow, r.plan = slow, p
		err := r.start(p.w.Guards)
		switch {
		case noStart && p.broken(err):
			return p.w, nil
		case noStart:
			last = errors.New("the run does start, or fails by something else")
			continue
		case err != nil:
			last = err
			continue
		}
		if last = p.search(r); last == nil {
			p.setParams(params)
			return p.filled(), nil
		}
	}
	return nil, last
}

func (p *player) setParams(params []machine.Value) {
	p.params = maps.Clone(p.w.Params)
	inputs := p.m.Inputs()
	spots := spotsOf(ir.Slots(inputs))
	for i, v := range inputs {
		x, said := p.w.Params[v.Name]
		if group := spots.shownGroup(&v.Slot, params); group != "" {
			p.params = noted(p.params, group, nil)
			continue
		}
		if inGroup(&v.Slot) && p.params[v.Within.Group()] == witness.Present {
			delete(p.params, v.Within.Group())
		}
		if !said {
			fillIn(&p.params, &p.rest, v.Name, params[i], v.Type)
		} else if given, err := parseSaid(v.Type, x); err != nil || key(given) != key(params[i]) {
			p.params[v.Name] = form(v.Type, params[i])
		}
	}
}

func (p *player) filled() *witness.Witness {
	w := *p.w
	w.Path, w.Rest = p.rows, p.rest
	if p.ended != nil {
		w.Values = p.ended
	}
	if len(p.params) > 0 {
		w.Params = p.params
	}
	return &w
}

// ends reports whether err is how the witness ends.
func (p *player) ends(err error, i int) bool {
	if err == nil || p.w.Path[i].State != p.w.Path[i+1].State {
		return false
	}
	switch p.ending {
	case Refused:
		return errors.Is(err, errRefused)
	case Broken:
		return p.broken(err)
	}
	return p.ending == Any && !errors.Is(err, errOther)
}

// broken reports whether err is the fault for which the witness says that a step cannot be computed.
func (p *player) broken(err error) bool {
	var broken *stepError
	return errors.As(err, &broken) && (p.fault == nil || p.fault.is(broken.cause))
}

func (p *player) note(i int, row witness.Row) {
	if p.rows == nil {
		p.rows = make([]witness.Row, len(p.w.Path))
	}
	p.rows[i] = row
}

// passDeferred looks at deferred events that the state defers again, of which no
// row tells.
func (p *player) passDeferred(r *run, row witness.Row) error {
	for !r.s.DoneDue && r.overDue() == "" && r.due() == nil && r.pending() != nil {
		looked := r.clone()
		err := looked.take(&input{deferred: true, guards: row.Guards})
		if err == nil && len(looked.s.Kept) == len(r.s.Kept) && looked.leaf == r.leaf {
			*r = *looked
			continue
		}
		if !row.Input.Deferred() {
			return errRefused
		}
		return nil
	}
	return nil
}

// arrives is what a row says comes; it lets the time pass until it can.
func (p *player) arrives(r *run, row witness.Row, element int) (*input, error) {
	in := &input{Case: row.Input.Case, guards: row.Guards, deferred: row.Input.Deferred(), arm: row.Arm, element: element}
	switch {
	case row.Input.Kind == witness.Ended:
		in.silent = row.Input.Activity
	case !in.deferred && !slices.Contains(p.book.casesOf(r.leaf), in.Case):
		return nil, fmt.Errorf("%q cannot come in %q", row.Input.Text(), row.State.Path)
	}
	for i := range r.s.Tasks {
		if t := &r.s.Tasks[i]; t.State == machine.TaskOpen && slices.Contains(row.LetStart, r.book.m.Dos[t.Do]) {
			r.at = max(r.at, r.startOf(t))
		}
	}
	return in, r.await(in)
}

// await lets the time pass until in can come, and sees that nothing else comes
// before it.
func (r *run) await(in *input) error {
	if in.silent == nil && in.Kind == ir.CaseOverBudget {
		return r.awaitOver(in)
	}
	if r.overDue() != "" {
		return errOverFirst
	}
	if r.s.DoneDue {
		if in.Kind == ir.CaseDone && in.silent == nil {
			return nil
		}
		return errors.New("done comes first")
	}
	attempt := r.attemptOf(in)
	until := max(r.now, r.at)
	switch {
	case in.silent == nil && in.Kind == ir.CaseDone:
		return errors.New("done is not due")
	case in.silent != nil || in.Kind == ir.CaseResult || in.Kind == ir.CaseFailure:
		if attempt == nil {
			return errors.New("no attempt can say that")
		}
		until = max(until, r.startOf(attempt))
		if in.silent == nil && in.Kind == ir.CaseFailure {
			until = max(until, r.startOf(attempt)+limitOf(in.Do, in.Category))
		}
	case in.Kind == ir.CaseTimer:
		for _, a := range r.s.Alarms {
			if a.Timer == in.Timer.ID {
				until = since(a.Due)
			}
		}
	case in.Kind == ir.CaseCancel && r.s.Cancelled:
		return errors.New("the run was cancelled before")
	}
	r.now = max(r.now, until)
	due := r.due()
	isTimer := in.silent == nil && in.Kind == ir.CaseTimer
	if due != nil && !(isTimer && due == in.Timer) {
		return fmt.Errorf("%q comes first", due.Text())
	}
	pending := r.pending()
	if !isTimer && !in.deferred && pending != nil || in.deferred && (pending == nil || pending.Event != in.Event.Index) {
		return errors.New("a deferred event comes first, or none does")
	}
	return nil
}

// JustBefore is how long before the end of a wait something comes that is late.
const JustBefore = int64(time.Millisecond)

// linger lets the time pass until just before the timer or the time limit that
// would come before in, and reports whether it did. What comes at a time of its
// own, or at once, does not wait.
func (r *run) linger(in *input) bool {
	switch {
	case r.s.DoneDue || in.deferred || r.overDue() != "":
		return false
	case in.silent != nil:
	case in.Kind == ir.CaseTimer, in.Kind == ir.CaseFailure && in.Category.BuiltIn && in.Category.Name == ir.Timeout:
		return false
	}
	end := int64(math.MaxInt64)
	for _, a := range r.s.Alarms {
		end = min(end, since(a.Due))
	}
	for _, t := range r.s.Tasks {
		if limit := r.book.lastsAtMost(r.book.m.Dos[t.Do]); t.State == machine.TaskOpen && limit < math.MaxInt64/2 {
			end = min(end, r.startOf(&t)+limit)
		}
	}
	if end == math.MaxInt64 || end-JustBefore <= r.now {
		return false
	}
	r.now = end - JustBefore
	return true
}

// lastsAtMost is how long an attempt of d may last; math.MaxInt64 without end.
func (b *book) lastsAtMost(d *ir.Do) int64 {
	limit := int64(math.MaxInt64)
	if d.Timeout != nil {
		limit = *d.Timeout
	}
	if d.Activity.Machine != nil && b.lasts != nil {
		limit = min(limit, b.lasts[d.Activity.Index])
	}
	return limit
}
