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
func (l *lead) wish(task string, w wish) {
	switch w {
	case toCancel:
		l.work.Go(func() {
			l.insist(func() error { // returns when the work has stopped
				_, err := l.engine.Cancel(l.ctx, task, runtime.CancelOptions{Actor: "lead", Reason: "not wanted any more"})
				return err
			})
		})
	case toHold:
		l.work.Go(func() {
			if l.send(task, TaskLifecycleHold{}, "hold", "lead") && !sleep(l.ctx, l.clock, 10*time.Minute) {
				l.send(task, TaskLifecycleResume{}, "resume", "lead")
			}
		})
	}
}

// send sends an event once, and reports whether it was taken.
func (l *lead) send(task string, event TaskLifecycleSendable, id, actor string) bool {
	return l.insist(func() error {
		_, err := l.runs().Send(l.ctx, task, event, runtime.WithEventID(id), runtime.WithActor(actor))
		return err
	})
}

// insist does something again while the database cannot be reached. It reports whether it is done.
func (l *lead) insist(do func() error) bool {
	for {
		err := do()
		if !unreached(err) || sleep(l.ctx, l.clock, 10*time.Second) {
			l.failed(err)
			return err == nil
		}
	}
}

// deliver is the outbox. What needs a person's time is answered later; the id of
// the message makes the answer count once.
func (l *lead) deliver(_ context.Context, m *runtime.Message) error {
	switch m.Event {
	case "InputRequested":
		l.answer(m, "answer", 6*time.Minute, TaskLifecycleInputGiven{Answer: "the second column"}, "a person")
	case "Escalated":
		l.answer(m, "specify", 3*time.Minute, TaskLifecycleRespecified{Spec: "column 2 is a date"}, "lead")
	case "TaskCompleted":
		var done TaskLifecycleTaskCompleted
		if err := json.Unmarshal(m.Data, &done); err != nil {
			return err
		}
		l.note(func(t *tally) { t.announced(done.Task, m.ID) })
	}
	return nil
}

// answer sends an event when its actor has had time for it.
func (l *lead) answer(m *runtime.Message, what string, most time.Duration, event TaskLifecycleSendable, actor string) {
	l.work.Go(func() {
		if !sleep(l.ctx, l.clock, between(l.random(m.Run, what, 0), time.Minute, most)) {
			l.send(m.Run, event, m.ID, actor)
		}
	})
}
