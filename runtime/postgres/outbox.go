package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Each run's messages are delivered in order. The first one that waits is marked, and the
// mark is passed on when it is delivered: so Outbox and TakeMessages read no more rows than
// they give. A delivery locks the run, as a step does, so that a message which is published
// meanwhile gets the mark from one of the two.
const (
	selectMessages = `SELECT ` + sqlrow.MessageColumns + ` FROM @outbox`
	selectOutbox   = selectMessages + ` WHERE next ORDER BY ready, run LIMIT $1`
	selectOutboxOf = selectMessages + ` WHERE run = $1 AND delivered IS NULL ORDER BY seq, n LIMIT 1`

	takeMessages = `
	WITH taken AS MATERIALIZED (
		SELECT id AS taken_id, ready AS taken_from FROM @outbox
		WHERE next AND ready <= $1 AND ($2 = '' OR run = $2 OR run >= $2 || '/' AND run < $2 || '0')
		ORDER BY ready, run LIMIT $3 FOR UPDATE SKIP LOCKED)
	UPDATE @outbox SET ready = $4, attempt = attempt + 1, worker = $5
	FROM taken WHERE id = taken_id RETURNING taken_from, ` + sqlrow.MessageColumns

	selectMessageRun = `SELECT run FROM @outbox WHERE id = $1`
	lockRun          = `SELECT 1 FROM @runs WHERE run = $1 FOR NO KEY UPDATE`
	markDelivered    = `
	UPDATE @outbox SET delivered = $3, next = false WHERE id = $1 AND attempt = $2 AND delivered IS NULL`
	markNext = `
	UPDATE @outbox SET next = true WHERE id =
		(SELECT id FROM @outbox WHERE run = $1 AND delivered IS NULL ORDER BY seq, n LIMIT 1)`
	markUndelivered = `
	UPDATE @outbox SET ready = $3, reason = $4 WHERE id = $1 AND attempt = $2 AND delivered IS NULL`
)

func (s *Store) Outbox(ctx context.Context, run string, limit int) ([]store.MessageRow, error) {
	if run != "" {
		return readAll(ctx, s, sqlrow.Message, selectOutboxOf, run)
	}
	return readAll(ctx, s, sqlrow.Message, selectOutbox, atMost(limit))
}

// taken is a message with the time from which it could be.
type taken struct {
	store.MessageRow
	from time.Time
}

func (s *Store) TakeMessages(ctx context.Context, q store.MessageQuery) ([]store.MessageRow, error) {
	if q.Limit <= 0 {
		return nil, nil
	}
	found, err := writing(ctx, s, func(ctx context.Context, t *tx) ([]taken, error) {
		return sqlrow.List(ctx, t, func(found sqlrow.Row, m *taken) error {
			return sqlrow.MessageBehind(found, &m.MessageRow, &m.from)
		}, takeMessages, q.Now, q.Run, q.Limit, q.Until, q.Worker)
	})
	slices.SortFunc(found, func(a, b taken) int { return cmp.Or(a.from.Compare(b.from), strings.Compare(a.Run, b.Run)) })
	var rows []store.MessageRow
	for i := range found {
		rows = append(rows, found[i].MessageRow)
	}
	return rows, err
}

func (s *Store) Delivered(ctx context.Context, id string, attempt int, now time.Time) error {
	return s.write(ctx, func(ctx context.Context, t *tx) error {
		run, err := t.runOfMessage(ctx, id)
		if err != nil {
			return err
		}
		t.queue(nil, lockRun, run)
		t.queue(fenced, markDelivered, id, attempt, now)
		t.queue(nil, markNext, run)
		return t.flush(ctx)
	})
}

func (s *Store) Undelivered(ctx context.Context, id string, attempt int, ready time.Time, reason string) error {
	return s.write(ctx, func(ctx context.Context, t *tx) error {
		if _, err := t.runOfMessage(ctx, id); err != nil {
			return err
		}
		t.queue(fenced, markUndelivered, id, attempt, ready, printable(reason))
		return t.flush(ctx)
	})
}

// runOfMessage is the run that has published a message.
func (t *tx) runOfMessage(ctx context.Context, id string) (string, error) {
	run, ok, err := sqlrow.First(ctx, t, sqlrow.One[string], selectMessageRun, id)
	if err == nil && !ok {
		err = store.NotFound("message", id)
	}
	return run, err
}

// printable is a text without what no column of a database in UTF-8 takes.
func printable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// fenced is the error of a write that found nothing to write to.
func fenced(n int64) error {
	if n == 0 {
		return machine.ErrFenced
	}
	return nil
}
