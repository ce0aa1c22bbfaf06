package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/codegen/table/tabletest"
	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// recorded is where the histories stand that the tests of temporal replay; for a new version of the interpreter
// in a folder of their own.
var recorded = flag.String("record", "", "the folder into which the histories of TestRecord are written; empty writes nothing")

// tour is a tree of machines that asks Temporal for all that the interpreter asks it for.
const tour = `machine Tour(item string, parts [0..4]int) {
	failures { busy }
	budget { usd 5.00 }
	context { n int 0..100 = 0 }
	event Go
	event Leave
	event Fixed { n int 0..9 }
	event Toured { item string, n int 0..100 }
	guard ready(item string)
	activity fix(item string) -> Fixed fails busy cost usd 0.10
	initial Waiting
	on over_budget -> Failed
	on failed -> Failed
	state Waiting {
		on Go when ready(item) -> Fixing
		on Leave -> Failed
	}
	state Fixing {
		do fix(item) timeout 1m
		on Fixed -> Parting { n = event.n }
		on failed(busy) retry 3 backoff 100ms jitter 0 else -> Failed
		on failed -> Failed
	}
	state Parting {
		do machine Part(part) for part in parts limit 2 as part timeout 1h
		on part.Whole { n = min(n + event.n, 100) }
		on part.Broken, part.failed -> Failed
		on done -> Holding
	}
	state Holding {
		do machine Part(9) as last
		on last.Whole, last.Broken, last.failed -> Failed
		on Leave -> Resting
		on cancel -> Stopped
	}
	state Resting {
		after 1s -> Done
	}
	terminal Done success returns n {
		publish Toured { item = item, n = n }
	}
	terminal Failed failure
	terminal Stopped cancelled
}

machine Part(item int) {
	context { n int 0..20 = 0 }
	event Worked { n int 0..20 }
	event Add
	activity work(item int) -> Worked cost usd 0.20
	initial Working
	on failed -> Broken
	on cancel -> Broken
	state Working {
		do work(item)
		on Worked when event.n < 9 -> Whole { n = event.n }
			else -> Holding
	}
	state Holding {
		on Add -> Whole
		after 1h -> Broken
	}
	terminal Whole success returns n
	terminal Broken failure
}
`

// tourists are the functions of tour, by machine. An activity fails once in each run, and declines once.
func (e *effects) tourists() map[string]runtime.Handlers {
	calls := map[string]int{}
	fix := func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		calls[a.Run]++
		switch calls[a.Run] {
		case 1:
			return runtime.Result{}, runtime.Fail("busy", "not now")
		case 2:
			return runtime.Result{}, runtime.Decline("nor now")
		}
		return runtime.Result{Event: "Fixed", Data: json.RawMessage(`{"n":3}`)}, a.Progress(calls[a.Run])
	}
	work := func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		var args struct{ Item int }
		err := json.Unmarshal(a.Args, &args)
		return runtime.Result{Event: "Worked", Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, args.Item)), Cost: map[string]json.Number{"usd": "0.05"}}, err
	}
	ready := func(context.Context, json.RawMessage) (bool, error) { return true, nil }
	return map[string]runtime.Handlers{
		"Tour": {Activities: map[string]runtime.ActivityFunc{"fix": fix}, Guards: map[string]runtime.GuardFunc{"ready": ready}},
		"Part": {Activities: map[string]runtime.ActivityFunc{"work": work}},
	}
}

