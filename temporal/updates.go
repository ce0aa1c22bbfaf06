package temporal

import (
	"encoding/json"
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Names of the updates, which answer with the View unless they say what, and of the queries.
const (
	UpdateSend     = "send"     // takes a machine.ExternalEvent
	UpdateSteer    = "steer"    // takes a Steer
	UpdateComplete = "complete" // takes a machine.Completion
	QueryView      = "view"     // gives a machine.View
	QuerySnapshot  = "snapshot" // gives the snapshot in JSON
	QueryHistory   = "history"  // takes the Seq after which, and how many at most; gives records in JSON, of this execution alone, and of large ones a part
	QueryChain     = "chain"    // gives a Chain

	QueryAnswer     = "answer"     // takes the id of an event, and gives the answer under which it is kept, or null
	UpdateMigrate   = "migrate"    // takes a Migrate, and answers with a runtime.MigratedRun
	QueryFits       = "fits"       // does the same, and moves nothing
	QueryDefinition = "definition" // takes a hash of a Chain, and gives the definition in JSON
)

// Steer is what an operator wants: a cancel, pause, resume or retry.
type Steer struct {
	Kind   machine.InputKind
	Force  bool // of cancel
	Actor  string
	Reason string
}

// refusedType is the type of the error of an update that was refused.
const refusedType = "refused"

func (r *run) listen(ctx workflow.Context) error {
	return errors.Join(
		workflow.SetQueryHandler(ctx, QueryView, started(r, r.view)),
		workflow.SetQueryHandler(ctx, QuerySnapshot, started(r, func() json.RawMessage { return r.machine.EncodeSnapshot(r.snapshot) })),
		workflow.SetQueryHandler(ctx, QueryHistory, r.history),
		workflow.SetQueryHandler(ctx, QueryChain, r.chained),
		workflow.SetQueryHandler(ctx, QueryAnswer, func(id string) (json.RawMessage, error) { return r.accepted[id], nil }),
		workflow.SetUpdateHandlerWithOptions(ctx, UpdateSend, r.send, workflow.UpdateHandlerOptions{
			Validator: func(ctx workflow.Context, e machine.ExternalEvent) error { return r.admitSend(ctx, &e) }}),
		workflow.SetUpdateHandlerWithOptions(ctx, UpdateSteer, r.steer, workflow.UpdateHandlerOptions{
			Validator: func(ctx workflow.Context, o Steer) error {
				return r.dry(ctx, 0, r.steering(&o))
			}}),
		workflow.SetUpdateHandlerWithOptions(ctx, UpdateComplete, r.complete, workflow.UpdateHandlerOptions{
			Validator: func(ctx workflow.Context, c machine.Completion) error {
				return r.dry(ctx, 0, r.completion(&c))
			}}),
		workflow.SetQueryHandler(ctx, QueryDefinition, r.definition),
		workflow.SetQueryHandler(ctx, QueryAgain, r.again(ctx)),
		workflow.SetUpdateHandlerWithOptions(ctx, UpdateMigrate, r.migrate, workflow.UpdateHandlerOptions{
			Validator: func(ctx workflow.Context, of Migrate) error { return r.admitMigrate(ctx, &of) }}),
		workflow.SetQueryHandler(ctx, QueryFits, func(of Migrate) (runtime.MigratedRun, error) { return r.fits(ctx, of) }),
	)
}

var errStarting = errors.New("the run is about to start")

// started is a query of a run that has started.
func started[T any](r *run, query func() T) func() (T, error) {
	return func() (answer T, err error) {
		if r.snapshot.State < 0 {
			return answer, errStarting
		}
		return query(), nil
	}
}

// errAsked is the answer of a host guard to who cannot wait for one.
var errAsked = errors.New("a host guard was asked")

// dry refuses in the validator of an update what the run would refuse, so that nothing of it stands in
// Temporal's history. Where a step is under way, or a host guard decides, the update itself says so.
func (r *run) dry(ctx workflow.Context, ifSeq int64, input source) error {
	if r.snapshot.State < 0 || r.turn.IsLocked() || r.asks(workflow.Now(ctx)) {
		return nil
	}
	return refused(unasked(func(ask machine.Ask) error {
		_, _, _, err := r.take(workflow.Now(ctx), ask, ifSeq, input)
		return err
	}))
}

// unasked is what try refuses without the answer of a host guard; nil where it asks one.
func unasked(try func(machine.Ask) error) error {
	asked := false
	err := try(func(int, []machine.Value) (bool, error) {
		asked = true
		return false, errAsked
	})
	if asked {
		return nil
	}
	return err
}

func (r *run) admitSend(ctx workflow.Context, event *machine.ExternalEvent) error {
	if why := machine.BadID(event.ID); why != "" {
		return refused(errors.New("the id of an event " + why))
	}
	if stored := r.accepted[event.ID]; event.ID != "" && stored != nil {
		_, err := r.machine.DecodeAnswer(r.snapshot, event, stored)
		return refused(err)
	}
	if why := r.full(ctx); why != "" {
		return refused(errors.New(why))
	}
	return r.dry(ctx, event.IfSeq, r.event(event))
}

func (r *run) event(event *machine.ExternalEvent) source {
	return func(s *machine.Snapshot) (machine.Input, error) {
		of := *event
		if string(of.Data) == "null" { // what JSON makes of no data
			of.Data = nil
		}
		return r.machine.EventInput(s, of, machine.MaxPayload)
	}
}

func (r *run) completion(c *machine.Completion) source {
	return func(s *machine.Snapshot) (machine.Input, error) {
		return r.machine.CompleteInput(s, c, machine.MaxPayload)
	}
}

func (o *Steer) input(*machine.Snapshot) (machine.Input, error) {
	switch o.Kind {
	case machine.CancelInput, machine.PauseInput, machine.ResumeInput, machine.RetryInput:
		return machine.Input{Kind: o.Kind, Force: o.Force, Actor: o.Actor, Reason: o.Reason}, nil
	}
	return machine.Input{}, errors.New("an operator can cancel, pause, resume or retry a run, not " + string(o.Kind))
}

func (r *run) history(after int64, most int) ([]json.RawMessage, error) {
	if after < 0 || most < 0 {
		return nil, errors.New("a history begins after 0 or later, and has 0 or more records")
	}
	part := r.records[min(max(after-r.base, 0), int64(len(r.records))):]
	return bounded(part[:min(most, len(part))]), nil
}

// send takes an event. One whose id was taken before gives its first answer again.
func (r *run) send(ctx workflow.Context, event machine.ExternalEvent) (machine.View, error) {
	r.updates++
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if err := r.turn.Lock(ctx); err != nil {
		return machine.View{}, err
	}
	defer r.turn.Unlock()
	if stored := r.accepted[event.ID]; event.ID != "" && stored != nil {
		v, err := r.machine.DecodeAnswer(r.snapshot, &event, stored)
		return v, refused(err)
	}
	records, err := r.step(ctx, event.IfSeq, r.event(&event))
	if err != nil {
		return machine.View{}, refused(err)
	}
	if event.ID != "" {
		answer, err := r.machine.EncodeAnswer(r.snapshot, event.ID, records)
		if err != nil {
			return machine.View{}, refused(err)
		}
		r.accept(event.ID, answer)
	}
	return r.machine.View(r.snapshot), nil
}

// steer takes what an operator wants. A cancel waits until what it stops has stopped.
func (r *run) steer(ctx workflow.Context, o Steer) (machine.View, error) {
	r.updates++
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if err := r.applySteer(ctx, &o); err != nil {
		return machine.View{}, refused(err)
	}
	r.steerBelow(ctx, o)
	v := r.machine.View(r.snapshot)
	if o.Kind != machine.CancelInput {
		return v, nil
	}
	ending := r.snapshot.Status == machine.Ending
	err := workflow.Await(ctx, func() bool { return r.stopping == 0 && (!ending || r.snapshot.Status == machine.Finished) })
	if ending {
		v = r.machine.View(r.snapshot)
	}
	return v, err
}

// applySteer takes what an operator wants. A resume is preceded by the last checkpoint: the time of timers goes
// on with it.
func (r *run) applySteer(ctx workflow.Context, o *Steer) error {
	if err := r.turn.Lock(ctx); err != nil {
		return err
	}
	defer r.turn.Unlock()
	if err := r.takeProgress(ctx, o.Kind == machine.ResumeInput); err != nil {
		return err
	}
	if o.Kind == machine.RetryInput { // what is due may end the run, in a state that the retry has to know
		if _, err := r.advance(ctx, 0, nil); err != nil {
			return err
		}
	}
	_, err := r.advance(ctx, 0, r.steering(o))
	return err
}

// complete ends an open activity by hand.
func (r *run) complete(ctx workflow.Context, c machine.Completion) (machine.View, error) {
	r.updates++
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	err := r.apply(ctx, r.completion(&c))
	return r.machine.View(r.snapshot), refused(err)
}

// unstarted is the error of a run that its start step refuses, or that cannot start at all. A parent reads why.
func unstarted(err error) error {
	if rejected, ok := errors.AsType[*machine.Rejected](err); ok {
		return temporal.NewNonRetryableApplicationError(err.Error(), refusedType, nil, rejected.Why)
	}
	return refused(err)
}

// refused is an error that fails the update, and not the workflow.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return temporal.NewNonRetryableApplicationError(err.Error(), refusedType, nil)
}
