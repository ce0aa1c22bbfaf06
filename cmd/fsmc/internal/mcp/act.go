package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/httpapi"
)

// actors are the tools that change something.
func (s *Server) actors() []tool {
	data := object("data", "the fields of the event, as its schema says")
	return []tool{
		{
			name: "start_run", title: "Start a run", effect: true, output: answerOutput, call: s.startRun,
			doc: "Start a run of a machine. It is stored when this answers. list_machines has the schemas of the parameters.",
			params: []param{must(text("machine", "the name of the machine")), text("id", "the id of the run; one is made if it is not given. Give one, so that a second call cannot start a second run"),
				object("params", "the parameters of the machine"),
				object("tags", "what the run belongs to, by name: {\"team\": \"pay\"}. At most 8; list_runs finds runs by them"), reasonParam()},
		},
		{
			name: "send_event", title: "Send an event", effect: true, output: answerOutput, call: s.sendEvent,
			doc: "Send an event to a run. It is stored when this answers. A refused event changes nothing, and the answer says what the run takes.",
			params: []param{runParam(), must(text("event", "the name of the event, one of next_allowed_actions")), data,
				number("if_seq", 1, 1<<53, "refuse the event unless the run has taken exactly so many steps: the seq of an answer"),
				text("event_id", "an id of your choice: the run takes one event under it, so that the call can be repeated"), reasonParam()},
		},
		{
			name: "cancel_run", title: "Cancel a run", effect: true, destroys: true, again: true, output: answerOutput, call: s.cancelRun,
			doc:    "Cancel a run, and those below it. The state that handles cancel decides what happens; without one, or with force, the run ends where it is.",
			params: []param{runParam(), yes("force", "end the run where it is, even if a state handles cancel"), reasonParam()},
		},
		{
			name: "pause_run", title: "Pause a run", effect: true, again: true, output: answerOutput, call: s.steer((*runtime.Engine).Pause),
			doc:    "Pause a run: nothing new starts, its timers stop, and events wait until it resumes.",
			params: []param{runParam(), reasonParam()},
		},
		{
			name: "resume_run", title: "Resume a run", effect: true, again: true, output: answerOutput, call: s.steer((*runtime.Engine).Resume),
			doc:    "Let a paused run continue. It takes what has come meanwhile, in order.",
			params: []param{runParam(), reasonParam()},
		},
		{
			name: "retry_run", title: "Retry a run", effect: true, output: answerOutput, call: s.retryRun,
			doc: "Retry a halted run, a run that ended in failure, or an activity that waits before its next attempt.",
			params: []param{runParam(), yes("allow_over_budget", "let a run continue that is halted because it passed its budget"),
				reasonParam()},
		},
		{
			name: "complete_activity", title: "End an activity by hand", effect: true, output: answerOutput, call: s.completeActivity,
			doc: "End an open activity of a run, because its work was done outside: the run continues as if the activity had raised the event.",
			params: []param{runParam(), must(text("activity", "the activity, as open_activities of the run names it")),
				text("event", "the event with which it ends; leave it out where it has none"), data, reasonParam()},
		},
	}
}

// after is the answer to a step that has been taken.
func (s *Server) after(ctx context.Context, v *runtime.View, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, v), nil
}

func (c *call) operator() runtime.Operator {
	return runtime.Operator{Actor: c.actor, Reason: c.text("reason")}
}

func (c *call) raw(name string) json.RawMessage { return c.args[name] }

func (c *call) tags() (tags map[string]string, err error) {
	if !c.has("tags") {
		return nil, nil
	}
	if err := json.Unmarshal(c.raw("tags"), &tags); err != nil {
		return nil, errors.New("a tag is a text: tags are an object of texts")
	}
	return tags, nil
}

func (s *Server) startRun(ctx context.Context, c *call) (any, error) {
	if c.has("id") && c.text("id") == "" {
		return nil, errors.New("id is empty: leave it out, and one is made")
	}
	tags, err := c.tags()
	if err != nil {
		return nil, err
	}
	v, err := s.Engine.Start(ctx, c.text("machine"), c.text("id"), c.raw("params"), c.operator(), runtime.WithTags(tags))
	return s.after(ctx, &v, err)
}

func (s *Server) sendEvent(ctx context.Context, c *call) (any, error) {
	if c.has("event_id") && c.text("event_id") == "" {
		return nil, errors.New("event_id is empty: leave it out if the run may take the event twice")
	}
	return s.send(ctx, c, c.text("event"), c.raw("data"))
}

func (s *Server) send(ctx context.Context, c *call, event string, data json.RawMessage) (any, error) {
	v, err := s.Engine.Send(ctx, c.run, runtime.ExternalEvent{
		Name: event, Data: data, ID: c.text("event_id"), IfSeq: c.number("if_seq"), Actor: c.actor, Reason: c.text("reason"),
	})
	return s.after(ctx, &v, err)
}

func (s *Server) cancelRun(ctx context.Context, c *call) (any, error) {
	limited, stop := context.WithTimeout(ctx, httpapi.CancelWithin)
	defer stop()
	who := c.operator()
	v, err := s.Engine.Cancel(limited, c.run, runtime.CancelOptions{Force: c.yes("force"), Actor: who.Actor, Reason: who.Reason})
	if err == nil || v.Run == "" {
		return s.after(ctx, &v, err)
	}
	a := s.answer(ctx, &v) // the cancellation stands
	a.Note = "the cancellation is taken, and what it stops has yet to stop; look again with get_run"
	if !errors.Is(err, context.DeadlineExceeded) {
		a.Note += ": " + err.Error()
	}
	return a, nil
}

func (s *Server) steer(take func(*runtime.Engine, context.Context, string, runtime.Operator) (runtime.View, error)) func(context.Context, *call) (any, error) {
	return func(ctx context.Context, c *call) (any, error) {
		v, err := take(s.Engine, ctx, c.run, c.operator())
		return s.after(ctx, &v, err)
	}
}

func (s *Server) retryRun(ctx context.Context, c *call) (any, error) {
	take := (*runtime.Engine).Retry
	if c.yes("allow_over_budget") {
		take = (*runtime.Engine).RetryOverBudget
	}
	return s.steer(take)(ctx, c)
}

func (s *Server) completeActivity(ctx context.Context, c *call) (any, error) {
	v, err := s.Engine.Complete(ctx, c.run, runtime.Completion{
		Activity: c.text("activity"), Event: c.text("event"), Data: c.raw("data"), Operator: c.operator(),
	})
	return s.after(ctx, &v, err)
}
