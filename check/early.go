package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
	"github.com/fsmc-dev/fsmc/check/witness"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// Past the limit a question is not always open: what one run meets is met, however many
// others there are. So a rule whose findings are each what one run meets, and which has left
// a question open, is asked again of a part of the product.

// early looks for findings of r in a part of the product. A question is closed about a state for
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

// entersEarly reports whether a run enters state that was found without the product, which is too
// large.
func (s *shared) entersEarly(state *ir.State) bool {
	begun := s.begun()
	return begun != nil && slices.ContainsFunc(begun.proof.product.Into(state), begun.isRun)
}

// takesEarly is entersEarly for a run that takes a.
func (s *shared) takesEarly(a *ir.Arm) bool {
	begun := s.begun()
	return begun != nil && slices.ContainsFunc(begun.proof.product.Along(a), begun.isRun)
}

// isRun reports whether a path of the product is a run, which was replayed.
func (s *shared) isRun(path []int32) bool {
	w, sure := s.Replayed(path, -1)
	return sure && w != nil
}

// begun is the machine with a part of the product in place of the whole; nil of one that is broken.
func (s *shared) begun() *shared {
	if !s.proof.begunTold {
		s.proof.begunTold = true
		if p := explore.Part(s.Table(), min(SmallProduct, s.proof.most)); p != nil {
			s.proof.begun = &shared{
				Machine: s.Machine, stop: s.stop, called: s.called, callees: s.callees, table: s.table,
				proof: proof{product: p, limit: s.proof.most, most: s.proof.most}, endings: map[*witness.Witness]lastRow{},
			}
		}
	}
	return s.proof.begun
}
