package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	replayRecords = 500 // history lines read at a time
	replayRuns    = 20  // runs read at a time
)

// Replay computes a stored run again from its history, line by line, and compares the result with
// what is stored: every record, the snapshot and the row of the run, bit for bit. For a run that
// has not ended, it also compares the tasks and timers, and for children what they returned with
// what their parent was told. It also replays the runs below the run. The error is a *Difference
// if they differ, ErrNotFound if there is no such run, and another one if the store fails. The
// memory is bounded, however long the history is. Steps that are taken meanwhile are not
// compared.
func (e *Engine) Replay(ctx context.Context, run string) error {
	return e.ReplayTree(ctx, run, func(_ *RunRow, err error) error { return err })
}

// ReplayTree is Replay, and calls each with the result of the run and then of those below it, as
// ReplayAll does. If one of them differs, the others are still replayed.
func (e *Engine) ReplayTree(ctx context.Context, run string, each func(run *RunRow, err error) error) error {
	row, err := e.store.Load(ctx, run)
	if err != nil {
		return fmt.Errorf("run %q: %w", run, err)
	}
	if err := e.replayOne(ctx, &row, each); err != nil {
		return err
	}
	h, err := e.host(ctx, row.Definition)
	if err != nil || !h.machine.Calls() {
		return nil // a definition that is missing has been told
	}
	rows, err := e.Tree(ctx, run)
	if err != nil {
		return err
	}
	for i := range rows {
		if rows[i].Run == run {
			continue
		}
		if err := e.replayOne(ctx, &rows[i], each); err != nil {
			return err
		}
	}
	return nil
}

// ReplayAll replays the runs that match f, newest first, and calls each with the result: nil or a
// *Difference. It ends if each returns an error, or if the store fails. It leaves out runs that
// are pruned meanwhile.
func (e *Engine) ReplayAll(ctx context.Context, f RunFilter, each func(run *RunRow, err error) error) error {
	return store.EachRun(ctx, e.store, f, replayRuns, func(row *RunRow) error {
		if err := e.replayOne(ctx, row, each); !errors.Is(err, ErrNotFound) {
			return err
		}
		return nil
	})
}

// replayOne replays a run, and tells each what became of it; any other error ends the walk.
func (e *Engine) replayOne(ctx context.Context, row *RunRow, each func(run *RunRow, err error) error) error {
	err := e.replayRow(ctx, row)
	if _, differs := errors.AsType[*Difference](err); err != nil && !differs {
		return err
	}
	return each(row, err)
}

func (e *Engine) replayRow(ctx context.Context, row *RunRow) error {
	h, err := e.host(ctx, row.Definition)
	if err != nil {
		return e.definitionFault(ctx, row, row.Definition, row.Seq, err)
	}
	m := h.machine
	stored, err := m.DecodeSnapshot(row.Snapshot)
	if err != nil {
		return &Difference{Run: row.Run, Seq: row.Seq, Err: err}
	}
	got, err := e.relive(ctx, h, row, stored)
	if err != nil {
		return err
	}
	if text := m.EncodeSnapshot(got); !bytes.Equal(text, row.Snapshot) {
		return machine.Differs(row.Run, row.Seq, "snapshot", row.Snapshot, text)
	}
	if err := sameRow(row.Run, row.Seq, "runs", columnsOfRun(row), columnsOfRun(new(store.RunOf(m, got)))); err != nil {
		return err
	}
	fault, err := e.missingWork(ctx, m, row, got)
	if err == nil && fault != "" {
		err = &Difference{Run: row.Run, Seq: row.Seq, Field: machine.WorkField, Err: errors.New(fault)}
	}
	if err != nil || !m.Calls() || len(stored.Versions) > 0 {
		return err // the names of calls may have been others once
	}
	return e.replayTold(ctx, row, m)
}

// definitionFault is a *Difference where a definition of a run is missing or damaged,
// which is why no host of it could be had: then that run cannot be replayed, and others
// can. It is another error where the run is gone, or the store fails.
func (e *Engine) definitionFault(ctx context.Context, row *RunRow, definition string, seq int64, why error) error {
	if _, err := e.store.Definition(ctx, definition); err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("run %q: %w", row.Run, err)
	}
	if _, err := e.store.Load(ctx, row.Run); err != nil {
		return fmt.Errorf("run %q: %w", row.Run, err)
	}
	return &Difference{Run: row.Run, Seq: seq, Err: why}
}

