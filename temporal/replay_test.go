package temporal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/log"
	sdk "go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/temporal"
)

// histories are those of runs on a server, in a folder for each version of the interpreter. TestRecord of
// temporal/e2e writes them with -record. Those of an older version stay as long as such runs may go on.
// Two of version 1, plain and cancelled, were written before that knew of children.
func histories(t *testing.T) map[string]*historypb.History {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "histories", "*", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*historypb.History{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		h := &historypb.History{}
		if err := (temporalproto.CustomJSONUnmarshalOptions{}).Unmarshal(text, h); err != nil {
			t.Fatal(file, err)
		}
		all[file] = h
	}
	if len(all) == 0 {
		t.Fatal("there are no histories")
	}
	return all
}

// replay gives the snapshot with which the run ends when its history is replayed. The error says what of it the
// interpreter would do otherwise.
func replay(h *historypb.History) (snapshot json.RawMessage, err error) {
	ended := false
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(func(ctx workflow.Context, in temporal.Input) (temporal.Output, error) {
		out, err := temporal.RunWorkflow(ctx, in)
		ended, snapshot = true, snapshotOf(out, err)
		return out, err
	}, workflow.RegisterOptions{Name: temporal.WorkflowType})
	replayer.RegisterWorkflowWithOptions(temporal.LimitWorkflow, workflow.RegisterOptions{Name: temporal.LimitType})
	run := h.Events[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowId()
	err = replayer.ReplayWorkflowHistoryWithOptions(log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))), h,
		worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: run}})
	if err == nil && !ended && !ofLimiter(h) {
		err = errors.New("it does not end")
	}
	return snapshot, err
}

// ofLimiter reports whether it is the history of who keeps a limit. Such a one goes on when it is recorded.
func ofLimiter(h *historypb.History) bool {
	return h.Events[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName() == temporal.LimitType
}

// snapshotOf is the snapshot with which a workflow returns.
func snapshotOf(out temporal.Output, err error) json.RawMessage {
	var failure *sdk.ApplicationError
	var cancelled *sdk.CanceledError
	switch {
	case errors.As(err, &failure):
		err = failure.Details(&out)
	case errors.As(err, &cancelled):
		err = cancelled.Details(&out)
	}
	if err != nil {
		return json.RawMessage(err.Error())
	}
	return out.Snapshot
}

// kept is the snapshot with which the run has ended.
func kept(h *historypb.History) json.RawMessage {
	if ofLimiter(h) {
		return nil
	}
	var payloads *commonpb.Payloads
	switch last := h.Events[len(h.Events)-1]; last.EventType {
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
		payloads = last.GetWorkflowExecutionCompletedEventAttributes().GetResult()
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED:
		payloads = last.GetWorkflowExecutionFailedEventAttributes().GetFailure().GetApplicationFailureInfo().GetDetails()
	case enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED:
		payloads = last.GetWorkflowExecutionCanceledEventAttributes().GetDetails()
	}
	var out temporal.Output
	if len(payloads.GetPayloads()) != 1 || json.Unmarshal(payloads.Payloads[0].Data, &out) != nil {
		return json.RawMessage("the history has no end with a snapshot")
	}
	return out.Snapshot
}

// TestReplay: runs that began with an earlier interpreter go on with this one. Where it fails, a change of the
// interpreter or of the step would break runs that are under way: it raises the version of that, and keeps the
// old way for them.
func TestReplay(t *testing.T) {
	seen := map[enums.EventType]bool{}
	for file, h := range histories(t) {
		snapshot, err := replay(h)
		if want := kept(h); err != nil || !bytes.Equal(snapshot, want) {
			t.Errorf("%s: %v\nit ends with %s\nand ended with  %s", file, err, snapshot, want)
		}
		for _, e := range h.Events {
			seen[e.EventType] = true
		}
	}
	for _, kind := range []enums.EventType{
		enums.EVENT_TYPE_ACTIVITY_TASK_COMPLETED, enums.EVENT_TYPE_MARKER_RECORDED, enums.EVENT_TYPE_TIMER_FIRED, enums.EVENT_TYPE_TIMER_CANCELED,
		enums.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
		enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED, enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED, enums.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TERMINATED,
		enums.EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED, enums.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
		enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
	} {
		if !seen[kind] {
			t.Errorf("no history has an event %s: record them again", kind)
		}
	}
}

// TestReplayBites: what an interpreter that does otherwise would make of a history is noticed.
func TestReplayBites(t *testing.T) {
	for what, change := range map[string]func(*historypb.HistoryEvent) bool{
		"another activity": func(e *historypb.HistoryEvent) bool {
			a := e.GetActivityTaskScheduledEventAttributes()
			if a != nil {
				a.ActivityType.Name += "!"
			}
			return a != nil
		},
		"another child": func(e *historypb.HistoryEvent) bool {
			a := e.GetStartChildWorkflowExecutionInitiatedEventAttributes()
			if a != nil {
				a.WorkflowId += "!"
			}
			return a != nil
		},
		"another signal": func(e *historypb.HistoryEvent) bool {
			a := e.GetSignalExternalWorkflowExecutionInitiatedEventAttributes()
			if a != nil {
				a.SignalName += "!"
			}
			return a != nil
		},
		"another result": func(e *historypb.HistoryEvent) bool { // the step gives another snapshot
			a := e.GetActivityTaskCompletedEventAttributes()
			if a == nil || len(a.GetResult().GetPayloads()) != 1 || !bytes.Contains(a.Result.Payloads[0].Data, []byte(`{"n":3}`)) {
				return false
			}
			a.Result.Payloads[0].Data = bytes.Replace(a.Result.Payloads[0].Data, []byte(`{"n":3}`), []byte(`{"n":4}`), 1)
			return true
		},
	} {
		tried := 0
		for file, h := range histories(t) {
			changed := false
			for _, e := range h.Events {
				changed = changed || change(e)
			}
			if !changed {
				continue
			}
			tried++
			if snapshot, err := replay(h); err == nil && bytes.Equal(snapshot, kept(h)) {
				t.Errorf("%s: %s is not noticed", file, what)
			}
		}
		if tried == 0 {
			t.Errorf("no history has %s", what)
		}
	}
}

// TestReplayVersions: each history is of the version that its folder says, and the current one has some.
func TestReplayVersions(t *testing.T) {
	for file, h := range histories(t) {
		want := filepath.Base(filepath.Dir(file))
		found := ""
		for _, e := range h.Events {
			m := e.GetMarkerRecordedEventAttributes()
			if m.GetMarkerName() == "Version" && strings.Contains(string(m.Details["change-id"].Payloads[0].Data), "interpreter") {
				found = string(m.Details["version"].Payloads[0].Data)
			}
		}
		if found != want {
			t.Errorf("%s is of version %q of the interpreter", file, found)
		}
	}
	if _, err := os.Stat(filepath.Join("testdata", "histories", temporal.Interpreter())); err != nil {
		t.Errorf("the current version has no histories: %v", err)
	}
}
