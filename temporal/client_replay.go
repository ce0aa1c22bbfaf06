package temporal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Replayed is what Replay has compared.
type Replayed struct {
	Run        string `json:"run"`
	Executions int    `json:"executions"`
	Steps      int    `json:"steps"`
}

// ErrDiffers says that a run would not do again what it has done.
var ErrDiffers = errors.New("the replay differs")

// Replay downloads the history of each execution of a run and replays it with this program: it has to ask Temporal for the
// same, and to make the same records as the worker has of the run. The error is an ErrDiffers where it does not. It writes nothing.
func (c *Client) Replay(ctx context.Context, run string) (of Replayed, err error) {
	of.Run = run
	executions, err := c.chain(ctx, run, 0)
	if err != nil {
		return of, err
	}
	for i := len(executions) - 1; i >= 0; i-- {
		e := &executions[i]
		steps, err := c.replay(ctx, run, e)
		if err != nil {
			return of, err
		}
		of.Executions++
		of.Steps += steps
	}
	return of, nil
}

func (c *Client) replay(ctx context.Context, id string, e *execution) (steps int, err error) {
	h := &history.History{}
	for events := c.Temporal.GetWorkflowHistory(ctx, id, e.id, false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		event, err := events.Next()
		if err != nil {
			return 0, c.explain(ctx, id, err)
		}
		h.Events = append(h.Events, event)
	}
	has, err := c.libraryFor(ctx, id, e.id, h)
	if err != nil {
		return 0, err
	}
	var r *run
	replayer := worker.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(func(ctx workflow.Context, in Input) (Output, error) {
		return runWorkflow(ctx, in, has, func(of *run) { r = of })
	}, workflow.RegisterOptions{Name: WorkflowType})
	err = replayer.ReplayWorkflowHistoryWithOptions(log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))), h,
		worker.ReplayWorkflowHistoryOptions{OriginalExecution: workflow.Execution{ID: id, RunID: e.id}})
	switch {
	case err != nil:
		return 0, fmt.Errorf("%w: run %q: %w", ErrDiffers, id, err)
	case r == nil:
		return 0, nil // it has not begun
	}
	for done := 0; done < len(r.records); {
		var part []json.RawMessage
		if err := c.query(ctx, id, e.id, &part, QueryHistory, r.base+int64(done), len(r.records)-done); err != nil {
			return done, err
		}
		for i := range part {
			if !bytes.Equal(part[i], r.records[done+i]) {
				return done, fmt.Errorf("%w: run %q: record %d is %s, and was %s", ErrDiffers, id, r.base+int64(done+i+1), r.records[done+i], part[i])
			}
		}
		if done += len(part); len(part) == 0 {
			return done, fmt.Errorf("%w: run %q: the worker has %d records, and the replay makes %d", ErrDiffers, id, done, len(r.records))
		}
	}
	return len(r.records), nil
}

// libraryFor are the definitions that a history names, which the worker has.
func (c *Client) libraryFor(ctx context.Context, run, execution string, h *history.History) (library, error) {
	has := library{}
	for _, e := range h.Events {
		var of struct {
			Named *Named `json:"named"` // of an Input and a Migrate
		}
		payloads := e.GetWorkflowExecutionStartedEventAttributes().GetInput()
		if update := e.GetWorkflowExecutionUpdateAcceptedEventAttributes().GetAcceptedRequest().GetInput(); update.GetName() == UpdateMigrate {
			payloads = update.GetArgs()
		}
		if payloads == nil {
			continue
		}
		if err := converter.GetDefaultDataConverter().FromPayloads(payloads, &of); err != nil { // as the replay reads them
			return nil, err
		}
		for of.Named != nil {
			_, err := has.find(*of.Named)
			lacks, ok := errors.AsType[*errLacks](err)
			if !ok {
				break
			}
			m, err := c.machineOf(ctx, run, execution, lacks.Hash)
			if err != nil {
				return nil, err
			}
			has[lacks.Hash] = m.Definition()
		}
	}
	return has, nil
}
