package temporal

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// A checkpoint starts `idle` timers again. Temporal keeps the last one of each activity under way, and tells
// nobody. So where such a timer would fire, the run asks for them, in a local activity.

// progressType is that local activity.
const progressType = "fsmc.Progress"

// mark says of a checkpoint which one it is, with each heartbeat. It says how long ago it was made and not when:
// the clocks of hosts differ.
type mark struct {
	Key    string        `json:"key"`
	Number int           `json:"number"` // in its attempt, from 1 on
	Age    time.Duration `json:"age"`
}

// heard is a checkpoint by Temporal's clock.
type heard struct {
	Key      string    `json:"key"`
	Activity string    `json:"activity"` // Temporal's id of it
	Number   int       `json:"number"`
	At       time.Time `json:"at"`
}

// progress is the local activity: the last checkpoints of the attempts under way.
func (w *Worker) progress(ctx context.Context) (all []heard, err error) {
	of := activity.GetInfo(ctx).WorkflowExecution
	about, err := w.Client.DescribeWorkflowExecution(ctx, of.ID, of.RunID)
	if err != nil {
		return nil, err
	}
	convert := w.Converter
	if convert == nil {
		convert = converter.GetDefaultDataConverter()
	}
	for _, p := range about.GetPendingActivities() {
		var last json.RawMessage
		var m mark
		if p.HeartbeatDetails == nil {
			continue
		}
		if err := convert.FromPayloads(p.HeartbeatDetails, &last, &m); err != nil {
			return nil, err
		}
		if m.Number > 0 {
			all = append(all, heard{m.Key, p.ActivityId, m.Number, p.LastHeartbeatTime.AsTime().Add(-m.Age)})
		}
	}
	return all, nil
}

// asks reports whether a timer is due that a checkpoint of an attempt under way may start again.
func (r *run) asks(now time.Time) bool {
	if r.snapshot.State < 0 || r.snapshot.Status != machine.Running || !r.machine.IdleDue(r.snapshot, now) {
		return false
	}
	return len(r.heard) > 0 || r.called()
}

// called reports whether an activity is under way for the run as it stands.
func (r *run) called() bool {
	for _, a := range r.attempts {
		if a.called && r.machine.Callee(a.task.Do) == "" {
			return true
		}
	}
	return false
}

// takeProgress gives the run its last checkpoint, where that starts an `idle` timer again that would fire now,
// or before its time goes on after a pause. Who calls it has the turn.
func (r *run) takeProgress(ctx workflow.Context, resumes bool) error {
	if r.snapshot.State < 0 || r.snapshot.Status != machine.Running || !r.waitsIdle() || !resumes && !r.asks(workflow.Now(ctx)) {
		return nil
	}
	if r.called() {
		local := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: guardLimit}) // until it is answered
		var now []heard
		if err := workflow.ExecuteLocalActivity(local, progressType).Get(ctx, &now); err != nil {
			return err
		}
		for _, h := range now { // each beat tells of the same checkpoint with another delay
			if before, ok := r.heard[h.Key]; !ok || before.Activity != h.Activity || before.Number != h.Number {
				r.heard[h.Key] = h
			}
		}
	}
	in, starts := r.machine.ProgressInput(r.snapshot, r.lastCheckpoint())
	if !starts {
		return nil
	}
	after, commands, record, err := r.machine.Step(r.snapshot, in, in.Since, nil)
	if err != nil {
		return err
	}
	r.snapshot, r.changed = after, true
	r.records = append(r.records, r.machine.EncodeRecord(record))
	r.perform(ctx, machine.NetOf(commands))
	return nil
}

// waitsIdle reports whether a timer runs that a checkpoint starts again.
func (r *run) waitsIdle() bool {
	return slices.ContainsFunc(r.snapshot.Alarms, func(a machine.Alarm) bool { return a.Wait > 0 })
}

// lastCheckpoint is when an activity of the visit last reported progress.
func (r *run) lastCheckpoint() (last time.Time) {
	for i := range r.snapshot.Tasks {
		t := &r.snapshot.Tasks[i]
		if h, ok := r.heard[t.Key]; ok && t.State == machine.TaskOpen && h.At.After(last) {
			last = h.At.Truncate(time.Microsecond)
		}
	}
	return last
}

// hears notes what an attempt has told that is not under way any more: it may be made again.
func (r *run) hears(key string, m mark, at time.Time) {
	if m.Number > 0 {
		r.heard[key] = heard{Key: key, Number: m.Number, At: at.Add(-m.Age)}
	}
}
