package ir

import "slices"

// Case is one input that a leaf can meet, as specific as handlers can tell
// inputs apart: an external event; one event raised by one of the leaf's
// activities; one category with which one of them fails; done; cancel; that a cost
// passes its budget; one timer of the leaf or of a state around it.
type Case struct {
	Kind     CaseKind
	Event    *Event    // of CaseEvent and CaseResult
	Do       *Do       // of CaseResult and CaseFailure
	Category *Category // of CaseFailure
	Timer    *Timer    // of CaseTimer
	Cost     string    // of CaseOverBudget
}

// CaseKind says what sort of input a Case is.
type CaseKind int

const (
	CaseEvent CaseKind = iota
	CaseResult
	CaseFailure
	CaseDone
	CaseCancel
	CaseTimer
	CaseOverBudget
)

// Choice is one thing that may happen with an input: an arm, or the `ignore`
// or `defer` of a state.
type Choice struct {
	Arm   *Arm   // nil for Ignore and Defer
	Defer bool   // with a nil Arm: deferred, else ignored
	State *State // in which it stands
	Use   *EventUse
}

// CaseDone for a leaf without activities arises only where the leaf itself has
// an `on done` (a choice state); for one with activities when all have ended.

// Cases lists every input that can reach leaf: first the external events of
// the machine in order, then for each of its dos the results and the failures,
// then done where it can arise, cancel, the costs that the machine holds to their
// budget, and the timers from the leaf outwards.
func (m *Machine) Cases(leaf *State) []Case {
	var cases []Case
	for _, e := range m.Events {
		if e.External() {
			cases = append(cases, Case{Kind: CaseEvent, Event: e})
		}
	}
	for _, d := range leaf.Dos {
		for _, e := range d.Activity.Results {
			cases = append(cases, Case{Kind: CaseResult, Event: e, Do: d})
		}
		for _, c := range m.FailuresOf(d) {
			cases = append(cases, Case{Kind: CaseFailure, Category: c, Do: d})
		}
	}
	if len(leaf.Dos) > 0 || leaf.IsChoice() {
		cases = append(cases, Case{Kind: CaseDone})
	}
	cases = append(cases, Case{Kind: CaseCancel})
	for _, name := range m.Enforced() {
		cases = append(cases, Case{Kind: CaseOverBudget, Cost: name})
	}
	for _, s := range leaf.Chain() {
		for _, t := range s.Timers {
			cases = append(cases, Case{Kind: CaseTimer, Timer: t})
		}
	}
	return cases
}

// IsChoice reports whether s is a choice state: without activities, and with
// an `on done` of its own, so that it raises done on entering.
func (s *State) IsChoice() bool {
	return s.Kind == Leaf && len(s.Dos) == 0 && s.WaitsFor(OnDone)
}

// WaitsFor reports whether a handler of s itself has a trigger of that kind.
func (s *State) WaitsFor(kind TriggerKind) bool {
	return slices.ContainsFunc(s.Handlers, func(h *Handler) bool {
		return slices.ContainsFunc(h.Triggers, func(t *Trigger) bool { return t.Kind == kind })
	})
}

// FailuresOf lists the categories with which d may fail: those its activity
// declares, `unknown`, and of `timeout`, `silent` and `stalled` those whose
// limit d sets.
func (m *Machine) FailuresOf(d *Do) []*Category {
	out := append([]*Category(nil), d.Activity.Fails...)
	for _, c := range m.Categories {
		if c.BuiltIn && (c.Name == Unknown || d.Limit(c.Name) != nil) {
			out = append(out, c)
		}
	}
	return out
}

// Choices lists what may happen with c in leaf, in the order in which it is
// tried: the arms of the handlers of the leaf that apply, its ignore and defer,
// then those of the state around it, and so on outwards. The first whose guard
// holds and whose bound is not used up is taken; where none is, nothing takes
// the input.
func (m *Machine) Choices(leaf *State, c Case) []Choice {
	var out []Choice
	if c.Kind == CaseTimer && !c.Timer.Budget {
		return armsOf(c.Timer.State, c.Timer.Arms)
	}
	for _, s := range leaf.Chain() {
		out = append(out, s.OwnChoices(c)...)
	}
	return out
}

// OwnChoices lists what s itself says of c, which is no `after`: Choices is that of
// the leaf and of all states around it.
func (s *State) OwnChoices(c Case) []Choice {
	var out []Choice
	for _, h := range s.HandlersFor(c) {
		out = append(out, armsOf(s, h.Arms)...)
	}
	if c.Kind == CaseEvent || c.Kind == CaseResult {
		out = append(out, kept(s, s.Ignore, c.Event, false)...)
	}
	if c.Kind == CaseEvent {
		out = append(out, kept(s, s.Defer, c.Event, true)...)
	}
	return out
}

func armsOf(s *State, arms []*Arm) []Choice {
	out := make([]Choice, len(arms))
	for i, a := range arms {
		out[i] = Choice{Arm: a, State: s}
	}
	return out
}

func kept(s *State, uses []*EventUse, e *Event, deferred bool) []Choice {
	for _, u := range uses {
		if u.Event == e {
			return []Choice{{Defer: deferred, State: s, Use: u}}
		}
	}
	return nil
}

// HandlersFor lists the handlers of s itself that apply to c, in source order.
//
// Triggers of different precision do not compete: of a labelled trigger and an
// unlabelled one, and of a `failed` with a list and one without, the more
// precise speaks for its case alone, whether or not its guards hold. The tiers
// are, most precise first: a.failed(x), a.failed, failed(x), failed; and a.E, E.
func (s *State) HandlersFor(c Case) []*Handler { return MostPrecise(s.Handlers, c) }

// MostPrecise lists those of handlers, which stand in one state, that apply to
// c, as HandlersFor does.
func MostPrecise(handlers []*Handler, c Case) []*Handler {
	best := 0
	var out []*Handler
	for _, h := range handlers {
		tier := 0
		for _, t := range h.Triggers {
			tier = max(tier, t.tier(c))
		}
		switch {
		case tier == 0 || tier < best:
		case tier > best:
			best, out = tier, []*Handler{h}
		default:
			out = append(out, h)
		}
	}
	return out
}

// Means reports whether t means c.
func (t *Trigger) Means(c Case) bool { return t.tier(c) > 0 }

// tier says how precisely t means c: 0 not at all, higher is more precise.
func (t *Trigger) tier(c Case) int {
	labelled := t.Label != ""
	if labelled && (c.Do == nil || c.Do.Label != t.Label) {
		return 0
	}
	switch {
	case t.Kind == OnDone && c.Kind == CaseDone, t.Kind == OnCancel && c.Kind == CaseCancel:
		return 1
	case t.Kind == OnOverBudget && c.OverBudget() != "":
		if len(t.Costs) == 0 {
			return tierOf(false, false)
		}
		if slices.Contains(t.Costs, c.OverBudget()) {
			return tierOf(false, true)
		}
	case t.Kind == OnEvent && (c.Kind == CaseEvent || c.Kind == CaseResult) && t.Event == c.Event:
		return tierOf(labelled, true)
	case t.Kind == OnFailed && c.Kind == CaseFailure:
		if len(t.Categories) == 0 {
			return tierOf(labelled, false)
		}
		if slices.Contains(t.Categories, c.Category) {
			return tierOf(labelled, true)
		}
	}
	return 0
}

func tierOf(labelled, listed bool) int {
	tier := 1
	if listed {
		tier++
	}
	if labelled {
		tier += 2
	}
	return tier
}
