//go:build cgo

package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/mattn/go-sqlite3"
)

// A run's rows of history are a chain: each says where the one before it stands,
// and the run where the last is. An index by run would cost a page for each step of
// a batch, so there is one of each 64th row only (history_marks), at which reading
// a part of a long history begins.
//
// The statement itself refuses a row that is not the next one of its chain.
const insertHistory = `
	INSERT INTO history (id, run, seq, back, at, kind, input, source, target, effect, record, counts)
	VALUES (?1, ?2, CASE WHEN ?3 = 1 + coalesce((SELECT seq FROM history WHERE id = ?1 - ?4 AND run = ?2), 0) THEN ?3 END,
		?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)`

// newest is the last id that a row of history was given; a writer knows it while no other
// connection commits (see stands). That row may have been pruned, and then all rows up to it
// have been counted. No id is given twice, because who reads the feed goes on behind the last
// one that it has seen.
const newest = `max(coalesce((SELECT max(id) FROM history), 0), (SELECT history FROM counted))`

const selectNewest = `SELECT ` + newest

// Where someone has had statistics made (ANALYZE), SQLite would rather scan history
// than look rows up, unless CROSS JOIN says what comes first.
const (
	historyColumns = `history.run, history.seq, at, kind, input, source, target, effect, record`

	// chain is a run's rows (?1) after a number (?2) and up to another (?3), and those
	// that lead there: from a mark, or from the last (?4), which has the number ?5.
	chain = `
	WITH RECURSIVE chain (id, seq, back) AS (
		SELECT id, seq, back FROM history WHERE run = ?1 AND id = coalesce(
			(SELECT id FROM history WHERE run = ?1 AND seq % 64 = 0 AND seq BETWEEN ?3 AND ?5 ORDER BY seq LIMIT 1), ?4)
		UNION ALL
		SELECT before.id, before.seq, before.back
		FROM chain CROSS JOIN history AS before ON before.id = chain.id - chain.back
		WHERE chain.back > 0 AND chain.seq > ?2 + 1 AND before.run = ?1)`

	selectHistory = chain + `
	SELECT ` + historyColumns + `
	FROM chain CROSS JOIN history ON history.id = chain.id WHERE chain.seq > ?2 AND chain.seq <= ?3`

	selectChain = chain + `
	SELECT id FROM chain`

	selectMark = `
	SELECT 1 FROM history WHERE run = ? AND seq % 64 = 0 LIMIT 1`

	selectLast = `
	SELECT last, seq FROM runs WHERE run = ?`

	deleteRecord = `
	DELETE FROM history WHERE id = ?`

	// These need no chain, and read the whole table.
	searchHistory = `
	SELECT ` + historyColumns + ` FROM history
	WHERE run = ? AND seq > ? AND seq <= ? ORDER BY seq`
	searchLast = `
	SELECT id, seq FROM history WHERE run = ? ORDER BY seq DESC LIMIT 1`
	deleteAllRecords = `
	DELETE FROM history WHERE run = ?`

	selectSurplus = `
	SELECT (SELECT count(*) FROM history) > (SELECT coalesce(sum(seq), 0) FROM runs)`
	selectStrays = `
	SELECT history.run, count(*) AS records, coalesce(runs.seq, 0) AS steps FROM history LEFT JOIN runs USING (run)
	WHERE ?1 = '' OR history.run = ?1 GROUP BY history.run HAVING records > steps`
)

const insertAnswer = `
	INSERT INTO inbox (run, event_id, seq, answer) VALUES (?, ?, ?, ?)`

const selectAnswer = `
	SELECT answer FROM inbox WHERE run = ? AND event_id = ?`

// record writes what happened behind the run's row last; the last one has what
// all of it counts.
func (t *tx) record(rows []store.HistoryRow, last int64) error {
	counts, err := t.encodeCounts()
	if err != nil {
		return err
	}
	for i := range rows {
		h, counted := &rows[i], json.RawMessage(nil)
		if i == len(rows)-1 {
			counted = counts
		}
		err := t.recordOne(h, last, counted)
		if failure(err).ExtendedCode == sqlite3.ErrConstraintNotNull { // last is not the one before h
			if last, err = t.search(h); err == nil {
				err = t.recordOne(h, last, counted)
			}
		}
		switch {
		case failure(err).ExtendedCode == sqlite3.ErrConstraintUnique:
			return fmt.Errorf("%w: record %d of run %q is there already", ErrDamaged, h.Seq, h.Run)
		case err != nil:
			return err
		}
		last = t.newest
	}
	return nil
}

