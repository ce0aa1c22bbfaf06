package temporal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/enginetest"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/temporal"
)

// limitServer is a server whose limiters are beside the test environment, which has one workflow.
type limitServer struct {
	server
	env      *testsuite.TestWorkflowEnvironment
	limiters map[string]*temporal.Limiter
	deaf     int // it forgets so many requests first
}

// SignalWorkflow brings a request to a limiter, in the time of the environment.
func (s *limitServer) SignalWorkflow(_ context.Context, id, _, _ string, arg any) error {
	s.env.RegisterDelayedCallback(func() {
		if s.deaf > 0 {
			s.deaf--
			return
		}
		if s.limiters[id] == nil {
			s.limiters[id] = &temporal.Limiter{}
		}
		s.limiters[id].Take(arg.(temporal.Request), s.env.Now())
		s.hand(id)
	}, 0)
	return nil
}

// hand gives out the places of a limiter, and does it again when its rate opens.
func (s *limitServer) hand(id string) {
	l := s.limiters[id]
	for _, p := range l.Grant(s.env.Now()) {
		g := temporal.Grant{Limiter: id, Place: p.ID, Tell: l.Limit.Rate > 0}
		if p.Run == enginetest.Run {
			s.env.SignalWorkflow(temporal.SignalGrant, g)
		} else if s.env.SignalWorkflowByID(p.Run, temporal.SignalGrant, g) != nil { // it has ended
			l.Take(temporal.Request{Kind: temporal.LeftPlace, Run: p.Run, Place: p.ID}, s.env.Now())
		}
	}
	if v := l.Holds(); v != nil && v.Opens != nil {
		s.env.RegisterDelayedCallback(func() { s.hand(id) }, v.Opens.Sub(s.env.Now()))
	}
}

// limitedRun is a run in an environment with a limiter, and what its activities did when.
type limitedRun struct {
	*testing.T
	env    *testsuite.TestWorkflowEnvironment
	in     temporal.Input
	server *limitServer
	begin  time.Time

	mu   sync.Mutex
	made []string
}

// limitedRunOf is a run of a machine whose activity is called work.
func limitedRunOf(t *testing.T, source string) *limitedRun {
	r := &limitedRun{T: t, server: &limitServer{limiters: map[string]*temporal.Limiter{}}}
	h := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(_ context.Context, a *runtime.Attempt) (runtime.Result, error) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.made = append(r.made, fmt.Sprintf("attempt %d at %s", a.Number, r.env.Now().Sub(r.begin)))
		return runtime.Result{Event: "Worked", Data: json.RawMessage(`{"n":1}`)}, nil
	}}}
	r.env, r.in = environmentOf(t, source, temporal.Worker{Handlers: h, Client: r.server})
	r.server.env, r.begin = r.env, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r.env.SetStartTime(r.begin)
	return r
}

// at does something at a time after the start.
func (r *limitedRun) at(after time.Duration, f func()) { r.env.RegisterDelayedCallback(f, after) }

// taken has another run take the one place of the activity before this one starts.
func (r *limitedRun) taken() {
	l := &temporal.Limiter{}
	l.Take(temporal.Request{Kind: temporal.AsksPlace, Run: "other", Place: "other", Limit: machine.Limit{AtOnce: 1}, Hash: "other"}, r.begin)
	l.Grant(r.begin)
	r.server.limiters[temporal.LimiterID("M", "work")] = l
}

// free ends that.
func (r *limitedRun) free() {
	_ = r.server.SignalWorkflow(r.Context(), temporal.LimiterID("M", "work"), "", "", temporal.Request{Kind: temporal.LeftPlace, Run: "other", Place: "other", Used: true})
}

// ends has the run end in a state, with attempts that its activities were given.
func (r *limitedRun) ends(state string, made ...string) {
	r.Helper()
	r.env.ExecuteWorkflow(temporal.WorkflowType, r.in)
	v := viewOf(r.T, r.env, "")
	if v.State != state || !slices.Equal(r.made, made) {
		r.Errorf("it ends in %s after the attempts %q: %v", v.State, r.made, r.env.GetWorkflowError())
	}
	for id, l := range r.server.limiters {
		for _, p := range l.Places {
			if p.ID != "other" {
				r.Errorf("%s has the place %+v", id, p)
			}
		}
	}
}

