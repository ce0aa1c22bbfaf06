package memstore

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// heads are the messages that are the next of their run, in the order of the
// times at which they can be taken. The caller holds the lock.
func (s *Store) heads() []*message {
	var heads []*message
	seen := map[string]bool{}
	for _, m := range s.outbox {
		if !m.delivered && !seen[m.Run] {
			seen[m.Run] = true
			heads = append(heads, m)
		}
	}
	slices.SortFunc(heads, func(a, b *message) int {
		return cmp.Or(a.Ready.Compare(b.Ready), strings.Compare(a.Run, b.Run))
	})
	return heads
}

// row is a copy of a message.
func (m *message) row() store.MessageRow {
	row := m.MessageRow
	row.Data = bytes.Clone(m.Data)
	return row
}

func (s *Store) Outbox(ctx context.Context, run string, limit int) ([]store.MessageRow, error) {
	return locked(ctx, s, func() ([]store.MessageRow, error) {
		var rows []store.MessageRow
		for _, m := range s.heads() {
			if run == "" || m.Run == run {
				rows = append(rows, m.row())
			}
		}
		return page(rows, limit), nil
	})
}

func (s *Store) TakeMessages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	return locked(ctx, s, func() ([]store.MessageRow, error) {
		var rows []store.MessageRow
		for _, m := range s.heads() {
			if len(rows) < q.Limit && within(q.Run, m.Run) && !m.Ready.After(micro(q.Now)) {
				m.Ready, m.Worker = micro(q.Until), q.Worker
				m.Attempt++
				rows = append(rows, m.row())
			}
		}
		return rows, nil
	})
}

func (s *Store) Delivered(ctx context.Context, id string, attempt int, _ time.Time) error {
	return s.taken(ctx, id, attempt, func(m *message) { m.delivered = true })
}

func (s *Store) Undelivered(ctx context.Context, id string, attempt int, ready time.Time, reason string) error {
	return s.taken(ctx, id, attempt, func(m *message) { m.Ready, m.Reason = micro(ready), reason })
}

// taken changes a message that an attempt has taken and still holds.
func (s *Store) taken(ctx context.Context, id string, attempt int, change func(*message)) error {
	return s.locked(ctx, func() error {
		for _, m := range s.outbox {
			switch {
			case m.ID != id:
			case m.delivered || m.Attempt != attempt:
				return machine.ErrFenced
			default:
				change(m)
				return nil
			}
		}
		return store.NotFound("message", id)
	})
}
