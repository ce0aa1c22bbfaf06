package postgres

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A timer or a claim is handed out by a mark in its row, which is of no use any more when the
// row falls due later than that, or when the mark has had its time. Rows that others have
// locked are left to them, so that a look waits for nobody.
const (
	// Of a timer that is due or a claim that has expired: it is of run $6 or below that, and in
	// the hand of nobody but worker $2 at $1; $5 is the beginning of that.
	ofRun      = ` ($6 = '' OR run = $6 OR run >= $6 || '/' AND run < $6 || '0')`
	timerInUse = ` coalesce(handed >= due AND handed <= $1 AND handed > $5, false)`
	claimInUse = ` coalesce(handed >= lease_until AND handed <= $1 AND handed > $5, false)`

	handTimers = `
	UPDATE @timers AS t SET handed = CASE WHEN` + timerInUse + ` THEN handed ELSE $1 END, handed_to = $2
	FROM (
		SELECT run AS of_run, name AS of_name FROM @timers
		WHERE awake AND due <= $1 AND run <> ALL ($4 :: text[]) AND` + ofRun + ` AND (handed_to = $2 OR NOT` + timerInUse + `)
		ORDER BY due, run, name LIMIT $3 FOR UPDATE SKIP LOCKED) AS free
	WHERE run = of_run AND name = of_name
	RETURNING run, name, due`
	handClaims = `
	UPDATE @tasks AS t SET handed = CASE WHEN` + claimInUse + ` THEN handed ELSE $1 END, handed_to = $2
	FROM (
		SELECT id AS of_id FROM @tasks
		WHERE worker IS NOT NULL AND lease_until <= $1 AND NOT cancelled AND run <> ALL ($4 :: text[]) AND` + ofRun + `
			AND (SELECT status FROM @runs AS r WHERE r.run = tasks.run) <> 'halted' AND (handed_to = $2 OR NOT` + claimInUse + `)
		ORDER BY lease_until, id LIMIT $3 FOR UPDATE SKIP LOCKED) AS free
	WHERE id = of_id
	RETURNING ` + taskColumns

	// What a worker leaves to others is in its hand no more.
	leaveTimers = `
	UPDATE @timers SET handed = NULL WHERE (run, name) IN (
		SELECT run, name FROM @timers WHERE run = ANY ($1) AND handed_to = $2 AND handed IS NOT NULL FOR UPDATE SKIP LOCKED)`
	leaveClaims = `
	UPDATE @tasks SET handed = NULL WHERE id IN (
		SELECT id FROM @tasks WHERE run = ANY ($1) AND handed_to = $2 AND handed IS NOT NULL FOR UPDATE SKIP LOCKED)`

	selectStopping = `
	SELECT run, "do", seq, epoch FROM @tasks WHERE cancelled AND worker = $1 AND lease_until > $2`
	selectEnding = `
	SELECT run FROM @runs WHERE status = 'ending'`
)

// selectNextWakeOf is selectNextWake of run $3 and those below it.
var selectNextWakeOf = earliest(strings.ReplaceAll(waits, "WHERE ", "WHERE (run = $3 OR run >= $3 || '/' AND run < $3 || '0') AND "))

// Look implements store.Store, in one round trip.
func (s *Store) Look(ctx context.Context, q store.LookQuery) (w store.Work, err error) {
	if s.options.readOnly && q.Limit > 0 {
		return w, ErrReadOnly
	}
	w, err = asking(ctx, s, func(ctx context.Context, t *tx) (w store.Work, err error) {
		err = t.look(ctx, &q, &w)
		return w, err
	})
	slices.SortFunc(w.Due, func(a, b store.TimerRow) int {
		return cmp.Or(a.Due.Compare(b.Due), strings.Compare(a.Run, b.Run), strings.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(w.Expired, func(a, b store.TaskRow) int { return a.LeaseUntil.Compare(b.LeaseUntil) })
	return w, err
}

func (t *tx) look(ctx context.Context, q *store.LookQuery, w *store.Work) error {
	var wake, times []time.Time
	t.usePlans()
	t.askTime(ctx, &times)
	if q.Limit > 0 {
		t.handOut(q, w)
	}
	ask(t, &w.Stopping, sqlrow.Claim, selectStopping, q.Worker, q.Now)
	if q.Run == "" {
		ask(t, &wake, sqlrow.One[time.Time], selectNextWake, q.Now, store.Never)
	} else {
		ask(t, &wake, sqlrow.One[time.Time], selectNextWakeOf, q.Now, store.Never, q.Run)
	}
	if q.Versions {
		ask(t, &w.Wanted, sqlrow.One[string], selectWanted)
	}
	if q.Versions || q.Children {
		ask(t, &w.Leftovers, sqlrow.Task, selectLeftovers)
	}
	if q.Children {
		ask(t, &w.Reports, sqlrow.Report, selectReports)
		ask(t, &w.Ending, sqlrow.One[string], selectEnding)
	}
	asked := t.s.clock.here()
	if err := t.flush(ctx); err != nil {
		return offOr(err)
	}
	w.Wake = wake[0]
	if len(times) > 0 {
		t.s.clock.set(times[0], asked)
	}
	return nil
}

// handOut queues what hands out timers and claims.
func (t *tx) handOut(q *store.LookQuery, w *store.Work) {
	since := q.Now.Add(-store.HandedFor)
	if len(q.NoTimers) > 0 {
		t.queue(nil, leaveTimers, q.NoTimers, q.Worker)
	}
	if len(q.NoClaims) > 0 {
		t.queue(nil, leaveClaims, q.NoClaims, q.Worker)
	}
	ask(t, &w.Due, sqlrow.Timer, handTimers, q.Now, q.Worker, q.Limit, orNone(q.NoTimers), since, q.Run)
	ask(t, &w.Expired, sqlrow.Task, handClaims, q.Now, q.Worker, q.Limit, orNone(q.NoClaims), since, q.Run)
}

// orNone is a list that is not NULL.
func orNone(list []string) []string { return append([]string{}, list...) }
