package machine

import "strconv"

// WithMaxData holds each run of the machine to so many bytes of JSON in all: its parameters and fields, the events that it
// keeps, and what waits while it is paused. It is for an engine that takes less than MaxData and MaxKeptData, and has to be the
// same for all steps of a run.
func WithMaxData(bytes int) Option {
	return func(m *Machine) error {
		m.maxData = bytes
		return nil
	}
}

// checkHeld is about a run that would have those fields, and hold an input with data beside what it holds.
func (t *step) checkHeld(fields []Value, more []Value) error {
	m, n := t.m, t.next
	if m.maxData == 0 {
		return nil
	}
	const most = 6 // bytes of JSON for one of a text
	estimate := keptSize(n.Params) + keptSize(fields) + keptSize(more)
	for i := range n.Kept {
		estimate += keptSize(n.Kept[i].Data)
	}
	for i := range n.Queue {
		estimate += keptSize(n.Queue[i].Data)
	}
	if most*estimate <= m.maxData {
		return nil
	}
	total := len(appendFields(nil, m.def.Params, n.Params)) + len(appendFields(nil, m.def.Fields, fields))
	for i := range n.Kept {
		total += len(appendFields(nil, m.def.Events[n.Kept[i].Event].Fields, n.Kept[i].Data))
	}
	for i := range n.Queue {
		total += len(m.encodeInput(&n.Queue[i]))
	}
	if more != nil {
		total += len(appendFields(nil, m.def.Events[t.in.Event].Fields, more))
	}
	if total > m.maxData {
		return faultOf(RunTooLarge, strconv.Itoa(total), strconv.Itoa(m.maxData))
	}
	return nil
}