const limitedWork = `machine M {
	budget { usd 1.00 }
	event Worked { n int }
	event Leave
	activity work() -> Worked cost usd 0.10 limit 1 at once
	initial Working
	on failed -> Failed
	on over_budget -> Failed
	state Working {
		do work()
		on Worked -> Done
		on Leave -> Failed
		after 1h -> Late
	}
	terminal Done success
	terminal Late failure
	terminal Failed failure
}
`

// waitsFor checks what an activity waits for.
func (r *limitedRun) waitsFor(want string) {
	r.Helper()
	v := viewOf(r.T, r.env, "")
	got := ""
	for _, a := range v.Activities {
		if a.Limit != nil {
			got += a.Limit.Text
		}
	}
	if got != want {
		r.Errorf("it waits for %q, not for %q", got, want)
	}
}

// TestPlaceWaited: an attempt begins when it has its place, and is shown as waiting until then. Where nobody heard of it, it asks again.
func TestPlaceWaited(t *testing.T) {
	r := limitedRunOf(t, limitedWork)
	r.taken()
	r.at(10*time.Minute, func() { r.waitsFor("1 at once"); r.free() })
	r.ends("Done", "attempt 1 at 10m0s")

	r = limitedRunOf(t, limitedWork)
	r.server.deaf = 1
	r.ends("Done", "attempt 1 at 1m0s")
}

// TestPlaceLeft: a state that is left while its attempt waits takes the attempt out of the queue; so do its timers, which go on, and a completion by hand.
func TestPlaceLeft(t *testing.T) {
	for state, act := range map[string]func(*limitedRun){
		"Late": func(*limitedRun) {},
		"Failed": func(r *limitedRun) {
			var accepted bool
			send(r.env, machine.ExternalEvent{Name: "Leave"}, &accepted, new(error))
		},
		"Done": func(r *limitedRun) {
			r.env.UpdateWorkflow(temporal.UpdateComplete, "", &callback{func(_ any, err error) {
				if err != nil {
					r.Error(err)
				}
			}}, machine.Completion{Activity: "Working.work", Event: "Worked", Data: json.RawMessage(`{"n":2}`)})
		},
	} {
		r := limitedRunOf(t, limitedWork)
		r.taken()
		r.at(10*time.Minute, func() { act(r) })
		r.ends(state)
	}
}

// TestPlacePaused: a paused run is in no queue, and has its turn again when it goes on.
func TestPlacePaused(t *testing.T) {
	r := limitedRunOf(t, limitedWork)
	operator := func(kind machine.InputKind) {
		steer(r.env, temporal.Steer{Kind: kind}, func(err error) {
			if err != nil {
				t.Error(err)
			}
		})
	}
	r.taken()
	r.at(time.Minute, func() { operator(machine.PauseInput) })
	r.at(2*time.Minute, func() {
		r.waitsFor("")
		if l := r.server.limiters[temporal.LimiterID("M", "work")]; len(l.Places) != 1 {
			t.Errorf("a paused run waits: %d have places or wait", len(l.Places))
		}
		r.free()
	})
	r.at(3*time.Minute, func() { operator(machine.ResumeInput) })
	r.ends("Done", "attempt 1 at 3m0s")
}

// TestPlaceOverBudget: an attempt that the budget holds back has no place.
func TestPlaceOverBudget(t *testing.T) {
	r := limitedRunOf(t, strings.Replace(limitedWork, "cost usd 0.10", "cost usd 2.00", 1))
	r.ends("Failed")
}

// TestPlacesOfElements: the elements of a list begin as their limits let them, that of the list and that of the
// activity.
func TestPlacesOfElements(t *testing.T) {
	const source = `machine M(parts [0..5]int) {
	context { last int = 0 }
	event Worked { n int }
	activity work(part int) -> Worked limit 2 per 1m
	initial Working
	on failed -> Failed
	state Working {
		do work(part) for part in parts limit 3
		on Worked { last = event.n }
		on done -> Done
	}
	terminal Done success
	terminal Failed failure
}
`
	r := limitedRunOf(t, source)
	r.in.Params = json.RawMessage(`{"parts":[1,2,3,4,5]}`)
	r.env.ExecuteWorkflow(temporal.WorkflowType, r.in)
	var when []string
	for _, line := range r.made {
		_, at, _ := strings.Cut(line, " at ")
		when = append(when, at)
	}
	if v := viewOf(t, r.env, ""); v.State != "Done" || !slices.Equal(when, []string{"0s", "0s", "1m0s", "1m0s", "2m0s"}) {
		t.Errorf("it ends in %s after %q: %v", v.State, r.made, r.env.GetWorkflowError())
	}
}

