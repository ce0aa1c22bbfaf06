package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// eventBody is what POST …/events takes.
type eventBody struct {
	Event   string          `json:"event"`
	Data    json.RawMessage `json:"data"`
	EventID *string         `json:"event_id"`
	IfSeq   int64           `json:"if_seq"`
	Actor   string          `json:"actor"`
	Reason  string          `json:"reason"`
}

func (a *API) postEvent(w http.ResponseWriter, r *http.Request) error {
	var body eventBody
	if err := readBody(r, &body); err != nil {
		return err
	}
	switch {
	case body.Event == "":
		return badBody("event", "event is missing: it names what is sent")
	case body.IfSeq < 0:
		return badBody("if_seq", "if_seq counts from 1, the step with which a run starts")
	case body.EventID != nil && *body.EventID == "":
		return badBody("event_id", "event_id is empty: leave it out if the run may take the event twice")
	case machine.BadID(given(body.EventID)) != "":
		return badBody("event_id", "the id of an event %s", machine.BadID(given(body.EventID)))
	}
	v, err := a.engine.Send(r.Context(), r.PathValue("run"), runtime.ExternalEvent{
		Name: body.Event, Data: body.Data, ID: given(body.EventID), IfSeq: body.IfSeq, Actor: Actor(r, body.Actor), Reason: body.Reason,
	})
	if err != nil {
		return a.noRun(r, err)
	}
	return a.writeRun(w, r, http.StatusOK, &v)
}

// given is the id that stands in a body; empty where none does.
func given(id *string) string {
	if id == nil {
		return ""
	}
	return *id
}

// operatorBody says who does something, and why.
type operatorBody struct {
	Actor  string `json:"actor"`
	Reason string `json:"reason"`
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

// commands are those that a run takes of an operator.
var commands = []string{"cancel", "pause", "resume", "retry", "complete"}

// CancelWithin is how long a cancel waits until the activities of its run have stopped.
const CancelWithin = 5 * time.Second

func (a *API) postCommand(w http.ResponseWriter, r *http.Request) error {
	v, err := a.command(r, path.Base(r.URL.Path))
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
}

// command reads what one command takes, and does it. An error with a view is that the step has
// been taken and something else has not.
func (a *API) command(r *http.Request, name string) (runtime.View, error) {
	run := r.PathValue("run")
	who := func(b *operatorBody) runtime.Operator {
		return runtime.Operator{Actor: Actor(r, b.Actor), Reason: b.Reason}
	}
	switch name {
	case "cancel":
		var b cancelBody
		if err := readBody(r, &b); err != nil {
			return runtime.View{}, err
		}
		ctx, stop := context.WithTimeout(r.Context(), CancelWithin)
		defer stop()
		o := who(&b.operatorBody)
		return a.engine.Cancel(ctx, run, runtime.CancelOptions{Force: b.Force, Actor: o.Actor, Reason: o.Reason})
	case "retry":
		var b retryBody
		if err := readBody(r, &b); err != nil {
			return runtime.View{}, err
		}
		if b.AllowOverBudget {
			return a.engine.RetryOverBudget(r.Context(), run, who(&b.operatorBody))
		}
		return a.engine.Retry(r.Context(), run, who(&b.operatorBody))
	case "complete":
		var b completeBody
		if err := readBody(r, &b); err != nil {
			return runtime.View{}, err
		}
		return a.engine.Complete(r.Context(), run, runtime.Completion{Activity: b.Activity, Event: b.Event, Data: b.Data, Operator: who(&b.operatorBody)})
	case "pause", "resume":
		var b operatorBody
		if err := readBody(r, &b); err != nil {
			return runtime.View{}, err
		}
		if name == "pause" {
			return a.engine.Pause(r.Context(), run, who(&b))
		}
		return a.engine.Resume(r.Context(), run, who(&b))
	}
	return runtime.View{}, notFound("there is no command %q", name)
}
