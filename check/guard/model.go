package guard

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Model is data for which formulas hold, in the JSON forms of a witness: int as
// int64, duration as Go's string, time as RFC 3339, an enum value bare. It has
// what the formulas read and nothing else. A string or a list of more than 64
// bytes or items is not written out: it stands as its length, "len(name)".
type Model struct {
	Unset  []string        // the fields that are not set
	Sent   []string        // the fields of the input that are there, with any value
	Guards map[string]bool // verdicts of host guards, by the call as written
	values map[string]any  // see Values
	text   []string
}

// Values are parameters, fields, fields of the input as "event.NAME", and "now",
// together.
func (m *Model) Values() map[string]any { return maps.Clone(m.values) }

// Text is the model in one line, as a message says it: `n = 3, wait = 1m30s,
// draft is not set, eligible(n) = true`.
func (m *Model) Text() string { return strings.Join(m.text, ", ") }

// anyData is the model of what always holds. Models are only read once they are
// made, so that one serves for all.
var anyData = newModel()

func newModel() *Model { return &Model{Guards: map[string]bool{}, values: map[string]any{}} }

// answer is Sat with v as the model.
func (p *problem) answer(v *values) Answer {
	r := &renderer{p: p, v: v, m: newModel()}
	for _, whole := range p.read() {
		if !r.put(whole) {
			return Answer{Verdict: Undecided}
		}
	}
	for i, f := range p.facts {
		if f.kind == verdict {
			said := v.facts[i] == yes
			r.m.Guards[f.text] = said
			r.m.text = append(r.m.text, f.text+" = "+strconv.FormatBool(said))
		}
	}
	return Answer{Verdict: Sat, Model: r.m}
}

// read are the terms that the problem reads, lengths as what they are lengths of:
// parameters and fields in the order in which they are declared, then fields of
// the input by name, then now.
func (p *problem) read() []*variable {
	seen := map[term]*variable{}
	add := func(v *variable) {
		if _, known := seen[v.term.whole()]; !known {
			seen[v.term.whole()] = newVariable(v.term.whole(), v.typ)
		}
	}
	for _, v := range p.numbers {
		add(v)
	}
	for _, t := range p.texts {
		if t.variable != nil {
			add(t.variable)
		}
	}
	for _, f := range p.facts {
		if f.kind == boolean || f.kind == isSet && f.term.Var != nil {
			add(&variable{term: f.term, typ: f.typ()})
		}
	}
	for _, l := range p.asked {
		for _, v := range l.call.reads {
			add(v)
		}
	}
	for _, f := range p.facts {
		if f.kind == isSet { // of a field of the input that nothing else reads
			add(&variable{term: f.term, typ: &ir.Type{Kind: ir.Invalid}})
		}
	}
	return slices.SortedFunc(maps.Values(seen), func(a, b *variable) int { return a.term.compare(b.term) })
}

func (f fact) typ() *ir.Type {
	if f.term.Var != nil {
		return f.term.Var.Type
	}
	return &ir.Type{Kind: ir.Bool}
}

func (t term) compare(u term) int {
	if c := t.rank() - u.rank(); c != 0 {
		return c
	}
	if t.Var != nil && t.Var.Index != u.Var.Index {
		return t.Var.Index - u.Var.Index
	}
	return strings.Compare(t.String(), u.String())
}

func (t term) rank() int {
	switch {
	case t.Now:
		return 3
	case t.Var == nil:
		return 2
	case t.Var.Param:
		return 0
	}
	return 1
}
