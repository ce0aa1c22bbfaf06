package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"sync"
	"testing"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// events are how many TestContinues sends; the long form, of which docs/temporal-server.md tells, sends 10,000.
var events = flag.Int("events", 2400, "how many events are sent to a run that goes on in new executions")

// TestContinues has eight senders send to one run until its history is too long for one execution: it goes on
// in a new one, and no event is lost or taken twice.
func TestContinues(t *testing.T) {
	const senders = 8
	each := *events / senders
	c := dial(t, t.Name())
	serve(t, c, counter, runtime.Handlers{}, nil)
	if err := c.Start(t.Context(), counter, "long", nil); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			for n := range each {
				e := machine.ExternalEvent{Name: "Add", Data: json.RawMessage(`{"n":1}`), ID: fmt.Sprintf("%d-%d", i, n)}
				if _, err := c.Send(t.Context(), "long", e); err != nil {
					t.Errorf("event %s: %v", e.ID, err)
					return
				}
			}
		})
	}
	all.Wait()
	v, err := c.Show(t.Context(), "long")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`{"n":%d}`, senders*each); string(v.Data) != want {
		t.Errorf("the run has %s, want %s", v.Data, want)
	}
	steps, err := c.History(t.Context(), "long", 0, 1+senders*each)
	if err != nil {
		t.Fatal(err)
	}
	for i := range steps {
		if steps[i].Seq != int64(i+1) {
			t.Fatalf("step %d stands at %d", steps[i].Seq, i+1)
		}
	}
	if len(steps) != 1+senders*each {
		t.Errorf("the history has %d steps, want %d", len(steps), 1+senders*each)
	}
	if some, err := c.History(t.Context(), "long", 2, 3); err != nil || len(some) != 3 || some[0].Seq != 3 {
		t.Errorf("three steps after the second: %d, %v", len(some), err)
	}
	first, err := c.Temporal.GetWorkflowHistory(t.Context(), "long", "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	if err != nil {
		t.Fatal(err)
	}
	if executions, err := c.Temporal.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowId = 'long'"}); err == nil {
		t.Logf("%d steps in %d executions", len(steps), len(executions.Executions))
	}
	if first.GetWorkflowExecutionStartedEventAttributes().GetContinuedExecutionRunId() == "" {
		t.Error("it still goes on in its first execution: nothing was tried")
	}
	if _, err := c.Send(t.Context(), "long", machine.ExternalEvent{Name: "Add", Data: json.RawMessage(`{"n":1}`), ID: fmt.Sprint("0-", each/2)}); err != nil {
		t.Error(err)
	}
	if v, err = c.Show(t.Context(), "long"); err != nil || string(v.Data) != fmt.Sprintf(`{"n":%d}`, senders*each) {
		t.Errorf("an event that was taken in an earlier execution is taken again: %s, %v", v.Data, err)
	}
	if _, err := c.Cancel(t.Context(), "long", runtime.CancelOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Send(t.Context(), "long", machine.ExternalEvent{Name: "Add", Data: json.RawMessage(`{"n":1}`), ID: fmt.Sprint("0-", each/2)}); err != nil { // of 10,000 the oldest may be forgotten
		t.Errorf("an event that was taken is refused once the run has ended: %v", err)
	}
}
