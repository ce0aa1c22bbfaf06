package flat

import "github.com/fsmc-dev/fsmc/lang/ir"

// spoken is what one state says, found by what it speaks of, so that a state
// with very many handlers is not read through for each input.
type spoken struct {
	events               []*ir.Event // external ones, in the order in which they are first named
	byEvent              map[*ir.Event]*named
	done, failed, cancel []*ir.Handler
	overBudget           []*ir.Handler
}

// named is what one state says about one event.
type named struct {
	handlers          []*ir.Handler
	ignored, deferred *ir.EventUse
	listedHandlerOf   *ir.Handler // the last of handlers, so that each is listed once
}

// listen gathers what s says.
func listen(s *ir.State) spoken {
	var p spoken
	for _, h := range s.Handlers {
		for _, t := range h.Triggers {
			switch t.Kind {
			case ir.OnEvent:
				if n := p.event(t.Event); n.listedHandlerOf != h {
					n.handlers = append(n.handlers, h)
					n.listedHandlerOf = h
				}
			case ir.OnDone:
				p.done = appendOnce(p.done, h)
			case ir.OnFailed:
				p.failed = appendOnce(p.failed, h)
			case ir.OnCancel:
				p.cancel = appendOnce(p.cancel, h)
			case ir.OnOverBudget:
				p.overBudget = appendOnce(p.overBudget, h)
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

// appendOnce appends h unless it is the last of list already.
func appendOnce(list []*ir.Handler, h *ir.Handler) []*ir.Handler {
	if len(list) > 0 && list[len(list)-1] == h {
		return list
	}
	return append(list, h)
}

// about reports whether the state says something about c, an external event, cancel, or a
// cost or the time over its budget.
func (p *spoken) about(c ir.Case) bool {
	switch c.Kind {
	case ir.CaseEvent:
		return p.byEvent[c.Event] != nil
	case ir.CaseCancel:
		return len(p.cancel) > 0
	case ir.CaseOverBudget, ir.CaseTimer:
		return c.OverBudget() != "" && len(ir.MostPrecise(p.overBudget, c)) > 0
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
		handlers = p.failed
	case ir.CaseDone:
		handlers = p.done
	case ir.CaseCancel:
		handlers = p.cancel
	case ir.CaseOverBudget, ir.CaseTimer:
		handlers = p.overBudget
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
