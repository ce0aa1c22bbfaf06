package postgres

import (
	"context"
	"errors"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// A batch is several commits in one pipeline with one sync, whose end is the COMMIT:
//
// Most batches go the quick way of batch_quick.go first. What is refused there, and all where it does not
// serve, is judged:
//
//  1. lockBatch locks the runs, in order, without waiting for those that another process has;
//     lockBatchTasks locks tasks that end or are cancelled. What follows sees what stands then.
//  2. judge finds for each commit why it is refused, and leaves the numbers of those refused
//     in a setting of the transaction.
//  3. The statements of batch_write.go write what is not refused, each for all commits at once.
//
// A commit whose run is locked goes alone, where it waits, and so does each one of a batch that fails.
// The planner is told to use indexes: it plans once for batches of any size, and for tables that
// may have been empty then.
var (
	lockBatch = `
	SELECT set_config('fsmc.refused', '{}', true), count(*)
	FROM (SELECT 1 FROM @runs WHERE run = ANY ($1) ORDER BY run FOR NO KEY UPDATE SKIP LOCKED) AS locked`
	lockBatchTasks = formOf(`
	SELECT count(*) FROM (
		SELECT 1 FROM ` + table(`run text, "do" text`) + `
		JOIN @tasks AS t ON t.run = q.run AND t.do = q.do AND NOT t.cancelled
		ORDER BY t.id FOR UPDATE OF t) AS locked`)

	// judge finds the first refusal in the order that store.Store gives. A run whose xmax is
	// not this transaction has not been locked.
	judge = formOf(`
	SELECT set_config('fsmc.refused', (coalesce(array_agg(n) FILTER (WHERE verdict > 0), '{}')) :: text, true),
		array_agg(verdict ORDER BY n)
	FROM (SELECT n, CASE
		WHEN r.run IS NOT NULL AND r.xmax IS DISTINCT FROM pg_current_xact_id_if_assigned() :: xid THEN 1
		WHEN event_id IS NOT NULL
			AND EXISTS (SELECT 1 FROM @inbox AS i WHERE i.run = q.run AND i.event_id = q.event_id) THEN 2
		WHEN r.run IS NOT NULL AND expect = 0 THEN 3
		WHEN r.run IS NULL AND expect > 0 THEN 4
		WHEN r.seq <> expect OR r.started <> q.started THEN 5
		WHEN NOT EXISTS (SELECT 1 FROM @definitions WHERE hash = q.definition) THEN 6
		WHEN q.do IS NOT NULL AND NOT EXISTS (SELECT 1 FROM @tasks AS t
			WHERE t.run = q.run AND t.do = q.do AND t.seq = q.seq AND t.epoch = q.epoch
				AND t.worker IS NOT NULL AND NOT t.cancelled) THEN 7
		ELSE 0 END AS verdict
		FROM ` + table(`n bigint, run text, expect bigint, started timestamptz, definition text, event_id text, "do" text, seq
		bigint, epoch bigint`) + `
		LEFT JOIN @runs AS r ON r.run = q.run) AS judged`)

	// admitted is of rows of commits that are not refused. Their number in the batch is n.
	admitted = ` n <> ALL ((SELECT ` + refused + `) :: bigint[])`
	refused  = `current_setting('fsmc.refused') :: bigint[]`
)

// errAlone is the error of a commit that has to be written in a transaction of its own.
var errAlone = errors.New("to be written alone")

// verdict is the error for what judge says of a commit.
func (w *commit) verdict(n int64) error {
	switch n {
	case 0:
		return nil
	case 2:
		return machine.ErrDuplicate
	case 3:
		return machine.ErrExists
	case 4:
		return store.ErrNotFound
	case 5:
		return store.ErrConflict
	case 6:
		return store.NotFound("definition", w.Run.Definition)
	case 7:
		return machine.ErrFenced
	}
	return errAlone
}

// batch is what is being written, with the rows of its statements.
type batch struct {
	requests []*request
	quick    bool  // it is not judged
	judged   []any // the columns of judge
	runs     []string
	touched  []part // whose tasks are locked
	writes   []rows
}

// writeBatch writes commits of different runs, and says of each what has become of it.
func (s *Store) writeBatch(all []*request) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s.lookUp(ctx, all)
	for _, r := range all {
		r.err = errAlone
	}
	var going []*request
	for _, r := range s.lanes.seal(all) {
		if !r.alone() {
			going = append(going, r)
		}
	}
	inOrder(going)
	if quick(going) {
		going = s.attempt(ctx, &batch{requests: going, quick: true})
	}
	s.attempt(ctx, &batch{requests: going})
}

