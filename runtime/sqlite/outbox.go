//go:build cgo

package sqlite

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/failpoint"
	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Each run's messages are delivered in order. The first one that waits is
// marked, and the mark is passed on when it is delivered: so Outbox and
// TakeMessages read no more rows than they give, however many wait behind them.
const (
	insertMessage = `
	INSERT INTO outbox (id, run, seq, n, machine, event, data, at, ready, next)
	VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8,
		NOT EXISTS (SELECT 1 FROM outbox WHERE run = ?2 AND delivered IS NULL))`
	selectMessages = `
	SELECT ` + sqlrow.MessageColumns + ` FROM outbox`
	selectOutbox   = selectMessages + ` WHERE next = 1 ORDER BY ready, run LIMIT ? + 0`
	selectOutboxOf = selectMessages + ` WHERE run = ? AND delivered IS NULL ORDER BY seq, n LIMIT 1`
	selectReady    = selectMessages + ` WHERE next = 1 AND ready <= ? ORDER BY ready, run LIMIT ? + 0`
	selectReadyOf  = selectMessages + ` WHERE delivered IS NULL AND +next = 1 AND ready <= ?1 AND run = ?4 UNION ALL ` +
		selectMessages + ` WHERE delivered IS NULL AND +next = 1 AND ready <= ?1 AND` + below4 + ` ORDER BY ready, run LIMIT ?2 + 0`
	nextMessage = `SELECT min(ready) FROM outbox WHERE next = 1 AND ready > ?1`

	selectMessage = `
	SELECT run, attempt = ? AND delivered IS NULL FROM outbox WHERE id = ?`
	takeMessage = `
	UPDATE outbox SET ready = ?, attempt = attempt + 1, worker = ? WHERE id = ?`
	markDelivered = `
	UPDATE outbox SET delivered = ?, next = 0 WHERE id = ?`
	markUndelivered = `
	UPDATE outbox SET ready = ?, reason = ? WHERE id = ?`
	markNext = `
	UPDATE outbox SET next = 1 WHERE id =
		(SELECT id FROM outbox WHERE run = ? AND delivered IS NULL ORDER BY seq, n LIMIT 1)`
)

func (t *tx) publish(rows []store.MessageRow) error {
	for i := range rows {
		m := &rows[i]
		if _, err := t.exec(insertMessage, m.ID, m.Run, m.Seq, m.N, m.Machine, m.Event, text(m.Data), micros(m.At)); err != nil {
			return err
		}
		failpoint.Hit(failpoint.MessageWritten)
	}
	return nil
}

func (s *Store) Outbox(ctx context.Context, run string, limit int) ([]store.MessageRow, error) {
	query, argument := selectOutbox, any(atMost(limit))
	if run != "" {
		query, argument = selectOutboxOf, run
	}
	return readAll(ctx, s, sqlrow.Message, query, argument)
}

// TakeMessages implements store.Store. It looks before it asks to write, so
// that workers who find nothing do not disturb the writer.
func (s *Store) TakeMessages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	found, err := glancing(ctx, s, func(from sqlrow.Source) ([]store.MessageRow, error) { return readyMessages(ctx, from, q) })
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return writing(ctx, s, func(t *tx) ([]store.MessageRow, error) {
		taken, err := readyMessages(ctx, t, q)
		if err != nil {
			return nil, err
		}
		for i := range taken {
			m := &taken[i]
			if _, err := t.exec(takeMessage, micros(q.Until), q.Worker, m.ID); err != nil {
				return nil, err
			}
			m.Ready, m.Worker = fromMicros(micros(q.Until)), q.Worker
			m.Attempt++
			failpoint.Hit(failpoint.MarkedTaken)
		}
		return taken, nil
	})
}

func readyMessages(ctx context.Context, from sqlrow.Source, q store.MessageQuery) ([]store.MessageRow, error) {
	if q.Run == "" {
		return sqlrow.List(ctx, from, sqlrow.Message, selectReady, micros(q.Now), q.Limit)
	}
	return sqlrow.List(ctx, from, sqlrow.Message, selectReadyOf, micros(q.Now), q.Limit, nil, q.Run)
}

func (s *Store) Delivered(ctx context.Context, id string, attempt int, now time.Time) error {
	return s.write(ctx, func(t *tx) error {
		run, err := t.runOfMessage(ctx, id, attempt)
		if err != nil {
			return err
		}
		if _, err := t.exec(markDelivered, micros(now), id); err != nil {
			return err
		}
		failpoint.Hit(failpoint.MarkedDelivered)
		_, err = t.exec(markNext, run)
		return err
	})
}

func (s *Store) Undelivered(ctx context.Context, id string, attempt int, ready time.Time, reason string) error {
	return s.write(ctx, func(t *tx) error {
		if _, err := t.runOfMessage(ctx, id, attempt); err != nil {
			return err
		}
		_, err := t.exec(markUndelivered, micros(ready), reason, id)
		return err
	})
}

// runOfMessage is the run of a message that an attempt has taken and still holds.
func (t *tx) runOfMessage(ctx context.Context, id string, attempt int) (run string, err error) {
	held, ok, err := sqlrow.First(ctx, t, func(found sqlrow.Row, held *bool) error {
		return found.Scan(&run, held)
	}, selectMessage, attempt, id)
	switch {
	case err != nil:
	case !ok:
		err = store.NotFound("message", id)
	case !held:
		err = machine.ErrFenced
	}
	return run, err
}
