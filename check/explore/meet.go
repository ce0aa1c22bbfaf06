package explore

import (
	"maps"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/graph"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Package guard says which values satisfy guards; whether a run meets such
// values is asked here. The configurations of a leaf are gone through in the
// order in which they were reached. Of each what matters to the question is
// taken: the data that its guards read, and which of its bounds are used up.
// Configurations that agree in that are asked about once.

// Stance is what a question wants of one of an input's choices.
type Stance uint8

const (
	Any     Stance = iota // nothing
	Holds                 // its guard holds
	False                 // its guard computes to false
	MayPass               // the input may go past it: its guard is false, or it has a bound
	Passed                // the input goes past it: its guard is false, or its bound is used up
	Applies               // its guard holds, and its bound is not used up
)

// Meeting is the answer to whether some run meets what a question wants.
type Meeting struct {
	Verdict guard.Verdict // Undecided where a guard is past what can be decided
	Config  int32         // of Sat: where the input comes
	Model   *guard.Model  // of Sat: the data there, and what comes with the input
	Exact   bool          // of Sat: a path to Config, and then the input with what the model says, is a run if the path is
}

// Possible asks what Meet asks of any data at all, within the declared ranges.
// Bounds count as open and as used up.
func Possible(in flat.Input, want []Stance) guard.Answer {
	return guard.Satisfy(wanted(in, want, unbounded))
}

// Questions asks Possible about one input again and again, which in a chain of a thousand arms
// is a question for each of them. It gives the verdicts alone.
type Questions struct {
	in      flat.Input
	stances []Stance
	board   *guard.Board // of the formulas of all choices, one for each of the stances; nil where there is none
}

// NewQuestions is for questions about in that want nothing but the stances given.
func NewQuestions(in flat.Input, stances ...Stance) *Questions {
	var all []guard.Formula
	for _, c := range in.Choices {
		g := guardOf(in, c.Arm)
		for _, s := range stances {
			all = append(all, wantedOf(g, c.Arm, s, unbounded))
		}
	}
	return &Questions{in, stances, guard.NewBoard(all)}
}

// Possible is the verdict of Possible.
func (q *Questions) Possible(want []Stance) guard.Verdict {
	if q.board != nil {
		var numbers []int
		for i := len(want) - 1; i >= 0; i-- { // the last says most: which arm applies
			if want[i] != Any {
				numbers = append(numbers, q.number(want[i], i))
			}
		}
		if v := q.board.Possible(numbers); v != guard.Undecided {
			return v
		}
	}
	return Possible(q.in, want).Verdict
}

// Exclude reports whether it is plain that the stance cannot be that of both choices.
func (q *Questions) Exclude(s Stance, one, other int) bool {
	return q.board != nil && q.board.Possible([]int{q.number(s, one), q.number(s, other)}) == guard.Unsat
}

// number is that of a choice with a stance on the board.
func (q *Questions) number(s Stance, choice int) int {
	return choice*len(q.stances) + slices.Index(q.stances, s)
}

// unbounded says of bounds that they count as open and as used up.
func unbounded(*ir.Arm) bound { return either }

// bound is what is known of the bound of an arm.
type bound uint8

const (
	either bound = iota
	open
	usedUp
)

// wanted is the formula of a question; bounds says how those stand.
func wanted(in flat.Input, want []Stance, bounds func(*ir.Arm) bound) guard.Formula {
	var all []guard.Formula
	for i, stance := range want {
		if stance != Any {
			all = append(all, wantedOf(guardOf(in, in.Choices[i].Arm), in.Choices[i].Arm, stance, bounds))
		}
	}
	return guard.And(all...)
}

// guardOf is what a choice of in asks; arm is nil for an `ignore` or a `defer`,
// which always take the input.
func guardOf(in flat.Input, arm *ir.Arm) guard.Guard {
	if arm == nil {
		return guard.Read(nil, nil)
	}
	return guard.Read(arm.When, &in.Case)
}

// wantedOf is wanted of one choice, which asks g.
func wantedOf(g guard.Guard, arm *ir.Arm, stance Stance, bounds func(*ir.Arm) bound) guard.Formula {
	at := open
	bounded := arm != nil && arm.Max != nil
	if bounded && (stance == Passed || stance == Applies) {
		at = bounds(arm)
	}
	switch {
	case stance == False, stance == Passed && at == open, stance == MayPass && !bounded:
		return g.Fails
	case stance == Passed, stance == MayPass:
		return g.Computed()
	case stance == Applies && at == usedUp:
		return guard.Or()
	}
	return g.Holds
}

// Meet asks whether some run reaches leaf where in can come and want holds of
// its choices. Unsat is a proof.
func (p *Product) Meet(leaf *ir.State, in flat.Input, want []Stance) Meeting {
	m := newMeeter(p, leaf)
	if !m.about(in, want) {
		return Meeting{Verdict: guard.Unsat}
	}
	return m.answer()
}

// Meetings calls yield with what Meet might answer, one for all that agree in the data, as long as yield
// returns true. Paths that surely are no runs are left out.
func (p *Product) Meetings(leaf *ir.State, in flat.Input, want []Stance, yield func(Meeting) bool) {
	m := newMeeter(p, leaf)
	if m.about(in, want) {
		m.each = func(found Meeting) bool { return !p.fitsLists(p.PathTo(found.Config)) || yield(found) }
		m.answer()
	}
}

// MeetFormula asks whether some run reaches leaf with data for which f holds,
// which reads what e does.
func (p *Product) MeetFormula(leaf *ir.State, f guard.Formula, e ir.Expr) Meeting {
	m := newMeeter(p, leaf)
	m.formula = func(func(*ir.Arm) bound) guard.Formula { return f }
	m.note(e)
	return m.answer()
}

// Comes reports whether in can come in some configuration of leaf.
func (p *Product) Comes(leaf *ir.State, in flat.Input) bool {
	return p.Meet(leaf, in, nil).Verdict == guard.Sat
}

// configsIn are the configurations in leaf, in the order in which they were
// reached.
func (p *Product) configsIn(leaf *ir.State) []int32 {
	if p.members == nil {
		p.members = make([][]int32, len(p.Table.Machine.States))
		for c := int32(1); int(c) < p.Configurations(); c++ {
			id := p.Leaf(c).ID
			p.members[id] = append(p.members[id], c)
		}
	}
	return p.members[leaf.ID]
}

// firesFirst reports whether a timer is due in the configuration at hand before any
// other input is looked at.
func (x *search) firesFirst(leaf *ir.State) bool {
	return anyRuns(x.Program.States[leaf.ID].Instant, x.Program.Packing.Fired.Get(x.Here)) || !x.beforeTimers(leaf)
}

// arises reports whether in can come in the configuration at hand, as an event
// that was deferred, too.
func (x *search) arises(leaf *ir.State, in *step.InputCode) bool {
	found := false
	x.inputs(leaf, func(other *step.InputCode) { found = found || other == in })
	if found || in.Kind != ir.CaseEvent || !x.Program.Packing.Pending.Any(x.Here) || x.Program.DoneDue(leaf, x.Here) || x.firesFirst(leaf) {
		return found
	}
	return x.Program.HasEvent(x.Program.Packing.Pending, x.Here, in.Event)
}

// RunMeeting writes out the run to m's configuration, and there in with the data
// of m: it is taken by arm, or where that is nil by nothing. Sure reports whether
// it is a run.
func (p *Product) RunMeeting(m Meeting, in flat.Input, arm *ir.Arm) (w *witness.Witness, sure bool) {
	r := p.recorder(false)
	if in.Do != nil && in.Do.Fan != nil {
		r.asked, r.atLeast = in.Do.Fan.List, elementsFor(m.Model)
	}
	r.take(p.PathTo(m.Config), -1)
	var data map[string]any
	if in.Event != nil {
		data = payload(in.Event, m.Model)
	}
	e, guards := p.edgeOf(m.Config, in, arm), maps.Clone(m.Model.Guards)
	if e != graph.None { // what the requires on the way ask, the model does not say
		for asked, verdict := range r.teller.edge(m.Config, e).guards {
			if guards == nil {
				guards = map[string]bool{}
			}
			if _, said := guards[asked]; !said {
				guards[asked] = verdict
			}
		}
	}
	r.inputRow(arriving(in.Case, false), arm, &sought{data: data, guards: guards})
	values := m.Model.Values()
	for name, v := range p.values(m.Config) {
		if _, said := values[name]; !said || m.Exact {
			values[name] = v
		}
	}
	if e != graph.None {
		r.at = p.To[e]
	}
	w, sure = r.finish()
	w.Values, w.AtEnd = values, false
	return w, sure && m.Exact
}

// manyItems is how many elements have all the items that a guard may ask for.
const manyItems = 64

// elementsFor is how many elements there have to be for one to be as m says.
func elementsFor(m *guard.Model) int64 {
	values := m.Values()
	if _, asked := values["event."+ir.ItemField]; asked {
		return manyItems
	}
	index, _ := values["event."+ir.IndexField].(int64)
	return index + 1
}

// RunOfMany is Run where the list of the element of which the last edge is has so many elements,
// if it can, and others end as they like: an arm may ask which one it is. It is nil where that
// edge is of no element.
func (p *Product) RunOfMany(path []int32, elements int64) *witness.Witness {
	c, _ := p.Input(path[len(path)-1])
	if c.Do == nil || c.Do.Fan == nil {
		return nil
	}
	r := p.recorder(false)
	r.asked, r.atLeast = c.Do.Fan.List, elements
	r.take(path, -1)
	w, _ := r.finish()
	return w
}

// payload is what m says of the fields of e.
func payload(e *ir.Event, m *guard.Model) map[string]any {
	out := map[string]any{}
	put := func(key string, v any) {
		if name, sent := strings.CutPrefix(key, "event."); sent && e.Has(name) {
			out[name] = v
		}
	}
	for key, v := range m.Values() {
		put(key, v)
		name, isLength := strings.CutPrefix(strings.TrimSuffix(key, ")"), "len(event.")
		if n, ok := v.(int64); isLength && ok && e.Has(name) {
			out[name] = data.OfLength(e.Field(name).Type, n)
		}
	}
	for _, key := range m.Unset {
		put(key, nil)
	}
	for _, key := range m.Sent {
		put(key, witness.Present)
	}
	return out
}

// edgeOf is an edge from c along which arm takes in; None where there is none
// that leads elsewhere.
func (p *Product) edgeOf(c int32, in flat.Input, arm *ir.Arm) int32 {
	if arm != nil {
		for _, e := range p.StepsFrom(c) {
			if l := p.Label(e); l.Input == in.ID && l.Arm == int32(arm.ID) {
				return e
			}
		}
	}
	return graph.None
}
