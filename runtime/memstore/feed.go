package memstore

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// fed is a record in the feed: the nth one of a run.
type fed struct {
	id  int64
	run *run
	n   int
}

func (s *Store) Feed(ctx context.Context, after int64, limit int) ([]store.FeedRow, error) {
	return locked(ctx, s, func() ([]store.FeedRow, error) {
		from, found := slices.BinarySearchFunc(s.feed, after, func(f fed, id int64) int { return cmp.Compare(f.id, id) })
		if found {
			from++
		}
		var rows []store.FeedRow
		for _, f := range page(s.feed[from:], limit) {
			row := store.FeedRow{ID: f.id, Machine: f.run.row.Machine, HistoryRow: f.run.history[f.n]}
			row.Record = bytes.Clone(row.Record)
			rows = append(rows, row)
		}
		return rows, nil
	})
}

func (s *Store) FeedEnd(ctx context.Context) (int64, error) {
	return locked(ctx, s, func() (int64, error) { return s.feedEnd, nil })
}

func (s *Store) Changed(ctx context.Context) (int64, error) { return s.FeedEnd(ctx) }
