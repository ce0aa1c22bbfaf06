package postgres

import (
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// The statements that write commits, each for all of a batch. A parameter is a column: an array
// with a value for each row. They are sent in this order, as far as they have rows.
var (
	// refuseNone is for a transaction whose one commit has been admitted already.
	refuseNone = `SELECT set_config('fsmc.refused', '{}', true)`

	setRun = `
	UPDATE @runs AS r SET machine = q.machine, definition = q.definition, state = q.state, status = q.status,
		outcome = q.outcome, paused = q.paused, seq = q.seq, started = q.started, entered = q.entered, updated = q.updated,
		ended = CASE WHEN q.status = 'finished' THEN q.updated END, final = CASE WHEN q.status = 'finished' THEN q.state END,
		snapshot = q.snapshot, total = coalesce(q.total, r.total)
	FROM `
	movedColumns = `n bigint, run text, machine text, definition text, state text, status text, outcome text,
		paused boolean, seq bigint, started timestamptz, entered timestamptz, updated timestamptz,
		snapshot text, total text, expect bigint`
	updateRuns = formOf(setRun + table(movedColumns) + `
	WHERE r.run = q.run AND r.seq = q.expect AND` + admitted)

	addRun = `
	INSERT INTO @runs (run, machine, definition, state, status, outcome, paused, seq, started, entered, updated, ended, final,
		snapshot, total, parent, root, tags)
	SELECT run, machine, definition, state, status, outcome, paused, seq, started, entered, updated,
		CASE WHEN status = 'finished' THEN updated END, CASE WHEN status = 'finished' THEN state END,
		snapshot, total, parent, root, tags
	FROM `
	madeColumns = `n bigint, run text, machine text, definition text, state text, status text, outcome text,
		paused boolean, seq bigint, started timestamptz, entered timestamptz, updated timestamptz,
		snapshot text, total text, parent text, root text, tags text`
	insertRuns = formOf(addRun + table(madeColumns) + `
	WHERE` + admitted + ` ORDER BY run`)

	insertRecords = formOf(`
	INSERT INTO @history (run, seq, at, kind, input, source, target, effect, token, record)
	SELECT run, seq, at, kind, input, source, target, effect, token, record
	FROM ` + table(`n bigint, run text, seq bigint, at timestamptz, kind text, input text, source text, target
		text, effect text, token bigint, record text`) + `
	WHERE` + admitted)

	insertAnswers = formOf(`
	INSERT INTO @inbox (run, event_id, seq, token, answer)
	SELECT run, event_id, seq, token, answer
	FROM ` + table(`n bigint, run text, event_id text, seq bigint, token bigint, answer text`) + `
	WHERE` + admitted + ` ORDER BY run`)
)

// column is a value of each row.
func column[R, T any](rows []R, of func(*R) T) []T {
	values := make([]T, len(rows))
	for i := range rows {
		values[i] = of(&rows[i])
	}
	return values
}

func (b *batch) write(what form, columns ...any) {
	b.writes = append(b.writes, rows{form: what, columns: columns})
}

// numbered is a request with its number in the batch.
type numbered struct {
	*request
	n int64
}

// build fills the columns of all statements.
func (b *batch) build() error {
	all := make([]numbered, len(b.requests))
	for i, r := range b.requests {
		all[i] = numbered{r, int64(i + 1)}
	}
	b.runs = column(all, func(q *numbered) string { return q.Run.Run })
	if !b.quick {
		b.judged = fences([]any{
			column(all, number), b.runs,
			column(all, func(q *numbered) int64 { return q.Expect }),
			column(all, func(q *numbered) time.Time { return q.Run.Started }),
			column(all, func(q *numbered) string { return q.Run.Definition }),
		}, all)
	}
	return b.buildWrites(all)
}

// buildWrites fills what the requests write.
func (b *batch) buildWrites(all []numbered) error {
	var moved, made, answered []numbered
	for _, q := range all {
		switch {
		case len(q.History) == 0:
		case q.Expect == 0:
			made = append(made, q)
		default:
			moved = append(moved, q)
		}
		if q.EventID != "" {
			answered = append(answered, q)
		}
	}
	makes, moves := insertRuns, updateRuns
	if b.quick {
		makes, moves = makeRuns, moveRuns
	}
	if len(made) > 0 {
		columns := append(runColumns(made),
			column(made, func(q *numbered) *string { return nullable(q.Run.Parent) }), column(made, root),
			column(made, func(q *numbered) *string { return store.EncodeTags(q.Run.Tags) }))
		b.writeRuns(makes, made, columns)
	}
	if len(moved) > 0 {
		b.writeRuns(moves, moved, append(runColumns(moved), column(moved, func(q *numbered) int64 { return q.Expect })))
	}
	b.writeTags(made, moved)
	b.writeRecords()
	if len(answered) > 0 {
		b.write(insertAnswers,
			column(answered, number),
			column(answered, func(q *numbered) string { return q.Run.Run }),
			column(answered, func(q *numbered) string { return q.EventID }),
			column(answered, func(q *numbered) int64 { return q.Run.Seq }),
			column(answered, func(q *numbered) int64 { return q.token }),
			column(answered, func(q *numbered) *string { return text(q.Answer) }))
	}
	b.writeTasks()
	b.writeTimers()
	b.writeMessages()
	return b.writeCounts()
}

func number(q *numbered) int64 { return q.n }

// root is the run at the top of the tree of a new run, NULL for that one itself.
func root(q *numbered) *string {
	if q.Run.Parent == "" {
		return nil
	}
	return nullable(q.Run.Root)
}

// total is what a child has used, where a commit says so.
func total(q *numbered) *string {
	if q.Run.Parent == "" && q.before.parent == "" {
		return nil
	}
	return text(q.Total)
}

// runColumns are those of the row of a run.
func runColumns(rows []numbered) []any {
	return []any{
		column(rows, number),
		column(rows, func(q *numbered) string { return q.Run.Run }),
		column(rows, func(q *numbered) string { return q.Run.Machine }),
		column(rows, func(q *numbered) string { return q.Run.Definition }),
		column(rows, func(q *numbered) string { return q.Run.State }),
		column(rows, func(q *numbered) string { return string(q.Run.Status) }),
		column(rows, func(q *numbered) *string { return nullable(string(q.Run.Outcome)) }),
		column(rows, func(q *numbered) bool { return q.Run.Paused }),
		column(rows, func(q *numbered) int64 { return q.Run.Seq }),
		column(rows, func(q *numbered) time.Time { return q.Run.Started }),
		column(rows, func(q *numbered) time.Time { return q.Run.Entered }),
		column(rows, func(q *numbered) time.Time { return q.Run.Updated }),
		column(rows, func(q *numbered) string { return string(q.Run.Snapshot) }),
		column(rows, total),
	}
}

// record is a record with the number of its commit.
type record struct {
	*store.HistoryRow
	n, token int64
}

func (b *batch) writeRecords() {
	var all []record
	for i, r := range b.requests {
		for j := range r.History {
			all = append(all, record{&r.History[j], int64(i + 1), r.token})
		}
	}
	if len(all) == 0 {
		return
	}
	b.write(insertRecords,
		column(all, func(h *record) int64 { return h.n }),
		column(all, func(h *record) string { return h.Run }),
		column(all, func(h *record) int64 { return h.Seq }),
		column(all, func(h *record) time.Time { return h.At }),
		column(all, func(h *record) string { return string(h.Kind) }),
		column(all, func(h *record) string { return h.Input }),
		column(all, func(h *record) string { return h.From }),
		column(all, func(h *record) string { return h.To }),
		column(all, func(h *record) string { return string(h.Effect) }),
		column(all, func(h *record) int64 { return h.token }),
		column(all, func(h *record) string { return string(h.Record) }))
}

// finishes reports whether the run is finished with this commit.
func (w *commit) finishes() bool { return len(w.History) > 0 && w.Run.Status == machine.Finished }
