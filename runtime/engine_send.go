package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
)

// MaxRunID is the most bytes that the id of a run, or of an event, may have.
const MaxRunID = 200

// ExternalEvent is an event sent to a run from outside.
type ExternalEvent struct {
	Name string
	Data json.RawMessage // the object of its fields; empty for none
	// ID makes sending idempotent: an id is accepted once for each run, and
	// gives the first answer again afterwards; with another name or payload it
	// is refused. A refused event is not remembered. Empty for an event that may be taken again.
	ID string
	// IfSeq refuses the event where the run's sequence number is another;
	// 0 for any.
	IfSeq  int64
	Actor  string // who sent it; stands in history
	Reason string // why
}

// Start starts a run of the version of machine that was registered last. Params
// is the object of its parameters. An empty id is replaced by a new one. When
// Start returns nil the run is durable. The error is a *Rejected for parameters
// that do not fit, and ErrExists where there is a run with this id.
func (e *Engine) Start(ctx context.Context, machine, id string, params json.RawMessage) (View, error) {
	h, err := e.currentHost(machine)
	if err != nil {
		return View{}, err
	}
	if id == "" {
		id = strings.ToLower(machine) + "-" + randomHex(8)
	}
	if why := badID(id); why != "" {
		return View{}, fmt.Errorf("the id of a run %s", why)
	}
	if why := e.oversized(params); why != "" {
		return View{}, &Rejected{Input: StartInput, Why: "parameters: " + why}
	}
	if err := e.keepDefinition(ctx, h); err != nil {
		return View{}, err
	}
	failpoint.Hit(failpoint.DefinitionKept)
	out, err := e.apply(ctx, &request{run: id, start: h, input: func(m *Machine, _ *Snapshot) (Input, error) {
		values, err := m.DecodeParams(params)
		if err != nil {
			return Input{}, &Rejected{Input: StartInput, Why: err.Error(), Err: err}
		}
		return Input{Kind: StartInput, Data: values, Token: tokenOf(e.now())}, nil
	}})
	if err != nil {
		return View{}, err
	}
	return out.view(), nil
}

// badID says why an id is none, or nothing.
func badID(id string) string {
	switch {
	case len(id) > MaxRunID:
		return fmt.Sprintf("has at most %d bytes", MaxRunID)
	case !utf8.ValidString(id):
		return "is valid UTF-8"
	case strings.ContainsFunc(id, unicode.IsControl):
		return "has no control characters"
	case id != "" && strings.TrimSpace(id) == "":
		return "is not blank"
	}
	return ""
}

// Send gives an event to a run. When it returns nil the step is durable, with
// all that followed from it at once, and the view is the run after it. Where
// the event's ID has been accepted before, the view is that of the first time, and
// Repeated.
//
// The error is a *Rejected where the event is refused: the run is as it was.
// Its Err is ErrFinished, ErrHalted, ErrConflict for another IfSeq, or ErrDuplicate
// where the ID was accepted with another event. It is
// ErrNotFound where there is no such run, ErrUnavailable where the store cannot take it
// now, and ErrUnknown where the store does not say whether it has: an event with an ID
// can then be sent again.
func (e *Engine) Send(ctx context.Context, run string, event ExternalEvent) (View, error) {
	if why := badID(event.ID); why != "" {
		return View{}, fmt.Errorf("the id of an event %s", why)
	}
	c := &request{
		run:     run,
		ifSeq:   event.IfSeq,
		eventID: event.ID,
		input:   func(m *Machine, s *Snapshot) (Input, error) { return e.eventInput(m, s, event) },
	}
	out, err := e.apply(ctx, c)
	if errors.Is(err, ErrDuplicate) { // another process was faster with the same id
		return e.Send(ctx, run, event)
	}
	if err != nil {
		return View{}, err
	}
	if out.answer == nil {
		return out.view(), nil
	}
	return out.repeated(&event)
}

// eventInput reads an event for the run as it stands.
func (e *Engine) eventInput(m *Machine, s *Snapshot, event ExternalEvent) (Input, error) {
	in := Input{Kind: EventInput, ID: event.ID, Actor: event.Actor, Reason: event.Reason}
	index, ok := m.index.events[event.Name]
	if !ok {
		return in, m.rejectUnknown(s, event.Name)
	}
	in.Event = index
	if s.Status == Finished {
		return in, nil // refused by the step, whatever the payload
	}
	if why := e.oversized(event.Data); why != "" {
		return in, m.reject(s, &in, why, nil)
	}
	if m.def.Events[index].Internal {
		return in, nil // refused by the step, which says why
	}
	var err error
	if in.Data, err = m.DecodePayload(index, event.Data); err != nil {
		return in, m.reject(s, &in, err.Error(), err)
	}
	return in, nil
}

func (m *Machine) rejectUnknown(s *Snapshot, name string) *Rejected {
	var names []string
	for _, e := range m.def.Events {
		if !e.Internal {
			names = append(names, e.Name)
		}
	}
	why := fmt.Sprintf("machine %q has no such event%s", m.def.Name, didYouMean(name, names))
	return m.rejectNamed(s, name, why, nil)
}

// rejectNamed refuses an event of which no more than its name is known.
func (m *Machine) rejectNamed(s *Snapshot, name, why string, err error) *Rejected {
	r := m.reject(s, &Input{}, why, err)
	r.Input, r.Event = EventInput, name
	return r
}

// CancelOptions say how a run is cancelled.
type CancelOptions struct {
	Force  bool // end the run even where a state handles cancel
	Actor  string
	Reason string
}

// Cancel cancels a run, and waits until the activities that this stops have
// confirmed that they have stopped, or their leases have run out. Cancelling a
// run a second time does nothing, unless with force. Where ctx is done before
// that the error is ctx's, and the cancellation stands all the same.
func (e *Engine) Cancel(ctx context.Context, run string, o CancelOptions) (View, error) {
	in := Input{Kind: CancelInput, Force: o.Force, Actor: o.Actor, Reason: o.Reason}
	out, err := e.apply(ctx, &request{run: run, input: func(*Machine, *Snapshot) (Input, error) { return in, nil }})
	if err != nil {
		return View{}, err
	}
	return out.view(), e.waitStopped(ctx, run)
}

// waitStopped waits until no cancelled task of the run is held any more.
func (e *Engine) waitStopped(ctx context.Context, run string) error {
	woken, stop := e.changes.watch(run)
	defer stop()
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, e.poll) {
		held, err := e.store.Held(ctx, run, e.now())
		switch {
		case err != nil:
			return fmt.Errorf("run %q is cancelled; waiting for its activities to stop: %w", run, err)
		case !held:
			return nil
		}
		if err := e.pause(ctx, woken, wait); err != nil {
			return fmt.Errorf("run %q is cancelled; waiting for its activities to stop: %w", run, err)
		}
	}
}

// pause waits until something wakes it, for at most d by the engine's clock.
func (e *Engine) pause(ctx context.Context, woken <-chan struct{}, d time.Duration) error {
	return wait(ctx, e.clock, d, woken)
}
