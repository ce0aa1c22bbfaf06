package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// workFaults holds the tasks and timers of a run in the store against those of its
// snapshot: without them nothing moves it. Tasks are the stored ones.
func (e *Engine) workFaults(ctx context.Context, m *Machine, s *machine.Snapshot) (faults []string, tasks []store.TaskRow, err error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if tasks, err = e.store.Tasks(ctx, s.Run); err != nil {
		return nil, nil, fmt.Errorf("the tasks of run %q: %w", s.Run, err)
	}
	wanted := s.HandedOut()
	for i := range wanted {
		if !stored(m, &wanted[i], tasks) {
			fault("no task stands for attempt %d of %q", wanted[i].Attempt, m.TaskName(&wanted[i]))
		}
	}
	for i := range tasks {
		if t := &tasks[i]; !t.Cancelled && !wants(m, wanted, t) {
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
		name := m.Definition().Timers[a.Timer].Name
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
func (e *Engine) missingWork(ctx context.Context, m *Machine, row *RunRow, s *machine.Snapshot) (string, error) {
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

func stored(m *Machine, t *machine.Task, rows []store.TaskRow) bool {
	return slices.ContainsFunc(rows, func(row store.TaskRow) bool { return !row.Cancelled && sameAttempt(m, t, &row) })
}

func wants(m *Machine, tasks []machine.Task, row *store.TaskRow) bool {
	return slices.ContainsFunc(tasks, func(t machine.Task) bool { return sameAttempt(m, &t, row) })
}

// sameAttempt reports whether a row stands for an attempt, so that workers can find it.
func sameAttempt(m *Machine, t *machine.Task, row *store.TaskRow) bool {
	d := m.Definition()
	return m.TaskName(t) == row.Do && t.Key == row.Key && t.Attempt == row.Attempt &&
		d.Activities[d.Dos[t.Do].Activity].Name == row.Activity && m.Hash() == row.Definition
}
