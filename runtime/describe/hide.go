package describe

import (
	"slices"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// WithoutData is a view without what a run carries: parameters, data, what it has returned,
// checkpoints, and messages, in which values may stand.
func WithoutData(v *runtime.View) *runtime.View {
	h := *v
	h.Params, h.Data, h.Returns = []byte("{}"), []byte("{}"), nil
	if h.End != nil {
		h.End = &machine.EndView{Input: v.End.Input, Activity: v.End.Activity}
	}
	h.Halt = hiddenHalt(v.Halt)
	h.Activities = slices.Clone(v.Activities)
	for i := range h.Activities {
		a := &h.Activities[i]
		a.Checkpoint = nil
		if a.LastError != nil {
			e := *a.LastError
			e.Message, e.Stderr = "", ""
			a.LastError = &e
		}
		if a.Child != nil {
			a.Child = hiddenChild(a.Child)
		}
	}
	h.Left = slices.Clone(v.Left)
	for i := range h.Left {
		h.Left[i] = *hiddenChild(&h.Left[i])
	}
	return &h
}

func hiddenChild(c *machine.ChildView) *machine.ChildView {
	child := *c
	child.Halt = hiddenHalt(child.Halt)
	if child.Below != nil {
		child.Below = hiddenChild(child.Below)
	}
	return &child
}

// hiddenHalt leaves the code of a halt, whose words may have values in them.
func hiddenHalt(h *machine.HaltView) *machine.HaltView {
	if h == nil {
		return nil
	}
	return &machine.HaltView{Code: h.Code, Reason: string(h.Code), Input: h.Input}
}

// DropData takes out of a step what it carried.
func DropData(s *runtime.StepView) {
	s.Data, s.Returns, s.After, s.Message, s.Stderr, s.Uncounted = nil, nil, nil, "", "", nil
	for i := range s.Guards {
		s.Guards[i].Args = []byte("{}")
	}
	for i := range s.Passed {
		p := &s.Passed[i]
		s.Passed[i] = machine.PassedView{Arm: p.Arm, Text: p.Text, Code: p.Code, Why: string(p.Code)}
	}
}
