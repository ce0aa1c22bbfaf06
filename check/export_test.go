package check

import (
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Asked is Run for one machine, with the rules that left a question open, whether
// or not that is said.
func Asked(m *ir.Machine, rules []*Rule) (list diag.List, open map[string]bool) {
	s := newShared(m, explore.DefaultLimit)
	list = s.apply(rules)
	open = map[string]bool{}
	for _, q := range s.OpenQuestions() {
		open[q.Rule] = true
	}
	return list, open
}
