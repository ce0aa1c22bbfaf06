package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// What operators ask of a run whose children are meant, too.

// steerBelow brings an operator's input to the children of a run, and to theirs, each in a
// step of its own. A child that refuses it, since it is halted or over, is passed over; what
// is below that is not.
func (e *Engine) steerBelow(ctx context.Context, run string, resumes bool, in machine.Input) error {
	for _, status := range []Status{Running, Halted, Ending} {
		err := store.EachRun(ctx, e.store, RunFilter{Parent: run, Status: status}, batch, func(row *RunRow) error {
			_, err := e.steer(ctx, &request{run: row.Run, resumes: resumes}, in)
			var refused *Rejected
			if err != nil && !errors.As(err, &refused) {
				return err
			}
			return e.steerBelow(ctx, row.Run, resumes, in)
		})
		if err != nil {
			return fmt.Errorf("the children of run %q: %w", run, err)
		}
	}
	return nil
}

// steerTree brings an operator's input to a run, and then to those below it. No child starts
// meanwhile of a run that it pauses.
func (e *Engine) steerTree(ctx context.Context, c *request, in machine.Input) (View, error) {
	v, err := e.steer(ctx, c, in)
	if err != nil {
		return v, err
	}
	h, err := e.host(ctx, v.Definition)
	if err != nil || !h.machine.Calls() {
		return v, err
	}
	return v, e.steerBelow(ctx, c.run, c.resumes, in)
}

// childView is a child as its parent sees it.
func (e *Engine) childView(ctx context.Context, run string) (*machine.ChildView, error) {
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", run, err)
	}
	v := &machine.ChildView{Run: run, State: row.State, Status: row.Status, Paused: row.Paused}
	if row.Status != Halted {
		return v, nil
	}
	if h, s, err := e.decode(ctx, &row); err == nil && s.Halt != nil {
		v.Halt = h.machine.View(s).Halt
	}
	return v, nil
}

// addChildren notes in the view of a run which children its tasks have.
func (e *Engine) addChildren(ctx context.Context, v *View, tasks []store.TaskRow) error {
	for i := range tasks {
		t := &tasks[i]
		if !t.ChildHolds() {
			continue
		}
		child, err := e.childView(ctx, t.Child)
		if err != nil {
			return err
		}
		if t.Cancelled {
			v.Left = append(v.Left, *child)
			continue
		}
		for k := range v.Activities {
			if v.Activities[k].Do == t.Do {
				v.Activities[k].Child = child
			}
		}
	}
	return nil
}

// Tree lists a run and those below it, sorted by the time at which they started; of two with the
// same time, a parent comes first.
func (e *Engine) Tree(ctx context.Context, run string) ([]RunRow, error) {
	top, err := e.store.Load(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("run %q: %w", run, err)
	}
	rows := []RunRow{top}
	err = store.EachRun(ctx, e.store, RunFilter{Root: top.Root}, batch, func(row *RunRow) error {
		if below(row.Run, run) {
			rows = append(rows, *row)
		}
		return nil
	})
	slices.SortFunc(rows, func(a, b RunRow) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(len(a.Run), len(b.Run)), cmp.Compare(a.Run, b.Run))
	})
	return rows, err
}

// waitsForChildren says which children a run waits for that do not go on, or nothing.
func (e *Engine) waitsForChildren(ctx context.Context, run string) (string, error) {
	text := ""
	for _, f := range []RunFilter{{Parent: run, Status: Halted}, {Parent: run, Status: Running, Paused: true}} {
		err := store.EachRun(ctx, e.store, f, batch, func(row *RunRow) error {
			how := string(row.Status)
			if row.Paused {
				how = "paused"
			}
			if text == "" {
				text = fmt.Sprintf("; it waits for %s, which is %s in %s", row.Run, how, row.State)
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return text, nil
}
