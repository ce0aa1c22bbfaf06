package machine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// TestCausesInHistory: history says by codes why a run halted and arms were passed
// over, and has no sentence of it; a replay compares the codes, and takes what was
// written before there were codes by its words.
func TestCausesInHistory(t *testing.T) {
	m := Build(t, WithFields("n int 0..2 = 0"), WithGuard("risky", ""), WithEvent("Go", ""),
		WithState("A", After("1h", GoTo("B", Bound(0, "")), GoTo("B", When("n > 5")), GoTo("B", Set("n", "n + 3")))),
		WithState("B", After("1h", GoTo("D", When("risky()")))), WithTerminal("D", machine.Success))
	r := begin(t, m, "")
	r.pass("1h")
	r.halted(`in arm "` + m.Definition().Arms[2].Name + `": field "n": 3 is out of range, expected int 0..2`)
	text := string(m.EncodeRecord(r.last[0]))
	for _, want := range []string{`"why":"bound-used"`, `"why":"guard-false"`, `"code":"out-of-range","place":"arm","of":"` + m.Definition().Arms[2].Name + `","args":["n","3","int 0..2"]`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not have %s", text, want)
		}
	}
	if strings.Contains(text, "is out of range") || strings.Contains(text, "is false") {
		t.Errorf("%s has sentences", text)
	}
	if v := m.StepView(r.last[0]); v.Code != machine.OutOfRange || v.Message != r.s.Halt.Cause.String() || v.Passed[1].Code != machine.GuardFalse || v.Passed[1].Why != "guard is false" {
		t.Errorf("%+v", v)
	}
	replay := func(change func(*machine.Record)) (*machine.Snapshot, error) {
		records := slices.Clone(r.records)
		last := *records[len(records)-1]
		last.Passed = slices.Clone(last.Passed)
		change(&last)
		records[len(records)-1] = &last
		return m.Replay(r.s.Run, r.s.Seed, records)
	}
	old := func(r *machine.Record) {
		r.Cause = &machine.Cause{Said: "it went out of range, as was said then"}
		r.Passed[0].Why, r.Passed[1].Why = "bound is used up", "guard is false"
	}
	if s, err := replay(old); err != nil || s.Halt.Cause.String() != "it went out of range, as was said then" {
		t.Errorf("%+v, %v", s, err)
	}
	for name, change := range map[string]func(*machine.Record){
		"code":   func(r *machine.Record) { r.Cause = &machine.Cause{Code: machine.Overflow, Args: []string{"+"}} },
		"args":   func(r *machine.Record) { c := *r.Cause; c.Args = []string{"n", "4", "int 0..2"}; r.Cause = &c },
		"place":  func(r *machine.Record) { c := *r.Cause; c.Place.Name = "other"; r.Cause = &c },
		"passed": func(r *machine.Record) { r.Passed[0].Why = machine.PassedWhy(machine.GuardFalse) },
		"words":  func(r *machine.Record) { r.Passed[0].Why = "guard is false" },
		"none":   func(r *machine.Record) { r.Cause = nil },
	} {
		var differs *machine.Difference
		if _, err := replay(change); !errors.As(err, &differs) {
			t.Errorf("another %s is replayed: %v", name, err)
		}
	}
}

// TestSharedFaults: the place of one step's fault is not that of another's.
func TestSharedFaults(t *testing.T) {
	m := Build(t, WithFields("n int"), WithState("A", After("1h", GoTo("A", When("n > 1")))), WithTerminal("D", machine.Success))
	for range 2 {
		r := begin(t, m, "")
		r.pass(time.Hour.String())
		r.halted(`in arm "` + m.Definition().Arms[0].Name + `": field "n" is not set`)
	}
}
