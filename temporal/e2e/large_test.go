package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.temporal.io/api/enums/v1"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

var hoarder = compiled(`machine Hoarder {
	context {
		a string = ""
		b string = ""
		c string = ""
	}
	event A { text string }
	event B { text string }
	event C { text string }
	event Work
	event Worked
	event Close
	activity work() -> Worked
	initial Open
	on failed -> Broken
	state Open {
		on A { a = event.text }
		on B { b = event.text }
		on C { c = event.text }
		on Work -> Working
		on Close -> Closed
	}
	state Working {
		do work() timeout 1h
		on A { a = event.text }
		on Worked -> Closed
		on cancel -> Closed
	}
	terminal Closed success
	terminal Broken failure
}
`)

// works works until it is told to stop.
var works = runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(ctx context.Context, _ *runtime.Attempt) (runtime.Result, error) {
	<-ctx.Done()
	return runtime.Result{Event: "Worked"}, nil
}}}

// holding is an event with so many bytes.
func holding(name string, n int) machine.ExternalEvent {
	return machine.ExternalEvent{Name: name, Data: json.RawMessage(`{"text":"` + strings.Repeat("x", n) + `"}`)}
}

// TestLarge: a run that holds as much as it may goes on in new executions, gives its history and ends. What would make it
// larger is refused.
func TestLarge(t *testing.T) {
	ctx := t.Context()
	c := dial(t, t.Name())
	serve(t, c, hoarder, works, nil)
	if err := c.Start(ctx, hoarder, "large", nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B", "A", "B", "A", "B", "A", "B"} {
		if _, err := c.Send(ctx, "large", holding(name, 500_000)); err != nil {
			t.Fatal(err)
		}
	}
	var refused *machine.Rejected
	if _, err := c.Send(ctx, "large", holding("C", 100_000)); !errors.As(err, &refused) || !strings.Contains(err.Error(), "more than 1048576: keep large data elsewhere") {
		t.Errorf("a field too much gives %v", err)
	}
	for i := range 4 { // an id each, whose answers are large
		e := holding("C", 1000+i)
		if e.ID = fmt.Sprint(i); i > 0 {
			e.Data = json.RawMessage(`{"text":""}`)
		}
		if _, err := c.Send(ctx, "large", e); err != nil {
			t.Fatal(err)
		}
	}
	first, err := c.Temporal.GetWorkflowHistory(ctx, "large", "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	if err != nil {
		t.Fatal(err)
	}
	if first.GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId() == "" {
		t.Error("it still goes on in its first execution: nothing was tried")
	}
	if _, err := c.Send(ctx, "large", machine.ExternalEvent{Name: "Close"}); err != nil {
		t.Fatal(err)
	}
	if v := finished(t, c, "large"); v.State != "Closed" {
		t.Errorf("the run ends in %q", v.State)
	}
	if err := c.Temporal.GetWorkflow(ctx, "large", "").Get(ctx, nil); err != nil {
		t.Errorf("the workflow ends with %v", err)
	}
	if steps, err := c.History(ctx, "large", 0, 1000); err != nil || len(steps) != 14 {
		t.Errorf("the history has %d steps, %v", len(steps), err)
	}
}

// TestLargeUnderWay: while an attempt is under way an execution with large answers comes near the bytes that Temporal allows
// it. It takes no more events then, and says why; a cancel is heard.
func TestLargeUnderWay(t *testing.T) {
	ctx := t.Context()
	c := dial(t, t.Name())
	serve(t, c, hoarder, works, nil)
	if err := c.Start(ctx, hoarder, "busy", nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range []machine.ExternalEvent{holding("B", 450_000), holding("C", 450_000), {Name: "Work"}} {
		if _, err := c.Send(ctx, "busy", e); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	sent := 0
	for ; err == nil && sent < 100; sent++ {
		_, err = c.Send(ctx, "busy", holding("A", 10))
	}
	if err == nil || !strings.Contains(err.Error(), "goes on in a new one once no attempt is under way") {
		t.Errorf("event %d gives %v", sent, err)
	}
	if _, err := c.Cancel(ctx, "busy", runtime.CancelOptions{}); err != nil {
		t.Error(err)
	}
	if v := finished(t, c, "busy"); v.State != "Closed" {
		t.Errorf("the run ends in %q", v.State)
	}
}
