package guard

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/wide"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// problem is a formula with its variables, strings and facts numbered.
type problem struct {
	root  int32
	nodes []cell

	numbers []*variable // number i+1 of the matrix; their ranges hold here
	order   []int32     // of the numbers, as Term.compare has it: in which values are chosen
	texts   []text
	facts   []fact
	asked   []*literal // the calls, one literal for each text

	numberOf   map[term]int32
	textOf     map[term]int32
	constantOf map[string]int32
	factOf     map[fact]int32

	atomOf  map[atom]int32   // the cell of an atom
	groupOf map[string]int32 // the cell of a conjunction or disjunction, by groupKey
	key     []byte           // of groupKey, to be used again

	empty  bool // the ranges of a variable have nothing in common
	opaque bool
}

// text is a string: a variable, or a constant.
type text struct {
	variable *variable // nil for a constant
	value    string    // of a constant
	length   int32     // the number that is its length; 0 where no one asks
}

// newProblem numbers f, and adds what holds of its variables whatever f says. It is nil
// where that would be too large.
func newProblem(f Formula) *problem {
	p, roots, laws := numbered([]Formula{f})
	if p == nil {
		return nil
	}
	if p.root = p.joinHoles(roots[0]); len(laws) > 0 {
		p.root = p.group(opAnd, append([]int32{p.root}, laws...))
	}
	return p
}

// numbered numbers each of list, and what holds of their variables whatever they say: laws.
func numbered(list []Formula) (p *problem, roots, laws []int32) {
	p = &problem{
		numberOf: map[term]int32{}, textOf: map[term]int32{},
		constantOf: map[string]int32{}, factOf: map[fact]int32{},
		atomOf: map[atom]int32{}, groupOf: map[string]int32{},
	}
	seen := map[*node]int32{}
	for _, f := range list {
		roots = append(roots, p.add(f.node(), seen))
	}
	earlier, pairs := map[*ir.Guard][]*literal{}, 0
	for i := 0; i < len(p.asked); i++ { // an argument may hold calls, too
		c := p.asked[i]
		others := earlier[c.call.guard]
		if pairs += len(others); pairs > maxPairs {
			return nil, nil, nil
		}
		for _, d := range others {
			laws = append(laws, p.add(congruence(c, d), seen))
		}
		earlier[c.call.guard] = append(others, c)
	}
	laws = append(laws, p.lengths(seen)...)
	if len(p.numbers) > maxVariables {
		return nil, nil, nil
	}
	for i := range p.numbers {
		p.order = append(p.order, int32(i+1))
	}
	slices.SortFunc(p.order, func(i, j int32) int { return p.numbers[i-1].term.compare(p.numbers[j-1].term) })
	return p, roots, laws
}

// lengths are the axioms of strings whose length is asked as well: the empty
// string is that of length 0, and what the input fixes is fixed.
func (p *problem) lengths(seen map[*node]int32) []int32 {
	var axioms []int32
	for i := 0; i < len(p.texts); i++ {
		v := p.texts[i].variable
		if v == nil {
			continue
		}
		if v.fixed != nil {
			axioms = append(axioms, p.add(equalText(v, *v.fixed), seen))
		}
		length := v.term
		length.Len = true
		if number, asked := p.numberOf[length]; asked {
			p.texts[i].length = number
			nothing := atMost(p.numbers[number-1], nil, wide.Int{})
			axioms = append(axioms, p.add(same(equalText(v, ""), nothing), seen))
		}
	}
	return axioms
}

func (p *problem) atom(l *literal) atom {
	a := atom{kind: l.kind, neg: l.neg, c: l.c}
	switch l.kind {
	case bound:
		a.x, a.y = p.number(l.x), p.number(l.y)
	case equality:
		a.x = p.text(l.x)
		if l.y != nil {
			a.y = p.text(l.y)
		} else {
			a.y = p.constant(l.text)
		}
	case truth:
		a.x = p.fact(l)
	}
	return a
}

// number is the number of v, 0 for nil. A variable that was read on two inputs
// lies in both ranges.
func (p *problem) number(v *variable) int32 {
	if v == nil {
		return 0
	}
	i, known := p.numberOf[v.term]
	if !known {
		own := *v
		p.numbers = append(p.numbers, &own)
		i = int32(len(p.numbers))
		p.numberOf[v.term] = i
	}
	own := p.numbers[i-1]
	own.lo, own.hi = max(own.lo, v.lo), min(own.hi, v.hi)
	p.empty = p.empty || own.lo > own.hi
	return i
}

func (p *problem) text(v *variable) int32 {
	i, known := p.textOf[v.term]
	if !known {
		own := *v
		i = int32(len(p.texts))
		p.texts = append(p.texts, text{variable: &own})
		p.textOf[v.term] = i
	}
	own := p.texts[i].variable
	switch {
	case own.fixed == nil:
		own.fixed = v.fixed
	case v.fixed != nil && *v.fixed != *own.fixed:
		p.empty = true
	}
	return i
}

func (p *problem) constant(s string) int32 {
	i, known := p.constantOf[s]
	if !known {
		i = int32(len(p.texts))
		p.texts = append(p.texts, text{value: s})
		p.constantOf[s] = i
	}
	return i
}

func (p *problem) fact(l *literal) int32 {
	i, known := p.factOf[l.fact]
	if !known {
		i = int32(len(p.facts))
		p.facts = append(p.facts, l.fact)
		p.factOf[l.fact] = i
		p.opaque = p.opaque || l.fact.kind == opaque
		if l.fact.kind == verdict {
			yes := *l
			yes.neg = false
			p.asked = append(p.asked, &yes)
		}
	}
	return i
}