func (t *tx) recordOne(h *store.HistoryRow, last int64, counts json.RawMessage) error {
	id, back := t.newest+1, int64(0)
	if last > 0 {
		back = id - last
	}
	_, err := t.exec(insertHistory, id, h.Run, h.Seq, back, micros(h.At), string(h.Kind), h.Input, h.From, h.To,
		string(h.Effect), text(h.Record), text(counts))
	if err == nil {
		t.newest = id
	}
	return err
}

// search finds the row before h without the chain.
func (t *tx) search(h *store.HistoryRow) (id int64, err error) {
	found, _, err := sqlrow.First(context.Background(), t, scanEnd, searchLast, h.Run)
	if err == nil && found.seq != h.Seq-1 {
		err = fmt.Errorf("%w: the history of run %q ends with record %d, and not %d", ErrDamaged, h.Run, found.seq, h.Seq-1)
	}
	return found.id, err
}

// deleteHistory deletes a run's rows up to its last one. Where they are too few or
// too many, or a mark is left, the chain is damaged, and all rows are looked through.
func (t *tx) deleteHistory(ctx context.Context, run string, to end) error {
	ids, err := sqlrow.List(ctx, t, sqlrow.One[int64], selectChain, run, 0, to.seq, to.id, to.seq)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := t.exec(deleteRecord, id); err != nil {
			return err
		}
	}
	_, marked, err := sqlrow.First(ctx, t, sqlrow.One[int64], selectMark, run)
	if err == nil && (marked || int64(len(ids)) != to.seq) {
		_, err = t.exec(deleteAllRecords, run)
	}
	return err
}

// History implements store.Store. Where the chain is damaged it looks through
// all rows.
func (s *Store) History(ctx context.Context, run string, after int64, limit int) ([]store.HistoryRow, error) {
	return reading(ctx, s, func(from sqlrow.Source) ([]store.HistoryRow, error) {
		end, _, err := sqlrow.First(ctx, from, scanEnd, selectLast, run)
		if err != nil || end.seq <= after {
			return nil, err
		}
		upTo := end.seq
		if limit > 0 {
			upTo = after + min(int64(limit), end.seq-after)
		}
		rows, err := sqlrow.List(ctx, from, sqlrow.Record, selectHistory, run, after, upTo, end.id, end.seq)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(rows, func(a, b store.HistoryRow) int { return cmp.Compare(a.Seq, b.Seq) })
		if follow(rows, after, upTo) {
			return rows, nil
		}
		return sqlrow.List(ctx, from, sqlrow.Record, searchHistory, run, after, upTo)
	})
}

// Strays looks through all of history for records that no run leads to: of one run,
// or with "" of all.
func (s *Store) Strays(ctx context.Context, run string) ([]store.Stray, error) {
	return reading(ctx, s, func(from sqlrow.Source) ([]store.Stray, error) {
		if run == "" {
			surplus, _, err := sqlrow.First(ctx, from, sqlrow.One[bool], selectSurplus)
			if err != nil || !surplus {
				return nil, err
			}
		}
		return sqlrow.List(ctx, from, sqlrow.Stray, selectStrays, run)
	})
}

// end is the last row of a run's history.
type end struct{ id, seq int64 }

func scanEnd(found sqlrow.Row, e *end) error { return found.Scan(&e.id, &e.seq) }

// follow reports whether rows are those after a number and up to another.
func follow(rows []store.HistoryRow, after, upTo int64) bool {
	for i := range rows {
		if rows[i].Seq != after+1+int64(i) {
			return false
		}
	}
	return after+int64(len(rows)) == upTo
}

func (s *Store) Accepted(ctx context.Context, run, eventID string) (json.RawMessage, bool, error) {
	return glanceFirst(ctx, s, sqlrow.One[[]byte], selectAnswer, run, eventID)
}