// TestPlaceContinued: a run that waits goes on in a new execution, and keeps its turn.
func TestPlaceContinued(t *testing.T) {
	r := limitedRunOf(t, limitedWork)
	r.taken()
	r.env.SetContinueAsNewSuggested(true)
	r.env.ExecuteWorkflow(temporal.WorkflowType, r.in)
	next, ok := continued(t, r.env.GetWorkflowError())
	if !ok || len(next.Continued.Waiting) != 1 || len(r.made) > 0 {
		t.Fatalf("it does not go on in a new execution: %v", r.env.GetWorkflowError())
	}
	after := limitedRunOf(t, limitedWork)
	after.server.limiters, after.in = r.server.limiters, next
	l := r.server.limiters[temporal.LimiterID("M", "work")]
	before := len(l.Places)
	after.at(time.Minute, func() {
		if len(l.Places) != before || before != 2 {
			t.Errorf("%d have places or wait, and %d before", len(l.Places), before)
		}
		after.free()
	})
	after.ends("Done", "attempt 1 at 1m0s")
}

// TestPlaceOverAtOnce: a run that goes on in a new execution and is in time for its timer alone waits for no place any more.
func TestPlaceOverAtOnce(t *testing.T) {
	r := limitedRunOf(t, limitedWork)
	r.taken()
	r.env.SetContinueAsNewSuggested(true)
	r.env.ExecuteWorkflow(temporal.WorkflowType, r.in)
	next, ok := continued(t, r.env.GetWorkflowError())
	if !ok || len(next.Continued.Waiting) != 1 {
		t.Fatalf("it does not go on in a new execution: %v", r.env.GetWorkflowError())
	}
	after := limitedRunOf(t, limitedWork)
	after.server.limiters, after.in = r.server.limiters, next
	after.env.SetStartTime(r.begin.Add(2 * time.Hour))
	after.ends("Late")
}

// TestPlaceMigrated: a run that is moved to another definition while it waits waits by that one.
func TestPlaceMigrated(t *testing.T) {
	newer := strings.Replace(limitedWork, "cost usd 0.10", "cost usd 0.20", 1)
	r := limitedRunOf(t, limitedWork)
	r.taken()
	r.at(time.Minute, func() {
		r.env.UpdateWorkflow(temporal.UpdateMigrate, "", &callback{func(_ any, err error) {
			if err != nil {
				t.Error(err)
			}
		}}, temporal.Migrate{Definition: compiled(newer).Definition().Encode()})
	})
	r.env.ExecuteWorkflow(temporal.WorkflowType, r.in)
	next, ok := continued(t, r.env.GetWorkflowError())
	l := r.server.limiters[temporal.LimiterID("M", "work")]
	if !ok || len(r.made) > 0 || len(l.Places) != 2 || len(l.Definitions) != 3 {
		t.Fatalf("it does not go on in a new execution, or %d have places or wait: %v", len(l.Places), r.env.GetWorkflowError())
	}
	after := limitedRunOf(t, newer)
	after.server.limiters, after.in = r.server.limiters, next
	after.at(time.Minute, after.free)
	after.ends("Done", "attempt 1 at 1m0s")
}

// TestPlaceUnwanted: a place that the run knows nothing of, as after a reset, is free again.
func TestPlaceUnwanted(t *testing.T) {
	r := limitedRunOf(t, limitedWork)
	l := &temporal.Limiter{}
	l.Take(temporal.Request{Kind: temporal.AsksPlace, Run: enginetest.Run, Place: "stale", Limit: machine.Limit{AtOnce: 1}, Hash: "other"}, r.begin)
	r.server.limiters[temporal.LimiterID("M", "work")] = l
	r.ends("Done", "attempt 1 at 0s")
}

// TestLimitNeedsClient: a worker that cannot ask for places is refused.
func TestLimitNeedsClient(t *testing.T) {
	h := runtime.Handlers{Activities: map[string]runtime.ActivityFunc{"work": func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		return runtime.Result{}, nil
	}}}
	err := temporal.Register(quiet(), temporal.Worker{Machine: compiled(limitedWork), Handlers: h})
	if err == nil || !strings.Contains(err.Error(), `the activity "work" of machine "M" has a limit for all runs together, and no Client is brought`) {
		t.Error(err)
	}
}
