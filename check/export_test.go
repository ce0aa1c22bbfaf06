package check

import (
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Asked is Run for one machine, with the rules that left a question open, whether
// or not that is printed.
func Asked(m *ir.Machine, rules []*Rule) (list diag.List, open map[string]bool) {
	return AskedPast(m, rules, smallProduct, explore.DefaultLimit)
}

// AskedPast is Asked with other numbers of configurations up to which a product is
// small, and up to which there is one.
func AskedPast(m *ir.Machine, rules []*Rule, small, limit int) (list diag.List, open map[string]bool) {
	s := newShared(m, limit)
	s.proof.small = small
	list = s.apply(rules)
	open = map[string]bool{}
	for _, q := range s.OpenQuestions() {
		open[q.Rule] = true
	}
	return list, open
}
