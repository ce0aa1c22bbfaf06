package check

import (
	"github.com/fsmc-dev/fsmc/lang/ir"
	"github.com/fsmc-dev/fsmc/lang/token"
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

// said holds what was reported: the rule, and one of the things that two
// findings can share.
type said map[topic]bool

type topic struct {
	rule  string
	state *ir.State  // of SameState
	input InputAt    // of SameInput and RestsOn
	field *ir.Var    // of SameField
	place token.Span // of SamePlace
}

func (s said) add(f found) {
	s[topic{rule: f.rule.Name}] = true
	if f.Span.IsValid() {
		s[topic{rule: f.rule.Name, place: f.Span}] = true
	}
	if f.State != nil {
		s[topic{rule: f.rule.Name, state: f.State}] = true
	}
	for _, also := range append(f.Also[:len(f.Also):len(f.Also)], f.Behind...) {
		s[topic{rule: f.rule.Name, state: also}] = true
	}
	if f.Field != nil {
		s[topic{rule: f.rule.Name, field: f.Field}] = true
	}
	for _, in := range f.Inputs {
		s[topic{rule: f.rule.Name, input: in}] = true
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
	return f.State != nil && s[topic{rule: q.Rule, state: f.State}] || s.silences(f, q.rule)
}

// silences reports whether something that was said makes f, a finding of rule,
// superfluous.
func (s said) silences(f found, rule *Rule) bool {
	for _, by := range rule.SilencedBy {
		switch by.At {
		case SameMachine:
			if s[topic{rule: by.Rule}] {
				return true
			}
		case SamePlace:
			if f.Span.IsValid() && s[topic{rule: by.Rule, place: f.Span}] {
				return true
			}
		case SameState:
			if f.State != nil && s[topic{rule: by.Rule, state: f.State}] {
				return true
			}
			for _, also := range f.Also {
				if s[topic{rule: by.Rule, state: also}] {
					return true
				}
			}
		case SameField:
			if f.Field != nil && s[topic{rule: by.Rule, field: f.Field}] {
				return true
			}
		case SameInput, RestsOn:
			inputs := f.Inputs
			if by.At == RestsOn {
				inputs = f.Rests
			}
			for _, in := range inputs {
				if s[topic{rule: by.Rule, input: in}] {
					return true
				}
			}
		}
	}
	return false
}
