package fsmtest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// Outcome is what one attempt of an activity results in. If the activity cannot end as Raises, Ends,
// EndsIn or Fails says, the test fails: the machine has no such event, its fields are others, or the
// activity does not fail with that category. A function of the test's own may return anything.
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
		return next(t.checking(ctx), a)
	}
}

// ofTest is the key of a T in the context of its attempts.
type ofTest struct{}

func (t *T) checking(ctx context.Context) context.Context { return context.WithValue(ctx, ofTest{}, t) }

// checked fails the test if an attempt of the activity cannot end as the outcome says.
func checked(outcome Outcome) Outcome {
	return func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
		if t, ok := ctx.Value(ofTest{}).(*T); ok {
			if why := t.misfit(outcome, a); why != "" {
				t.Errorf("the test says how attempt %d of %q ends, but %s", a.Number, a.Activity, why)
			}
		}
		return outcome(ctx, a)
	}
}

// misfit is why the engine would make a failure `unknown` of an outcome that says something else,
// or "". An attempt does not say of which do it is, so a category fits if any do of the activity
// can fail with it.
func (t *T) misfit(outcome Outcome, a *runtime.Attempt) (why string) {
	i := slices.IndexFunc(t.machines, func(m *runtime.Machine) bool { return m.Definition().Name == a.Machine })
	if i < 0 {
		return ""
	}
	m := t.machines[i]
	d := m.Definition()
	ended := runtime.Perform(context.Background(), outcome, a, runtime.AttemptLimits{})
	var categories []string
	for do := range d.Dos {
		if d.Activities[d.Dos[do].Activity].Name != a.Activity {
			continue
		}
		in := ended.Input(m, &machine.Task{Do: do}, runtime.MaxPayload)
		if in.Kind == machine.ResultInput || ended.Category == d.Categories[in.Category] {
			return ""
		}
		why = in.Message
		categories = append(categories, d.FailureNames(&d.Dos[do])...)
	}
	if ended.End == runtime.AttemptFailed {
		return fmt.Sprintf("%q cannot fail with category %q%s", a.Activity, ended.Category, machine.DidYouMean(ended.Category, categories))
	}
	return why
}

// EndsIn is for T.Machine: the child ends in a terminal of its machine. Returns is what the child
// returns: anything that encoding/json turns into the object of the fields, or nil.
func EndsIn(terminal string, returns any) Outcome { return Raises(terminal, returns) }

// Raises ends an attempt with an event and its data: anything that
// encoding/json turns into the object of its fields, or nil.
func Raises(event string, data any) Outcome {
	return checked(func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{Event: event, Data: data}, nil
	})
}

// Ends ends an attempt of an activity that declares no event.
func Ends() Outcome { return Raises("", nil) }

// Fails ends an attempt with a failure of a category.
func Fails(category string) Outcome {
	return checked(func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{}, runtime.Fail(category, "as the test wants it")
	})
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
