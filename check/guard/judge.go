package guard

import (
	"math"

	"github.com/fsmc-dev/fsmc/check/wide"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Judge looks at one formula for one set of data after another, as the checker
// does for each of a million configurations. It takes every atom by itself, with
// an interval for each number (Moore, Interval Analysis, 1966), and puts the
// truths together bottom up. What only several atoms exclude together that does
// not see; so where it leaves the formula open, the search of Satisfy is asked, on
// the formula as it was numbered once. "Excluded" is certain; else there may be
// values, which Satisfy has to find.
//
// A Judge belongs to one goroutine.
type Judge struct {
	p      *problem
	data   []places
	must   []bool  // by cell: the formula holds only where it does
	lo, hi []int64 // by number
	texts  []*string
	facts  []known
	cells  []known
}

// places are where a problem has a variable; none where it does not ask that.
type places struct{ number, text, boolean, set int32 }

// NewJudge makes a Judge of f, for the variables given. It is nil where f is too
// large for Satisfy, too.
func NewJudge(f Formula, data []*ir.Var) *Judge {
	p := newProblem(f)
	if p == nil {
		return nil
	}
	j := &Judge{
		p: p, must: make([]bool, len(p.nodes)),
		lo: make([]int64, len(p.numbers)+1), hi: make([]int64, len(p.numbers)+1),
		texts: make([]*string, len(p.texts)), facts: make([]known, len(p.facts)), cells: make([]known, len(p.nodes)),
	}
	for i, v := range p.numbers {
		j.lo[i+1], j.hi[i+1] = v.lo, v.hi
	}
	for i := range p.texts {
		if t := &p.texts[i]; t.variable == nil {
			j.texts[i] = &t.value
		}
	}
	for _, v := range data {
		j.data = append(j.data, p.places(v))
	}
	j.require(p.root)
	return j
}

func (p *problem) places(v *ir.Var) places {
	t := term{Var: v}
	at := places{none, none, none, none}
	if i, asked := p.numberOf[term{Var: v, Len: v.Type.Kind == ir.List}]; asked {
		at.number = i
	}
	if i, asked := p.textOf[t]; asked {
		at.text = i
	}
	if i, asked := p.factOf[fact{kind: boolean, term: t}]; asked {
		at.boolean = i
	}
	if i, asked := p.factOf[fact{kind: isSet, term: t}]; asked {
		at.set = i
	}
	return at
}

// require notes that cell n must hold.
func (j *Judge) require(n int32) {
	j.must[n] = true
	if c := &j.p.nodes[n]; c.op == opAnd {
		for _, k := range c.kids {
			j.require(k)
		}
	}
}

// ExcludesAtSight reports whether the formula does not hold where the variables of the Judge have the
// values given, in the same order, as far as each of its atoms tells by itself.
func (j *Judge) ExcludesAtSight(values []Value) bool {
	for i := range values {
		j.take(j.data[i], &values[i])
	}
	for i := range j.cells { // what is in a cell comes before it
		k := j.cell(&j.p.nodes[i])
		if k == no && j.must[i] {
			return true
		}
		j.cells[i] = k
	}
	return false
}

// ExcludesBySearch reports the same of the values that were looked at last, as far as a search tells.
// It knows the numbers and the truths; without the texts it excludes less.
func (j *Judge) ExcludesBySearch() bool {
	if j.cells[j.p.root] != open {
		return false
	}
	s := newSearch(j.p)
	if s == nil {
		return true
	}
	for i := int32(1); int(i) < len(j.lo); i++ {
		if !s.matrix.tighten(i, 0, wide.Of(j.hi[i])) || !s.matrix.tighten(0, i, wide.Of(j.lo[i]).Neg()) {
			return true
		}
	}
	copy(s.facts, j.facts)
	return !s.decide([]int32{j.p.root}) && !s.unsure
}

// take takes v over for the variable at the places given.
func (j *Judge) take(at places, v *Value) {
	if at.set != none {
		j.facts[at.set] = knownIf(v.set)
	}
	if at.number != none {
		declared := j.p.numbers[at.number-1]
		j.lo[at.number], j.hi[at.number] = max(declared.lo, v.lo), min(declared.hi, v.hi)
	}
	if at.boolean != none {
		j.facts[at.boolean] = open
		if v.lo == v.hi {
			j.facts[at.boolean] = knownIf(v.lo != 0)
		}
	}
	if at.text != none {
		j.texts[at.text] = v.text
	}
}

func (j *Judge) cell(c *cell) known {
	switch c.op {
	case opTrue:
		return yes
	case opLit:
		return j.atom(&c.lit)
	case opAnd, opOr:
		neutral := knownIf(c.op == opAnd)
		out := neutral
		for _, kid := range c.kids {
			switch k := j.cells[kid]; k {
			case open:
				out = open
			case neutral:
			default:
				return k
			}
		}
		return out
	}
	return no
}

func (j *Judge) atom(a *atom) known {
	k := open
	switch a.kind {
	case bound:
		switch {
		case !a.c.Less(wide.Of(j.hi[a.x]).Add(wide.Of(j.lo[a.y]).Neg())):
			return yes
		case a.c.Less(wide.Of(j.lo[a.x]).Add(wide.Of(j.hi[a.y]).Neg())):
			return no
		}
		return open
	case equality:
		k = j.equal(a.x, a.y)
	case truth:
		k = j.facts[a.x]
	}
	if a.neg {
		return -k
	}
	return k
}

// equal compares texts x and y, of which one has to be a constant.
func (j *Judge) equal(x, y int32) known {
	if j.p.texts[x].variable != nil && j.p.texts[y].variable != nil || j.texts[x] == nil || j.texts[y] == nil {
		return open
	}
	return knownIf(*j.texts[x] == *j.texts[y])
}

// Value is what is known of a variable.
type Value struct {
	set    bool
	lo, hi int64   // of a number by its ordinal, of a boolean and an enum by its index, of a list its length; both ends belong to it
	text   *string // of a string: one of those that it may be, which no constant of the formula tells apart
}

// Unset is a variable that is not set.
func Unset() Value { return Value{lo: math.MinInt64, hi: math.MaxInt64} }

// Some is a variable that is set, to whatever.
func Some() Value { return From(math.MinInt64, math.MaxInt64) }

// From is an int or a duration that lies from lo to hi, a boolean as 0 or 1, an
// enum by the index of its value, a list by its length.
func From(lo, hi int64) Value { return Value{set: true, lo: lo, hi: hi} }

// Between is a float over lo and under hi.
func Between(lo, hi float64) Value { return From(ordinal(lo)+1, ordinal(hi)-1) }

// Float is the float x.
func Float(x float64) Value { return From(ordinal(x), ordinal(x)) }

// Text is the string s, or one that no constant of the formula tells from it.
func Text(s string) Value {
	v := Some()
	v.text = &s
	return v
}
