package explore

import (
	"encoding/binary"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/check/explore/step"
	"github.com/fsmc-dev/fsmc/check/flat"
	"github.com/fsmc-dev/fsmc/check/guard"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// meeter answers one question.
//
// Most configurations are out of the question, and most of those plainly: for
// each the guards are judged first by the data alone (guard.Judge), which takes
// some tens of nanoseconds. What is left is asked of the solver.
type meeter struct {
	p       *Product
	leaf    *ir.State
	code    *step.InputCode // nil where every configuration of the leaf counts
	formula func(bounds func(*ir.Arm) bound) guard.Formula

	nodes    []*data.Node // the data that guards read and that is held
	vars     []*ir.Var
	regions  [][]guard.Value     // by place in nodes: what each code says, of data that is held by region
	bounded  []step.ChoiceCode   // whose bounds matter
	variants map[string]*variant // by how those stand
	inexact  bool                // the guards read what is not held
	exprs    []ir.Expr           // that the guards are
	fan      *flat.Input         // the input, if its guards read the index of an element
	x        *search
	sought   map[string]bool // by key: whether a search excludes it
	buffer   []byte          // scratch of key
	values   []guard.Value   // scratch of excluded

	each func(Meeting) bool // wants all answers, while it returns true; nil where the best one will do
}

// variant is the question for one way in which the bounds stand.
type variant struct {
	formula guard.Formula
	judge   *guard.Judge // nil where the formula is too large for one
}

// maxUnclear is how often the solver may give up on one question: each time
// takes long.
const maxUnclear = 8

func newMeeter(p *Product, leaf *ir.State) *meeter {
	return &meeter{p: p, leaf: leaf, variants: map[string]*variant{}, sought: map[string]bool{}, x: p.looking()}
}

// about makes the question that of Meet; it reports whether in can come in the
// leaf at all.
func (m *meeter) about(in flat.Input, want []Stance) bool {
	inputs := m.p.program.States[m.leaf.ID].Inputs
	at := slices.IndexFunc(inputs, func(c step.InputCode) bool { return c.ID == in.ID })
	if at < 0 {
		return false
	}
	m.code = &inputs[at]
	always := guard.And()
	for i, stance := range want {
		arm := in.Choices[i].Arm
		if stance == Any || arm == nil {
			continue
		}
		m.note(arm.When)
		m.inexact = m.inexact || in.Kind == ir.CaseFailure && step.Reads(arm.When, "attempt") // its value hangs on the run before
		if in.Do != nil && in.Do.Fan != nil && step.Reads(arm.When, ir.IndexField) && (in.Event == nil || !in.Event.Has(ir.IndexField)) {
			m.fan, always = &in, step.InList(in.Do.Fan, &in.Case)
		}
		if arm.Max != nil && (stance == Passed || stance == Applies) {
			m.bounded = append(m.bounded, m.code.Choices[i])
		}
	}
	m.formula = func(bounds func(*ir.Arm) bound) guard.Formula { return guard.And(wanted(in, want, bounds), always) }
	return true
}

// note takes the variables that e reads. A value that is not held (a string whose
// length alone is read, an argument of a host guard) makes the answer inexact;
// of what is asked only whether it is set, or for its length, that is enough if all of it is known.
func (m *meeter) note(e ir.Expr) {
	ir.Walk(e, func(e ir.Expr) bool {
		switch x := e.(type) {
		case *ir.Binary:
			if m.tells(x) {
				return false
			}
		case *ir.Len:
			if ref, ok := x.X.(*ir.VarRef); ok && m.p.program.Tracked.Vars[ref.Var].TellsLengths() {
				return false
			}
		}
		if ref, ok := e.(*ir.VarRef); ok && ref.Var.Always() == nil {
			n := m.p.program.Tracked.Vars[ref.Var]
			m.inexact = m.inexact || n.Slot == nil || !n.Valued() || !n.Domain.TellsValues()
		}
		return true
	})
	m.exprs = append(m.exprs, e)
	for _, v := range append(ir.Vars(e), m.p.program.Related(e)...) {
		if n := m.p.program.Tracked.Vars[v]; n.Slot != nil && !slices.Contains(m.nodes, n) {
			m.nodes, m.vars = append(m.nodes, n), append(m.vars, v)
			m.regions = append(m.regions, n.Regions())
			m.values = append(m.values, guard.Some())
		}
	}
}

// tells reports whether e compares the length of a list with a constant, and the
// configuration says how.
func (m *meeter) tells(e *ir.Binary) bool {
	list, _, k, ok := ir.ListLength(e)
	ref, isVar := list.(*ir.VarRef)
	return ok && isVar && ref.Var.Always() == nil && m.p.program.Tracked.Tells(ref, k, nil)
}

// answer goes through the configurations of the leaf. The first that can be
// shown as a run is the answer, else the first that cannot be excluded.
func (m *meeter) answer() Meeting {
	best := Meeting{Verdict: guard.Unsat}
	asked := map[string]bool{}
	unclear := 0
	for _, c := range m.p.configsIn(m.leaf) {
		words := m.p.store.at(c)
		v := m.variant(words)
		if m.excluded(v, words) {
			continue
		}
		m.x.stand(c)
		canShow := !m.inexact && !m.x.Program.Packing.Pending.Any(m.x.Here) // what was deferred came with data of its own
		if m.each == nil && best.Verdict != guard.Unsat && !canShow {
			continue
		}
		if m.key(words); canShow {
			m.buffer = append(m.buffer, 1)
		}
		if m.fan != nil {
			m.buffer = m.fanVisit().AppendOpen(m.buffer, words, m.fanPlace())
		}
		if asked[string(m.buffer)] || m.code != nil && !m.x.arises(m.leaf, m.code) {
			continue
		}
		asked[string(m.buffer)] = true
		found := m.ask(v, c, words, canShow)
		switch {
		case found.Verdict == guard.Sat && m.each != nil:
			if !m.each(found) {
				return found
			}
		case found.Verdict == guard.Sat && found.Exact:
			return found
		case found.Verdict == guard.Undecided:
			unclear++
		}
		if best.Verdict == guard.Unsat {
			best = found
		}
		if best.Verdict != guard.Unsat && (m.inexact && m.each == nil || unclear == maxUnclear) {
			break
		}
	}
	return best
}

// variant is the question for the bounds as words have them.
func (m *meeter) variant(words []uint64) *variant {
	m.buffer = m.buffer[:0]
	for i := range m.bounded {
		m.buffer = append(m.buffer, byte(m.bound(words, &m.bounded[i])))
	}
	v, known := m.variants[string(m.buffer)]
	if !known {
		v = &variant{formula: m.formula(func(a *ir.Arm) bound {
			i := slices.IndexFunc(m.bounded, func(c step.ChoiceCode) bool { return c.Arm == a })
			return m.bound(words, &m.bounded[i])
		})}
		v.judge = guard.NewJudge(v.formula, m.vars)
		m.variants[string(m.buffer)] = v
	}
	return v
}

func (m *meeter) bound(words []uint64, c *step.ChoiceCode) bound {
	if m.p.program.Tracked.IsLoose(c.Arm) {
		return either
	}
	if c.Max == 0 || c.Counter.Get(words) >= c.Max {
		return usedUp
	}
	return open
}

// mostSought is of how much data it is remembered what a search says: some megabytes.
const mostSought = 1 << 17

// excluded reports whether it is plain that the data in words is not what is
// wanted, or a search finds it.
func (m *meeter) excluded(v *variant, words []uint64) bool {
	if v.judge == nil {
		return false
	}
	for i, n := range m.nodes {
		m.values[i] = n.Judged(words, m.regions[i])
	}
	if v.judge.ExcludesAtSight(m.values) {
		return true
	}
	m.key(words)
	excluded, known := m.sought[string(m.buffer)]
	if !known {
		if excluded = v.judge.ExcludesBySearch(); len(m.sought) < mostSought {
			m.sought[string(m.buffer)] = excluded
		}
	}
	return excluded
}

// key writes what of the data and the bounds of a configuration matters to the question into the
// buffer.
func (m *meeter) key(words []uint64) {
	m.buffer = m.buffer[:0]
	for _, n := range m.nodes {
		m.buffer = binary.AppendUvarint(m.buffer, n.Slot.Get(words))
	}
	for _, e := range m.exprs {
		m.buffer = m.p.program.AppendRecalled(m.buffer, e, words)
	}
	for i := range m.bounded {
		m.buffer = append(m.buffer, byte(m.bound(words, &m.bounded[i])))
	}
}

func (m *meeter) fanVisit() *step.Visit { return &m.p.program.Packing.Visits[m.leaf.ID] }
func (m *meeter) fanPlace() int         { return slices.Index(m.leaf.Dos, m.fan.Do) }

// isOpen holds where the index that guards read is that of one of the open elements, as far as these are told
// apart. Where they are not, and the run that is shown is wanted, none of them has ended.
func (m *meeter) isOpen(words []uint64, shown bool) guard.Formula {
	if !m.fanVisit().Counts(m.fanPlace()) {
		return guard.And()
	}
	var any []guard.Formula
	for _, r := range m.fanVisit().OpenAt(words, m.fanPlace(), m.fan.Do, shown) {
		any = append(any, guard.And(step.Index(ir.OpGe, r.Lo, &m.fan.Case), step.Index(ir.OpLe, r.Hi, &m.fan.Case)))
	}
	return guard.Or(any...)
}

// ask asks about one configuration. Of data that is held by region one value is
// tried first, the one that a witness shows; then any of the region.
func (m *meeter) ask(v *variant, c int32, words []uint64, canShow bool) Meeting {
	for _, shown := range []bool{true, false} {
		facts := []guard.Formula{v.formula}
		for _, n := range m.nodes {
			facts = append(facts, n.Fact(words, shown))
		}
		for _, e := range m.exprs {
			facts = append(facts, m.p.program.Facts(e, words)...)
		}
		if m.fan != nil {
			facts = append(facts, m.isOpen(words, shown))
		}
		if a := guard.Satisfy(facts...); a.Verdict != guard.Unsat {
			return Meeting{Verdict: a.Verdict, Config: c, Model: a.Model, Exact: shown && canShow}
		}
	}
	return Meeting{Verdict: guard.Unsat}
}
