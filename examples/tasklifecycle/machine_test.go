package main

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/fsmtest"
)

// life is one task, in the time of the test.
type life struct {
	*fsmtest.T
	run *fsmtest.Run
}

// play lets a task live. Its work does as outcomes say; what is done for it
// besides that hangs, but the offers are sent.
func play(t *testing.T, test func(l *life), outcomes ...fsmtest.Outcome) {
	t.Helper()
	fsmtest.Play(t, TaskLifecycleMachine(), func(t *fsmtest.T) {
		t.Activity("send_offers", fsmtest.Ends())
		t.Activity("work", outcomes...)
		for _, name := range []string{"release", "rotate_credentials", "write_patch"} {
			t.Activity(name, fsmtest.Hangs())
		}
		test(&life{t, t.Start(TaskLifecycleParams{Task: "rows"})})
	})
}

func (l *life) state() TaskLifecycleState { return TaskLifecycleState(l.run.View().State) }

func (l *life) data() (data TaskLifecycleData) {
	l.Helper()
	l.run.Data(&data)
	return data
}

func (l *life) in(want TaskLifecycleState) {
	l.Helper()
	l.run.WantState(string(want))
}

// until waits for a state: no pause of the task is longer than 5 minutes and half of
// that.
func (l *life) until(want TaskLifecycleState) {
	l.Helper()
	for range 8 * 60 {
		if l.state() == want {
			break
		}
		l.run.Sleep(time.Second)
	}
	l.in(want)
}

// offered waits until the task is offered, and says for which time.
func (l *life) offered() (offer int64) {
	l.Helper()
	l.until(TaskLifecycleStateOffered)
	return l.data().Offer
}

// hand gives the task to agent.
func (l *life) hand(agent string) {
	l.Helper()
	offer := l.offered()
	l.run.Send("Accepted", TaskLifecycleAccepted{Agent: agent, Offer: offer})
	l.in(TaskLifecycleStatePending)
	l.run.Send("Started", TaskLifecycleStarted{Agent: agent, Offer: offer})
	l.in(TaskLifecycleStateInProgress)
}

// after is the state behind the first visit of another; empty where the task is
// still there.
func (l *life) after(state TaskLifecycleState) TaskLifecycleState {
	path := l.run.Path()
	if i := slices.Index(path, string(state)); i >= 0 && i+1 < len(path) {
		return TaskLifecycleState(path[i+1])
	}
	return ""
}

// TestOnlyTheAcceptorStarts: the lease is the agent's and the offer's.
func TestOnlyTheAcceptorStarts(t *testing.T) {
	play(t, func(l *life) {
		first := l.offered()
		l.run.Sleep(30 * time.Second)
		l.in(TaskLifecycleStateUnassigned)
		now := l.offered()
		l.run.WantRefused("Accepted", TaskLifecycleAccepted{Agent: "a", Offer: first}) // of the offer before
		l.run.Send("Accepted", TaskLifecycleAccepted{Agent: "a", Offer: now})
		l.run.WantRefused("Accepted", TaskLifecycleAccepted{Agent: "b", Offer: now}) // a second one
		l.run.WantRefused("Started", TaskLifecycleStarted{Agent: "b", Offer: now})   // by another agent
		l.run.WantRefused("Started", TaskLifecycleStarted{Agent: "a", Offer: first}) // under an old lease
		l.run.Send("Started", TaskLifecycleStarted{Agent: "a", Offer: now})
		l.in(TaskLifecycleStateInProgress)
	}, fsmtest.Hangs())
}

