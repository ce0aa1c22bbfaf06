package postgres

import (
	"fmt"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A task with a child that has not ended is held by it: no worker holds it, and it goes only
// when the child ends. Its not_before is when it can be claimed all the same, or so far away
// that it never comes, so that a claim needs no condition of its own.

// writeChildren queues what a commit does to tasks that a child holds, other than its run's own:
// the one that its run is the child of, the one of which it is to be the child, and those whose child
// a new task takes.
func (w *commit) writeChildren(t *tx, f *footing) error {
	var gone []int64
	for _, o := range f.tasks {
		switch {
		case o.child != w.Run.Run || o.ended || !w.finishes():
		case o.cancelled:
			gone = append(gone, o.id)
		default:
			t.queue(nil, endChild, o.id, w.Run.Updated)
		}
	}
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
