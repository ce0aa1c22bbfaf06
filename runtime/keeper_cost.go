package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// What a child has used counts for its parent, too. The write with which it ends has the total,
// and so has each later one that changes it, and each earlier one where a run above is held to a
// budget. The store remembers of it what the parent knows. So the total is a report
// until the parent has taken the difference, in a step of its own or with the end of the
// child, under the condition that it still knows what it knew: each report is taken once,
// whoever brings it. Runs below the child reach the parent through the child.

// tells reports whether with a write of a child its parent is to know what it has used.
func (w *write) tells() bool {
	more := w.amend != nil || !slices.Equal(w.before.Spent, w.after.Spent)
	switch {
	case !store.MayBeChild(w.after.Run):
		return false
	case w.after.Status == Finished:
		return more || w.before.Status != Finished && len(w.after.Spent) > 0
	}
	return more && len(w.after.Above) > 0
}

func encodeTotal(costs []machine.Cost) json.RawMessage {
	if costs == nil {
		costs = []machine.Cost{}
	}
	text, err := json.Marshal(costs)
	if err != nil {
		panic(err) // two texts
	}
	return text
}

// decodeReport reads both sides of a report.
func decodeReport(r *store.Report) (total, told []machine.Cost, err error) {
	if err = json.Unmarshal(r.Total, &total); err == nil && r.Told != nil {
		err = json.Unmarshal(r.Told, &told)
	}
	if err != nil {
		err = fmt.Errorf("what run %q has used is damaged: %w", r.Child, err)
	}
	return total, told, err
}

// hear tells parents what their children have used: those that go on, and those that have
// been left behind. The others tell it with their end.
func (k *keeper) hear(ctx context.Context, reports []store.Report, now time.Time) {
	sideBySide(len(reports), firing, func(i int) {
		r := &reports[i]
		k.try(r.Child, r.Parent, now, "what a child has used could not be told", func() error { return k.worker.engine.hear(ctx, r) })
	})
}

// hearAll tells a run what its children have used.
func (e *Engine) hearAll(ctx context.Context, run string) error {
	reports, err := e.store.Reports(ctx, store.ReportQuery{Parent: run})
	if err != nil {
		return fmt.Errorf("what the children of run %q have used: %w", run, err)
	}
	for i := range reports {
		if err := e.hear(ctx, &reports[i]); err != nil {
			return err
		}
	}
	return nil
}

// reportOf is what the parent of a child does not know; nil for nothing.
func (e *Engine) reportOf(ctx context.Context, child string) (*store.Report, error) {
	reports, err := e.store.Reports(ctx, store.ReportQuery{Child: child})
	if err != nil || len(reports) == 0 {
		return nil, err
	}
	return &reports[0], nil
}

// hear tells a run what a child has used.
func (e *Engine) hear(ctx context.Context, r *store.Report) error {
	total, told, err := decodeReport(r)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.TellsCost)
	_, err = e.apply(ctx, &request{run: r.Parent, hears: r, input: func(m *Machine, s *machine.Snapshot) (machine.Input, error) {
		t, known := attemptOf(m, &store.TaskRow{Do: r.Do, Key: r.Key, Attempt: r.Attempt})
		if !known || !s.IsOpen(t) {
			t = nil
		}
		return m.ToldInput(s, t, r.Child, total, told), nil
	}})
	failpoint.Hit(failpoint.CostTold)
	if errors.Is(err, ErrFenced) {
		return nil // someone else has told it
	}
	return err
}

// hearAbove tells the runs above a child what it has used, and those in between with it, and reports
// whether each of them still waits for the one below it: where over_budget has led it on, no attempt is
// to begin. They are asked one after the other, from below. Where one is met that has been cancelled, those
// below it are asked again: it may have left them meanwhile.
func (e *Engine) hearAbove(ctx context.Context, run string) (waits bool, err error) {
	for before, met := -1, 0; met > before; {
		before = met
		if waits, met, err = e.hearOnce(ctx, run); !waits || err != nil {
			return false, err
		}
	}
	return true, nil
}

// hearOnce is hearAbove, but asks each run once. Cancelled is how many of them have been cancelled.
func (e *Engine) hearOnce(ctx context.Context, run string) (waits bool, cancelled int, err error) {
	for store.MayBeChild(run) {
		report, err := e.reportOf(ctx, run)
		if err == nil && report != nil {
			err = e.hear(ctx, report)
		}
		if err != nil {
			return false, cancelled, err
		}
		row, err := e.store.Load(ctx, run)
		if err != nil || row.Parent == "" {
			return err == nil, cancelled, err
		}
		task, err := e.store.TaskOf(ctx, run)
		if errors.Is(err, ErrNotFound) {
			return false, cancelled, nil
		}
		if err != nil {
			return false, cancelled, err
		}
		if task.Cancelled { // once it has taken its cancel, it cleans up, and goes on; in a terminal it takes none
			if _, below, err := e.decode(ctx, &row); err != nil || !below.Cancelled && below.Status != machine.Ending {
				return false, cancelled, err
			}
			cancelled++
		}
		run = row.Parent
	}
	return true, cancelled, nil
}
