package e2e

import (
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

var patient = compiled(`machine Patient {
	context { n int 0..1000 = 0 }
	event Add
	event Move
	initial Waiting
	state Waiting {
		on Add { n = n + 1 }
		on Move -> Leaving
		after 1h -> Late
	}
	state Leaving {
		after 1s -> Done
	}
	terminal Done success
	terminal Late failure
}
`)

// TestOneTimer: there is one timer for the earliest that is due, which is kept while that stays: an event that leaves it
// adds nothing about timers to Temporal's history.
func TestOneTimer(t *testing.T) {
	c := dial(t, t.Name())
	serve(t, c, patient, runtime.Handlers{}, nil)
	if err := c.Start(t.Context(), patient, "patient", nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Add", "Add", "Add", "Add", "Move"} {
		if _, err := c.Send(t.Context(), "patient", machine.ExternalEvent{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if v := finished(t, c, "patient"); v.State != "Done" {
		t.Errorf("the run ends in %q", v.State)
	}
	seen := map[enums.EventType]int{}
	for all := c.Temporal.GetWorkflowHistory(t.Context(), "patient", "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); all.HasNext(); {
		e, err := all.Next()
		if err != nil {
			t.Fatal(err)
		}
		seen[e.EventType]++
		if a := e.GetTimerStartedEventAttributes(); a != nil && a.StartToFireTimeout.AsDuration() > time.Hour {
			t.Errorf("a timer runs %s", a.StartToFireTimeout.AsDuration())
		}
	}
	if started, cancelled := seen[enums.EVENT_TYPE_TIMER_STARTED], seen[enums.EVENT_TYPE_TIMER_CANCELED]; started != 2 || cancelled != 1 {
		t.Errorf("%d timers have started, and %d were cancelled", started, cancelled)
	}
}
