package machine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// TestExpected: what is refused of an input before a step sees it, in the words that senders know.
func TestExpected(t *testing.T) {
	m := Build(t, WithEvent("Go", ""), WithState("A", On("Go", GoTo("End"))), WithTerminal("End", machine.Success))
	r := begin(t, m, `{}`)
	in := r.event("Go", "")
	for name, test := range map[string]struct {
		change func(*machine.Input)
		ifSeq  int64
		want   string // empty: it is taken
		is     error
	}{
		"any":     {},
		"same":    {ifSeq: 1},
		"another": {ifSeq: 2, want: `event "Go" is refused in state "A": the run has taken 1 step, not 2; allowed there: Go`, is: machine.ErrConflict},
		"actor":   {change: func(in *machine.Input) { in.Actor = "\xff" }, want: "its actor is not valid UTF-8"},
		"reason":  {change: func(in *machine.Input) { in.Reason = strings.Repeat("x", machine.MaxNote+1) }, want: "its reason has 4097 bytes, more than the 4096 that are allowed"},
	} {
		in := in
		if test.change != nil {
			test.change(&in)
		}
		err := m.Expected(r.s, &in, test.ifSeq)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || !errors.Is(err, test.is) && test.is != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestStepInfo: an observer is told where a run went, and by what.
func TestStepInfo(t *testing.T) {
	m := Build(t, WithEvent("Go", ""), WithState("A", On("Go", GoTo("End"))), WithTerminal("End", machine.Success))
	r := begin(t, m, `{}`)
	in := r.event("Go", "")
	in.Actor, in.Reason = "ada", "it is time"
	r.must(in)
	started, went := m.StepInfo(r.s, r.records[0]), m.StepInfo(r.s, r.records[1])
	if started.From != "" || started.To != "A" || started.Input != "start" || started.Seq != 1 {
		t.Errorf("%+v", started)
	}
	if went.From != "A" || went.To != "End" || went.Input != "Go" || went.Arm != "A#0" || went.Actor != "ada" || went.Reason != "it is time" ||
		went.Effect != machine.Moved || went.Event != "Go" || went.Visit != 2 || went.Started != r.s.Started || went.Machine != "M" || went.Run != "r" {
		t.Errorf("%+v", went)
	}
}
