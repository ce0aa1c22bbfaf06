package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A task with a child that has not ended is held by it: no worker holds it, and it goes only
// when the child ends. Its not_before is when it can be claimed all the same, or so far away
// that it never comes, so that a claim needs no condition of its own.

// writeChildren queues what a commit does to tasks that a child holds, other than its run's own:
// the one of which its run is to be the child, and those whose child a new task takes.
func (w *commit) writeChildren(t *tx, f *footing) error {
	var gone []int64
	if w.Parent != nil {
		due := w.ParentDue
		if due.IsZero() {
			due = store.Never
		}
		id := f.holding(w.Parent).id
		t.queue(nil, holdByChild, id, w.Run.Run, due)
		if w.finishes() { // at once
			t.queue(nil, endChild, id, w.Run.Updated)
		}
	}
	for i := range w.Start {
		s := &w.Start[i]
		if s.Child == "" {
			continue
		}
		if child := f.runs[s.Child]; child == nil || child.parent != s.Run {
			return fmt.Errorf("%q is no child of %q", s.Child, s.Run)
		}
		for _, o := range f.tasks {
			if o.child == s.Child {
				gone = append(gone, o.id)
			}
		}
	}
	if len(gone) > 0 {
		t.queue(nil, endByID, gone)
	}
	return nil
}

// takenOver are the children that new tasks of a commit take from others.
func takenOver(c *store.Commit) (children []string) {
	for i := range c.Start {
		if child := c.Start[i].Child; child != "" {
			children = append(children, child)
		}
	}
	return children
}

// writeEnd queues what the end of a child does to its task, once the child's own have been cancelled, and how long
// the new tasks wait of children that had ended before.
func (w *commit) writeEnd(t *tx, f *footing) {
	if taken := takenOver(w.Commit); len(taken) > 0 {
		t.queue(nil, takeLeft, taken)
	}
	for _, o := range f.tasks {
		switch {
		case o.child != w.Run.Run || o.ended || !w.finishes():
		case o.cancelled:
			t.queue(nil, holdLeftover, o.id)
			t.queue(nil, deleteLeftover, o.id)
		default:
			t.queue(nil, endChild, o.id, w.Run.Updated)
		}
	}
}

// lockParent locks the task of the parent of a run that may be a child, as commits do: before those of the run.
func (t *tx) lockParent(ctx context.Context, run string) error {
	if !store.MayBeChild(run) {
		return nil
	}
	_, err := t.exec(ctx, lockChildTask, run)
	return err
}

// stopped lets the task of a child that has ended wait no more, if the task of the child that has been taken away
// was all that it had left.
func (t *tx) stopped(ctx context.Context, run string, now time.Time) error {
	if !store.MayBeChild(run) {
		return nil
	}
	t.queue(nil, deleteHeldByLeft, run)
	t.queue(nil, readyAfterLeft, run, now)
	return t.flush(ctx)
}

// renewed lets the tasks of children that have ended wait for what those have left, of which these claims were
// renewed.
func (t *tx) renewed(ctx context.Context, cancelled []store.Claim, until time.Time) error {
	var children []string
	for _, c := range cancelled {
		if store.MayBeChild(c.Run) {
			children = append(children, c.Run)
		}
	}
	if len(children) == 0 {
		return nil
	}
	_, err := t.exec(ctx, waitForLeft, children, until)
	return err
}
