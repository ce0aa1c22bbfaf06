package temporal

import (
	"context"
	"encoding/json"

	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Temporal keeps the history of a run for the retention of its namespace. A run that is archived gives its records to a
// store of the user's before they go: when it goes on in a new execution, and when it has ended.

const archiveType = "fsmc.Archive"

// Archived is a part of the history of a run. Parts come in order. One may come again, as where its store failed after it
// had kept it: Run and After say which it is.
type Archived struct {
	Run        string            `json:"run"`
	Machine    string            `json:"machine"`
	Definition json.RawMessage   `json:"definition,omitempty"` // by which the records were made
	Named      *Named            `json:"named,omitempty"`      // in place of Definition on the way to an ArchiveFunc, which is given that
	After      int64             `json:"after"`                // the Seq of the record before
	Records    []json.RawMessage `json:"records,omitempty"`    // as Machine.EncodeRecord writes them
	View       *machine.View     `json:"view,omitempty"`       // how the run has ended: of the last part, which has no records
}

// Steps are the records as Client.History gives them.
func (a *Archived) Steps() ([]machine.StepView, error) {
	m, err := compile(a.Definition)
	if err != nil {
		return nil, err
	}
	steps := make([]machine.StepView, len(a.Records))
	for i, encoded := range a.Records {
		record, err := m.DecodeRecord(encoded)
		if err != nil {
			return nil, err
		}
		steps[i] = m.StepView(record)
	}
	return steps, nil
}

// ArchiveFunc keeps a part of a history. If it returns an error, the part is given to it again, after a second, then
// after twice as long each time up to a minute, without a limit.
type ArchiveFunc func(context.Context, *Archived) error

// archive is how far a run is archived.
type archive struct {
	kept  int  // of the records of this execution
	ended bool // the last part is kept, too
}

// archived reports whether nothing of the run is left to archive.
func (r *run) archived() bool {
	return !r.in.Archive || r.archive.kept == len(r.records) && (r.archive.ended || r.snapshot.Status != machine.Finished)
}

// archives gives away the history of a run that is about to leave its execution.
func (r *run) archives(ctx workflow.Context) {
	for times := int64(0); ; {
		if workflow.Await(ctx, func() bool { return !r.archived() && (r.over(ctx) || r.leaves(ctx)) }) != nil {
			return
		}
		part := r.part()
		options := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: lease, RetryPolicy: once})
		if workflow.ExecuteActivity(options, archiveType, part).Get(ctx, nil) != nil {
			times++
			if workflow.Sleep(ctx, machine.RedeliverAfter(r.snapshot.Run, times)) != nil {
				return
			}
			continue
		}
		times = 0
		r.archive.kept += len(part.Records)
		r.archive.ended = part.View != nil
		r.changed = true
	}
}

// part is the next one: records of one definition, as many as one payload takes, or the last.
func (r *run) part() Archived {
	after := r.base + int64(r.archive.kept)
	by, until := r.machine, len(r.records)
	for i, v := range r.versions {
		if v.from <= after+1 {
			by, until = v.machine, len(r.records)
			if i+1 < len(r.versions) {
				until = int(r.versions[i+1].from - 1 - r.base)
			}
		}
	}
	d := by.Definition()
	part := Archived{Run: r.snapshot.Run, Machine: d.Name, Definition: d.Encode(), After: after}
	if len(part.Definition) > maxDefinitions {
		part.Definition, part.Named = nil, &Named{d.Name, by.Hash()}
	}
	if r.archive.kept == len(r.records) {
		v := r.machine.View(r.snapshot)
		part.View = &v
		return part
	}
	part.Records = bounded(r.records[r.archive.kept:until])
	return part
}

// bounded are the first records, as many as one payload takes; the first in any case.
func bounded(records []json.RawMessage) []json.RawMessage {
	size := 0
	for i, record := range records {
		if size += len(record); size > maxPart && i > 0 {
			return records[:i]
		}
	}
	return records
}
