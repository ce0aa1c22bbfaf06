package runtime

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Run is a run as it was when it was read, with the types of its machine. Its JSON is that of the
// View.
type Run[S ~string, P, D any] struct {
	View
	State  S // the last leaf or terminal that it entered
	Params P
	Data   D
}

// MarshalJSON is the JSON of the View.
func (r Run[S, P, D]) MarshalJSON() ([]byte, error) { return json.Marshal(r.View) }

// UnmarshalJSON reads the JSON of a View.
func (r *Run[S, P, D]) UnmarshalJSON(data []byte) error {
	var v View
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return r.read(v)
}

func (r *Run[S, P, D]) read(v View) error {
	*r = Run[S, P, D]{View: v, State: S(v.State)}
	if err := DecodeFields(v.Params, &r.Params); err != nil {
		return fmt.Errorf("the parameters of run %q: %w", v.Run, err)
	}
	if err := DecodeFields(v.Data, &r.Data); err != nil {
		return fmt.Errorf("the data of run %q: %w", v.Run, err)
	}
	return nil
}

// Runs starts runs of one machine, sends them events and looks at them. Generated
// code names its types: S is a state, P and D are parameters and data, E is one of
// the events that may be sent.
type Runs[S interface {
	~string
	MachineName() string
}, P, D any, E interface{ FSMEvent() string }] struct{ Engine *Engine }

// Start starts a run; an empty id is replaced by a new one. The run is durable
// when Start returns. The error is ErrExists where the id is taken.
func (r Runs[S, P, D, E]) Start(ctx context.Context, id string, params P, options ...machine.StartOption) (Run[S, P, D], error) {
	data, err := EncodeFields(params)
	if err != nil {
		return Run[S, P, D]{}, err
	}
	return r.read(r.Engine.Start(ctx, r.machine(), id, data, options...))
}

// Get looks at a run.
func (r Runs[S, P, D, E]) Get(ctx context.Context, id string) (Run[S, P, D], error) {
	return r.read(r.Engine.Get(ctx, id))
}

// Send sends an event to a run. A refused event is a *Rejected.
func (r Runs[S, P, D, E]) Send(ctx context.Context, id string, event E, options ...SendOption) (Run[S, P, D], error) {
	data, err := EncodeFields(event)
	if err != nil {
		return Run[S, P, D]{}, err
	}
	return r.read(r.Engine.Send(ctx, id, NewEvent(event.FSMEvent(), data, options...)))
}

// ResultOf is what a run has returned. R is the result type of one terminal of its machine. If
// the run has not ended in that terminal, the result is an error. If the run has an older version
// of the machine, whose terminal does not return a field, the field is zero.
func ResultOf[R interface{ FSMTerminal() S }, S ~string, P, D any](run Run[S, P, D]) (R, error) {
	var result R
	if terminal := result.FSMTerminal(); run.Status != Finished || run.State != terminal {
		return result, fmt.Errorf("run %q is in state %q and has not ended in %q", run.Run, run.State, terminal)
	}
	if len(run.Returns) == 0 {
		return result, fmt.Errorf("run %q returns nothing: it goes by another version of its machine", run.Run)
	}
	if err := DecodeFields(run.Returns, &result); err != nil {
		return result, fmt.Errorf("what run %q has returned: %w", run.Run, err)
	}
	return result, nil
}

func (r Runs[S, P, D, E]) machine() string {
	var state S
	return state.MachineName()
}

// read gives a view its types.
func (r Runs[S, P, D, E]) read(v View, err error) (run Run[S, P, D], _ error) {
	if err == nil && v.Machine != r.machine() {
		err = fmt.Errorf("run %q belongs to machine %q, not to %q", v.Run, v.Machine, r.machine())
	}
	if err == nil {
		err = run.read(v)
	}
	return run, err
}
