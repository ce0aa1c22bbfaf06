package check

import "slices"

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
			stands[i] = !standing.silences(f, r) && !all.settles(f.Question)
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

// said holds what was reported.
type said map[topic]bool

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
	for _, at := range []Scope{SameMachine, SamePlace, SameState, SameField, SameInput} {
		for _, what := range f.topics(at) {
			s[topic{f.rule.Name, what}] = true
		}
	}
	for _, state := range f.Behind {
		s[topic{f.rule.Name, state}] = true
	}
}

// settles reports whether something that was said makes the question superfluous:
// what would silence its answer, or another finding of its rule.
func (s said) settles(q *Question) bool {
	if q == nil || q.rule == nil {
		return false
	}
	f := found{Finding: Finding{State: q.State, Inputs: q.Inputs}}
	if q.finding != nil {
		f.Finding = *q.finding
	}
	return f.State != nil && s[topic{q.Rule, f.State}] || s.silences(f, q.rule)
}

// silences reports whether something that was said makes f, a finding of rule,
// superfluous.
func (s said) silences(f found, rule *Rule) bool {
	return slices.ContainsFunc(rule.SilencedBy, func(by Silence) bool {
		return slices.ContainsFunc(f.topics(by.At), func(what any) bool { return s[topic{by.Rule, what}] })
	})
}
