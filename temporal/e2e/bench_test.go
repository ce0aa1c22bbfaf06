package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

var counter = compiled(`machine Counter {
	context { n int = 0 }
	event Add { n int }
	event Stop
	initial Counting
	state Counting {
		on Add -> Counting { n = n + event.n }
		on Stop -> Done
	}
	terminal Done success
}
`)

// byHand is what one would write without fsmc: the same update, with the same kind of answer.
func byHand(ctx workflow.Context) error {
	v := machine.View{State: "Counting", Status: machine.Running}
	if err := workflow.SetUpdateHandler(ctx, "send", func(_ workflow.Context, e machine.ExternalEvent) (machine.View, error) {
		var data struct{ N int64 }
		err := json.Unmarshal(e.Data, &data)
		v.Seq += data.N
		return v, err
	}); err != nil {
		return err
	}
	return workflow.Await(ctx, func() bool { return v.Status == machine.Finished })
}

// BenchmarkUpdates measures in turns a run and a workflow by hand: updates a second of one sender, the ratio, and how many
// events of Temporal's history a step takes more.
func BenchmarkUpdates(b *testing.B) {
	c := dial(b, b.Name())
	counting, hand := fmt.Sprint("counter-", time.Now().UnixNano()), fmt.Sprint("by-hand-", time.Now().UnixNano())
	w := worker.New(c.Temporal, "by-hand", worker.Options{})
	w.RegisterWorkflow(byHand)
	must(b, w.Start())
	defer w.Stop()
	serve(b, c, counter, runtime.Handlers{}, nil)
	must(b, c.Start(b.Context(), counter, counting, nil))
	if _, err := c.Temporal.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{ID: hand, TaskQueue: "by-hand"}, byHand); err != nil {
		b.Fatal(err)
	}
	send := func(id string) {
		h, err := c.Temporal.UpdateWorkflow(b.Context(), client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: "send",
			Args: []any{machine.ExternalEvent{Name: "Add", Data: json.RawMessage(`{"n":1}`)}}, WaitForStage: client.WorkflowUpdateStageCompleted})
		if err == nil {
			err = h.Get(b.Context(), nil)
		}
		must(b, err)
	}
	send(counting)
	send(hand)
	events := map[string]int{counting: -count(b, c.Temporal, counting), hand: -count(b, c.Temporal, hand)}
	bytes := map[string]int{counting: -size(b, c.Temporal, counting), hand: -size(b, c.Temporal, hand)}
	took := map[string]float64{}
	for b.Loop() {
		for _, id := range []string{counting, hand} {
			before := b.Elapsed()
			send(id)
			took[id] += (b.Elapsed() - before).Seconds()
		}
	}
	for id := range events {
		events[id] += count(b, c.Temporal, id)
		bytes[id] += size(b, c.Temporal, id)
	}
	b.ReportMetric(float64(b.N)/took[counting], "updates/s")
	b.ReportMetric(float64(b.N)/took[hand], "by-hand/s")
	b.ReportMetric(took[hand]/took[counting], "ratio")
	b.ReportMetric(float64(bytes[counting])/float64(b.N), "bytes/step")
	b.ReportMetric(float64(bytes[hand])/float64(b.N), "by-hand-bytes/step")
	b.ReportMetric(float64(events[counting])/float64(b.N), "events/step")
	b.ReportMetric(float64(events[hand])/float64(b.N), "by-hand-events/step")
}

// BenchmarkRun measures a run from its start to its end, with an event, an activity, a timer and a message: events and
// bytes of Temporal's history.
func BenchmarkRun(b *testing.B) {
	var e effects
	c := dial(b, b.Name())
	serve(b, c, order, e.handlers(), e.deliver)
	events, bytes, n := 0, 0, 0
	for b.Loop() {
		n++
		run := fmt.Sprint("run-", time.Now().UnixNano())
		must(b, c.Start(b.Context(), order, run, json.RawMessage(`{"item":"book"}`)))
		if _, err := c.Send(b.Context(), run, machine.ExternalEvent{Name: "Approve", Data: json.RawMessage(`{"by":"ada"}`)}); err != nil {
			b.Fatal(err)
		}
		must(b, c.Temporal.GetWorkflow(b.Context(), run, "").Get(b.Context(), nil))
		events += count(b, c.Temporal, run)
		bytes += size(b, c.Temporal, run)
	}
	b.ReportMetric(float64(events)/float64(n), "events/run")
	b.ReportMetric(float64(bytes)/float64(n), "bytes/run")
}

// size is how many bytes Temporal's history of a workflow has.
func size(b *testing.B, c client.Client, id string) int {
	about, err := c.DescribeWorkflowExecution(b.Context(), id, "")
	must(b, err)
	return int(about.GetWorkflowExecutionInfo().GetHistorySizeBytes())
}

func count(b *testing.B, c client.Client, id string) (n int) {
	for all := c.GetWorkflowHistory(b.Context(), id, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); all.HasNext(); n++ {
		if _, err := all.Next(); err != nil {
			b.Fatal(err)
		}
	}
	return n
}
