package check

import (
	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/replay"
	"github.com/fsmc-dev/fsmc/lang/diag"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Asked is RunUpTo for one machine, with the rules that left a question open, whether
// or not that is printed.
func Asked(m *ir.Machine, rules []*Rule, limit int) (list diag.List, open map[string]bool) {
	s := newSession([]*ir.Machine{m}, nil, limit).shared(m)
	list = s.apply(rules)
	open = map[string]bool{}
	for _, q := range s.OpenQuestions() {
		open[q.Rule] = true
	}
	return list, open
}

// Work is what a run of rules over m takes: the configurations and edges of its
// product, and the rows of all witnesses.
func Work(m *ir.Machine, rules []*Rule) (configurations, edges, rows int) {
	s := newShared(m, explore.DefaultLimit)
	s.apply(rules)
	if p := s.Product(); p != nil {
		configurations, edges = p.Configurations(), len(p.To)
	}
	return configurations, edges, s.rows
}

// CoverSteps is Cover, and how many steps it tried.
func CoverSteps(m *ir.Machine, limit int) (cover *ir.Cover, steps int) {
	stage := replay.On(m)
	cover = coverOn(stage, m, limit)
	return cover, stage.Steps
}

// MaxRows is how many rows the witnesses of a machine have together at most.
const MaxRows = maxRows

// Walked is how many edges the worst case of m goes through to count attempts, and
// how many its longest run has.
func Walked(m *ir.Machine) (walked, longest int) {
	s := newShared(m, explore.DefaultLimit)
	s.apply(nil)
	for _, f := range s.bounds(true).figures() {
		longest = max(longest, len(f.path))
	}
	return s.proof.walked, longest
}

// WithoutEntryWork has the control graph alone count visits until the function that it gives is
// called.
func WithoutEntryWork() func() {
	before := maxEntryWork
	maxEntryWork = 0
	return func() { maxEntryWork = before }
}
