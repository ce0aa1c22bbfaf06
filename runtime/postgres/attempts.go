package postgres

import (
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A task with a child that has not ended is held by it: no worker holds it, and it goes only
// when the child ends. Its not_before is when it can be claimed all the same, or so far away
// that it never comes, so that a claim needs no condition of its own.

// ends are what becomes of tasks, by their ids.
type ends struct{ end, cancel, leave []int64 }

// writeTasks queues what a commit does to tasks: its own, the one that its run is the child
// of, and the one of which it is to be the child.
func (w *commit) writeTasks(t *tx, f *footing) error {
	var e ends
	for _, o := range f.tasks {
		switch {
		case o.Run == w.Run.Run && !o.cancelled:
			e.sort(w.Commit, o)
		case o.child == w.Run.Run && !o.ended && o.cancelled && w.finishes():
			e.end = append(e.end, o.id)
		case o.child == w.Run.Run && !o.ended && w.finishes():
			t.queue(nil, endChild, o.id, w.Run.Updated)
		}
	}
	if w.Parent != nil {
		due := w.ParentDue
		if due.IsZero() {
			due = store.Never
		}
		t.queue(nil, holdByChild, f.holding(w.Parent).id, w.Run.Run, due)
	}
	starts, err := w.startTasks(f, &e)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		text string
		ids  []int64
	}{{endByID, e.end}, {cancelByID, e.cancel}, {leaveByID, e.leave}} {
		if len(part.ids) > 0 {
			t.queue(nil, part.text, part.ids)
		}
	}
	for _, args := range starts {
		t.queue(nil, insertTask, args...)
	}
	return nil
}

// finishes reports whether the run is finished with this commit.
func (w *commit) finishes() bool { return len(w.History) > 0 && w.Run.Status == machine.Finished }

// sort finds what becomes of an open task of the run.
func (e *ends) sort(c *store.Commit, o *open) {
	ends := slices.Contains(c.End, o.Do) || c.Claim != nil && *c.Claim == o.Claim
	switch cancelled := slices.Contains(c.Cancel, o.Do); {
	case !ends && !cancelled:
	case o.childHolds():
		e.leave = append(e.leave, o.id)
	case ends || !o.held:
		e.end = append(e.end, o.id)
	default:
		e.cancel = append(e.cancel, o.id)
	}
}

// startTasks gives the rows of new attempts. A child that one of them has is taken from the
// task that had it.
func (w *commit) startTasks(f *footing, e *ends) (rows [][]any, err error) {
	for i := range w.Start {
		s := &w.Start[i]
		ended, notBefore := false, s.NotBefore
		if s.Child != "" {
			child := f.runs[s.Child]
			if child == nil || child.parent != s.Run {
				return nil, fmt.Errorf("%q is no child of %q", s.Child, s.Run)
			}
			if ended = child.status == machine.Finished; ended {
				notBefore = child.updated
			}
			for _, o := range f.tasks {
				if o.child == s.Child {
					e.end = append(e.end, o.id)
				}
			}
		}
		rows = append(rows, []any{s.Run, s.Do, s.Seq, s.Machine, s.Definition, s.Activity, s.Key, s.Attempt, s.Visit,
			awake(&w.Run), w.Run.Updated, optional(notBefore), s.Lost,
			int64(s.Timeout), int64(s.Heartbeat), int64(s.Progress), nullable(s.Child), ended})
	}
	return rows, nil
}
