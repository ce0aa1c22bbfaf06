package plan

import (
	"testing"

	"github.com/fsmc-dev/fsmc/lang"
)

// TestOnlyCancelIsTakenOnce: what a handler does for several inputs it does once for `cancel` alone.
func TestOnlyCancelIsTakenOnce(t *testing.T) {
	const text = `machine A {
    budget { time 1h }
    activity work()
    initial Idle
    state Idle {
        do work()
        on done, cancel -> Busy
    }
    state Busy {
        on cancel, over_budget(time) -> Over
    }
    terminal Over failure
}
`
	unit := lang.Load([]lang.Source{{Name: "a.fsm", Src: []byte(text)}})
	if unit.Diags.HasErrors() {
		t.Fatal(unit.Diags)
	}
	once := func(arms []*Arm) (n int) {
		for _, a := range arms {
			for _, c := range a.When {
				if c.Unless != "" {
					n++
				}
			}
			for _, do := range a.Actions {
				if do.Kind == Set {
					n++
				}
			}
		}
		return n
	}
	for _, n := range Make(unit.Program.Machines[0], "xstate").Root.Children {
		if n.Kind == Final {
			continue
		}
		cancelled := false
		for _, h := range n.On {
			want := 0
			if h.Event == "cancel" {
				cancelled, want = true, 2
			}
			if got := once(h.Arms); got != want {
				t.Errorf("%s, %s: %d conditions and actions of cancel, want %d", n.Name, h.Event, got, want)
			}
		}
		if !cancelled {
			t.Errorf("%s: nothing takes cancel", n.Name)
		}
		ended := n.Done
		if n.Call != nil {
			ended = append(ended, n.Call.Nothing...)
		}
		if got := once(ended); got != 0 {
			t.Errorf("%s, done: %d conditions and actions of cancel, want none", n.Name, got)
		}
	}
}
