package product

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// differ says as a clause how what the two machines do with an input differs; empty where
// it does not.
func (s *search) differ(old, new *outcome, v *verdicts) string {
	switch {
	case old.next == nil && new.next == nil:
		return ""
	case old.next == nil:
		return "the old machine refuses the input, and the new one " + s.stands(s.new, new.next)
	case new.next == nil:
		return "the old machine " + s.stands(s.old, old.next) + ", and the new one refuses the input"
	}
	was, is := s.stands(s.old, old.next), s.stands(s.new, new.next)
	before, after := s.old.end(old.next), s.new.end(new.next)
	if s.path(s.old.leaf(old.next)) != s.new.leaf(new.next) || before != after {
		if was == is {
			was, is = was+" with "+before, is+" with "+after
		}
		return fmt.Sprintf("the old machine %s, and the new one %s", was, is)
	}
	if before, after := strings.Join(old.published, ", "), strings.Join(new.published, ", "); before != after {
		return fmt.Sprintf("the old machine publishes %s, and the new one %s", cmp.Or(before, "nothing"), cmp.Or(after, "nothing"))
	}
	if old.next.Status.Over() {
		return s.returnsOtherwise(old.next, new.next)
	}
	return s.asksOtherwise(old.next, new.next, v)
}

func (s *search) stands(side *side, of *machine.Snapshot) string {
	leaf := strconv.Quote(side.leaf(of))
	switch of.Status {
	case machine.Halted:
		return "halts in " + leaf
	case machine.Running:
		return "is in " + leaf
	}
	return "ends in " + leaf
}

// end is the outcome of a run, also of one that only waits for its children, or else its
// status.
func (s *side) end(of *machine.Snapshot) string {
	if of.Status.Over() {
		return string(s.d.States[of.State].Ends())
	}
	return string(of.Status)
}
