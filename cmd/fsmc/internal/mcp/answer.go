package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/describe"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/schema"
)

// answer is every answer about a run. Its JSON form is stable.
type answer struct {
	Run     string              `json:"run"`
	Machine string              `json:"machine"`
	State   string              `json:"current_state"`
	Status  runtime.Status      `json:"status"`
	Outcome runtime.Outcome     `json:"outcome,omitempty"`
	Paused  bool                `json:"paused,omitempty"`
	Seq     int64               `json:"seq"`
	Summary string              `json:"summary"`
	Actions []schema.Action     `json:"next_allowed_actions"`
	Open    []openActivity      `json:"open_activities,omitempty"`
	Can     []runtime.InputKind `json:"commands,omitempty"` // pause, resume, retry and cancel, where they would change something
	Params  json.RawMessage     `json:"params"`
	Data    json.RawMessage     `json:"data"`
	Returns json.RawMessage     `json:"returns,omitempty"`
	Tags    map[string]string   `json:"tags,omitempty"`
	Recent  []recentEvent       `json:"recent_events"`
	Updated time.Time           `json:"last_updated"`

	Repeated bool   `json:"repeated,omitempty"` // the answer that was given to the same event before
	Note     string `json:"note,omitempty"`
}

// openActivity is an activity that has not ended, and how it may.
type openActivity struct {
	Activity string          `json:"activity"` // as complete_activity takes it
	Attempt  int             `json:"attempt"`
	Of       int64           `json:"of,omitempty"`
	Worker   string          `json:"worker,omitempty"` // who works on it; absent for no one
	Error    string          `json:"last_error,omitempty"`
	Events   []schema.Action `json:"events"` // with one of which it ends; none where it has nothing to say
}

// recentEvent is a line of history in short.
type recentEvent struct {
	Seq    int64          `json:"seq"`
	Input  string         `json:"input"`
	From   string         `json:"from,omitempty"`
	To     string         `json:"to"`
	Effect machine.Effect `json:"effect"`
	Actor  string         `json:"actor,omitempty"`
	Reason string         `json:"reason,omitempty"`
	At     time.Time      `json:"at"`
}

const (
	// recentEvents is how many lines of history an answer has.
	recentEvents = 10
	// maxOpen is of how many open activities an answer tells: there may be one for each element of a list.
	maxOpen = 20
	// answerTime is how long an answer may take that comes after an effect.
	answerTime = 5 * time.Second
)

// lasting is a context for what is said after something has been done: it does not end with
// the call, whose client may be gone.
func lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), answerTime)
}

// answer says how a run stands. It never fails: something may have been done, and what cannot
// be read any more is left out.
func (s *Server) answer(ctx context.Context, v *runtime.View) *answer {
	ctx, done := lasting(ctx)
	defer done()
	if s.HideData {
		v = describe.WithoutData(v)
	}
	a := &answer{
		Run: v.Run, Machine: v.Machine, State: v.State, Status: v.Status, Outcome: v.Outcome, Paused: v.Paused, Seq: v.Seq,
		Summary: describe.Sentence(v, time.Now()), Actions: []schema.Action{}, Params: v.Params, Data: v.Data, Returns: v.Returns, Tags: v.Tags,
		Recent: []recentEvent{}, Updated: v.Updated, Repeated: v.Repeated,
	}
	var missing []string
	if version, err := s.Engine.Version(ctx, v.Definition); err == nil {
		a.Actions = schema.Allowed(version.Machine, v)
		for i := range v.Activities[:min(len(v.Activities), maxOpen)] {
			a.Open = append(a.Open, openOf(version.Machine.Definition(), &v.Activities[i]))
		}
	} else {
		missing = append(missing, "what the run takes cannot be read: "+err.Error())
	}
	if !s.ReadOnly {
		a.Can, _ = s.Engine.Commands(ctx, v.Run) // the run itself says no
	}
	steps, err := s.Engine.History(ctx, v.Run, max(0, v.Seq-recentEvents), recentEvents)
	if err != nil {
		missing = append(missing, "its history cannot be read: "+err.Error())
	}
	for i := range steps {
		if h := &steps[i]; h.Seq <= v.Seq {
			a.Recent = append(a.Recent, recentEvent{h.Seq, h.Input, h.From, h.To, h.Effect, h.Actor, h.Reason, h.At})
		}
	}
	a.Note = strings.Join(missing, "; ")
	return a
}

func openOf(d *machine.Definition, of *machine.ActivityView) openActivity {
	o := openActivity{Activity: of.Do, Attempt: of.Attempt, Of: of.Of, Worker: of.Worker, Events: []schema.Action{}}
	if of.LastError != nil {
		o.Error = of.LastError.Category + describe.After(": ", describe.Plain(of.LastError.Message, 200))
	}
	for i := range d.Activities {
		if d.Activities[i].Name != of.Activity {
			continue
		}
		for _, e := range d.Activities[i].Results {
			one := schema.ActionOf(d, e)
			if d.Activities[i].Callee != "" { // by the terminal of the child
				one.Event = one.Event[strings.LastIndexByte(one.Event, '.')+1:]
			}
			o.Events = append(o.Events, one)
		}
	}
	return o
}

// refusal is what is answered instead: why, and of a run how it stands.
type refusal struct {
	Error string `json:"error"`
	*answer
}

// refuse is the result of a call that could not be done.
func (s *Server) refuse(ctx context.Context, c *call, err error) *sdk.CallToolResult {
	of := refusal{Error: s.words(ctx, c.run, err)}
	if c.run != "" {
		ctx, done := lasting(ctx)
		defer done()
		if v, err := s.Engine.Get(ctx, c.run); err == nil {
			of.answer = s.answer(ctx, &v)
		}
	}
	r := result(&of, of.Error)
	r.IsError = true
	return r
}

// words are those of the command line for an error about a run.
func (s *Server) words(ctx context.Context, run string, err error) string {
	var refused *runtime.Rejected
	switch {
	case errors.As(err, &refused):
		return refused.Error()
	case errors.Is(err, runtime.ErrNotFound) && run != "":
		return fmt.Sprintf("there is no run %q in the database%s", run, s.Engine.DidYouMean(ctx, run))
	case errors.Is(err, runtime.ErrUnknown):
		return err.Error() + ": get_history says whether it was, and an event that has an event_id can be sent again"
	case errors.Is(err, runtime.ErrNoGuard):
		return err.Error() + "; --activities DIR of fsmc mcp says where its executable is"
	}
	return err.Error()
}
