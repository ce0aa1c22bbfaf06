package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Suppression is a comment `//fsmc:allow RULE because …` and what came of it.
type Suppression struct {
	*ir.Allow
	Named    *Rule  // nil where no rule is called so
	Nearest  string // then the one that is called most like it; may be empty
	Silenced int    // how many findings
}

// CanSilence reports whether findings of the rule that is named can be suppressed where they are no
// errors: what is said of suppressions cannot.
func (s *Suppression) CanSilence() bool {
	return s.Named != nil && s.Named.RunLast == nil
}

// Suppressions are those of the machine in source order, for a rule that runs
// last.
func (s *shared) Suppressions() []Suppression { return s.suppressions }

// suppress takes out of list what a suppression allows: a warning or a hint of
// the rule that it names, at a place that it covers. One without a reason
// silences too: that its reason is missing is said once, and is enough. Where
// several cover one finding, all of them are of use.
func (s *shared) suppress(list []found, rules []*Rule) []found {
	s.suppressions = suppressions(s.Machine, rules)
	return slices.DeleteFunc(list, func(f found) bool {
		allowed := false
		for i := range s.suppressions {
			by := &s.suppressions[i]
			if by.Named == f.rule && by.CanSilence() && f.severity() != diag.Error && by.Covers.Contains(f.Span.Start) {
				by.Silenced++
				allowed = true
			}
		}
		return allowed
	})
}

// suppressions are those of m, with the rules that they name.
func suppressions(m *ir.Machine, rules []*Rule) []Suppression {
	if len(m.Allows) == 0 {
		return nil
	}
	named := make(map[string]*Rule, len(rules))
	var names []string
	for _, r := range rules {
		named[r.Name] = r
		names = append(names, r.Name)
	}
	out := make([]Suppression, len(m.Allows))
	for i, a := range m.Allows {
		out[i] = Suppression{Allow: a, Named: named[a.Rule]}
		if out[i].Named == nil {
			out[i].Nearest, _ = diag.Nearest(a.Rule, names)
		}
	}
	return out
}
