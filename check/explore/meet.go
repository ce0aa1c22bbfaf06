package explore

import (
	"encoding/binary"
	"slices"

	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/guard"
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
	return guard.Satisfy(wanted(in, want, func(*ir.Arm) bound { return either }))
}

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
			all = append(all, wantedOf(in, in.Choices[i].Arm, stance, bounds))
		}
	}
	return guard.And(all...)
}

// wantedOf is wanted of one choice; arm is nil for an `ignore` or a `defer`,
// which always take the input.
func wantedOf(in flat.Input, arm *ir.Arm, stance Stance, bounds func(*ir.Arm) bound) guard.Formula {
	g := guard.Read(nil, nil)
	at := open
	if arm != nil {
		g = guard.Read(arm.When, &in.Case)
		if arm.Max != nil && (stance == Passed || stance == Applies) {
			at = bounds(arm)
		}
	}
	bounded := arm != nil && arm.Max != nil
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

// Meet asks whether some run comes to leaf where in can come and want holds of
// its choices. Unsat is a proof.
func (p *Product) Meet(leaf *ir.State, in flat.Input, want []Stance) Meeting {
	m := newMeeter(p, leaf, in, want)
	if m.code == nil {
		return Meeting{Verdict: guard.Unsat}
	}
	return m.search()
}

// MeetFormula asks whether some run comes to leaf with data for which f holds,
// which reads what e does.
func (p *Product) MeetFormula(leaf *ir.State, f guard.Formula, e ir.Expr) Meeting {
	m := &meeter{p: p, leaf: leaf, formula: func(func(*ir.Arm) bound) guard.Formula { return f }}
	m.note(e)
	return m.search()
}

// Comes reports whether in can come in some configuration of leaf.
func (p *Product) Comes(leaf *ir.State, in flat.Input) bool {
	return p.Meet(leaf, in, nil).Verdict == guard.Sat
}

// meeter answers one question.
type meeter struct {
	p       *Product
	leaf    *ir.State
	code    *inputCode // nil where every configuration of the leaf counts
	formula func(bounds func(*ir.Arm) bound) guard.Formula

	nodes   []*node      // the data that guards read and that is kept
	bounded []choiceCode // whose bounds matter
	inexact bool         // the guards read what is not kept
	x       *search
	buffer  []byte // of key
}

func newMeeter(p *Product, leaf *ir.State, in flat.Input, want []Stance) *meeter {
	m := &meeter{p: p, leaf: leaf}
	inputs := p.program.states[leaf.ID].inputs
	at := slices.IndexFunc(inputs, func(c inputCode) bool { return c.ID == in.ID })
	if at < 0 {
		return m
	}
	m.code = &inputs[at]
	m.formula = func(bounds func(*ir.Arm) bound) guard.Formula { return wanted(in, want, bounds) }
	for i, stance := range want {
		arm := in.Choices[i].Arm
		if stance == Any || arm == nil {
			continue
		}
		m.note(arm.When)
		m.inexact = m.inexact || in.Kind == ir.CaseFailure && readsAttempt(arm.When)
		if arm.Max != nil && (stance == Passed || stance == Applies) {
			m.bounded = append(m.bounded, m.code.choices[i])
		}
	}
	return m
}

// readsAttempt reports whether e reads the number of an attempt, which hangs on
// the run before.
func readsAttempt(e ir.Expr) bool {
	found := false
	ir.Walk(e, func(e ir.Expr) bool {
		ref, ok := e.(*ir.FieldRef)
		found = found || ok && ref.Name == "attempt"
		return true
	})
	return found
}

// note takes the variables that e reads. A value that is not kept (one whose
// length alone is read, an argument of a host guard) makes the answer inexact;
// of what is asked only whether it is set, that is enough.
func (m *meeter) note(e ir.Expr) {
	ir.Walk(e, func(e ir.Expr) bool {
		if ref, ok := e.(*ir.VarRef); ok {
			n := m.p.program.tracked.vars[ref.Var]
			m.inexact = m.inexact || n.slot == nil || !n.valued() || !n.dom.tellsValues()
		}
		return true
	})
	for _, v := range Reads(e) {
		if n := m.p.program.tracked.vars[v]; n.slot != nil && !slices.Contains(m.nodes, n) {
			m.nodes = append(m.nodes, n)
		}
	}
}

// Reads are the parameters and context fields in e.
func Reads(e ir.Expr) []*ir.Var {
	var out []*ir.Var
	ir.Walk(e, func(e ir.Expr) bool {
		switch e := e.(type) {
		case *ir.VarRef:
			out = append(out, e.Var)
		case *ir.IsSet:
			out = append(out, e.Var)
		}
		return true
	})
	return out
}

// tellsValues reports whether a code of d says what the value is: itself, or
// one of a region in which nothing tells them apart.
func (d *domain) tellsValues() bool {
	switch d.kind {
	case ir.Bool, ir.EnumKind, ir.Int, ir.Duration, ir.Float, ir.String:
		return d.sort != free
	}
	return false
}

// search goes through the configurations of the leaf. The first that can be
// shown as a run is the answer, else the first that cannot be excluded.
func (m *meeter) search() Meeting {
	m.x = &search{Product: m.p, step: newStep(m.p.program)}
	m.x.step.from = m.leaf
	best := Meeting{Verdict: guard.Unsat}
	asked := map[string]bool{}
	for _, c := range m.p.configsIn(m.leaf) {
		words := m.p.store.at(c)
		copy(m.x.here, words)
		m.key(words)
		if asked[string(m.buffer)] || m.code != nil && !m.x.arises(m.leaf, m.code) {
			continue
		}
		asked[string(m.buffer)] = true
		found := m.ask(c, words)
		if found.Verdict == guard.Sat && found.Exact {
			return found
		}
		if best.Verdict == guard.Unsat {
			best = found
		}
	}
	return best
}

// key writes what of a configuration matters to the question into the buffer.
func (m *meeter) key(words []uint64) {
	m.buffer = m.buffer[:0]
	for _, n := range m.nodes {
		m.buffer = binary.AppendUvarint(m.buffer, n.slot.get(words))
	}
	for i := range m.bounded {
		m.buffer = append(m.buffer, byte(m.bound(words, &m.bounded[i])))
	}
}

func (m *meeter) bound(words []uint64, c *choiceCode) bound {
	if c.max == 0 || c.counter.get(words) >= c.max {
		return usedUp
	}
	return open
}

// ask asks about one configuration. Of data that is kept by region one value is
// tried first, the one that a witness shows; then any of the region.
func (m *meeter) ask(c int32, words []uint64) Meeting {
	f := m.formula(func(a *ir.Arm) bound {
		i := slices.IndexFunc(m.bounded, func(c choiceCode) bool { return c.Arm == a })
		return m.bound(words, &m.bounded[i])
	})
	for _, shown := range []bool{true, false} {
		facts := []guard.Formula{f}
		for _, n := range m.nodes {
			facts = append(facts, n.fact(words, shown))
		}
		a := guard.Satisfy(facts...)
		if a.Verdict != guard.Unsat {
			exact := shown && !m.inexact && !m.x.hasPending() // what was deferred came with data of its own
			return Meeting{Verdict: a.Verdict, Config: c, Model: a.Model, Exact: exact}
		}
	}
	return Meeting{Verdict: guard.Unsat}
}

// configsIn are the configurations in leaf, in the order in which they were
// reached.
func (p *Product) configsIn(leaf *ir.State) []int32 {
	if p.members == nil {
		p.members = make([][]int32, len(p.Table.Machine.States))
		for c := int32(1); int(c) < p.Len(); c++ {
			id := p.Leaf(c).ID
			p.members[id] = append(p.members[id], c)
		}
	}
	return p.members[leaf.ID]
}

// arises reports whether in can come in the configuration at hand, as an event
// that was deferred, too.
func (x *search) arises(leaf *ir.State, in *inputCode) bool {
	found := false
	x.inputs(leaf, func(other *inputCode) { found = found || other == in })
	if found || in.Kind != ir.CaseEvent || !x.hasPending() || x.p.doneDue(leaf, x.here) {
		return found
	}
	at := x.p.place[in.Event.Index]
	return at >= 0 && x.p.packing.pending[at/64].get(x.here)>>(at%64)&1 == 1
}
