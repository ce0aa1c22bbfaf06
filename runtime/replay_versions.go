package runtime

import (
	"context"
	"errors"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// relive is the run as its history has it. Which definition a record is of, the
// snapshot says; where that cannot be read (stored is nil), or history does not
// replay by it, history says it, which needs one more reading.
func (e *Engine) relive(ctx context.Context, h *host, row *RunRow, stored *machine.Snapshot) (*machine.Snapshot, error) {
	var first error
	if stored != nil {
		s, err := e.reliveBy(ctx, h, row, stored.Seed, stored.Versions)
		if err == nil {
			return s, nil
		}
		first = err
	}
	seed := machine.SeedOf(row.Run)
	versions, err := e.versionsInHistory(ctx, h, row)
	if err != nil {
		return nil, further(first, err)
	}
	if stored != nil && stored.Seed == seed && slices.Equal(stored.Versions, versions) {
		return nil, first
	}
	s, err := e.reliveBy(ctx, h, row, seed, versions)
	if err != nil {
		return nil, further(first, err)
	}
	return s, nil
}

// reliveBy begins with the first of the versions.
func (e *Engine) reliveBy(ctx context.Context, h *host, row *RunRow, seed uint64, versions []machine.Version) (*machine.Snapshot, error) {
	first, err := e.versionAt(ctx, h, versions, 1)
	if err != nil {
		return nil, e.definitionFault(ctx, row, definitionAt(versions, 1, row.Definition), 1, err)
	}
	replay := first.machine.NewReplay(row.Run, seed)
	err = e.replayHistory(ctx, replay, row, h, versions)
	return replay.Snapshot(), err
}

// further is the error of the second try, but of two differences that of the
// later record: the other comes of the wrong definition.
func further(first, second error) error {
	var a, b *Difference
	if errors.As(first, &a) && errors.As(second, &b) && a.Seq > b.Seq {
		return first
	}
	return second
}

// versionAt is the definition that the record seq of a run is of; current is
// the one that the run now has.
func (e *Engine) versionAt(ctx context.Context, current *host, versions []machine.Version, seq int64) (*host, error) {
	if hash := definitionAt(versions, seq, ""); hash != "" {
		return e.host(ctx, hash)
	}
	return current, nil
}

// definitionAt is the hash of the definition that the record seq of a run is of; current
// is that of the one that the run now has.
func definitionAt(versions []machine.Version, seq int64, current string) string {
	for _, v := range versions {
		if seq <= v.Until {
			return v.Definition
		}
	}
	return current
}

// versionsInHistory are the earlier definitions of a run by the record of its
// last migration, which has the snapshot that it led to; none where there is no
// such record. A damaged one is a *Difference.
func (e *Engine) versionsInHistory(ctx context.Context, h *host, row *RunRow) ([]machine.Version, error) {
	var last *store.HistoryRow
	err := e.eachRecord(ctx, row, func(record *store.HistoryRow) error {
		if record.Kind == machine.MigrateInput {
			last = new(*record) // a copy, so that the page can go
		}
		return nil
	})
	if err != nil || last == nil {
		return nil, err
	}
	record, err := h.machine.DecodeRecord(last.Record)
	if err == nil && record.Input.Migration == nil {
		err = errors.New("it is not of a migration")
	}
	var s *machine.Snapshot
	if err == nil {
		s, err = h.machine.DecodeSnapshot(record.Input.Migration.Snapshot)
	}
	if err != nil {
		return nil, &Difference{Run: row.Run, Seq: last.Seq, Err: err}
	}
	return s.Versions, nil
}
