package breaking_test

import (
	"slices"
	"strings"
	"testing"
)

// TestToldOtherwise: what attempts are told, and what a run returns, is behaviour. The second
// machine is the first with one text in place of another.
func TestToldOtherwise(t *testing.T) {
	const before = `machine M(first string, second string) {
    context { kept int 0..90 = 0, note string = "a" }
    event Found { size int 0..90 }
    activity look(what string) -> Found
    activity tell(what string)
    activity sweep()
    initial Looking
    after 7d -> Late
    state Looking {
        do look(first) timeout 30s heartbeat 10s
        on Found -> Telling { kept = event.size }
        on failed -> Late
    }
    state Telling {
        do tell(note) timeout 1m
        on done -> Sweeping { note = "b" }
        on failed -> Late
    }
    state Sweeping {
        do sweep() timeout 1m
        do tell(note) timeout 1m
        on done -> Done
        on failed -> Late
    }
    terminal Done success returns kept, note
    terminal Late failure
}`
	for _, c := range []struct{ old, new, want string }{
		{"look(first)", "look(second)", `at the start, the old machine runs look { what = "text l" } timeout 30s heartbeat 10s, and the new one look { what = "text p" } timeout 30s heartbeat 10s`},
		{"timeout 30s", "timeout 20s", "timeout 30s heartbeat 10s, and the new one look { what = \"text l\" } timeout 20s"},
		{" heartbeat 10s", "", "heartbeat 10s, and the new one"},
		{"tell(note) timeout 1m\n        on done -> Sweeping", "tell(\"a\") timeout 1m\n        on done -> Sweeping", ""},
		{"do sweep() timeout 1m\n        do tell(note)", "do sweep() timeout 1m\n        do tell(\"a\")", `runs tell { what = "b" } timeout 1m`},
		{"do tell(note) timeout 1m\n        on done -> Sweeping", "do tell(note) timeout 1m\n        do sweep() timeout 1m\n        on done -> Sweeping", "the new machine runs sweep timeout 1m"},
		{"{ kept = event.size }", "", `the old machine returns { kept = 11 note = "b" }, and the new one { kept = 0 note = "b" }`},
		{"kept int 0..90 = 0", "kept int 0..90 = 1", ""}, // it is set before it is read
	} {
		if !strings.Contains(before, c.old) {
			t.Fatalf("%q is not in the text", c.old)
		}
		after := strings.Replace(before, c.old, c.new, 1)
		found := describe(compare(load(t, "old.fsm", before), load(t, "new.fsm", after)))
		said := slices.ContainsFunc(found, func(p string) bool {
			return strings.HasPrefix(p, "behaviour-changed: ") && strings.Contains(p, c.want)
		})
		if c.want == "" && len(found) > 0 || c.want != "" && !said {
			t.Errorf("%q in place of %q gives %v", c.new, c.old, found)
		}
	}
}

// TestEndsWithChild: a run that has ended, but whose child has not, ends as its state says.
// Before, only the new machine had a child.
func TestEndsWithChild(t *testing.T) {
	const before = `machine M(x string) {
    event Stop
    initial Work
    state Work {
        on Stop -> Bad
        after 1h -> Bad
    }
    terminal Bad failure
}`
	const child = `
machine Audit(x string) {
    event Go
    initial W
    state W {
        on Go -> Good
        after 1h -> Good
    }
    terminal Good success
}`
	after := strings.Replace(before, "on Stop", "do machine Audit(x) as d\n        on d.failed, d.Good {}\n        on Stop", 1) + child
	old := load(t, "old.fsm", before)
	if found := describe(compare(old, load(t, "new.fsm", after))); len(found) > 0 {
		t.Errorf("a child more gives %v", found)
	}
	other := strings.Replace(after, "Bad failure", "Bad cancelled", 1)
	if found := describe(compare(old, load(t, "new.fsm", other))); !slices.ContainsFunc(found, func(p string) bool {
		return strings.Contains(p, `the old machine ends in "Bad" with failure, and the new one ends in "Bad" with cancelled`)
	}) {
		t.Errorf("another outcome beside a child more gives %v", found)
	}
}

// TestToldTimes: a time is written as in the machine, and as fsmc check --bounds writes it.
func TestToldTimes(t *testing.T) {
	const before = `machine M {
    event Stop
    initial Waiting
    state Waiting {
        on Stop -> Done
        after 3d -> Done
    }
    terminal Done
}`
	found := describe(compare(load(t, "old.fsm", before), load(t, "new.fsm", strings.Replace(before, "3d", "4d", 1))))
	if want := `the worst case of "time" was 72h, and is 96h`; !slices.ContainsFunc(found, func(p string) bool { return strings.HasSuffix(p, want) }) {
		t.Errorf("no %q in %q", want, found)
	}
}

// TestDefaultOfAField: a field with a default is always set, and may be so without one. A terminal returns
// only what is set.
func TestDefaultOfAField(t *testing.T) {
	const before = `machine M {
    context { by string = "" }
    event Go { by string }
    initial Open
    state Open {
        on Go -> Done { by = event.by }
        after 1d -> Late
    }
    terminal Done success returns by
    terminal Late failure
}`
	with := load(t, "old.fsm", before)
	without := load(t, "new.fsm", strings.Replace(before, ` = "" }`, " }", 1))
	for _, found := range [][]string{describe(compare(with, without)), describe(compare(without, with))} {
		if len(found) > 0 {
			t.Errorf("a default gives %v", found)
		}
	}
}

// TestAnotherEnum: of an enum that has other values, they are named.
func TestAnotherEnum(t *testing.T) {
	const before = `machine M(plan Plan) {
    enum Plan { Trial, Team }
    initial Open
    state Open { after 1d -> Done }
    terminal Done
}`
	for values, want := range map[string]string{
		"Free, Team": `without "Trial" and with "Free"`,
		"Team":       `without "Trial"`,
	} {
		found := describe(compare(load(t, "old.fsm", before), load(t, "new.fsm", strings.Replace(before, "Trial, Team", values, 1))))
		if want = `parameter-narrowed: machine "M": parameter "plan" is another Plan, ` + want; !slices.Contains(found, want) {
			t.Errorf("%s gives %v, and not %s", values, found, want)
		}
	}
}
