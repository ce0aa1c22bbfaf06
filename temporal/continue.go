package temporal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Continued is a run that goes on in a new execution of its workflow, since the one before has a long history.
type Continued struct {
	Snapshot json.RawMessage `json:"snapshot"`
	Previous string          `json:"previous"` // Temporal's run id of the execution before, which has the records until the snapshot
	Outbox   []Message       `json:"outbox,omitempty"`
	Deliver  time.Time       `json:"deliver,omitzero"` // not before
	Accepted []Accepted      `json:"accepted,omitempty"`
	Waiting  []Waiting       `json:"waiting,omitempty"`
	Left     string          `json:"left,omitempty"`  // the state that the run has left last
	Retry    *Again          `json:"retry,omitempty"` // of a run that had ended

	Checkpoints map[string]json.RawMessage `json:"checkpoints,omitempty"` // by the keys of attempts
	Heard       map[string]heard           `json:"heard,omitempty"`       // when they were made

	Asked int64 `json:"asked,omitempty"` // for how many places of limited activities
}

// Accepted is the id of an event that was taken, with the answer.
type Accepted struct {
	ID     string          `json:"id"`
	Answer json.RawMessage `json:"answer"`
}

// Waiting is an attempt that has not begun, or is to begin again.
type Waiting struct {
	Key     string    `json:"key"`
	Attempt int       `json:"attempt"`
	Visit   int64     `json:"visit"`
	Lost    int       `json:"lost,omitempty"`
	Ready   time.Time `json:"ready,omitzero"`
	Place   string    `json:"place,omitempty"` // for which it waits, of a limited activity
	Since   time.Time `json:"since,omitzero"`  // when it began to
}

const (
	maxAccepted = 10_000    // ids of events that a run remembers
	maxAnswers  = 256 << 10 // bytes of answers that an execution is given whole by the one before
	maxCarried  = 768 << 10 // bytes of them all: of older ones what the event was
	// What Temporal allows one execution is 2,000 updates, 51,200 events and 50 MiB.
	maxUpdates = 1_900
	maxEvents  = 45_000
	maxSize    = 40 << 20
)

// quiet reports whether nothing of the run is under way that a new execution could not continue.
func (r *run) quiet(ctx workflow.Context) bool {
	now := workflow.Now(ctx)
	for _, a := range r.attempts {
		if r.mayBegin() && !a.ready.After(now) && !a.place.waits() {
			return false
		}
	}
	delivers := r.delivering || len(r.outbox) > 0 && !r.deliverAt.After(now)
	return r.busy == 0 && r.stopping == 0 && !delivers && !r.turn.IsLocked() && !r.unheard() && !r.unread() && !r.given() && !r.owes() && workflow.AllHandlersFinished(ctx)
}

// continues reports whether the run is to go on in a new execution now: its history is long, or it has moved to
// another definition, or its workers are deployed by version, and there is a newer one. One that has taken no step yet has nothing to leave behind.
func (r *run) continues(ctx workflow.Context) bool { return r.archived() && r.leaves(ctx) }

// leaves is continues for a run whose history is archived.
func (r *run) leaves(ctx workflow.Context) bool {
	return len(r.records) > 0 && (len(r.versions) > 1 || isLong(ctx)) && r.quiet(ctx) && r.carries(ctx)
}

// finished reports whether the workflow is over.
func (r *run) finished(ctx workflow.Context) bool { return r.archived() && r.over(ctx) }

// over is finished for a run whose history is archived.
func (r *run) over(ctx workflow.Context) bool {
	return r.snapshot.Status == machine.Finished && r.open == 0 && len(r.outbox) == 0 && !r.given() && workflow.AllHandlersFinished(ctx)
}

// full says why no more events are taken from outside, or nothing: an execution that is near its end, and
// cannot be continued while attempts are under way.
func (r *run) full(ctx workflow.Context) string {
	info := workflow.GetInfo(ctx)
	events, size := info.GetCurrentHistoryLength(), info.GetCurrentHistorySize()
	switch {
	case r.updates < maxUpdates && events < maxEvents && size < maxSize:
		return ""
	case !r.carries(ctx):
		return fmt.Sprintf("this execution of the workflow is near its end, and the run has %d messages, attempts with checkpoints and other data that are more than a new one may start with: see to it that they are delivered and begin, or cancel it", len(r.outbox))
	}
	return fmt.Sprintf("this execution of the workflow has taken %d updates, %d events and %d bytes, and goes on in a new one once no attempt is under way: send it again then, or cancel what is under way (%d attempts)",
		r.updates, events, size, r.busy)
}

// continued is the error with which Temporal starts the next execution.
func (r *run) continued(ctx workflow.Context) error {
	in, err := r.following(ctx)
	if err != nil {
		return err
	}
	return next(ctx, WorkflowType, in)
}

