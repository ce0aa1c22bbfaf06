package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/witness"
)

// Past the limit a question is not always open: what a short run meets is met, however many
// others there are. So a rule whose findings are each what one run meets, and which has left
// a question open, is asked again of the configurations that are reached first.

// early looks for findings of r in the first configurations. A question is closed about a state for
// which there is one, and so is one about the whole machine; the others stay.
func (s *shared) early(r *Rule) {
	past := func(q Question) bool { return q.Rule == r.Name && q.past }
	if !r.OneRun || !slices.ContainsFunc(s.proof.open, past) {
		return
	}
	begun := s.begun()
	if begun == nil {
		return
	}
	begun.findings = nil
	r.run(&Pass{shared: begun, rule: r})
	for _, f := range begun.findings {
		shown := f.Severity == nil && f.Witness != nil && len(f.Witness.Path) > 0
		if !shown || slices.ContainsFunc(s.findings, func(other found) bool { return other.rule == r && other.Span == f.Span }) {
			continue
		}
		s.findings = append(s.findings, f)
		s.proof.open = slices.DeleteFunc(s.proof.open, func(q Question) bool { return past(q) && (q.State == nil || q.State == f.State) })
	}
}

// begun is the machine as far as the configurations go that are reached first.
func (s *shared) begun() *shared {
	if !s.proof.begunTold {
		s.proof.begunTold = true
		if p := explore.FirstOf(s.Table(), min(SmallProduct, s.proof.most)); p != nil {
			s.proof.begun = &shared{
				Machine: s.Machine, stop: s.stop, called: s.called, callees: s.callees, table: s.table,
				proof: proof{product: p, limit: s.proof.most, most: s.proof.most}, endings: map[*witness.Witness]lastRow{},
			}
		}
	}
	return s.proof.begun
}
