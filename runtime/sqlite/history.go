//go:build cgo

package sqlite

import (
	"context"
	"encoding/json"

	"github.com/fsmc-dev/fsmc/runtime"
)

const insertHistory = `
	INSERT INTO history (run, seq, at, kind, input, source, target, effect, record, counts)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const selectHistory = `
	SELECT run, seq, at, kind, input, source, target, effect, record FROM history
	WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?`

const insertAnswer = `
	INSERT INTO inbox (run, event_id, seq, answer) VALUES (?, ?, ?, ?)`

const selectAnswer = `
	SELECT answer FROM inbox WHERE run = ? AND event_id = ?`

// record writes what happened; the last row has what all of it counts.
func (t *tx) record(rows []runtime.HistoryRow) error {
	counts, err := t.encodeCounts()
	if err != nil {
		return err
	}
	for i := range rows {
		h, counted := &rows[i], json.RawMessage(nil)
		if i == len(rows)-1 {
			counted = counts
		}
		t.last, err = t.insert(insertHistory, h.Run, h.Seq, micros(h.At), string(h.Kind), h.Input, h.From, h.To,
			string(h.Effect), text(h.Record), text(counted))
		if err != nil {
			return err
		}
	}
	return nil
}

// History implements runtime.Store.
func (s *Store) History(ctx context.Context, run string, after int64, limit int) ([]runtime.HistoryRow, error) {
	rows, err := list(ctx, s.readers, scanHistory, selectHistory, run, after, atMost(limit))
	return rows, s.readError(err)
}

func scanHistory(found row, h *runtime.HistoryRow) error {
	var at int64
	err := found.Scan(&h.Run, &h.Seq, &at, &h.Kind, &h.Input, &h.From, &h.To, &h.Effect, (*[]byte)(&h.Record))
	h.At = fromMicros(at)
	return err
}

// Accepted implements runtime.Store.
func (s *Store) Accepted(ctx context.Context, run, eventID string) (json.RawMessage, bool, error) {
	answer, ok, err := first(ctx, s.readers, func(found row, a *json.RawMessage) error {
		return found.Scan((*[]byte)(a))
	}, selectAnswer, run, eventID)
	return answer, ok, s.readError(err)
}
