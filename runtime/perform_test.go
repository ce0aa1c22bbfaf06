package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	. "github.com/fsmc-dev/fsmc/runtime/machine/machinetest"
)

// performs is a machine of which Perform does an activity.
func performs(t *testing.T) (*machine.Machine, *machine.Task) {
	m := Build(t, WithEvent("Found", "n int 0..9"), WithActivity("work", "", "Found", "flaky"),
		WithState("Working", Doing("work", nil, "timeout 1m", "heartbeat 1m", "progress 1m"), On("Found", GoTo("Done")), On("failed", GoTo("Done"))),
		WithTerminal("Done", machine.Success))
	return m, &machine.Task{Do: 0, Key: "k", Attempt: 1}
}

// TestPerform: what becomes of an attempt, and as what its run takes it.
func TestPerform(t *testing.T) {
	m, task := performs(t)
	found := func(n int) runtime.Result {
		return runtime.Result{Event: "Found", Data: map[string]int{"n": n}, Cost: map[string]json.Number{"usd": "2"}}
	}
	until := func(ctx context.Context, d time.Duration) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(d):
			return nil
		}
	}
	for name, test := range map[string]struct {
		f      runtime.ActivityFunc
		limits runtime.AttemptLimits
		stops  time.Duration // after which its caller cancels it
		cause  error
		end    runtime.AttemptEnd
		takes  time.Duration
		input  string // as it is described, and its message
	}{
		"result": {f: func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
			return found(1), a.Spend("usd", "1")
		},
			end: runtime.AttemptResult, input: "Found "},
		"misfit": {f: func(context.Context, *runtime.Attempt) (runtime.Result, error) { return found(10), nil },
			end: runtime.AttemptResult, input: `failed(unknown) the result does not fit: event "Found": field "n": 10 is out of range, expected int 0..9`},
		"failure": {f: func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{}, runtime.Fail("flaky", "oh")
		},
			end: runtime.AttemptFailed, input: "failed(flaky) oh"},
		"undeclared": {f: func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{}, runtime.Fail("silly", "oh")
		},
			end: runtime.AttemptFailed, input: `failed(unknown) the activity cannot fail with category "silly": oh`},
		"misspelt": {f: func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{}, runtime.Fail("flakey", "oh")
		},
			end: runtime.AttemptFailed, input: `failed(unknown) the activity cannot fail with category "flakey" (did you mean "flaky"?): oh`},
		"undeclared, without a word": {f: func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{}, runtime.Fail("silly", "")
		}, end: runtime.AttemptFailed, input: `failed(unknown) the activity cannot fail with category "silly"`},
		"panic": {f: func(context.Context, *runtime.Attempt) (runtime.Result, error) { panic("oh") },
			end: runtime.AttemptFailed, input: "failed(unknown) panic: oh"},
		"declined": {f: func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{}, runtime.Decline("no")
		},
			end: runtime.AttemptReturned},
		"lost": {f: func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			return runtime.Result{}, runtime.ErrWorkerLost
		},
			end: runtime.AttemptLost},
		"timeout": {f: func(ctx context.Context, _ *runtime.Attempt) (runtime.Result, error) {
			return found(1), until(ctx, time.Hour)
		},
			limits: runtime.AttemptLimits{Timeout: time.Minute, Stopping: time.Second}, cause: runtime.ErrOverdue, end: runtime.AttemptFailed, takes: time.Minute, input: "failed(timeout) no result within 1m"},
		"silent": {f: func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
			for range 3 {
				_ = until(ctx, 50*time.Second)
				a.Heartbeat()
			}
			return found(1), until(ctx, time.Hour)
		}, limits: runtime.AttemptLimits{Heartbeat: time.Minute, Stopping: time.Second}, cause: runtime.ErrOverdue, end: runtime.AttemptFailed, takes: 210 * time.Second, input: "failed(silent) no heartbeat for 1m"},
		"stalled": {f: func(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
			_ = until(ctx, 50*time.Second)
			if err := a.Progress(1); err != nil {
				return runtime.Result{}, err
			}
			for until(ctx, time.Second) == nil {
				a.Heartbeat()
			}
			return found(1), nil
		}, limits: runtime.AttemptLimits{Progress: time.Minute, Stopping: time.Second}, cause: runtime.ErrOverdue, end: runtime.AttemptFailed, takes: 110 * time.Second, input: "failed(stalled) no checkpoint for 1m"},
		"deaf": {f: func(context.Context, *runtime.Attempt) (runtime.Result, error) {
			time.Sleep(time.Hour)
			return found(1), nil
		},
			limits: runtime.AttemptLimits{Timeout: time.Minute, Stopping: time.Second}, cause: runtime.ErrOverdue, end: runtime.AttemptFailed, takes: 61 * time.Second, input: "failed(timeout) no result within 1m"},
		"cancelled": {f: func(ctx context.Context, _ *runtime.Attempt) (runtime.Result, error) {
			_ = until(ctx, time.Hour)
			return found(1), nil
		},
			limits: runtime.AttemptLimits{Stopping: time.Second}, stops: time.Minute, cause: runtime.ErrMoved, end: runtime.AttemptCancelled, takes: time.Minute},
		"stopped with a result": {f: func(ctx context.Context, _ *runtime.Attempt) (runtime.Result, error) {
			_ = until(ctx, time.Hour)
			return found(1), nil
		},
			limits: runtime.AttemptLimits{Stopping: time.Second}, stops: time.Minute, cause: runtime.ErrStopped, end: runtime.AttemptResult, takes: time.Minute, input: "Found "},
		"stopped": {f: func(ctx context.Context, _ *runtime.Attempt) (runtime.Result, error) {
			return found(1), until(ctx, time.Hour)
		},
			limits: runtime.AttemptLimits{Stopping: time.Second}, stops: time.Minute, cause: runtime.ErrStopped, end: runtime.AttemptCancelled, takes: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if test.stops > 0 {
					time.AfterFunc(test.stops, func() { cancel(test.cause) })
				}
				var kept []string
				a := runtime.NewAttempt(runtime.Attempt{Key: "k", Number: 1}, runtime.AttemptHooks{
					Checkpoint: func(data json.RawMessage) error { kept = append(kept, string(data)); return nil },
				})
				began := time.Now()
				o := runtime.Perform(ctx, test.f, a, test.limits)
				if took := time.Since(began); o.End != test.end || took != test.takes || !errors.Is(o.Cause, test.cause) {
					t.Errorf("%+v, after %s", o, took)
				}
				if o.GoesOn != (name == "deaf") || slices.Equal(kept, []string{"1"}) != (name == "stalled") {
					t.Errorf("%+v, checkpoints %q", o, kept)
				}
				if want := map[bool]json.Number{true: "3", false: "2"}[name == "result"]; o.End == runtime.AttemptResult && o.Cost["usd"] != want {
					t.Errorf("it has cost %v", o.Cost)
				}
				if test.input != "" {
					in := o.Input(m, task, runtime.MaxPayload)
					if got := m.DescribeEnd(&in) + " " + in.Message; got != test.input {
						t.Errorf("its run takes %q", got)
					}
				}
				time.Sleep(2 * time.Hour) // what is left to itself ends
			})
		})
	}
}

// TestAttemptOfOwn: a checkpoint that nothing keeps is not lost in silence.
func TestAttemptOfOwn(t *testing.T) {
	own := &runtime.Attempt{}
	if err := own.Progress(1); err == nil {
		t.Error("it is said to be kept")
	}
	beats, spent := 0, ""
	a := runtime.NewAttempt(*own, runtime.AttemptHooks{
		Beat:  func() { beats++ },
		Spend: func(cost string, amount json.Number) error { spent = cost + " " + amount.String(); return nil },
	})
	o := runtime.Perform(t.Context(), func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		a.Heartbeat()
		if err := a.Spend("usd", "0.5"); err != nil {
			return runtime.Result{}, err
		}
		return runtime.Result{}, a.Progress(1)
	}, a, runtime.AttemptLimits{})
	if beats != 1 || spent != "usd 0.5" || len(o.Cost) > 0 || o.End != runtime.AttemptFailed || o.Message == "" {
		t.Errorf("%d beats, %q, %+v", beats, spent, o)
	}
	if !runtime.IsDeclined(runtime.Decline("no")) || runtime.IsDeclined(errors.New("declined: no")) {
		t.Error("what is declined cannot be told")
	}
}
