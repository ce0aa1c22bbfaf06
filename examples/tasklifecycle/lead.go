package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// lead is the lead agent and the people around it: who starts tasks, cancels
// them and puts them aside, answers questions and changes what is asked.
type lead struct {
	*swarm
	engine *runtime.Engine
}

func (l *lead) runs() TaskLifecycleRuns { return TaskLifecycleRuns{Engine: l.engine} }

// start starts all tasks, three a second.
func (l *lead) start(ctx context.Context) error {
	for i, f := range l.fates {
		if i%3 == 2 && sleep(ctx, l.clock, time.Second) {
			return ctx.Err()
		}
		if _, err := l.runs().Start(ctx, f.id, TaskLifecycleParams{Task: f.id}); err != nil {
			return err
		}
	}
	return nil
}

// wish does what the lead wants when a task has reached a row.
func (l *lead) wish(t *task, row int) {
	switch t.wished(row) {
	case toCancel:
		l.work.Go(func() {
			// Returns when the work has stopped.
			_, err := l.engine.Cancel(l.ctx, t.id, runtime.CancelOptions{Actor: "lead", Reason: "not wanted any more"})
			l.failed(err)
		})
	case toHold:
		l.work.Go(func() {
			_, err := l.runs().Send(l.ctx, t.id, TaskLifecycleHold{}, runtime.WithActor("lead"))
			if l.failed(err); err != nil {
				return
			}
			if !sleep(l.ctx, l.clock, 10*time.Minute) {
				_, err = l.runs().Send(l.ctx, t.id, TaskLifecycleResume{}, runtime.WithActor("lead"))
				l.failed(err)
			}
		})
	}
}

// deliver is the outbox. What needs a person's time is answered later; the id of
// the message makes the answer count once.
func (l *lead) deliver(_ context.Context, m *runtime.Message) error {
	switch m.Event {
	case "InputRequested":
		l.work.Go(func() { l.answer(m) })
	case "Escalated":
		l.work.Go(func() { l.specify(m) })
	case "TaskCompleted":
		var done TaskLifecycleTaskCompleted
		if err := json.Unmarshal(m.Data, &done); err != nil {
			return err
		}
		l.announced(done.Task, m.ID)
	}
	return nil
}

func (l *lead) answer(m *runtime.Message) {
	if sleep(l.ctx, l.clock, between(l.random(m.Run, "answer", 0), time.Minute, 6*time.Minute)) {
		return
	}
	_, err := l.runs().Send(l.ctx, m.Run, TaskLifecycleInputGiven{Answer: "the second column"},
		runtime.WithEventID(m.ID), runtime.WithActor("a person"))
	l.failed(err)
}

func (l *lead) specify(m *runtime.Message) {
	if sleep(l.ctx, l.clock, between(l.random(m.Run, "specify", 0), time.Minute, 3*time.Minute)) {
		return
	}
	_, err := l.runs().Send(l.ctx, m.Run, TaskLifecycleRespecified{Spec: "column 2 is a date"},
		runtime.WithEventID(m.ID), runtime.WithActor("lead"))
	l.failed(err)
}
