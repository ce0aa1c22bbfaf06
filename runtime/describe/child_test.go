package describe

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// TestPausedChild: who has paused a child, and why, is said on one line, also of one further below.
func TestPausedChild(t *testing.T) {
	c := machine.ChildView{Run: "p/A.a.1.1", State: "Open", Status: runtime.Running, Paused: true, Actor: "ada", Reason: "the index\nis rebuilt"}
	want := "p/A.a.1.1, in Open, paused by ada: the index; is rebuilt"
	if got := childPhrase(&c); got != want && got != strings.ReplaceAll(want, ";", "") {
		t.Errorf("%q, want %q", got, want)
	}
	c.Actor, c.Reason = "", ""
	above := machine.ChildView{Run: "p", State: "A", Status: runtime.Running, Below: &c}
	if got, want := childPhrase(&above), "p, in A, waiting for p/A.a.1.1, in Open, paused"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestAllowedOverBudget: a retry that may pass a budget says so.
func TestAllowedOverBudget(t *testing.T) {
	s := runtime.StepView{Kind: machine.RetryInput, AllowOverBudget: true, Actor: "ada"}
	if got := strings.Join(Notes(&s), "; "); got != "the run may pass the budget that has halted it; sent by ada" {
		t.Error(got)
	}
}
