package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// selectClaimed says which tasks are held under claims. It waits for who has a task locked, who may be our own
// COMMIT under way, and then sees the task as that has left it: what decides stands in the list of what is selected, since a
// condition would be asked of the task as it was before.
const selectClaimed = `
	SELECT c.n, CASE WHEN t.epoch = c.epoch THEN t.worker IS NOT NULL ELSE false END
	FROM unnest($1 :: text[], $2 :: text[], $3 :: bigint[]) WITH ORDINALITY AS c (run, "do", epoch, n)
	JOIN @tasks AS t ON t.run = c.run AND t.do = c.do
	ORDER BY t.id FOR UPDATE OF t`

// claiming runs a claim until it is decided. Where the reply to its COMMIT is lost, it first looks for what it has taken: no one
// else is ever given the same epochs.
func (s *Store) claiming(ctx context.Context, claim func(context.Context, *tx) ([]store.TaskRow, error)) ([]store.TaskRow, error) {
	for begun := time.Now(); ; {
		var rows []store.TaskRow
		err := s.write(ctx, func(ctx context.Context, t *tx) (err error) {
			rows, err = claim(ctx, t)
			return err
		})
		if err == nil {
			return rows, nil
		}
		if !errors.Is(err, store.ErrUnknown) {
			return nil, err
		}
		held, failed := s.held(context.WithValue(ctx, heldToKey{}, nil), rows)
		if failed != nil || len(held) == 0 && time.Since(begun) > patience {
			return nil, err
		}
		if len(held) > 0 {
			return held, nil
		}
	}
}

// held are those of the tasks that are held under the claims that their rows have.
func (s *Store) held(ctx context.Context, rows []store.TaskRow) (held []store.TaskRow, err error) {
	var runs, dos []string
	var epochs []int64
	for i := range rows {
		runs, dos, epochs = append(runs, rows[i].Run), append(dos, rows[i].Do), append(epochs, rows[i].Epoch)
	}
	type one struct {
		n    int
		ours bool
	}
	found, err := readAll(ctx, s, func(found sqlrow.Row, o *one) error { return found.Scan(&o.n, &o.ours) }, selectClaimed, runs, dos, epochs)
	ours := make([]bool, len(rows))
	for _, o := range found {
		ours[o.n-1] = ours[o.n-1] || o.ours
	}
	for i := range rows {
		if ours[i] {
			held = append(held, rows[i])
		}
	}
	return held, err
}
