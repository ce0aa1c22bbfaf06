package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Start starts a run of the version of the machine that was registered last. If none was
// registered, it uses the version of the newest run in the store, or the only version there.
// Params is the object of its parameters. An empty id is replaced by a new one; an id has no "/",
// except that of an older run. When Start returns nil, the run is durable.
//
// The error is a *Rejected for parameters that do not fit, ErrExists if there is a run with this
// id, and ErrNotFound if there is no such machine. The option Operator says who starts the run,
// and why, for its history. WithTags gives it tags.
func (e *Engine) Start(ctx context.Context, name, id string, params json.RawMessage, options ...machine.StartOption) (View, error) {
	o, err := machine.ReadStart(options)
	if err != nil {
		return View{}, err
	}
	h, err := e.startHost(ctx, name)
	if err != nil {
		return View{}, err
	}
	if id == "" {
		id = strings.ToLower(name) + "-" + randomHex(8)
	}
	if why := machine.BadID(id); why != "" {
		return View{}, fmt.Errorf("the id of a run %s", why)
	}
	if strings.Contains(id, "/") {
		if _, err := e.store.Load(ctx, id); errors.Is(err, ErrNotFound) {
			return View{}, errors.New(`the id of a run has no "/"`)
		}
	}
	if err := e.keepDefinition(ctx, h); err != nil {
		return View{}, err
	}
	failpoint.Hit(failpoint.DefinitionKept)
	v, err := e.applyView(ctx, &request{run: id, start: h, tags: o.Tags, input: func(m *Machine, _ *machine.Snapshot) (machine.Input, error) {
		in, err := m.StartInput(params, e.now(), e.maxPayload)
		in.Actor, in.Reason = o.By.Actor, o.By.Reason
		return in, err
	}})
	if err == nil {
		v.Tags = o.Tags
	}
	return v, err
}

// WithTags gives tags to a run that starts. Tags say by name what the run belongs to, such as
// "team": "pay"; lists, and commands for many runs, find the run by them. They never change, and
// the machine cannot read them. The children of the run have the same tags. machine.CheckTags
// says what is allowed.
func WithTags(tags map[string]string) machine.StartOption { return machine.Tags(tags) }

// Send gives an event to a run. When it returns nil, the step is durable, with all steps that
// follow at once, and the view is the run after them. If the ID of the event has been accepted
// before, the view is that of the first time, with Repeated.
//
// The error is a *Rejected if the run refuses the event; the run does not change. Its Err is then
// ErrFinished, ErrHalted, ErrConflict for another IfSeq, or ErrDuplicate if the ID was accepted
// with another event. The error is ErrNotFound if there is no such run, ErrUnavailable if the
// store cannot take the event now, and ErrUnknown if the store does not say whether it has taken
// it: an event with an ID can then be sent again.
func (e *Engine) Send(ctx context.Context, run string, event ExternalEvent) (View, error) {
	if why := machine.BadID(event.ID); why != "" {
		return View{}, fmt.Errorf("the id of an event %s", why)
	}
	c := &request{
		run:     run,
		ifSeq:   event.IfSeq,
		eventID: event.ID,
		input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
			return m.EventInput(s, event, e.maxPayload)
		},
	}
	out, err := e.apply(ctx, c)
	if err != nil {
		return View{}, err
	}
	if out.answer == nil {
		return out.view(), nil
	}
	return out.host.machine.DecodeAnswer(out.snapshot, &event, out.answer)
}

// CancelOptions say how a run is cancelled.
type CancelOptions struct {
	Force  bool // end the run even where a state handles cancel
	Actor  string
	Reason string
}

// Cancel cancels a run and its children; with Force, also the children are cancelled with Force.
// It waits until the activities that this stops have confirmed that they have stopped, or their
// leases have run out, and until the children have ended. If ctx is done before that, the error
// is that of ctx, and the run stays cancelled. To cancel a run a second time does nothing, except
// with Force.
func (e *Engine) Cancel(ctx context.Context, run string, o CancelOptions) (View, error) {
	in := machine.Input{Kind: machine.CancelInput, Force: o.Force, Actor: o.Actor, Reason: o.Reason}
	out, err := e.apply(ctx, &request{run: run, input: func(*Machine, *machine.Snapshot) (machine.Input, error) { return in, nil }})
	if err != nil {
		return View{}, err
	}
	if out.snapshot.Left {
		if err := e.cancelBelow(ctx, run); err != nil {
			return out.view(), err
		}
	}
	if err := e.waitStopped(ctx, run, out.snapshot.Left); err != nil || out.snapshot.Status != machine.Ending {
		return out.view(), err
	}
	if err := e.finish(ctx, run); err != nil {
		return out.view(), err
	}
	return e.Get(ctx, run)
}

// waitStopped waits until no cancelled task of the run is held any more. Where it has left
// children behind it finishes what is below it meanwhile: no worker need be there.
func (e *Engine) waitStopped(ctx context.Context, run string, left bool) (err error) {
	woken, stop := e.changes.watch(run)
	defer stop()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, e.poll) {
		if left {
			err = e.finishBelow(ctx, run)
		}
		held := false
		if err == nil {
			held, err = e.store.Held(ctx, run, e.now())
		}
		if err == nil && held {
			err = e.pause(ctx, woken, wait)
		}
		switch {
		case err != nil:
			return fmt.Errorf("run %q is cancelled; waiting for its activities to stop: %w", run, err)
		case !held:
			return nil
		}
	}
}

// pause waits until something wakes it, which may be nil, for at most d.
func (e *Engine) pause(ctx context.Context, woken <-chan struct{}, d time.Duration) error {
	return waitUntil(ctx, e.own, e.own.Now().Add(d), woken, nil)
}
