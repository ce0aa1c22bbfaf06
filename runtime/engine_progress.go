package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// takeProgress gives the run its last checkpoint, where that starts an `idle`
// timer again that would fire now, or before its time goes on after a pause.
func (e *Engine) takeProgress(ctx context.Context, w *write) error {
	m, s := w.host.machine, w.after
	if s.Status != Running || s.State < 0 || !w.resumes && !m.IdleDue(s, w.now) {
		return nil
	}
	tasks, err := e.store.Tasks(ctx, s.Run)
	if err != nil {
		return fmt.Errorf("the tasks of run %q: %w", s.Run, err)
	}
	in, starts := m.ProgressInput(s, lastCheckpoint(s, tasks))
	if !starts {
		return nil
	}
	after, commands, record, err := m.Step(s, in, in.Since, nil)
	if err != nil {
		return fmt.Errorf("run %q: %w", s.Run, err)
	}
	w.after, w.commands, w.records = after, append(w.commands, commands...), append(w.records, record)
	return nil
}

// lastCheckpoint is when an activity of the visit last reported progress.
func lastCheckpoint(s *machine.Snapshot, tasks []store.TaskRow) (last time.Time) {
	for i := range tasks {
		t := &tasks[i]
		if t.Cancelled || !t.CheckpointAt.After(last) {
			continue
		}
		for k := range s.Tasks {
			if s.Tasks[k].State == machine.TaskOpen && s.Tasks[k].Key == t.Key {
				last = t.CheckpointAt
			}
		}
	}
	return last
}

// withProgress is the run as it stands with its last checkpoint, for people.
func withProgress(m *Machine, s *machine.Snapshot, tasks []store.TaskRow) *machine.Snapshot {
	in, starts := m.ProgressInput(s, lastCheckpoint(s, tasks))
	if !starts {
		return s
	}
	shown := *s
	if after, _, _, err := m.Step(s, in, in.Since, nil); err == nil {
		shown.Alarms = after.Alarms
	}
	return &shown
}
