//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// Each run's messages are delivered in order. The first one that waits is
// marked, and the mark is handed on when it is delivered: so Outbox reads no
// more rows than it gives, however many wait behind them.
const (
	insertMessage = `
	INSERT INTO outbox (id, run, seq, n, machine, event, data, at, next)
	VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,
		NOT EXISTS (SELECT 1 FROM outbox WHERE run = ?2 AND delivered IS NULL))`
	selectOutbox = `
	SELECT id, run, seq, n, machine, event, data, at FROM outbox
	WHERE next = 1 ORDER BY at, run LIMIT ?`
	selectMessage = `
	SELECT run, delivered IS NOT NULL FROM outbox WHERE id = ?`
	markDelivered = `
	UPDATE outbox SET delivered = ?, next = 0 WHERE id = ?`
	markNext = `
	UPDATE outbox SET next = 1 WHERE id =
		(SELECT id FROM outbox WHERE run = ? AND delivered IS NULL ORDER BY seq, n LIMIT 1)`
)

func (t *tx) publish(rows []runtime.MessageRow) error {
	for i := range rows {
		m := &rows[i]
		if _, err := t.exec(insertMessage, m.ID, m.Run, m.Seq, m.N, m.Machine, m.Event, text(m.Data), micros(m.At)); err != nil {
			return err
		}
	}
	return nil
}

// Outbox implements runtime.Store.
func (s *Store) Outbox(ctx context.Context, limit int) ([]runtime.MessageRow, error) {
	rows, err := list(ctx, s.readers, scanMessage, selectOutbox, atMost(limit))
	return rows, s.readError(err)
}

func scanMessage(rows *sql.Rows, m *runtime.MessageRow) error {
	var at int64
	err := rows.Scan(&m.ID, &m.Run, &m.Seq, &m.N, &m.Machine, &m.Event, (*[]byte)(&m.Data), &at)
	m.At = fromMicros(at)
	return err
}

// Delivered implements runtime.Store.
func (s *Store) Delivered(ctx context.Context, id string, now time.Time) error {
	return s.write(ctx, func(t *tx) error {
		type message struct {
			run       string
			delivered bool
		}
		m, ok, err := first(ctx, t, func(rows *sql.Rows, m *message) error {
			return rows.Scan(&m.run, &m.delivered)
		}, selectMessage, id)
		switch {
		case err != nil:
			return err
		case !ok:
			return runtime.NotFound("message", id)
		case m.delivered:
			return nil
		}
		if _, err := t.exec(markDelivered, micros(now), id); err != nil {
			return err
		}
		_, err = t.exec(markNext, m.run)
		return err
	})
}