// serveTree runs a worker for the machines of tour until the test ends.
func serveTree(t *testing.T, c *temporal.Client, machines []*machine.Machine) {
	t.Helper()
	var e effects
	h := e.tourists()
	w := worker.New(c.Temporal, c.TaskQueue, temporal.Options())
	err := temporal.Register(w, temporal.Worker{Name: "worker", Machine: machines[1], Client: c.Temporal, Outbox: e.deliver,
		Archive:  func(context.Context, *temporal.Archived) error { return nil },
		Handlers: h["Tour"], Callees: []temporal.Callee{{Machine: machines[0], Handlers: h["Part"]}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
}

// until waits for something of how a run stands.
func until(t testing.TB, c *temporal.Client, run, what string, ok func(machine.View) bool) machine.View {
	t.Helper()
	var v machine.View
	var err error
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); { // a limit is asked for again after a minute
		if v, err = c.Show(t.Context(), run); err == nil && ok(v) {
			return v
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("run %q is not %s: %+v, %v", run, what, v, err)
	return v
}

// TestRecord: runs that ask Temporal for all that there is end as they should, and their histories replay.
// With -record they are kept.
func TestRecord(t *testing.T) {
	c, machines := dial(t, t.Name()), tabletest.Machines(t, tour)
	c.Callees = machines[:1]
	serveTree(t, c, machines)
	ctx := t.Context()
	in := func(state string) func(machine.View) bool {
		return func(v machine.View) bool { return v.State == state }
	}
	send := func(run, event string) {
		t.Helper()
		if _, err := c.Send(ctx, run, machine.ExternalEvent{Name: event, ID: run + event}); err != nil {
			t.Fatal(err)
		}
	}
	start := func(run, parts string) {
		t.Helper()
		if err := c.Start(ctx, machines[1], run, json.RawMessage(`{"item":"book","parts":`+parts+`}`)); err != nil {
			t.Fatal(err)
		}
	}
	closed := func(run string) {
		t.Helper()
		err := c.Temporal.GetWorkflow(ctx, run, "").Get(ctx, nil)
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}

	says := func(run, message string) {
		t.Helper()
		steps, err := c.History(ctx, run, 0, 100)
		if err != nil || len(steps) == 0 || steps[len(steps)-1].To != "Failed" || !strings.Contains(steps[len(steps)-1].Message, message) {
			t.Errorf("run %q ends with %+v, %v", run, steps, err)
		}
	}

	// Children side by side, one that is left, a pause and a resume that reach it.
	start("tree", "[1,2]")
	send("tree", "Go")
	const last = "tree/Holding.last.4.1"
	until(t, c, "tree", "with its last child", func(v machine.View) bool {
		return v.State == "Holding" && len(v.Activities) == 1 && v.Activities[0].Child != nil && v.Activities[0].Child.State == "Holding"
	})
	if _, err := c.Pause(ctx, "tree", machine.Operator{Actor: "op"}); err != nil {
		t.Fatal(err)
	}
	until(t, c, last, "paused", func(v machine.View) bool { return v.Paused })
	if _, err := c.Resume(ctx, "tree", machine.Operator{Actor: "op"}); err != nil {
		t.Fatal(err)
	}
	until(t, c, last, "resumed", func(v machine.View) bool { return !v.Paused })
	send("tree", "Leave")
	closed("tree")
	if v := finished(t, c, "tree"); v.State != "Done" || string(v.Data) != `{"n":6}` {
		t.Errorf("the tree ends in %s with %s", v.State, v.Data)
	}
	if v := finished(t, c, last); v.State != "Broken" {
		t.Errorf("the child that is left ends in %s", v.State)
	}

	// A cancel that waits for a child.
	start("stopped", "[]")
	send("stopped", "Go")
	until(t, c, "stopped", "with its child", in("Holding"))
	if _, err := c.Cancel(ctx, "stopped", runtime.CancelOptions{Actor: "op"}); err != nil {
		t.Error(err)
	}
	closed("stopped")

	// A run that fails, with search attributes, and is archived.
	_, err := c.Temporal.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: server().GetDefaultNamespace(), SearchAttributes: temporal.Attributes()})
	if err != nil && !strings.Contains(err.Error(), "already exist") {
		t.Error(err)
	}
	c.Searchable, c.Archive = true, true
	for range 600 { // the server learns of them a moment later
		if err = c.Start(ctx, machines[1], "failed", json.RawMessage(`{"item":"book","parts":[]}`)); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil {
		t.Fatal(err)
	}
	send("failed", "Leave")
	closed("failed")
	c.Searchable, c.Archive = false, false

	// A child whose workflow is terminated; and one that Temporal cancels.
	start("terminated", "[]")
	send("terminated", "Go")
	until(t, c, "terminated", "with its child", in("Holding"))
	until(t, c, "terminated/Holding.last.4.1", "waiting", in("Holding"))
	if err := c.Temporal.TerminateWorkflow(ctx, "terminated/Holding.last.4.1", "", "a test"); err != nil {
		t.Error(err)
	}
	closed("terminated")
	says("terminated", "has ended without a result")

	// A child whose id is taken.
	_, err = c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "taken/Holding.last.4.1", TaskQueue: c.TaskQueue}, temporal.WorkflowType,
		temporal.Input{Definition: machines[0].Definition().Encode(), Params: json.RawMessage(`{"item":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	start("taken", "[]")
	send("taken", "Go")
	closed("taken")
	says("taken", `there is a run "taken/Holding.last.4.1" already`)

	// A parent that is terminated: its child is cancelled, and cleans up as the machine says.
	start("orphan", "[]")
	send("orphan", "Go")
	until(t, c, "orphan", "with its child", in("Holding"))
	until(t, c, "orphan/Holding.last.4.1", "waiting", in("Holding"))
	if err := c.Temporal.TerminateWorkflow(ctx, "orphan", "", "a test"); err != nil {
		t.Error(err)
	}
	if _, err := c.Send(ctx, "orphan", machine.ExternalEvent{Name: "Leave"}); err == nil || !strings.Contains(err.Error(), "its workflow was terminated") {
		t.Errorf("an event for a run that was terminated gives %v", err)
	}
	if v := finished(t, c, "orphan/Holding.last.4.1"); v.State != "Broken" {
		t.Errorf("the child of a parent that is terminated ends in %s", v.State)
	}

	// An execution that goes on where one before it was.
	m := machines[0]
	s, commands := m.NewSnapshot("continued", machine.SeedOf("continued")), []machine.Command(nil)
	begun, err := m.StartInput(json.RawMessage(`{"item":1}`), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), machine.MaxPayload)
	if err == nil {
		s, commands, _, err = m.Advance(s, begun, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), nil)
	}
	if err != nil || len(commands) == 0 {
		t.Fatal(err)
	}
	_, err = c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "continued", TaskQueue: c.TaskQueue}, temporal.WorkflowType,
		temporal.Input{Definition: m.Definition().Encode(), Continued: &temporal.Continued{Snapshot: m.EncodeSnapshot(s), Previous: "before"}})
	if err != nil {
		t.Fatal(err)
	}
	closed("continued")

	for _, run := range []string{"tree", "tree/Parting.part.3.1[0]", last, "stopped", "stopped/Holding.last.4.1", "failed", "terminated", "taken", "continued"} {
		replayed(t, c, run)
	}
}

// replayed replays the history of a run, and keeps it with -record.
func replayed(t *testing.T, c *temporal.Client, run string) {
	t.Helper()
	var all historypb.History
	for events := c.Temporal.GetWorkflowHistory(t.Context(), run, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		event, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		all.Events = append(all.Events, event)
	}
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(temporal.RunWorkflow, workflow.RegisterOptions{Name: temporal.WorkflowType})
	replayer.RegisterWorkflowWithOptions(temporal.LimitWorkflow, workflow.RegisterOptions{Name: temporal.LimitType})
	err := replayer.ReplayWorkflowHistoryWithOptions(quiet{}, &all, worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: run}})
	if err != nil {
		t.Errorf("the history of run %q does not replay: %v", run, err)
	}
	if *recorded == "" {
		return
	}
	encoded, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(&all)
	if err == nil {
		name := strings.NewReplacer("/", "-", "[", "-", "]", "").Replace(run) + ".json"
		err = errors.Join(os.MkdirAll(*recorded, 0o755), os.WriteFile(filepath.Join(*recorded, name), append(encoded, '\n'), 0o644))
	}
	if err != nil {
		t.Error(err)
	}
}