// TestAStalledTaskGoesOn: the next agent has the key of the one before, and
// what that one delivers late is refused.
func TestAStalledTaskGoesOn(t *testing.T) {
	zombie := func(context.Context, *runtime.Attempt) (runtime.Result, error) {
		time.Sleep(10 * time.Minute) // without a sign of life, and deaf
		return runtime.Result{Event: "WorkDone", Data: TaskLifecycleWorkDone{Result: "late"}}, nil
	}
	play(t, func(l *life) {
		l.hand("a")
		l.until(TaskLifecycleStateStalled)
		if why := l.data().LastFailure; why != "heartbeat_lost" {
			t.Errorf("the record says %q", why)
		}
		l.hand("b") // when it is clear that the dead agent cannot be told
		l.until(TaskLifecycleStateCompleted)
		work := l.Attempts("work")
		if len(work) != 2 || work[0].Key != work[1].Key || work[1].Number != work[0].Number+1 {
			t.Fatalf("the attempts: %+v", work)
		}
		l.run.Sleep(time.Hour) // the zombie has delivered
		if d := l.data(); d.Result.Value != "done" || d.Attempt != 2 {
			t.Errorf("the result is %q after %d agents", d.Result.Value, d.Attempt)
		}
	}, zombie, fsmtest.After(time.Minute, fsmtest.Raises("WorkDone", TaskLifecycleWorkDone{Result: "done"})))
}

// tooLong gets on for ever.
func tooLong(ctx context.Context, a *runtime.Attempt) (runtime.Result, error) {
	for ctx.Err() == nil {
		if err := a.Progress("a little more"); err != nil {
			return runtime.Result{}, err
		}
		time.Sleep(5 * time.Second)
	}
	return runtime.Result{}, context.Cause(ctx)
}

// fails waits for a moment first, so that the test sees the task in progress.
func fails(category string) fsmtest.Outcome {
	return fsmtest.After(time.Second/2, fsmtest.Fails(category))
}

// TestFailuresAreRouted is the article's table.
func TestFailuresAreRouted(t *testing.T) {
	for name, test := range map[string]struct {
		outcome fsmtest.Outcome
		after   time.Duration
		want    TaskLifecycleState
	}{
		"transient": {fails(TaskLifecycleFailTransient), time.Second, ""}, // tried again there
		"auth":      {fails(TaskLifecycleFailAuth), time.Second, TaskLifecycleStatePausedRotating},
		"schema":    {fails(TaskLifecycleFailSchema), time.Second, TaskLifecycleStateRespecifying},
		"ambiguity": {fails(TaskLifecycleFailAmbiguity), time.Second, TaskLifecycleStatePausedAwaitingInput},
		"logic":     {fails(TaskLifecycleFailLogic), time.Second, TaskLifecycleStateRepairing},
		"preempted": {fails(TaskLifecycleFailPreempted), time.Second, TaskLifecycleStateUnassigned},
		"silent":    {fsmtest.Hangs(), 3 * time.Minute, TaskLifecycleStateStalled},
		"stalled":   {fsmtest.Beating(time.Minute, fsmtest.Hangs()), 6 * time.Minute, TaskLifecycleStateStalled},
		"timeout":   {tooLong, 121 * time.Minute, TaskLifecycleStateStalled},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, func(l *life) {
				l.hand("a")
				l.run.Sleep(test.after)
				if got := l.after(TaskLifecycleStateInProgress); got != test.want {
					t.Errorf("the task went to %q, want %q", got, test.want)
				}
			}, test.outcome, fsmtest.Hangs())
		})
	}
}

// TestOffersEnd: however offers fail, there are twelve.
func TestOffersEnd(t *testing.T) {
	play(t, func(l *life) {
		offers := int64(0)
		for l.state() != TaskLifecycleStateFailed {
			if l.state() != TaskLifecycleStateOffered {
				l.run.Sleep(time.Second)
				continue
			}
			offers = l.data().Offer
			switch offers % 3 {
			case 0: // all three decline
				for range 3 {
					l.run.Send("Declined", TaskLifecycleDeclined{Agent: "a", Offer: offers})
				}
			case 1: // no one answers
				l.run.Sleep(30 * time.Second)
			case 2: // the agent dies
				l.hand("a")
			}
		}
		if offers != 12 {
			t.Errorf("%d offers", offers)
		}
	}, fsmtest.Hangs())
}
