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

// Activity says what the attempts of an activity result in from now on: the first
// one the first outcome, and so on; those after the last one result in that again.
func (t *T) Activity(name string, outcomes ...Outcome) {
	t.Helper()
	names := []string{}
	for _, a := range t.machine.Definition().Activities {
		names = append(names, a.Name)
	}
	t.known("activity", name, names)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scripts[name] = &script{outcomes: outcomes}
}

// Raises ends an attempt with an event and its data: anything that
// encoding/json turns into the object of its fields, or nil.
func Raises(event string, data any) Outcome {
	return func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{Event: event, Data: data}, nil
	}
}

// Ends ends an attempt of an activity that has nothing to say.
func Ends() Outcome { return Raises("", nil) }

// Fails ends an attempt with a failure of a category.
func Fails(category string) Outcome {
	return func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{}, runtime.Fail(category, "as the test wants it")
	}
}

// Hangs is an attempt that never ends: until its time limit, or until the
// run has moved on.
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

// Beating lets an attempt give a sign of life every so often while it results in
// then.
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
