package check

import (
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore"
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

// showsEarly reports whether one of the paths that a part of the product has to a state or an arm is
// a run, where the whole is too large. That is replayed once, and asked by many rules, but for so many arms tried in all replays
// together: a chain of thousands of arms, each shown by itself, would take minutes.
func (s *shared) showsEarly(to any, paths func(*explore.Product) [][]int32) bool {
	begun := s.begun()
	if begun == nil {
		return false
	}
	shown, known := s.proof.shown[to]
	if !known && (begun.replayed()+toWriteOut*len(s.proof.shown))*len(s.Machine.Arms) < mostShownEarly {
		shown = slices.ContainsFunc(paths(begun.proof.product), func(path []int32) bool {
			w, sure := begun.Replayed(path, -1)
			return sure && w != nil
		})
		s.proof.shown[to] = shown
	}
	return shown
}

// mostShownEarly is a second or two, if to write a run out takes about as long as so many steps of its replay.
const (
	mostShownEarly = 5_000_000
	toWriteOut     = 50
)

// begun is the machine with a part of the product in place of the whole; nil of one that is broken.
func (s *shared) begun() *shared {
	if !s.proof.begunTold {
		s.proof.begunTold = true
		if p := explore.Part(s.Table(), min(SmallProduct, s.proof.most)); p != nil {
			begun := newShared(s.Machine, s.proof.most)
			begun.stop, begun.called, begun.callees, begun.table = s.stop, s.called, s.callees, s.table
			begun.proof.product, begun.proof.limit = p, s.proof.most
			s.proof.begun, s.proof.shown = begun, map[any]bool{}
		}
	}
	return s.proof.begun
}
