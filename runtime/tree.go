package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// What operators ask of a run whose children are meant, too.

// steerBelow brings an operator's input to the children of a run, and to theirs, each in a
// step of its own. A child that refuses it, since it is halted or over, is passed over; what
// is below that is not.
func (e *Engine) steerBelow(ctx context.Context, run string, resumes bool, in machine.Input) error {
	err := e.eachRun(ctx, RunFilter{Parent: run}, unfinished, batch, func(row *RunRow) error {
		_, err := e.steer(ctx, &request{run: row.Run, resumes: resumes}, in)
		if _, refused := errors.AsType[*Rejected](err); err != nil && !refused {
			return err
		}
		return e.steerBelow(ctx, row.Run, resumes, in)
	})
	if err != nil {
		return fmt.Errorf("the children of run %q: %w", run, err)
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

// childView is a run as one above it sees it.
func (e *Engine) childView(ctx context.Context, row *RunRow) *machine.ChildView {
	v := &machine.ChildView{Run: row.Run, State: row.State, Status: row.Status, Paused: row.Paused}
	if row.Status == Halted {
		if h, s, err := e.decode(ctx, row); err == nil && s.Halt != nil {
			v.Halt = h.machine.View(s).Halt
		}
	}
	if row.Paused {
		p := e.pauseOf(ctx, row)
		v.Actor, v.Reason = p.Actor, p.Reason
	}
	return v
}

// pauseOf is the step with which a run was paused. Where its history does not say, it is empty: that the
// history is damaged, replay finds.
func (e *Engine) pauseOf(ctx context.Context, row *RunRow) StepView {
	paused, err := e.lastRecord(ctx, row.Run, row.Seq, func(h *store.HistoryRow) bool { return h.Effect == machine.Paused })
	if err == nil && paused != nil {
		if steps, err := e.History(ctx, row.Run, paused.Seq-1, 1); err == nil && len(steps) > 0 {
			return steps[0]
		}
	}
	return StepView{}
}

// byWhom says who has paused a run, and why: " by ada: the index is rebuilt".
func byWhom(pause *StepView) (text string) {
	if pause.Actor != "" {
		text = " by " + pause.Actor
	}
	if pause.Reason != "" {
		text += ": " + pause.Reason
	}
	return text
}

// addChildren notes in the view of a run which children its tasks have, and which run below
// each of them does not go on.
func (e *Engine) addChildren(ctx context.Context, v *View, run *RunRow, tasks []store.TaskRow) error {
	stoppedBelow := sync.OnceValues(func() ([]RunRow, error) { return e.stoppedBelow(ctx, run) })
	for i := range tasks {
		t := &tasks[i]
		if !t.ChildHolds() {
			continue
		}
		row, err := e.store.Load(ctx, t.Child)
		if err != nil {
			return fmt.Errorf("run %q: %w", t.Child, err)
		}
		child := e.childView(ctx, &row)
		if h, err := e.host(ctx, row.Definition); err == nil && h.machine.Calls() && row.Status != Halted && !row.Paused {
			stopped, err := stoppedBelow()
			if err != nil {
				return err
			}
			if k := slices.IndexFunc(stopped, func(r RunRow) bool { return below(r.Run, t.Child) }); k >= 0 {
				child.Below = e.childView(ctx, &stopped[k])
			}
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

// stoppedBelow lists the runs below one that are halted or paused, the nearest first, and of equally
// near ones those that are halted.
func (e *Engine) stoppedBelow(ctx context.Context, run *RunRow) (stopped []RunRow, err error) {
	for _, f := range []RunFilter{{Root: run.Root, Status: Halted}, {Root: run.Root, Status: Running, Paused: true}} {
		err := store.EachRun(ctx, e.store, f, batch, func(row *RunRow) error {
			if below(row.Run, run.Run) {
				stopped = append(stopped, *row)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("the runs below %q: %w", run.Run, err)
		}
	}
	slices.SortStableFunc(stopped, func(a, b RunRow) int { return cmp.Compare(strings.Count(a.Run, "/"), strings.Count(b.Run, "/")) })
	return stopped, nil
}

// waitsForBelow says for which run below it one waits that does not go on, or nothing.
func (e *Engine) waitsForBelow(ctx context.Context, run *RunRow) (string, error) {
	h, err := e.host(ctx, run.Definition)
	if err != nil || !h.machine.Calls() {
		return "", nil // that the definition is damaged, another finding says
	}
	stopped, err := e.stoppedBelow(ctx, run)
	if err != nil || len(stopped) == 0 {
		return "", err
	}
	row := &stopped[0]
	how, why := string(row.Status), ""
	if row.Paused {
		pause := e.pauseOf(ctx, row)
		how, why = "paused", byWhom(&pause)
	}
	return fmt.Sprintf("; it waits for %s, which is %s in %s%s", row.Run, how, row.State, why), nil
}
