package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// replayTold holds what a run was told by its children, as its history has it, against how
// those have ended. That the records replay has been found.
func (e *Engine) replayTold(ctx context.Context, row *RunRow, m *Machine) error {
	seq, visit, known := int64(0), int64(0), costsBelow{}
	err := e.eachRecord(ctx, row, func(record *store.HistoryRow) error {
		seq = record.Seq
		r, err := m.DecodeRecord(record.Record)
		if err != nil {
			return &Difference{Run: row.Run, Seq: seq, Err: err}
		}
		if err := e.sameEnd(ctx, row, m, r, visit); err != nil {
			return err
		}
		known.add(row.Run, m, r, visit)
		visit = r.Visit
		return nil
	})
	if err != nil || seq < row.Seq { // it has been pruned
		return err
	}
	return e.sameCosts(ctx, row, known)
}

// costsBelow is what a run was told that its children have used: by the child, and the name.
type costsBelow map[string]map[string]string

// add adds what a record says of that; visit is that in which it came.
func (b costsBelow) add(run string, m *Machine, r *machine.Record, visit int64) {
	in := &r.Input
	if len(in.Below) == 0 {
		return
	}
	child := in.Actor
	if in.Kind != machine.ToldInput {
		child = m.ChildID(&machine.Snapshot{Run: run, Visit: visit}, &machine.Task{Do: in.Do, Index: in.Index, Key: in.Key, Attempt: in.Attempt})
	}
	if b[child] == nil {
		b[child] = map[string]string{}
	}
	for _, c := range in.Below {
		b[child][c.Name] = machine.AddAmounts(cmp.Or(b[child][c.Name], "0"), c.Amount)
	}
}

// sameCosts compares what a run was told that its children have used with what they have, but
// for what it has yet to be told. A run that has moved on meanwhile is passed over.
func (e *Engine) sameCosts(ctx context.Context, row *RunRow, known costsBelow) error {
	for _, id := range slices.Sorted(maps.Keys(known)) {
		why := e.otherCosts(ctx, id, known[id])
		if why == nil {
			continue
		}
		now, err := e.store.Load(ctx, row.Run)
		if err != nil {
			return fmt.Errorf("run %q: %w", row.Run, err)
		}
		if now.Seq == row.Seq {
			return &Difference{Run: row.Run, Seq: row.Seq, Err: why}
		}
	}
	return nil
}

// otherCosts says what a child has used that its parent was told otherwise. The child is read
// before the report, so that what it uses meanwhile has one.
func (e *Engine) otherCosts(ctx context.Context, id string, told map[string]string) error {
	_, child, err := e.snapshot(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return nil // that is said of its end, or the tree has been pruned
	}
	if err != nil {
		return err
	}
	used := child.Spent
	report, err := e.reportOf(ctx, id)
	if err == nil && report != nil {
		_, used, err = decodeReport(report)
	}
	for _, c := range used {
		if known := told[c.Name]; known != "" && known != c.Amount && err == nil {
			err = fmt.Errorf("the run %q has used %s %s, and its parent was told %s", id, c.Amount, c.Name, known)
		}
	}
	return err
}

// sameEnd compares a result of a child with the child; visit is that in which it came. What an
// operator has brought, or what was queued and is in an earlier record, is passed over.
func (e *Engine) sameEnd(ctx context.Context, row *RunRow, m *Machine, r *machine.Record, visit int64) error {
	in := &r.Input
	if in.Kind != machine.ResultInput || in.Worker == "" || in.Queued || m.Callee(in.Do) == "" {
		return nil
	}
	t := &machine.Task{Do: in.Do, Index: in.Index, Key: in.Key, Attempt: in.Attempt}
	id := m.ChildID(&machine.Snapshot{Run: row.Run, Visit: visit}, t)
	h, child, err := e.snapshot(ctx, id)
	if errors.Is(err, ErrNotFound) {
		if _, err := e.store.Load(ctx, row.Run); err != nil {
			return fmt.Errorf("run %q: %w", row.Run, err) // the tree has been pruned
		}
		return &Difference{Run: row.Run, Seq: r.Seq, Err: fmt.Errorf("there is no run %q", id)}
	}
	if err != nil {
		return &Difference{Run: row.Run, Seq: r.Seq, Err: err}
	}
	if child.Status != Finished {
		return &Difference{Run: row.Run, Seq: r.Seq, Err: fmt.Errorf("the run %q has not ended", id)}
	}
	end := m.EndedInput(t, h.machine, child, MaxPayload)
	if end.Kind != in.Kind || end.Event != in.Event || !machine.ListValue(end.Data...).Equal(machine.ListValue(in.Data...)) {
		return &Difference{Run: row.Run, Seq: r.Seq, Err: fmt.Errorf("the run %q ended otherwise", id)}
	}
	return nil
}

// childOfTask is the run that stands for an attempt of a call, as far as it has
// started; nil where it has not, or the attempt is of an activity.
func (e *Engine) childOfTask(ctx context.Context, m *Machine, s *machine.Snapshot, t *machine.Task) (*RunRow, error) {
	if m.Callee(t.Do) == "" {
		return nil, nil
	}
	row, err := e.store.Load(ctx, m.ChildID(s, t))
	switch {
	case errors.Is(err, ErrNotFound), err == nil && row.Parent != s.Run:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the child of run %q: %w", s.Run, err)
	}
	return &row, nil
}

// heldBy has a new task held by a child that has started.
func heldBy(t *store.TaskRow, child *RunRow) {
	t.Child, t.NotBefore = child.Run, store.Never
	if t.Timeout > 0 {
		t.NotBefore = child.Started.Add(t.Timeout)
	}
}