// replayHistory takes the records up to the Seq of the row.
func (e *Engine) replayHistory(ctx context.Context, replay *machine.Replay, row *RunRow, h *host, versions []machine.Version) error {
	seq := int64(0)
	err := e.eachRecord(ctx, row, func(record *store.HistoryRow) error {
		seq++
		version, err := e.versionAt(ctx, h, versions, seq)
		if err != nil {
			return e.definitionFault(ctx, row, definitionAt(versions, seq, row.Definition), seq, err)
		}
		replay.Continue(version.machine)
		return takeRow(replay, version, record, seq)
	})
	if err != nil || seq == row.Seq {
		return err
	}
	if _, err := e.Row(ctx, row.Run); err != nil {
		return err // it has been pruned
	}
	return &Difference{Run: row.Run, Seq: seq + 1, Err: errors.New("there is no such record")}
}

// eachRecord calls visit with the records of a run up to the Seq of the row, as far as there are any.
func (e *Engine) eachRecord(ctx context.Context, row *RunRow, visit func(*store.HistoryRow) error) error {
	for seq := int64(0); seq < row.Seq; {
		page, err := e.store.History(ctx, row.Run, seq, int(min(replayRecords, row.Seq-seq)))
		if err != nil {
			return fmt.Errorf("the history of run %q: %w", row.Run, err)
		}
		for i := range page {
			if err := visit(&page[i]); err != nil {
				return err
			}
		}
		if len(page) == 0 || page[len(page)-1].Seq <= seq { // a damaged store must not hold us here
			return nil
		}
		seq = page[len(page)-1].Seq
	}
	return nil
}

// lastRecord is the newest record of a run, up to a Seq, that is wanted; nil for none.
func (e *Engine) lastRecord(ctx context.Context, run string, upTo int64, wanted func(*store.HistoryRow) bool) (*store.HistoryRow, error) {
	const page = 100
	for end := upTo; end > 0; end -= page {
		from := max(0, end-page)
		rows, err := e.store.History(ctx, run, from, int(end-from))
		if err != nil {
			return nil, fmt.Errorf("the history of run %q: %w", run, err)
		}
		for i := range slices.Backward(rows) {
			if wanted(&rows[i]) {
				return &rows[i], nil
			}
		}
	}
	return nil, nil
}

// takeRow takes one stored record, and holds the columns that stand beside it
// against it.
func takeRow(r *machine.Replay, h *host, row *store.HistoryRow, seq int64) error {
	record, err := h.machine.DecodeRecord(row.Record)
	if err == nil && record.Seq != seq {
		err = fmt.Errorf("its sequence number is %d", record.Seq)
	}
	if err != nil {
		return &Difference{Run: row.Run, Seq: seq, Err: err}
	}
	if err := r.Take(record); err != nil {
		return err
	}
	return sameRow(row.Run, seq, "history", columnsOfHistory(row), columnsOfHistory(new(store.HistoryOf(h.machine, row.Run, record))))
}

// column is one column of a row; its value is comparable.
type column struct {
	name  string
	value any
}

func columnsOfRun(r *RunRow) []column {
	return []column{
		{"machine", r.Machine}, {"definition", r.Definition}, {"state", r.State}, {"status", r.Status},
		{"outcome", r.Outcome}, {"paused", r.Paused}, {"seq", r.Seq},
		{"started", r.Started.UTC()}, {"entered", r.Entered.UTC()}, {"updated", r.Updated.UTC()},
	}
}

func columnsOfHistory(r *store.HistoryRow) []column {
	return []column{
		{"seq", r.Seq}, {"at", r.At.UTC()}, {"kind", r.Kind}, {"input", r.Input},
		{"source", r.From}, {"target", r.To}, {"effect", r.Effect}, {"record", string(r.Record)},
	}
}

// sameRow finds the first column that differs.
func sameRow(run string, seq int64, table string, stored, replayed []column) error {
	for i := range stored {
		if stored[i].value == replayed[i].value {
			continue
		}
		s, errS := json.Marshal(stored[i].value)
		r, errR := json.Marshal(replayed[i].value)
		if err := errors.Join(errS, errR); err != nil {
			return fmt.Errorf("run %q: %w", run, err)
		}
		return &Difference{Run: run, Seq: seq, Field: table + "." + stored[i].name, Stored: s, Replayed: r}
	}
	return nil
}
