package flat

import "github.com/fsmc-dev/fsmc/lang/ir"

// choicesOf are what leaf may do with event; none where it says nothing of it.
func (t *Table) choicesOf(leaf *ir.State, event *ir.Event) []ir.Choice {
	for in := range t.Inputs(leaf) {
		if in.Kind == ir.CaseEvent && in.Event == event {
			return in.Choices
		}
	}
	return nil
}

// Heeds reports whether leaf may do anything with event but reject it.
func (t *Table) Heeds(leaf *ir.State, event *ir.Event) bool {
	for c := range Takeable(t.choicesOf(leaf, event)) {
		if c.Arm == nil || c.Arm.Kind != ir.Reject {
			return true
		}
	}
	return false
}

// Deferral is the `defer` of event that may be taken in leaf, or nil.
func (t *Table) Deferral(leaf *ir.State, event *ir.Event) *ir.EventUse {
	return DeferralIn(t.choicesOf(leaf, event))
}

// DeferralIn is the `defer` among choices that may be taken, or nil.
func DeferralIn(choices []ir.Choice) *ir.EventUse {
	for c := range Takeable(choices) {
		if c.Defer {
			return c.Use
		}
	}
	return nil
}
