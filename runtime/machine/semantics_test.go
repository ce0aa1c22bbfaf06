package machine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// versioned is a machine whose new runs have steps of a version.
func versioned(t *testing.T, version int) (*machine.Machine, error) {
	return machine.Compile(Define(WithEvent("Go", ""), WithState("A", On("Go", GoTo("End"))), WithTerminal("End", machine.Success)),
		machine.WithSemantics(version))
}

// TestSemantics: a run keeps the version of its steps, through storage, replay and a migration, and a
// machine that starts newer runs goes on with it.
func TestSemantics(t *testing.T) {
	old, err := versioned(t, 1)
	must(t, err)
	if _, err := versioned(t, 2); err == nil {
		t.Error("there is no version 2")
	}
	defer machine.SetNewest(2)()
	m, err := versioned(t, 2)
	if err != nil || m.Hash() != old.Hash() {
		t.Fatalf("%v: a definition is another one", err)
	}
	for _, test := range []struct {
		starts *machine.Machine
		want   int
	}{{old, 0}, {m, 2}} {
		in, err := test.starts.StartInput(nil, epoch, machine.MaxPayload)
		must(t, err)
		r := &drive{t: t, m: test.starts, s: test.starts.NewSnapshot("r", 7), now: epoch}
		r.must(in)
		r.m = m // the program is a newer one by now
		r.check()
		if moved, err := m.Migrated(old, r.s, &machine.Mapping{}, epoch, nil); err != nil || moved.Semantics != test.want {
			t.Errorf("after a migration it has steps of version %d: %v", moved.Semantics, err)
		}
		r.send("Go")
		text := string(m.EncodeSnapshot(r.s))
		if r.s.Semantics != test.want || strings.Contains(text, `"semantics":2`) != (test.want == 2) {
			t.Errorf("the run has steps of version %d: %s", r.s.Semantics, text)
		}
		machine.SetNewest(1)
		_, ofRun := m.DecodeSnapshot([]byte(text))
		_, ofStart := m.DecodeRecord(m.EncodeRecord(r.records[0]))
		for _, err := range []error{ofRun, ofStart} {
			if test.want == 0 && err != nil || test.want == 2 && (!errors.Is(err, machine.ErrNewer) || strings.Contains(err.Error(), "damaged")) {
				t.Errorf("an older program reads the run: %v", err)
			}
		}
		machine.SetNewest(2)
		for _, version := range []string{"1", "0", "-1", "3"} {
			if _, err := m.DecodeSnapshot([]byte(strings.Replace(text, `{"run":"r",`, `{"run":"r","semantics":`+version+`,`, 1))); err == nil {
				t.Errorf("a run with steps of version %s is read", version)
			}
		}
	}
}
