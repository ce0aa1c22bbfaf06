package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// workFaults holds the tasks and timers of a run in the store against those of its
// snapshot: without them nothing moves it. Tasks are the stored ones.
func (e *Engine) workFaults(ctx context.Context, m *Machine, s *Snapshot) (faults []string, tasks []TaskRow, err error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if tasks, err = e.store.Tasks(ctx, s.Run); err != nil {
		return nil, nil, fmt.Errorf("the tasks of run %q: %w", s.Run, err)
	}
	wanted := s.handedOut()
	for i := range wanted {
		if !m.stored(&wanted[i], tasks) {
			fault("no task stands for attempt %d of %q", wanted[i].Attempt, m.dos[wanted[i].Do].Name)
		}
	}
	for i := range tasks {
		if t := &tasks[i]; !t.Cancelled && !m.wants(wanted, t) {
			fault("a task stands for attempt %d of %q, which is not open", t.Attempt, t.Do)
		}
	}
	rows, err := e.store.Timers(ctx, s.Run)
	if err != nil {
		return nil, nil, fmt.Errorf("the timers of run %q: %w", s.Run, err)
	}
	stored := map[string]time.Time{}
	for _, row := range rows {
		stored[row.Name] = row.Due
	}
	for _, a := range s.Alarms {
		name := m.def.Timers[a.Timer].Name
		switch due, ok := stored[name]; {
		case !ok:
			fault("no timer stands for %q", name)
		case !due.Equal(a.Due):
			fault("the timer %q is set for %s, not %s", name, due.Format(time.RFC3339Nano), a.Due.Format(time.RFC3339Nano))
		}
		delete(stored, name)
	}
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		fault("a timer stands for %q, which is not running", name)
	}
	return faults, tasks, nil
}

// missingWork is the first of workFaults of a run that was read as row, or nothing,
// also where the run has moved on or is gone since then.
func (e *Engine) missingWork(ctx context.Context, m *Machine, row *RunRow, s *Snapshot) (string, error) {
	if s.Status == Finished {
		return "", nil
	}
	faults, _, err := e.workFaults(ctx, m, s)
	if err != nil || len(faults) == 0 {
		return "", err
	}
	switch now, err := e.store.Load(ctx, row.Run); {
	case errors.Is(err, ErrNotFound), err == nil && now.Seq != row.Seq:
		return "", nil
	case err != nil:
		return "", fmt.Errorf("run %q: %w", row.Run, err)
	}
	return faults[0], nil
}

// handedOut are the attempts for which a task stands: those that are open, and
// have not returned what waits in the queue or has halted the run.
func (s *Snapshot) handedOut() (tasks []Task) {
	for _, t := range s.Tasks {
		returned := s.inQueue(t.input())
		if s.Halt != nil {
			in := &s.Halt.Input
			returned = returned || (in.Kind == ResultInput || in.Kind == FailureInput) && in.Do == t.Do && in.Key == t.Key && in.Attempt == t.Attempt
		}
		if t.State == TaskOpen && !returned {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

func (m *Machine) stored(t *Task, rows []TaskRow) bool {
	for i := range rows {
		if !rows[i].Cancelled && m.same(t, &rows[i]) {
			return true
		}
	}
	return false
}

func (m *Machine) wants(tasks []Task, row *TaskRow) bool {
	for i := range tasks {
		if m.same(&tasks[i], row) {
			return true
		}
	}
	return false
}

// same reports whether a row stands for an attempt, so that workers can find it.
func (m *Machine) same(t *Task, row *TaskRow) bool {
	do := &m.dos[t.Do]
	return do.Name == row.Do && t.Key == row.Key && t.Attempt == row.Attempt &&
		m.def.Activities[do.Activity].Name == row.Activity && m.Hash() == row.Definition
}
