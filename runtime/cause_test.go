package runtime

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestCauses: each code has a text, made of its arguments, and is read as it was written.
func TestCauses(t *testing.T) {
	for code, text := range causeTexts {
		c := &Cause{Code: code, Place: Place{"arm", "A#0"}, Said: "so"}
		for range strings.Count(text, "%") {
			c.Args = append(c.Args, "x")
		}
		if err := c.check(); err != nil || strings.Contains(c.String(), "%!") {
			t.Errorf("%s: %s, %v", code, c, err)
		}
		o := (&object{}).open()
		encodeCause(o, c)
		var back *Cause
		sc := &scanner{data: o.close(), stored: true}
		if err := sc.object(func(key string) error { return causeMember(sc, &back, key) }); err != nil {
			t.Fatal(err)
		}
		again := (&object{}).open()
		if encodeCause(again, back); string(again.close()) != string(o.close()) {
			t.Errorf("%s is read as %s", o.b, again.b)
		}
		c.Args = append(c.Args, "y")
		if c.check() == nil {
			t.Errorf("%s takes an argument too many", code)
		}
	}
	for _, c := range []Cause{{Code: "other"}, {Args: []string{"x"}}, {Code: MovedOn, Place: Place{"room", "A"}}} {
		if c.check() == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

// TestCausesInHistory: history says by codes why a run halted and arms were passed
// over, and has no sentence of it; a replay compares the codes, and takes what was
// written before there were codes by its words.
func TestCausesInHistory(t *testing.T) {
	m := compile(t, fields("n int 0..2 = 0"), guard("risky", ""), event("Go", ""),
		state("A", after("1h", goTo("B", bound(0, "")), goTo("B", cond("n > 5")), goTo("B", set("n", "n + 3")))),
		state("B", after("1h", goTo("D", cond("risky()")))), terminal("D", Success))
	r := begin(t, m, "")
	r.pass("1h")
	r.halted(`in arm "` + m.def.Arms[2].Name + `": field "n": 3 is out of range, expected int 0..2`)
	text := string(m.EncodeRecord(r.last[0]))
	for _, want := range []string{`"why":"bound-used"`, `"why":"guard-false"`, `"code":"out-of-range","place":"arm","of":"` + m.def.Arms[2].Name + `","args":["n","3","int 0..2"]`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not have %s", text, want)
		}
	}
	if strings.Contains(text, "is out of range") || strings.Contains(text, "is false") {
		t.Errorf("%s has sentences", text)
	}
	if v := m.stepView(r.last[0]); v.Code != OutOfRange || v.Message != r.s.Halt.Cause.String() || v.Passed[1].Code != GuardFalse || v.Passed[1].Why != "guard is false" {
		t.Errorf("%+v", v)
	}
	replay := func(change func(*Record)) (*Snapshot, error) {
		records := slices.Clone(r.records)
		last := *records[len(records)-1]
		last.Passed = slices.Clone(last.Passed)
		change(&last)
		records[len(records)-1] = &last
		return m.Replay(r.s.Run, r.s.Seed, records)
	}
	old := func(r *Record) {
		r.Cause = &Cause{Said: "it went out of range, as was said then"}
		r.Passed[0].Why, r.Passed[1].Why = "bound is used up", "guard is false"
	}
	if s, err := replay(old); err != nil || s.Halt.Cause.String() != "it went out of range, as was said then" {
		t.Errorf("%+v, %v", s, err)
	}
	for name, change := range map[string]func(*Record){
		"code":   func(r *Record) { r.Cause = &Cause{Code: Overflow, Args: []string{"+"}} },
		"args":   func(r *Record) { c := *r.Cause; c.Args = []string{"n", "4", "int 0..2"}; r.Cause = &c },
		"place":  func(r *Record) { c := *r.Cause; c.Place.Name = "other"; r.Cause = &c },
		"passed": func(r *Record) { r.Passed[0].Why = PassedWhy(GuardFalse) },
		"words":  func(r *Record) { r.Passed[0].Why = "guard is false" },
		"none":   func(r *Record) { r.Cause = nil },
	} {
		var differs *Difference
		if _, err := replay(change); !errors.As(err, &differs) {
			t.Errorf("another %s is replayed: %v", name, err)
		}
	}
}

// TestSharedFaults: the place of one step's fault is not that of another's.
func TestSharedFaults(t *testing.T) {
	m := compile(t, fields("n int"), state("A", after("1h", goTo("A", cond("n > 1")))), terminal("D", Success))
	for range 2 {
		r := begin(t, m, "")
		r.pass(time.Hour.String())
		r.halted(`in arm "` + m.def.Arms[0].Name + `": field "n" is not set`)
	}
}
