package flat

import "github.com/fsmc-dev/fsmc/lang/ir"

// spoken is what one state says, found by what it speaks of, so that a state
// with very many handlers is not read through for each input.
type spoken struct {
	events  []*ir.Event // external ones, in the order in which they are first named
	byEvent map[*ir.Event]*named
	on      [ir.OnOverBudget + 1][]*ir.Handler // of all else
}

// named is what one state says about one event.
type named struct {
	handlers          []*ir.Handler
	ignored, deferred *ir.EventUse
}

// listen gathers what s says.
func listen(s *ir.State) spoken {
	var p spoken
	for _, h := range s.Handlers {
		for _, t := range h.Triggers {
			list := &p.on[t.Kind]
			if t.Kind == ir.OnEvent {
				list = &p.event(t.Event).handlers
			}
			if n := len(*list); n == 0 || (*list)[n-1] != h { // each is listed once
				*list = append(*list, h)
			}
		}
	}
	for _, use := range s.Ignore {
		if n := p.event(use.Event); n.ignored == nil {
			n.ignored = use
		}
	}
	for _, use := range s.Defer {
		if n := p.event(use.Event); n.deferred == nil {
			n.deferred = use
		}
	}
	return p
}

// event is the entry of e, made where there is none.
func (p *spoken) event(e *ir.Event) *named {
	n := p.byEvent[e]
	if n != nil {
		return n
	}
	if p.byEvent == nil {
		p.byEvent = map[*ir.Event]*named{}
	}
	n = &named{}
	p.byEvent[e] = n
	if e.External() {
		p.events = append(p.events, e)
	}
	return n
}

// about reports whether the state says something about c, an external event, cancel, or a
// cost or the time over its budget.
func (p *spoken) about(c ir.Case) bool {
	switch c.Kind {
	case ir.CaseEvent:
		return p.byEvent[c.Event] != nil
	case ir.CaseCancel:
		return len(p.on[ir.OnCancel]) > 0
	case ir.CaseOverBudget, ir.CaseTimer:
		return c.OverBudget() != "" && len(ir.MostPrecise(p.on[ir.OnOverBudget], c)) > 0
	}
	return false
}

// appendChoices appends what s, whose words p are, does with c: the arms of
// its handlers, then its ignore and its defer.
func (p *spoken) appendChoices(out []ir.Choice, s *ir.State, c ir.Case) []ir.Choice {
	var handlers []*ir.Handler
	var n *named
	switch c.Kind {
	case ir.CaseEvent, ir.CaseResult:
		if n = p.byEvent[c.Event]; n == nil {
			return out
		}
		handlers = n.handlers
	case ir.CaseFailure:
		handlers = p.on[ir.OnFailed]
	case ir.CaseDone:
		handlers = p.on[ir.OnDone]
	case ir.CaseCancel:
		handlers = p.on[ir.OnCancel]
	case ir.CaseOverBudget, ir.CaseTimer:
		handlers = p.on[ir.OnOverBudget]
	}
	for _, h := range ir.MostPrecise(handlers, c) {
		for _, a := range h.Arms {
			out = append(out, ir.Choice{Arm: a, State: s})
		}
	}
	if n != nil && n.ignored != nil {
		out = append(out, ir.Choice{State: s, Use: n.ignored})
	}
	if n != nil && n.deferred != nil && c.Kind == ir.CaseEvent {
		out = append(out, ir.Choice{Defer: true, State: s, Use: n.deferred})
	}
	return out
}
