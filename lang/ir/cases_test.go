package ir

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPrecision holds which handlers of one state apply to a case, out of all
// that could: the tiers of triggers.
func TestPrecision(t *testing.T) {
	found, other := &Event{Name: "Found"}, &Event{Name: "Other"}
	auth, slow := &Category{Name: "auth"}, &Category{Name: "slow"}
	a, b := &Do{Label: "a"}, &Do{}
	on := func(triggers ...*Trigger) *Handler { return &Handler{Triggers: triggers} }
	event := func(label string, e *Event) *Trigger { return &Trigger{Kind: OnEvent, Label: label, Event: e} }
	failed := func(label string, list ...*Category) *Trigger {
		return &Trigger{Kind: OnFailed, Label: label, Categories: list}
	}
	s := &State{Kind: Leaf, Handlers: []*Handler{
		on(failed("")), on(failed("", auth)), on(failed("a")), on(failed("a", auth)),
		on(event("", found)), on(event("a", found)), on(event("", other), failed("", auth)),
		on(&Trigger{Kind: OnDone}), on(&Trigger{Kind: OnCancel}), on(),
	}}
	for _, c := range []struct {
		name string
		c    Case
		want []string
	}{
		{"a fails with a listed category", Case{Kind: CaseFailure, Do: a, Category: auth}, []string{"a.failed(auth)"}},
		{"a fails with another", Case{Kind: CaseFailure, Do: a, Category: slow}, []string{"a.failed"}},
		{"b fails with a listed category", Case{Kind: CaseFailure, Do: b, Category: auth}, []string{"failed(auth)", "Other, failed(auth)"}},
		{"b fails with another", Case{Kind: CaseFailure, Do: b, Category: slow}, []string{"failed"}},
		{"a raises Found", Case{Kind: CaseResult, Do: a, Event: found}, []string{"a.Found"}},
		{"b raises Found", Case{Kind: CaseResult, Do: b, Event: found}, []string{"Found"}},
		{"Other from outside", Case{Kind: CaseEvent, Event: other}, []string{"Other, failed(auth)"}},
		{"done", Case{Kind: CaseDone}, []string{"done"}},
		{"cancel", Case{Kind: CaseCancel}, []string{"cancel"}},
	} {
		var got []string
		for _, h := range s.HandlersFor(c.c) {
			got = append(got, h.Text())
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestChoices holds the order from the leaf outwards, and that within one state
// `on` comes before `ignore`.
func TestChoices(t *testing.T) {
	e := &Event{Name: "E"}
	m := &Machine{Events: []*Event{e}}
	root := &State{Kind: Composite}
	middle := &State{Kind: Composite, Parent: root, Ignore: []*EventUse{{Event: e}}}
	leaf := &State{Kind: Leaf, Parent: middle, Defer: []*EventUse{{Event: e}}}
	arm := func(s *State, index int) *Arm { return &Arm{State: s, Index: index, Kind: Stay} }
	for _, s := range []*State{root, middle, leaf} {
		s.Handlers = []*Handler{{State: s, Triggers: []*Trigger{{Kind: OnEvent, Event: e}}, Arms: []*Arm{arm(s, 0), arm(s, 1)}}}
	}
	timer := &Timer{State: middle, Arms: []*Arm{arm(middle, 2)}}
	text := func(choices []Choice) string {
		names := map[*State]string{root: "root", middle: "middle", leaf: "leaf"}
		var parts []string
		for _, c := range choices {
			what := "arm"
			switch {
			case c.Defer:
				what = "defer"
			case c.Arm == nil:
				what = "ignore"
			}
			parts = append(parts, names[c.State]+" "+what)
		}
		return strings.Join(parts, ", ")
	}
	for _, c := range []struct {
		c    Case
		want string
	}{
		{Case{Kind: CaseEvent, Event: e}, "leaf arm, leaf arm, leaf defer, middle arm, middle arm, middle ignore, root arm, root arm"},
		{Case{Kind: CaseResult, Event: e, Do: &Do{}}, "leaf arm, leaf arm, middle arm, middle arm, middle ignore, root arm, root arm"},
		{Case{Kind: CaseTimer, Timer: timer}, "middle arm"},
		{Case{Kind: CaseDone}, ""},
	} {
		if got := text(m.Choices(leaf, c.c)); got != c.want {
			t.Errorf("%v: %s, want %s", c.c.Kind, got, c.want)
		}
	}
}

func TestFailuresOf(t *testing.T) {
	auth, slow := &Category{Name: "auth"}, &Category{Name: "slow"}
	m := &Machine{Categories: []*Category{auth, slow}}
	for _, name := range []string{Unknown, Timeout, Silent, Stalled} {
		m.Categories = append(m.Categories, &Category{Name: name, BuiltIn: true})
	}
	second := int64(1e9)
	for _, c := range []struct {
		do   *Do
		want string
	}{
		{&Do{Activity: &Activity{Fails: []*Category{slow}}}, "slow unknown"},
		{&Do{Activity: &Activity{}, Timeout: &second, Progress: &second}, "unknown timeout stalled"},
		{&Do{Activity: &Activity{Fails: []*Category{auth, slow}}, Heartbeat: &second}, "auth slow unknown silent"},
	} {
		var got []string
		for _, k := range m.FailuresOf(c.do) {
			got = append(got, k.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%v, want %s", got, c.want)
		}
	}
}

func TestDomain(t *testing.T) {
	root := &State{Kind: Composite}
	outer := &State{Kind: Composite, Parent: root}
	inner := &State{Kind: Composite, Parent: outer}
	leaf, beside, far := &State{Parent: inner}, &State{Parent: inner}, &State{Parent: root}
	for _, c := range []struct {
		name         string
		target, want *State
	}{
		{"itself", leaf, inner}, {"a sibling", beside, inner}, {"around it", inner, outer},
		{"further around it", outer, root}, {"outside", far, root},
	} {
		if Domain(leaf, c.target) != c.want {
			t.Errorf("%s: a wrong domain", c.name)
		}
	}
}
