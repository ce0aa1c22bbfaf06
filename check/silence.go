package check

import (
	"github.com/fsmc-dev/fsmc/lang/diag"
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

// said holds what was reported, and how much it weighs: the rule, and one of the things
// that two findings can share.
type said map[topic]diag.Severity

type topic struct {
	rule  string
	state *ir.State  // of SameState
	input InputAt    // of SameInput and RestsOn
	field *ir.Var    // of SameField
	place token.Span // of SamePlace
}

func (s said) add(f found) {
	note := func(t topic) {
		t.rule = f.rule.Name
		s[t] = max(s[t], f.severity())
	}
	note(topic{})
	if f.Span.IsValid() {
		note(topic{place: f.Span})
	}
	if f.State != nil {
		note(topic{state: f.State})
	}
	for _, also := range append(f.Also[:len(f.Also):len(f.Also)], f.Behind...) {
		note(topic{state: also})
	}
	if f.Field != nil {
		note(topic{field: f.Field})
	}
	for _, in := range f.Inputs {
		note(topic{input: in})
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
	_, same := s[topic{rule: q.Rule, state: f.State}]
	return f.State != nil && same || s.silences(f)
}

// silences reports whether something that was said makes f superfluous. What a comment can
// allow silences no error.
func (s said) silences(f found) bool {
	for _, by := range f.rule.SilencedBy {
		has := func(t topic) bool {
			t.rule = by.Rule
			weight, ok := s[t]
			return ok && (weight == diag.Error || f.severity() != diag.Error)
		}
		switch by.At {
		case SameMachine:
			if has(topic{}) {
				return true
			}
		case SamePlace:
			if f.Span.IsValid() && has(topic{place: f.Span}) {
				return true
			}
		case SameState:
			if f.State != nil && has(topic{state: f.State}) {
				return true
			}
			for _, also := range f.Also {
				if has(topic{state: also}) {
					return true
				}
			}
		case SameField:
			if f.Field != nil && has(topic{field: f.Field}) {
				return true
			}
		case SameInput, RestsOn:
			inputs := f.Inputs
			if by.At == RestsOn {
				inputs = f.Rests
			}
			for _, in := range inputs {
				if has(topic{input: in}) {
					return true
				}
			}
		}
	}
	return false
}
