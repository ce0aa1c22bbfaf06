package check

import "github.com/fsmc-dev/fsmc/lang/ir"

// One fault, one finding (language.md, section 7). Which finding gives way to
// which is said in the records of the rules; here is the one place that acts on
// it, after all rules have reported: in an unreachable state only its being
// unreachable is said (the start is in no state), and a finding is dropped where one
// that silences it stands. A silenced finding still silences others.

// spoken are the findings that are left.
func (s *shared) spoken() []found {
	index := said{}
	var reached []found
	for _, f := range s.findings {
		if f.State == nil || f.rule.Unreached || !s.Unreachable(f.State) {
			index.add(f)
			reached = append(reached, f)
		}
	}
	var out []found
	for _, f := range reached {
		if !index.silences(f, f.rule) && !index.settles(f.Question) {
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
	state *ir.State // of SameState
	input InputAt   // of SameInput
	field *ir.Var   // of SameField
}

func (s said) add(f found) {
	s[topic{rule: f.rule.Name}] = true
	if f.State != nil {
		s[topic{rule: f.rule.Name, state: f.State}] = true
	}
	for _, also := range f.Also {
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
		case SameInput:
			for _, in := range f.Inputs {
				if s[topic{rule: by.Rule, input: in}] {
					return true
				}
			}
		}
	}
	return false
}
