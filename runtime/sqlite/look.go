//go:build cgo

package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

const (
	// lookAny says whether there is something in each of the lists of a look, and when the
	// next thing comes: most looks find nothing more.
	lookAny = `
	SELECT EXISTS (SELECT 1 FROM timers WHERE awake = 1 AND due <= ?1),
		EXISTS (SELECT 1 FROM tasks WHERE worker IS NOT NULL AND lease_until <= ?1 AND cancelled = 0),
		EXISTS (SELECT 1 FROM tasks WHERE cancelled = 1 AND worker = ?2 AND lease_until > ?1),
		(` + nextAny + `)`
	lookAnyOf = `
	SELECT EXISTS (SELECT 1 FROM timers WHERE` + ofRun + ` AND awake = 1 AND +due <= ?1),
		EXISTS (SELECT 1 FROM tasks WHERE` + ofRun + ` AND worker IS NOT NULL AND +lease_until <= ?1 AND cancelled = 0),
		EXISTS (SELECT 1 FROM tasks WHERE cancelled = 1 AND worker = ?2 AND lease_until > ?1),
		(` + nextOf + `)`

	ofRun  = ` (run = ?3 OR run >= ?3 || '/' AND run < ?3 || '0')`
	nextOf = `
	SELECT min(at) FROM (
		SELECT min(due) AS at FROM timers WHERE` + ofRun + ` AND awake = 1 AND +due > ?1
		UNION ALL
		SELECT min(not_before) FROM tasks WHERE` + ofRun + ` AND worker IS NULL AND awake = 1 AND +not_before > ?1 AND not_before < ` + never + `
		UNION ALL
		SELECT min(lease_until) FROM tasks WHERE` + ofRun + ` AND worker IS NOT NULL AND +lease_until > ?1
		UNION ALL
		SELECT min(ready) FROM outbox WHERE` + ofRun + ` AND next = 1 AND +ready > ?1 AND delivered IS NULL
		UNION ALL ` + nextOpening + `)`

	selectDueOf = `
	SELECT run, name, due FROM timers
	WHERE` + ofRun + ` AND awake = 1 AND +due <= ?1 ORDER BY due, run, name LIMIT ?2 + 0`
	selectExpiredOf = selectTasks + `
	WHERE` + ofRun + ` AND worker IS NOT NULL AND +lease_until <= ?1 AND cancelled = 0
		AND (SELECT status FROM runs WHERE runs.run = tasks.run) <> 'halted'
	ORDER BY lease_until LIMIT ?2 + 0`
	selectStopping = `
	SELECT run, do, seq, epoch FROM tasks WHERE cancelled = 1 AND worker = ? AND lease_until > ?`
	selectEnding = `
	SELECT run FROM runs WHERE status = 'ending'`
)

// glance is what lookAny has found.
type glance struct {
	due, expired, stopping bool
	wake                   time.Time
}

// Look implements store.Store. What is handed out is remembered in memory: to write it would
// cost a sync for each timer, and who shares the file is on the same machine.
func (s *Store) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	if q.Versions { // now and then
		err := s.inPlace()
		if err == nil {
			err = s.formatHolds(ctx)
		}
		if err != nil {
			return store.Work{}, err
		}
	}
	return glancing(ctx, s, func(from sqlrow.Source) (w store.Work, err error) {
		l := looking{ctx: ctx, from: from, hands: &s.given, q: &q}
		return w, errors.Join(l.times(&w), l.lists(&w))
	})
}

// formatHolds looks at the format, before tables are read that this version may not know: an idle
// worker writes nothing, and would not notice.
func (s *Store) formatHolds(ctx context.Context) error {
	format, err := glancing(ctx, s, func(from sqlrow.Source) (int64, error) {
		format, _, err := sqlrow.First(ctx, from, sqlrow.One[int64], selectFormat)
		return format, err
	})
	if err != nil {
		return err
	}
	if err := checkFormat(format); err != nil {
		return stoppedBy(err)
	}
	return nil
}

// looking is a Look under way.
type looking struct {
	ctx   context.Context
	from  sqlrow.Source
	hands *store.Hands
	q     *store.LookQuery
}

// times finds what time has brought.
func (l *looking) times(w *store.Work) error {
	text, args := lookAny, []any{micros(l.q.Now), l.q.Worker}
	due, expired := selectDue, selectExpired
	if l.q.Run != "" {
		text, args = lookAnyOf, append(args, l.q.Run)
		due, expired = selectDueOf, selectExpiredOf
	}
	g, _, err := sqlrow.First(l.ctx, l.from, func(found sqlrow.Row, g *glance) error {
		return found.Scan(&g.due, &g.expired, &g.stopping, &g.wake)
	}, text, args...)
	w.Wake = g.wake
	if err == nil && g.due {
		w.Due, err = handed(l, due, sqlrow.Timer, l.hands.Timers)
	}
	if err == nil && g.expired {
		w.Expired, err = handed(l, expired, sqlrow.Task, l.hands.Claims)
	}
	if err == nil && g.stopping {
		w.Stopping, err = sqlrow.List(l.ctx, l.from, sqlrow.Claim, selectStopping, l.q.Worker, micros(l.q.Now))
	}
	return err
}

// handed reads rows until some can be handed out, or there are no more.
func handed[T any](l *looking, text string, scan func(sqlrow.Row, *T) error, hand func([]T, *store.LookQuery) []T) ([]T, error) {
	if l.q.Limit <= 0 {
		return nil, nil
	}
	for n := l.q.Limit + l.hands.Size(); ; n *= 2 {
		args := []any{micros(l.q.Now), n}
		if l.q.Run != "" {
			args = append(args, l.q.Run)
		}
		rows, err := sqlrow.List(l.ctx, l.from, scan, text, args...)
		if err != nil {
			return nil, err
		}
		if given := hand(rows, l.q); len(given) > 0 || len(rows) < n {
			return given, nil
		}
	}
}

// lists reads what is asked for besides.
func (l *looking) lists(w *store.Work) (err error) {
	if l.q.Versions {
		w.Wanted, err = wanted(l.ctx, l.from)
	}
	if err == nil && (l.q.Versions || l.q.Children) {
		w.Leftovers, err = sqlrow.List(l.ctx, l.from, sqlrow.Task, selectLeftovers)
	}
	if err == nil && l.q.Children {
		w.Reports, err = sqlrow.List(l.ctx, l.from, sqlrow.Report, selectReports)
	}
	if err == nil && l.q.Children {
		w.Ending, err = sqlrow.List(l.ctx, l.from, sqlrow.One[string], selectEnding)
	}
	return err
}