// attempt writes a batch, says of each request what has become of it, and gives those that have to
// be judged yet.
func (s *Store) attempt(ctx context.Context, b *batch) (refused []*request) {
	if len(b.requests) == 0 || b.build() != nil {
		return nil
	}
	verdicts, err := s.send(ctx, b)
	for i, r := range b.requests {
		switch {
		case err == nil && verdicts[i] == toJudge:
			refused = append(refused, r)
		case err == nil:
			r.err = r.verdict(verdicts[i])
			if r.err == nil && len(r.History) > 0 {
				after := standingIn(&r.Run)
				after.parent = r.before.parent
				s.standings.note(after)
			}
		case errors.Is(err, store.ErrClosed):
			r.err = err
		case errors.Is(err, store.ErrUnknown):
			r.doubt = true
		}
	}
	return refused
}

// lookUp fills in how the runs stand. It asks the server for those of which it is not known.
func (s *Store) lookUp(ctx context.Context, all []*request) {
	unknown := map[string]*request{}
	var runs []string
	for _, r := range all {
		if r.Expect == 0 || len(r.History) == 0 {
			continue
		}
		var ok bool
		if r.before, ok = s.standings.of(r.Run.Run); !ok || r.before.seq < r.Expect {
			unknown[r.Run.Run] = r
			runs = append(runs, r.Run.Run)
		}
	}
	if len(runs) == 0 {
		return
	}
	var found []standing
	_ = s.use(ctx, func(t *tx) (err error) { // those that it does not find go alone, and hear there why
		found, err = sqlrow.List(ctx, t, scanStanding, selectStandings, runs)
		return err
	})
	for _, b := range found {
		unknown[b.run].before = b
	}
}

// alone reports whether a commit is of a kind that is written in a transaction of its own: the
// start of a child, what a run hears of one, a repair. All of them are rare.
func (w *commit) alone() bool {
	return w.Parent != nil || w.Hears != nil || w.Repairs != nil ||
		len(takenOver(w.Commit)) > 0
}

// alone reports whether a request is written so because of how its run stands: the end of a child,
// and what wakes the tasks of a run or has them sleep. So is one of which no one knows how its run stands.
func (r *request) alone() bool {
	if r.Expect == 0 || len(r.History) == 0 {
		return false
	}
	b := &r.before
	return b.seq < r.Expect || b.awake() != r.Run.Awake() || b.parent != "" && r.finishes()
}

// send writes a batch in one round trip. The error is an ErrUnknown where the reply was lost.
func (s *Store) send(ctx context.Context, b *batch) (verdicts []int64, err error) {
	err = s.use(ctx, func(t *tx) error {
		t.lock(b)
		var judged, made, moved [][]int64
		if !b.quick {
			ask(t, &judged, scanNumbers, judge.many, b.judged...)
		}
		writes := b.writes
		if text, values := b.join(); text != "" { // all is in it
			ask(t, &moved, sqlrow.One[[]int64], text, values...)
			writes = nil
		}
		for _, w := range writes {
			switch w.form {
			case makeRuns:
				ask(t, &made, scanNumbers, w.text(), w.values()...)
			case moveRuns:
				ask(t, &moved, scanNumbers, w.text(), w.values()...)
			default:
				t.queue(nil, w.text(), w.values()...)
			}
		}
		err := t.flush(ctx)
		switch {
		case err == nil && b.quick:
			verdicts = b.rest(append(made, moved...))
		case err == nil:
			verdicts = judged[0]
		case undecided(err):
			err = unknown(err)
		}
		return err
	})
	return verdicts, err
}

func scanNumbers(found sqlrow.Row, v *[]int64) error { return found.Scan(nil, v) }

// lock queues the locks of a batch. A quick one takes those of its runs as it writes them, but
// where tasks are locked: they come behind their runs.
func (t *tx) lock(b *batch) {
	if b.quick && len(b.touched) == 0 {
		t.queue(nil, settings)
		return
	}
	t.queue(nil, usePlans) // first: else lockBatch itself is planned again for each batch
	t.queue(nil, lockBatch, b.runs)
	if len(b.touched) > 0 {
		runs := column(b.touched, func(p *part) string { return p.run })
		t.queue(nil, lockBatchTasks.many, runs, column(b.touched, func(p *part) string { return p.name }))
	}
}
