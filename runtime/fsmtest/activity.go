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
	t.known("activity", name, t.names(false))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.scripts[name] = &script{outcomes: outcomes}
}

// Machine says what runs of a machine that is called result in from now on, in place of
// children: the first one in the first outcome, and so on, as for Activity. Without outcomes
// children run again.
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
		t.attempts = append(t.attempts, *a)
		next := t.children[machine].next()
		t.mu.Unlock()
		return next(ctx, a)
	}
}

// EndsIn ends what stands in for a child in a terminal of its machine, with what that returns:
// anything that encoding/json turns into the object of the fields, or nil.
func EndsIn(terminal string, returns any) Outcome { return Raises(terminal, returns) }

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
