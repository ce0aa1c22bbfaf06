package store

import (
	"context"
	"errors"
	"testing"
	"time"
)

var errLimit = errors.New("the limit")

// TestCall: a call ends with its caller, or after its limit, whether or not anybody has
// waited for that before.
func TestCall(t *testing.T) {
	type key struct{}
	gone := errors.New("the caller has gone")
	for _, test := range []struct {
		name  string
		limit time.Duration
		leave bool
		want  error
	}{
		{"within its limit", time.Hour, false, nil},
		{"after its limit", 0, false, errLimit},
		{"after its caller has gone", time.Hour, true, gone},
	} {
		for _, waited := range []bool{false, true} {
			caller, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, 7))
			call := NewCall(caller, test.limit, errLimit)
			if waited {
				_ = call.Done()
			}
			if test.leave {
				cancel(gone)
			}
			if test.want != nil {
				<-call.Done()
			}
			if got := context.Cause(call); got != test.want || (call.Err() != nil) != (got != nil) {
				t.Errorf("%s, waited %v: %v, because of %v", test.name, waited, call.Err(), got)
			}
			if call.Value(key{}) != 7 {
				t.Errorf("%s: the caller's values are gone", test.name)
			}
			if deadline, ok := call.Deadline(); !ok || time.Until(deadline) > test.limit {
				t.Errorf("%s: it ends at %s", test.name, deadline)
			}
			within, stop := context.WithCancel(call)
			call.Release()
			<-call.Done()
			<-within.Done()
			stop()
			cancel(nil)
		}
	}
}

// TestPatient: patience is the caller's, whatever limit its calls have.
func TestPatient(t *testing.T) {
	endless, cancel := context.WithCancel(context.Background())
	defer cancel()
	for want, caller := range map[bool]context.Context{true: context.Background(), false: endless} {
		call := NewCall(caller, time.Hour, errLimit)
		defer call.Release()
		within, stop := context.WithCancel(NewCall(call, time.Hour, errLimit))
		defer stop()
		for _, ctx := range []context.Context{caller, call, within} {
			if got := Patient(ctx); got != want {
				t.Errorf("%v of %v is patient: %v", ctx, caller, got)
			}
		}
		if got := Caller(NewCall(call, time.Hour, errLimit)); got != caller {
			t.Errorf("the caller is %v, and not %v", got, caller)
		}
		if got := Caller(within); got != within { // which may end before its caller
			t.Errorf("the caller is %v, and not %v", got, within)
		}
	}
}
