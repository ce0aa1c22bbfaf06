package check

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/lifetime"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// What a figure is made of is read off the run that reaches it: a product where
// all visits are alike, else a sum over the states.

// maxTerms is the most terms of a sum that are written out.
const maxTerms = 8

// sum joins terms; those past maxTerms are counted.
func sum(terms []string) string {
	if more := len(terms) - maxTerms; more > 0 {
		terms = append(slices.Clone(terms[:maxTerms]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(terms, " + ")
}

// counted is "1 visit" or "4 visits".
func counted[N int | int64](n N, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// timesElements is "20 elements of files x ": how many executions a visit begins.
func timesElements(d *ir.Do, elements int64) string {
	if d.Fan == nil {
		return ""
	}
	return counted(elements, "element") + " of " + d.Fan.List.Name + " x "
}

// stepFactors is "15 moves (5 by \"-> Waiting max 5\") + 3 retries of analyze".
func stepFactors(p *explore.Product, path []int32) string {
	moves, retries := 0, make([]int, len(p.Table.Machine.Activities))
	by := make([]int, len(p.Table.Machine.Arms))
	for _, e := range path {
		l := p.Label(e)
		switch l.Kind {
		case explore.Moved:
			moves++
			if a := p.Arm(e); a != nil && a.Max != nil {
				by[a.ID]++
			}
		case explore.Retried:
			if c, _ := p.Input(e); !p.CountedOnEntering(l) {
				retries[c.Do.Activity.Index]++
			}
		}
		if l.Begun > 0 {
			for i, d := range p.Table.Machine.States[l.Into].Dos {
				if _, n := p.Elements(l, i); d.Fan != nil {
					retries[d.Activity.Index] += int(n * (p.AttemptsEach(d) - 1))
				}
			}
		}
	}
	var bounded, terms []string
	shared := map[string]int{} // by the text of an arm: how many arms have it
	for id, n := range by {
		if n > 0 {
			shared[quoteStep(p.Table.Machine.Arms[id])]++
		}
	}
	for id, n := range by {
		if n == 0 {
			continue
		}
		a := p.Table.Machine.Arms[id]
		text := quoteStep(a)
		if shared[text] > 1 {
			text += " in " + place(a.State)
		}
		bounded = append(bounded, fmt.Sprintf("%d by %s", n, text))
	}
	if moves > 0 {
		text := counted(moves, "move")
		if len(bounded) > 0 {
			text += " (" + strings.ReplaceAll(sum(bounded), " + ", ", ") + ")"
		}
		terms = append(terms, text)
	}
	for i, n := range retries {
		if n == 1 {
			terms = append(terms, "1 retry of "+p.Table.Machine.Activities[i].Name)
		} else if n > 1 {
			terms = append(terms, fmt.Sprintf("%d retries of %s", n, p.Table.Machine.Activities[i].Name))
		}
	}
	return sum(terms)
}

// costFactors is "4 analyze x 0.04 + 1 summarize x 0.01".
func (s *shared) costFactors(f *Figure) string {
	var terms []string
	made := s.attemptsOn(f.path)
	for i, a := range s.Machine.Activities {
		each := s.each(a, f.measure)
		if n := made[i].total; n > 0 && each != nil && each.Sign() > 0 {
			terms = append(terms, costTerm(int64(n), a, each))
		}
	}
	return sum(terms)
}

func costTerm(attempts int64, a *ir.Activity, each *big.Rat) string {
	return fmt.Sprintf("%d %s x %s", attempts, a.Name, ir.DecimalText(each))
}

// costOf is what an attempt of a costs of name.
func costOf(a *ir.Activity, name string) *big.Rat {
	for _, c := range a.Costs {
		if c.Name == name {
			return c.Amount
		}
	}
	return new(big.Rat)
}

// shares are, for each activity that has a part in the cost f, its attempts in
// the run that reaches f; empty for the others.
func (s *shared) shares(f *Figure) []string {
	if !f.Exact {
		return nil
	}
	out := make([]string, len(s.Machine.Activities))
	for i, made := range s.attemptsOn(f.path) {
		if a := s.Machine.Activities[i]; made.total > 0 && s.each(a, f.measure).Sign() > 0 {
			out[i] = fmt.Sprintf("%s %d = %s", a.Name, made.total, made)
		}
	}
	return out
}

// attemptsMade are those of an activity along a path, by the leaf in which they are
// made.
type attemptsMade struct {
	total int
	in    []visits
	at    map[*ir.State]int // in
}

// visits are those of a leaf.
type visits struct {
	leaf   *ir.State
	word   string // what an attempt is called
	count  int
	beside int // how many dos run the activity side by side
	each   int // attempts of each do in a visit, or of each of its elements

	elements int64  // of the fan-out in a visit; 0 of no fan-out
	list     string // whose elements they are
	total    int
	alike    bool // each is the same of every do in every visit
}

// attemptsOn counts the attempts of each activity along path, in the order of their
// declarations. The path is gone through once for all of them, and for all figures
// that it reaches.
func (s *shared) attemptsOn(path []int32) []attemptsMade {
	if k := s.proof.counted; k.made != nil && len(k.path) == len(path) && (len(path) == 0 || &k.path[0] == &path[0]) {
		return k.made
	}
	p := s.Product()
	made := make([]attemptsMade, len(s.Machine.Activities))
	var leaf *ir.State
	var counts []int     // of the visit at hand, by do
	var elements []int64 // the same, where it is a fan-out
	leave := func() {
		for i := range counts {
			made[leaf.Dos[i].Activity.Index].add(leaf, i, counts[i], elements[i])
		}
		counts, elements = counts[:0], elements[:0]
	}
	for _, e := range path {
		switch l := p.Label(e); l.Kind {
		case explore.Started, explore.Moved:
			leave()
			leaf = s.Machine.States[l.Into]
			for i, d := range leaf.Dos {
				_, n := p.Elements(l, i)
				counts = append(counts, int(n*p.AttemptsEach(d)))
				if d.Fan == nil {
					n = 0
				}
				elements = append(elements, n)
			}
		default:
			if d := p.Starts(e); d != nil {
				counts[slices.Index(leaf.Dos, d)]++
			}
		}
	}
	leave()
	s.proof.walked += len(path)
	s.proof.counted = countedPath{path, made}
	return made
}

// countedPath is a path with the attempts along it.
type countedPath struct {
	path []int32
	made []attemptsMade
}

// add notes n attempts of the do in place i of leaf, in one visit, which were made for so
// many elements where it is a fan-out.
func (m *attemptsMade) add(leaf *ir.State, i, n int, elements int64) {
	a := leaf.Dos[i].Activity
	if n == 0 {
		return // of an empty list
	}
	same := func(d *ir.Do) bool { return d.Activity == a }
	at, known := m.at[leaf]
	if !known {
		if m.at == nil {
			m.at = map[*ir.State]int{}
		}
		at = len(m.in)
		m.at[leaf] = at
		m.in = append(m.in, visits{leaf: leaf, word: wordFor(a), alike: true})
		for _, d := range leaf.Dos {
			if same(d) {
				m.in[at].beside++
			}
		}
	}
	v := &m.in[at]
	if slices.IndexFunc(leaf.Dos, same) == i {
		v.count++
	}
	each := n
	if d := leaf.Dos[i]; d.Fan != nil {
		v.alike = v.alike && n%int(elements) == 0 && (v.elements == 0 || v.elements == elements && v.list == d.Fan.List.Name)
		each, v.elements, v.list = n/int(elements), elements, d.Fan.List.Name
	} else {
		v.alike = v.alike && v.elements == 0
	}
	v.alike = v.alike && (v.each == 0 || v.each == each)
	v.each = each
	v.total += n
	m.total += n
}

// String is "3 attempts x 4 visits", or a sum over the leaves where their visits
// differ: "3 attempts x 4 visits of A + 5 attempts in 2 visits of B". It is empty
// where there are none.
func (m attemptsMade) String() string {
	if len(m.in) == 0 {
		return ""
	}
	all := m.in[0]
	for _, v := range m.in[1:] {
		all.alike = all.alike && v.alike && v.each == all.each && v.beside == all.beside && v.elements == all.elements && v.list == all.list
		all.count += v.count
	}
	if all.alike {
		return all.String()
	}
	var terms []string
	for _, v := range m.in {
		text := v.String()
		if len(m.in) > 1 {
			text += " of " + v.leaf.Path
		}
		terms = append(terms, text)
	}
	return sum(terms)
}

// wordFor is what an attempt of a is called.
func wordFor(a *ir.Activity) string {
	if a.Machine != nil {
		return "run"
	}
	return "attempt"
}

func (v visits) String() string {
	if !v.alike {
		return counted(v.total, v.word) + " in " + counted(v.count, "visit")
	}
	text := counted(v.each, v.word)
	if v.beside > 1 {
		text += fmt.Sprintf(" x %d side by side", v.beside)
	}
	if v.elements > 0 {
		text += " x " + counted(v.elements, "element") + " of " + v.list
		if v.count == 1 {
			return text
		}
	}
	return text + " x " + counted(v.count, "visit")
}

// timeFactors is a sum of what takes the time, in the order of the run: "24h by
// \"after 24h\" in Human + 4 x 10m of attempts in Test".
func timeFactors(parts []lifetime.Part) string {
	type term struct {
		what        string
		each, total int64
		times       int
		alike       bool
	}
	var terms []*term
	for _, part := range parts {
		what := ""
		if part.Timer == nil {
			what = "of attempts in " + part.Leaf.Path
		} else {
			what = "by " + Quote(part.Timer.Trigger()) + " in " + place(part.Timer.State)
		}
		if part.Stops {
			what = "of what that cancels to end"
		}
		i := slices.IndexFunc(terms, func(t *term) bool { return t.what == what })
		if i < 0 {
			i = len(terms)
			terms = append(terms, &term{what: what, each: part.Time, alike: true})
		}
		t := terms[i]
		t.times++
		t.total += part.Time
		t.alike = t.alike && t.each == part.Time
	}
	var texts []string
	for _, t := range terms {
		switch {
		case t.total == 0:
		case t.alike && t.times > 1:
			texts = append(texts, fmt.Sprintf("%d x %s %s", t.times, ir.FormatDuration(t.each), t.what))
		default:
			texts = append(texts, ir.FormatDuration(t.total)+" "+t.what)
		}
	}
	return sum(texts)
}