// next is the error with which Temporal starts the next execution. Of workers that are deployed by version, those of the
// current one go on with it.
func next(ctx workflow.Context, workflowType string, in any) error {
	return workflow.NewContinueAsNewErrorWithOptions(ctx,
		workflow.ContinueAsNewErrorOptions{InitialVersioningBehavior: workflow.ContinueAsNewVersioningBehaviorAutoUpgrade}, workflowType, in)
}

// isLong reports whether the history of the execution is long, or its workers are deployed by version, and there is a
// newer one.
func isLong(ctx workflow.Context) bool {
	info := workflow.GetInfo(ctx)
	return info.GetContinueAsNewSuggested() || info.GetTargetWorkerDeploymentVersionChanged()
}

// following is what the next execution starts with.
func (r *run) following(ctx workflow.Context) (Input, error) {
	c := &Continued{Snapshot: r.machine.EncodeSnapshot(r.snapshot), Previous: workflow.GetInfo(ctx).WorkflowExecution.RunID,
		Outbox: r.outbox, Deliver: r.deliverAt, Checkpoints: r.checkpoints, Heard: r.heard, Left: r.left, Asked: r.asked}
	for _, t := range r.snapshot.HandedOut() { // in the order of the snapshot
		if a := r.attempts[t.Key]; a != nil && a.task.Attempt == t.Attempt {
			c.Waiting = append(c.Waiting, Waiting{Key: t.Key, Attempt: t.Attempt, Visit: a.visit, Lost: a.lost, Ready: a.ready, Place: a.place.id, Since: a.place.since})
		}
	}
	in := r.in
	in.Params, in.Continued = nil, c
	encoded, err := json.Marshal(in)
	if err == nil && len(encoded) > maxInput {
		err = fmt.Errorf("a new execution would start with %d bytes, more than the %d that Temporal takes", len(encoded), maxInput)
	}
	if err == nil {
		c.Accepted, err = r.carried(min(maxCarried, maxInput-len(encoded)))
	}
	return in, err
}

// carries reports whether a new execution may start with what the run has.
func (r *run) carries(ctx workflow.Context) bool {
	_, err := r.following(ctx)
	return err == nil
}

// carried are the ids of events that the next execution remembers, oldest first, with the answers, as many bytes as there is
// room for.
func (r *run) carried(most int) (list []Accepted, err error) {
	size := 0
	for i := len(r.ids) - 1; i >= 0; i-- {
		id := r.ids[i]
		answer := r.accepted[id]
		if size+len(id)+len(answer) > min(maxAnswers, most) {
			if answer, err = machine.BriefAnswer(answer); err != nil {
				return nil, err
			}
		}
		const around = 32 // of both, in JSON
		if size += len(id) + len(answer) + around; size > most {
			break
		}
		list = append(list, Accepted{id, answer})
	}
	slices.Reverse(list)
	return list, nil
}

// resume continues with what the execution before has left.
func (r *run) resume(ctx workflow.Context, c *Continued) (err error) {
	if r.snapshot, err = r.machine.DecodeSnapshot(c.Snapshot); err != nil {
		return err
	}
	r.base, r.previous, r.outbox, r.deliverAt, r.left = r.snapshot.Seq, c.Previous, c.Outbox, c.Deliver, c.Left
	r.asked = c.Asked
	for _, a := range c.Accepted {
		r.accept(a.ID, a.Answer)
	}
	maps.Copy(r.checkpoints, c.Checkpoints)
	maps.Copy(r.heard, c.Heard)
	waiting := map[string]*Waiting{}
	for i := range c.Waiting {
		waiting[c.Waiting[i].Key] = &c.Waiting[i]
	}
	for _, t := range r.snapshot.HandedOut() {
		a := &attempt{task: t, visit: r.snapshot.Visit, ready: t.NotBefore}
		if w := waiting[t.Key]; w != nil && w.Attempt == t.Attempt {
			a.visit, a.lost, a.ready, a.place.id, a.place.since = w.Visit, w.Lost, w.Ready, w.Place, w.Since
		}
		r.launch(ctx, a)
		if a.place.id != "" { // the limiter may answer, and a step may end the attempt, before it asks again
			r.places[a.place.id] = a
		}
	}
	if c.Retry != nil {
		_, err = r.step(ctx, 0, retry(r.machine, c.Retry.input(), r.left, nil))
	}
	return err
}

// accept remembers the answer to an event with an id.
func (r *run) accept(id string, answer json.RawMessage) {
	if len(r.ids) >= maxAccepted {
		delete(r.accepted, r.ids[0])
		r.ids = r.ids[1:]
	}
	r.ids, r.accepted[id] = append(r.ids, id), answer
}

// Chain says where the records are that the execution does not have.
type Chain struct {
	Base     int64  `json:"base"`               // the Seq up to which earlier executions have them
	Previous string `json:"previous,omitempty"` // Temporal's run id of the execution before; empty for none

	Versions []Version `json:"versions"` // of the definition, by which the records of this execution were made
}

// Version is a definition by its hash, from the record with a Seq on.
type Version struct {
	From       int64  `json:"from"`
	Definition string `json:"definition"`
}
