package runtime

import (
	"context"
	"fmt"
	"time"
)

// takeProgress gives the run its last checkpoint, where that starts an `idle`
// timer again that would fire now, or before its time goes on after a pause.
func (e *Engine) takeProgress(ctx context.Context, w *write, c *request) error {
	m, s := w.host.machine, w.after
	if s.Status != Running || s.State < 0 || !c.resumes && !m.idleDue(s, w.now) {
		return nil
	}
	tasks, err := e.store.Tasks(ctx, s.Run)
	if err != nil {
		return fmt.Errorf("the tasks of run %q: %w", s.Run, err)
	}
	since := s.lastCheckpoint(tasks)
	if !m.progressed(s, since) {
		return nil
	}
	after, commands, record, err := m.Step(s, Input{Kind: ProgressInput, Since: since}, since, nil)
	if err != nil {
		return fmt.Errorf("run %q: %w", s.Run, err)
	}
	w.after, w.commands, w.records = after, append(w.commands, commands...), append(w.records, record)
	return nil
}

// idleDue reports whether a timer is due that a checkpoint starts again.
func (m *Machine) idleDue(s *Snapshot, now time.Time) bool {
	for i := range s.Alarms {
		if a := &s.Alarms[i]; a.Wait > 0 && !a.Due.After(now) {
			return true
		}
	}
	return false
}

// lastCheckpoint is when an activity of the visit last reported progress.
func (s *Snapshot) lastCheckpoint(tasks []TaskRow) (last time.Time) {
	for i := range tasks {
		t := &tasks[i]
		if t.Cancelled || !t.CheckpointAt.After(last) {
			continue
		}
		for k := range s.Tasks {
			if s.Tasks[k].State == TaskOpen && s.Tasks[k].Key == t.Key {
				last = t.CheckpointAt
			}
		}
	}
	return last
}

// withProgress is the run as it stands with its last checkpoint, for people.
func (m *Machine) withProgress(s *Snapshot, tasks []TaskRow) *Snapshot {
	since := s.lastCheckpoint(tasks)
	if s.Status != Running || !m.progressed(s, since) {
		return s
	}
	shown := *s
	if after, _, _, err := m.Step(s, Input{Kind: ProgressInput, Since: since}, since, nil); err == nil {
		shown.Alarms = after.Alarms
	}
	return &shown
}
