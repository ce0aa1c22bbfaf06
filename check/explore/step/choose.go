package step

import (
	"math"
	"slices"

	"github.com/fsmc-dev/fsmc/check/explore/data"
	"github.com/fsmc-dev/fsmc/lang/ir"
)

// regions are those of a domain from one to another.
type regions struct {
	domain *data.Domain
	lo, hi int64
}

// filled are those of r that are chosen.
func (s *Step) filled(r regions) []int64 {
	list, known := s.regions[r]
	if !known {
		list = r.domain.Filled(r.lo, r.hi)
		s.regions[r] = list
	}
	return list
}

// chooseRegion is a free choice of a region from lo to hi.
func (s *Step) chooseRegion(d *data.Domain, lo, hi int64) int64 {
	list := s.filled(regions{d, lo, hi})
	k := s.Oracle.Choose(len(list))
	if d.Kind == ir.Duration {
		k = len(list) - 1 - k // long waits first: a timer of 0s would come before what a witness shows
	}
	return list[k]
}

// of is the one of refs that belongs to the input at hand.
func (s *Step) of(refs []*data.Node) *data.Node {
	for _, n := range refs {
		if n.Event == s.In.Event && n.Do == nil && (n.Event != nil || s.In.Kind == ir.CaseFailure) {
			return n
		}
	}
	for _, n := range refs {
		if n.Do != nil && n.Do == s.In.Do {
			return n
		}
	}
	return refs[0]
}

// payload is the code of a field of the event at hand, chosen when it is first
// asked for.
func (s *Step) payload(n *data.Node) int64 {
	s.quiet.looked++
	if !s.have[n.Index] {
		s.have[n.Index] = true
		s.had = append(s.had, n.Index)
		s.payloads[n.Index] = s.choosePayload(n)
		s.Guess = s.Guess || !s.granted()
	}
	return s.payloads[n.Index]
}

// noCode stands for what is unset.
const noCode = math.MinInt64

// chooseParam chooses a parameter, and holds it.
func (s *Step) chooseParam(n *data.Node) int64 {
	code := n.Slot.Base
	switch {
	case n.Slot.Unset && !s.given(n.Var):
		return noCode
	case n.Valued():
		code = s.chooseCode(n)
	}
	n.Slot.Store(s.Next, code)
	return code
}

// given reports whether the run has v, a parameter: what it is within is chosen to be there or
// not when that is first asked for.
func (s *Step) given(v *ir.Var) bool {
	for _, head := range v.Heads() {
		if !head.MayBeUnset() {
			continue
		}
		there, chosen := s.params[head]
		if !chosen {
			there = s.Oracle.Choose(2) == 0
			s.params[head] = there
		}
		if !there {
			return false
		}
	}
	return true
}

// sent is the field of refs that belongs to the input at hand, and whether it comes: what it is
// within is chosen to come or not when that is first asked for.
func (s *Step) sent(refs []*data.Node) (*data.Node, bool) {
	n := s.of(refs)
	return n, s.comes(n.Sent)
}

// comes reports whether what n stands for comes, and all around it.
func (s *Step) comes(n *data.Node) bool {
	return n == nil || s.comes(n.Sent) && s.payload(n) == 0
}

// read is the code of what e reads, a field of the event at hand; where that is absent the
// step cannot be computed.
func (s *Step) read(refs []*data.Node, e *ir.FieldRef) (*data.Node, int64) {
	n, sent := s.sent(refs)
	if !sent {
		s.fail(Fault{Absent: n.Field, At: e.At})
		return n, 0
	}
	return n, s.payload(n)
}

func (s *Step) choosePayload(n *data.Node) int64 {
	if s.pinned != nil && n.Event == s.In.Event && slices.Contains(s.In.byArm.fields, n) {
		return s.pinned[n.Index]
	}
	if n.Event == nil && s.In.Kind == ir.CaseFailure {
		switch n.Field.Name {
		case "category":
			return n.Domain.Code(&ir.Const{Kind: ir.String, Str: s.In.Category.Name})
		case "activity":
			return n.Domain.Code(&ir.Const{Kind: ir.String, Str: s.In.Do.Activity.Name})
		}
	}
	if n.Event != nil && s.In != nil && n.Event == s.In.Event && s.BringsOneByOne(s.In) {
		return s.bringsFlag()
	}
	asked := s.Oracle.asked
	var code int64
	if n.Do != nil {
		code = s.choosePart(n)
	} else {
		code = s.chooseCode(n)
	}
	if s.Oracle.asked > asked {
		s.made = append(s.made, made{n.Index, false})
	}
	return code
}

// chooseCode is a free choice among what n can be.
func (s *Step) chooseCode(n *data.Node) int64 {
	if n.Few() {
		values := s.fewOf(n)
		return values[s.Oracle.Choose(len(values))]
	}
	lo, hi := n.Codes()
	if n.Domain.Sort == data.ByRegion {
		return s.chooseRegion(n.Domain, lo, hi)
	}
	return lo + int64(s.Oracle.Choose(int(hi-lo)+1))
}

// few are the values from which a field of an event is chosen that is compared with peers.
type few struct{ peers, values []int64 }

// fewOf are the values from which n is chosen, which is only compared.
func (s *Step) fewOf(n *data.Node) []int64 {
	s.peers = s.peers[:0]
	for _, p := range n.Peers {
		if p.Slot == nil || !p.Valued() || p.Domain.Sort != data.ByValue {
			continue // the comparison is a choice
		}
		s.Foot.reads(p)
		if code, set := p.Slot.Load(s.Next); set {
			s.peers = append(s.peers, code)
		}
	}
	values := n.FewValues(nil)
	if len(s.peers) > 0 {
		of := &s.few[n.Index]
		if !slices.Equal(of.peers, s.peers) {
			of.peers, of.values = append(of.peers[:0], s.peers...), n.FewValues(s.peers)
		}
		values = of.values
	}
	return values
}
