package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// eventBody is what POST …/events takes.
type eventBody struct {
	Event   string          `json:"event"`
	Data    json.RawMessage `json:"data"`
	EventID *string         `json:"event_id"`
	IfSeq   *int64          `json:"if_seq"`
	operatorBody
}

func (a *API) send(r *http.Request, run string, b *eventBody) (v runtime.View, err error) {
	id, seq, by := *cmp.Or(b.EventID, new(string)), *cmp.Or(b.IfSeq, new(int64)), b.operator(r)
	switch {
	case b.Event == "":
		return v, badBody("event", "event is missing: it names what is sent")
	case b.IfSeq != nil && seq < 1:
		return v, badBody("if_seq", "if_seq counts from 1, the step with which a run starts")
	case b.EventID != nil && id == "":
		return v, badBody("event_id", "event_id is empty: leave it out if the run may take the event twice")
	case machine.BadID(id) != "":
		return v, badBody("event_id", "the id of an event %s", machine.BadID(id))
	}
	return a.engine.Send(r.Context(), run, runtime.ExternalEvent{Name: b.Event, Data: b.Data, ID: id, IfSeq: seq, Actor: by.Actor, Reason: by.Reason})
}

// operatorBody says who does something, and why.
type operatorBody struct {
	Actor  string `json:"actor"`
	Reason string `json:"reason"`
}

func (b *operatorBody) operator(r *http.Request) runtime.Operator {
	return runtime.Operator{Actor: Actor(r, b.Actor), Reason: b.Reason}
}

// cancelBody, retryBody and completeBody are what commands take besides.
type (
	cancelBody struct {
		Force bool `json:"force"`
		operatorBody
	}
	retryBody struct {
		AllowOverBudget bool `json:"allow_over_budget"`
		operatorBody
	}
	completeBody struct {
		Activity string          `json:"activity"`
		Event    string          `json:"event"`
		Data     json.RawMessage `json:"data"`
		operatorBody
	}
)

// CancelWithin is how long a cancel waits until the activities of its run have stopped.
const CancelWithin = 5 * time.Second

// command is the answer of a route that steers a run. An error of do with a view is that the step has
// been taken and something else has not.
func command[B any](a *API, do func(*http.Request, string, *B) (runtime.View, error)) answer {
	return taking(func(w http.ResponseWriter, r *http.Request, body *B) error {
		v, err := do(r, r.PathValue("run"), body)
		if err != nil && v.Run == "" {
			return a.noRun(r, err)
		}
		status := http.StatusOK
		if errors.Is(err, context.DeadlineExceeded) { // a cancellation that stands
			status = http.StatusAccepted
		} else if err != nil {
			return err
		}
		return a.writeRun(w, r, status, &v)
	})
}

func (a *API) cancel(r *http.Request, run string, b *cancelBody) (runtime.View, error) {
	ctx, stop := context.WithTimeout(r.Context(), CancelWithin)
	defer stop()
	o := b.operator(r)
	return a.engine.Cancel(ctx, run, runtime.CancelOptions{Force: b.Force, Actor: o.Actor, Reason: o.Reason})
}

func (a *API) pause(r *http.Request, run string, b *operatorBody) (runtime.View, error) {
	return a.engine.Pause(r.Context(), run, b.operator(r))
}

func (a *API) resume(r *http.Request, run string, b *operatorBody) (runtime.View, error) {
	return a.engine.Resume(r.Context(), run, b.operator(r))
}

func (a *API) retry(r *http.Request, run string, b *retryBody) (runtime.View, error) {
	if b.AllowOverBudget {
		return a.engine.RetryOverBudget(r.Context(), run, b.operator(r))
	}
	return a.engine.Retry(r.Context(), run, b.operator(r))
}

func (a *API) complete(r *http.Request, run string, b *completeBody) (runtime.View, error) {
	return a.engine.Complete(r.Context(), run, runtime.Completion{Activity: b.Activity, Event: b.Event, Data: b.Data, Operator: b.operator(r)})
}
