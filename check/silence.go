package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/diag"
)

// One fault, one finding (language.md, section 7). Which finding gives way to
// which is said in the records of the rules; here is the one place that acts on
// it, after all rules have reported: in an unreachable state only its being
// unreachable is said (the start is in no state), and a finding is dropped where one
// that silences it stands. One that is dropped silences nothing: what took its place
// may be about another state.

// spoken are the findings that are left.
func (s *shared) spoken() []found {
	all := said{}
	var reached []found
	byRule := map[*Rule][]int{}
	rules := map[string]*Rule{}
	for _, f := range s.findings {
		if f.State == nil || f.rule.Unreached || !s.Unreachable(f.State) {
			byRule[f.rule] = append(byRule[f.rule], len(reached))
			rules[f.rule.Name] = f.rule
			all.add(f)
			reached = append(reached, f)
		}
	}
	standing := said{}
	stands := make([]bool, len(reached))
	settled := map[*Rule]bool{}
	var settle func(r *Rule)
	settle = func(r *Rule) {
		if r == nil || settled[r] {
			return
		}
		settled[r] = true
		for _, by := range r.SilencedBy {
			settle(rules[by.Rule])
		}
		for _, i := range byRule[r] {
			f := reached[i]
			stands[i] = !standing.silences(f) && !all.settles(f.Question)
		}
		for _, i := range byRule[r] {
			if stands[i] {
				standing.add(reached[i])
			}
		}
	}
	var out []found
	for i, f := range reached {
		if settle(f.rule); stands[i] {
			out = append(out, f)
		}
	}
	return out
}

// said holds what was reported, and how much it weighs.
type said map[topic]diag.Severity

// topic is a rule, and one of the things that two findings can share: a state, an input, a field or a place; nil
// is the machine.
type topic struct {
	rule string
	what any
}

// topics are what f shares with findings that silence it at a scope, or those that it silences.
func (f *found) topics(at Scope) (list []any) {
	switch at {
	case SameMachine:
		list = append(list, nil)
	case SamePlace:
		if f.Span.IsValid() {
			list = append(list, f.Span)
		}
	case SameState:
		if f.State != nil {
			list = append(list, f.State)
		}
		for _, also := range f.Also {
			list = append(list, also)
		}
	case SameField:
		if f.Field != nil {
			list = append(list, f.Field)
		}
	case SameInput:
		for _, in := range f.Inputs {
			list = append(list, in)
		}
	case RestsOn:
		for _, in := range f.Rests {
			list = append(list, in)
		}
	}
	return list
}

func (s said) add(f found) {
	note := func(what any) {
		at := topic{f.rule.Name, what}
		s[at] = max(s[at], f.severity())
	}
	for _, at := range []Scope{SameMachine, SamePlace, SameState, SameField, SameInput} {
		for _, what := range f.topics(at) {
			note(what)
		}
	}
	for _, state := range f.Behind {
		note(state)
	}
}

// settles reports whether something that was said makes the question superfluous:
// what would silence its answer, or another finding of its rule.
func (s said) settles(q *Question) bool {
	if q == nil || q.rule == nil {
		return false
	}
	f := found{Finding: Finding{State: q.State, Inputs: q.Inputs}, rule: q.rule}
	if q.finding != nil {
		f.Finding = *q.finding
	}
	_, same := s[topic{q.Rule, f.State}]
	return f.State != nil && same || s.silences(f)
}

// silences reports whether something that was said makes f superfluous. What a comment can
// allow silences no error.
func (s said) silences(f found) bool {
	return slices.ContainsFunc(f.rule.SilencedBy, func(by Silence) bool {
		return slices.ContainsFunc(f.topics(by.At), func(what any) bool {
			weight, ok := s[topic{by.Rule, what}]
			return ok && (weight == diag.Error || f.severity() != diag.Error)
		})
	})
}
