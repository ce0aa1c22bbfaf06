package fsmtest

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// Outcome is what one attempt of an activity results in.
type Outcome = runtime.ActivityFunc

// script is what the attempts of an activity result in, one after the other; the
// last outcome is that of all later ones.
type script struct {
	outcomes []Outcome
	used     int
}

func (s *script) next() Outcome {
	if s == nil || len(s.outcomes) == 0 {
		return nil
	}
	next := s.outcomes[min(s.used, len(s.outcomes)-1)]
	s.used++
	return next
}

// Activity sets the outcomes of the next attempts of an activity, in order. Later attempts have
// the last outcome again.
func (t *T) Activity(name string, outcomes ...Outcome) {
	t.Helper()
	t.known("activity", name, t.names(false))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scripts[name] = &script{outcomes: outcomes}
}

// Machine sets the outcomes of the next runs of a machine that is called, in order, in place of
// children. Later runs have the last outcome again. Without outcomes, children run again.
func (t *T) Machine(name string, outcomes ...Outcome) {
	t.Helper()
	t.known("call of machine", name, t.names(true))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.children[name] = &script{outcomes: outcomes}
}

// names are those of the activities, or of the machines that are called.
func (t *T) names(called bool) (names []string) {
	for _, m := range t.machines {
		for _, a := range m.Definition().Activities {
			if called == (a.Callee != "") {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

// standIn does what a child would, if the test has said what; nil where a child runs.
func (t *T) standIn(machine string) runtime.ActivityFunc {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.children[machine]; s == nil || len(s.outcomes) == 0 {
		return nil
	}
	return func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		t.mu.Lock()
		next := t.children[machine].next()
		if next == nil {
			t.mu.Unlock()
			return runtime.Result{}, runtime.Decline("the test lets children run again")
		}
		t.attempts = append(t.attempts, *a)
		t.mu.Unlock()
		return next(ctx, a)
	}
}

// EndsIn is for T.Machine: the child ends in a terminal of its machine. Returns is what the child
// returns: anything that encoding/json turns into the object of the fields, or nil.
func EndsIn(terminal string, returns any) Outcome { return Raises(terminal, returns) }

// Raises ends an attempt with an event and its data: anything that
// encoding/json turns into the object of its fields, or nil.
func Raises(event string, data any) Outcome {
	return func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{Event: event, Data: data}, nil
	}
}

// Ends ends an attempt of an activity that declares no event.
func Ends() Outcome { return Raises("", nil) }

// Fails ends an attempt with a failure of a category.
func Fails(category string) Outcome {
	return func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{}, runtime.Fail(category, "as the test wants it")
	}
}

// Hangs is an attempt that does not end by itself, but only at its time limit, or when the run
// has moved on.
func Hangs() Outcome {
	return func(ctx context.Context, _ *runtime.Attempt) (runtime.Result, error) {
		<-ctx.Done()
		return runtime.Result{}, context.Cause(ctx)
	}
}

// After lets an attempt take d of the test's time before it results in then.
func After(d time.Duration, then Outcome) Outcome {
	return func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		select {
		case <-time.After(d):
			return then(ctx, a)
		case <-ctx.Done():
			return runtime.Result{}, context.Cause(ctx)
		}
	}
}

// Beating lets an attempt send a heartbeat every so often until it results in then.
func Beating(every time.Duration, then Outcome) Outcome {
	return func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		over := make(chan struct{})
		defer close(over)
		go func() {
			tick := time.NewTicker(every)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					a.Heartbeat()
				case <-over:
					return
				}
			}
		}()
		return then(ctx, a)
	}
}

// Checkpoints stores a checkpoint, anything that encoding/json takes, before the attempt results in then.
func Checkpoints(checkpoint any, then Outcome) Outcome {
	return func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		if err := a.Progress(checkpoint); err != nil {
			return runtime.Result{}, err
		}
		return then(ctx, a)
	}
}
