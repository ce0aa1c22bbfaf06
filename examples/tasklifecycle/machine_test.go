package main

import (
	"errors"
	"testing"
	"time"
)

// life is one task, played on the generated core.
type life struct {
	t    *testing.T
	core TaskLifecycleStepper
	run  TaskLifecycleSnapshot
	now  time.Time
}

func begin(t *testing.T) *life {
	l := &life{t: t, run: NewTaskLifecycleSnapshot("task-1", 7), now: time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC)}
	l.step(TaskLifecycleStartInput(TaskLifecycleParams{Task: "rows"}))
	return l
}

func (l *life) step(in TaskLifecycleStepInput) {
	l.t.Helper()
	if err := l.core.Step(&l.run, &in, l.now); err != nil {
		l.t.Fatal(err)
	}
	l.settle()
}

// refused sends what the task must not take.
func (l *life) refused(what string, in TaskLifecycleStepInput) {
	l.t.Helper()
	was := l.run.State
	var refused *TaskLifecycleStepRefused
	if err := l.core.Step(&l.run, &in, l.now); !errors.As(err, &refused) || l.run.State != was {
		l.t.Errorf("%s: %v, in %s after %s", what, err, l.run.State, was)
	}
}

// settle takes what follows at once, and the timers that are due.
func (l *life) settle() {
	l.t.Helper()
	if err := l.core.Settle(&l.run, l.now); err != nil {
		l.t.Fatal(err)
	}
}

func (l *life) wait(d time.Duration) {
	l.t.Helper()
	l.now = l.now.Add(d)
	l.settle()
}

func (l *life) in(want TaskLifecycleState) {
	l.t.Helper()
	if l.run.State != want {
		l.t.Fatalf("the task is in %s, want %s", l.run.State, want)
	}
}

// offered waits until the task is offered: no pause is longer than 5 minutes
// and half of that.
func (l *life) offered() {
	l.t.Helper()
	for range 8 * 60 {
		if l.run.State != TaskLifecycleStateUnassigned {
			break
		}
		l.wait(time.Second)
	}
	l.in(TaskLifecycleStateOffered)
}

// hand gives the task to agent.
func (l *life) hand(agent string) {
	l.t.Helper()
	l.offered()
	l.step(TaskLifecycleOnAccepted(TaskLifecycleAccepted{Agent: agent, Offer: l.run.Data.Offer}))
	l.in(TaskLifecycleStatePending)
	l.step(TaskLifecycleOnStarted(TaskLifecycleStarted{Agent: agent, Offer: l.run.Data.Offer}))
	l.in(TaskLifecycleStateInProgress)
}

func (l *life) fail(category TaskLifecycleFailureCategory) {
	l.t.Helper()
	l.step(TaskLifecycleFailureInput(l.run.Tasks[0], category, "because"))
}

// TestOnlyTheAcceptorStarts: the lease is the agent's and the offer's.
func TestOnlyTheAcceptorStarts(t *testing.T) {
	l := begin(t)
	l.offered()
	first := l.run.Data.Offer
	l.wait(30 * time.Second)
	l.in(TaskLifecycleStateUnassigned)
	l.offered()
	l.refused("an acceptance of the offer before", TaskLifecycleOnAccepted(TaskLifecycleAccepted{Agent: "a", Offer: first}))
	now := l.run.Data.Offer
	l.step(TaskLifecycleOnAccepted(TaskLifecycleAccepted{Agent: "a", Offer: now}))
	l.refused("a second acceptance", TaskLifecycleOnAccepted(TaskLifecycleAccepted{Agent: "b", Offer: now}))
	l.refused("a start by another agent", TaskLifecycleOnStarted(TaskLifecycleStarted{Agent: "b", Offer: now}))
	l.refused("a start under an old lease", TaskLifecycleOnStarted(TaskLifecycleStarted{Agent: "a", Offer: first}))
	l.step(TaskLifecycleOnStarted(TaskLifecycleStarted{Agent: "a", Offer: now}))
	l.in(TaskLifecycleStateInProgress)
}

// TestAStalledTaskGoesOn: the next agent has the key of the one before, and
// what that one delivers late is refused.
func TestAStalledTaskGoesOn(t *testing.T) {
	l := begin(t)
	l.hand("a")
	lost := l.run.Tasks[0]
	l.fail(TaskLifecycleCategorySilent)
	l.in(TaskLifecycleStateStalled)
	if l.run.Data.LastFailure != "heartbeat_lost" {
		t.Errorf("the record says %q", l.run.Data.LastFailure)
	}
	l.fail(TaskLifecycleCategoryTimeout) // the dead agent cannot be told
	l.hand("b")
	if now := l.run.Tasks[0]; now.Key("task-1") != lost.Key("task-1") || now.Attempt != lost.Attempt+1 {
		t.Errorf("%s attempt %d after %s attempt %d", now.Key("task-1"), now.Attempt, lost.Key("task-1"), lost.Attempt)
	}
	late := TaskLifecycleOnWorkDone(lost, TaskLifecycleWorkDone{Result: "late"})
	if err := l.core.Step(&l.run, &late, l.now); !errors.Is(err, ErrTaskLifecycleFenced) {
		t.Errorf("a zombie's result: %v", err)
	}
	l.step(TaskLifecycleOnWorkDone(l.run.Tasks[0], TaskLifecycleWorkDone{Result: "done"}))
	l.in(TaskLifecycleStateCompleted)
	if l.run.Data.Result.Value != "done" || l.run.Data.Attempt != 2 {
		t.Errorf("the result is %q after %d agents", l.run.Data.Result.Value, l.run.Data.Attempt)
	}
}

// TestFailuresAreRouted is the article's table.
func TestFailuresAreRouted(t *testing.T) {
	for _, test := range []struct {
		category TaskLifecycleFailureCategory
		want     TaskLifecycleState
	}{
		{TaskLifecycleCategoryTransient, TaskLifecycleStateInProgress},
		{TaskLifecycleCategoryAuth, TaskLifecycleStatePausedRotating},
		{TaskLifecycleCategorySchema, TaskLifecycleStateRespecifying},
		{TaskLifecycleCategoryAmbiguity, TaskLifecycleStatePausedAwaitingInput},
		{TaskLifecycleCategoryLogic, TaskLifecycleStateRepairing},
		{TaskLifecycleCategoryPreempted, TaskLifecycleStateUnassigned},
		{TaskLifecycleCategoryStalled, TaskLifecycleStateStalled},
		{TaskLifecycleCategoryTimeout, TaskLifecycleStateStalled},
	} {
		l := begin(t)
		l.hand("a")
		l.fail(test.category)
		l.in(test.want)
	}
}

// TestOffersEnd: however offers fail, there are twelve.
func TestOffersEnd(t *testing.T) {
	l := begin(t)
	offers := int64(0)
	for l.run.State != TaskLifecycleStateFailed {
		if l.run.State == TaskLifecycleStateUnassigned {
			l.wait(time.Second)
			continue
		}
		l.in(TaskLifecycleStateOffered)
		offers = l.run.Data.Offer
		switch offers % 3 {
		case 0: // all three decline
			for range 3 {
				l.step(TaskLifecycleOnDeclined(TaskLifecycleDeclined{Agent: "a", Offer: offers}))
			}
		case 1: // no one answers
			l.wait(30 * time.Second)
		case 2: // the agent dies
			l.hand("a")
			l.fail(TaskLifecycleCategorySilent)
			l.fail(TaskLifecycleCategoryTimeout)
		}
	}
	if offers != 12 {
		t.Errorf("%d offers", offers)
	}
}
