package temporal

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Row is what the list says of a run.
type Row struct {
	Run     string    `json:"run"`
	Status  string    `json:"status"` // of the workflow: running, completed, failed, canceled or terminated
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended,omitzero"`

	Machine string `json:"machine,omitempty"` // of a run that is searchable, and so are State and Outcome
	State   string `json:"state,omitempty"`
	Outcome string `json:"outcome,omitempty"`
}

// List gives the newest runs of the namespace, most of them at most. Temporal's list is behind by a moment.
func (c *Client) List(ctx context.Context, most int) ([]Row, error) {
	rows := []Row{}
	err := c.each(ctx, "", func(row *Row) bool {
		rows = append(rows, *row)
		return len(rows) < most
	})
	return rows, err
}

// each tells the runs of the namespace, those that a condition chooses if it is not empty, newest first, until f has
// enough of them.
func (c *Client) each(ctx context.Context, condition string, f func(*Row) bool) error {
	listed := map[string]bool{}
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: fmt.Sprintf("WorkflowType = '%s'%s", WorkflowType, condition)}
	for {
		page, err := c.Temporal.ListWorkflow(ctx, request)
		if err != nil {
			return c.explain(ctx, "", err)
		}
		for _, e := range page.Executions {
			if e.Status == enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW || listed[e.Execution.WorkflowId] {
				continue // of a run that was retried after its end the newest execution says how it stands
			}
			listed[e.Execution.WorkflowId] = true
			row := Row{Run: e.Execution.WorkflowId, Status: strings.ToLower(e.Status.String()), Started: e.StartTime.AsTime()}
			fields := e.GetSearchAttributes().GetIndexedFields()
			row.Machine, row.State = keyword(fields, attributeMachine.GetName()), keyword(fields, attributeState.GetName())
			row.Outcome = keyword(fields, attributeOutcome.GetName())
			if e.CloseTime != nil {
				row.Ended = e.CloseTime.AsTime()
			}
			if !f(&row) {
				return nil
			}
		}
		if request.NextPageToken = page.NextPageToken; len(request.NextPageToken) == 0 {
			return nil
		}
	}
}

// unfinished is the condition of the runs on the task queue that have not ended.
func (c *Client) unfinished() string {
	return fmt.Sprintf(" AND TaskQueue = '%s' AND ExecutionStatus = 'Running'", c.TaskQueue)
}

// Count is how many runs are in a state. Of runs that are not searchable the status of the workflow alone is known.
type Count struct {
	Machine string `json:"machine,omitempty"`
	State   string `json:"state,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Status  string `json:"status"`
	Runs    int    `json:"runs"`
}

// Stats counts the runs of the namespace, those of a machine if it is not empty. It reads Temporal's whole list.
func (c *Client) Stats(ctx context.Context, name string) ([]Count, error) {
	counts, index := []Count{}, map[Count]int{}
	err := c.each(ctx, "", func(row *Row) bool {
		of := Count{Machine: row.Machine, State: row.State, Outcome: row.Outcome, Status: row.Status}
		if name != "" && of.Machine != name {
			return true
		}
		i, ok := index[of]
		if !ok {
			i, index[of] = len(counts), len(counts)
			counts = append(counts, of)
		}
		counts[i].Runs++
		return true
	})
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.State, b.State), cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Status, b.Status))
	})
	return counts, err
}

// Health is who works for the runs of a task queue, and which of them need someone.
type Health struct {
	Queue   string   `json:"queue"`
	Running int      `json:"running"` // runs that have not ended
	Workers []string `json:"workers"` // those that have asked for work in the last minutes
	Halted  []string `json:"halted"`  // runs that are halted, of those that are searchable
	Stuck   []Stuck  `json:"stuck"`   // runs whose next step fails on each worker, at least five times; a hundred at most
}

// Stuck is a run whose next step no worker can take.
type Stuck struct {
	Run string `json:"run"`
	Why string `json:"why"`
}

// Health looks at the task queue of the client. Of runs it goes by Temporal's list, which is behind by a moment.
func (c *Client) Health(ctx context.Context) (Health, error) {
	h := Health{Queue: c.TaskQueue, Workers: []string{}, Halted: []string{}, Stuck: []Stuck{}}
	about, err := c.Temporal.DescribeTaskQueue(ctx, c.TaskQueue, enums.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return h, c.explain(ctx, "", err)
	}
	for _, p := range about.Pollers {
		h.Workers = append(h.Workers, p.Identity)
	}
	condition := c.unfinished()
	running, err := c.Temporal.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: fmt.Sprintf("WorkflowType = '%s'%s", WorkflowType, condition)})
	if err != nil {
		return h, c.explain(ctx, "", err)
	}
	h.Running = int(running.Count)
	// Servers before 1.30 do not have the attribute, and cannot say it.
	_ = c.each(ctx, condition+" AND TemporalReportedProblems IS NOT NULL", func(row *Row) bool {
		if why := c.stuck(ctx, row.Run); why != "" { // else a worker can meanwhile
			h.Stuck = append(h.Stuck, Stuck{row.Run, why})
		}
		return len(h.Stuck) < 100
	})
	if c.attributes(ctx) != nil {
		return h, nil
	}
	err = c.each(ctx, condition+fmt.Sprintf(" AND %s = '%s'", attributeStatus.GetName(), machine.Halted), func(row *Row) bool {
		h.Halted = append(h.Halted, row.Run)
		return true
	})
	return h, err
}

// keyword is the value of a search attribute; empty where there is none.
func keyword(fields map[string]*common.Payload, name string) (value string) {
	if p := fields[name]; p != nil {
		_ = json.Unmarshal(p.Data, &value) // what is no text says nothing
	}
	return value
}
