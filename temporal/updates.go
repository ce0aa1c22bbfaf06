package temporal

import (
	"encoding/json"
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Names of the updates, which answer with the View, and of the queries.
const (
	UpdateSend     = "send"     // takes a machine.ExternalEvent
	UpdateSteer    = "steer"    // takes a Steer
	UpdateComplete = "complete" // takes a machine.Completion
	QueryView      = "view"     // gives a machine.View
	QuerySnapshot  = "snapshot" // gives the snapshot in JSON
	QueryHistory   = "history"  // takes the Seq after which, and how many at most; gives records in JSON
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
		workflow.SetUpdateHandler(ctx, UpdateSend, r.send),
		workflow.SetUpdateHandler(ctx, UpdateSteer, r.steer),
		workflow.SetUpdateHandler(ctx, UpdateComplete, r.complete),
		workflow.SetQueryHandler(ctx, QueryView, func() (machine.View, error) { return r.machine.View(r.snapshot), nil }),
		workflow.SetQueryHandler(ctx, QuerySnapshot, func() (json.RawMessage, error) { return r.machine.EncodeSnapshot(r.snapshot), nil }),
		workflow.SetQueryHandler(ctx, QueryHistory, r.history),
	)
}

func (r *run) history(after int64, most int) ([]json.RawMessage, error) {
	if after < 0 || most < 0 {
		return nil, errors.New("a history begins after 0 or later, and has 0 or more records")
	}
	from := min(after, int64(len(r.records)))
	return r.records[from:min(from+int64(most), int64(len(r.records)))], nil
}

// send takes an event. One whose id was taken before gives its first answer again.
func (r *run) send(ctx workflow.Context, event machine.ExternalEvent) (machine.View, error) {
	if why := machine.BadID(event.ID); why != "" {
		return machine.View{}, refused(errors.New("the id of an event " + why))
	}
	if err := r.turn.Lock(ctx); err != nil {
		return machine.View{}, err
	}
	defer r.turn.Unlock()
	if stored := r.accepted[event.ID]; event.ID != "" && stored != nil {
		v, err := r.machine.DecodeAnswer(r.snapshot, &event, stored)
		return v, refused(err)
	}
	records, err := r.step(ctx, event.IfSeq, func(s *machine.Snapshot) (machine.Input, error) {
		return r.machine.EventInput(s, event, machine.MaxPayload)
	})
	if err != nil {
		return machine.View{}, refused(err)
	}
	if event.ID != "" {
		if r.accepted[event.ID], err = r.machine.EncodeAnswer(r.snapshot, event.ID, records); err != nil {
			return machine.View{}, refused(err)
		}
	}
	return r.machine.View(r.snapshot), nil
}

// steer takes what an operator wants. A cancel waits until what it stops has stopped.
func (r *run) steer(ctx workflow.Context, o Steer) (machine.View, error) {
	switch o.Kind {
	case machine.CancelInput, machine.PauseInput, machine.ResumeInput, machine.RetryInput:
	default:
		return machine.View{}, refused(errors.New("an operator can cancel, pause, resume or retry a run, not " + string(o.Kind)))
	}
	in := machine.Input{Kind: o.Kind, Force: o.Force, Actor: o.Actor, Reason: o.Reason}
	if err := r.apply(ctx, func(*machine.Snapshot) (machine.Input, error) { return in, nil }); err != nil {
		return machine.View{}, refused(err)
	}
	v := r.machine.View(r.snapshot)
	if o.Kind == machine.CancelInput {
		return v, workflow.Await(ctx, func() bool { return r.stopping == 0 })
	}
	return v, nil
}

// complete ends an open activity by hand.
func (r *run) complete(ctx workflow.Context, c machine.Completion) (machine.View, error) {
	err := r.apply(ctx, func(s *machine.Snapshot) (machine.Input, error) {
		return r.machine.CompleteInput(s, &c, machine.MaxPayload)
	})
	return r.machine.View(r.snapshot), refused(err)
}

// refused is an error that fails the update, and not the workflow.
func refused(err error) error {
	if err == nil {
		return nil
	}
	return temporal.NewNonRetryableApplicationError(err.Error(), refusedType, nil)
}
