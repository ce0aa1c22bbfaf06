//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// Counts are kept by the steps themselves, so that stats need not read what a
// million runs have left. A request notes in memory what it changes; what a
// whole batch has changed is added to the tables just before its COMMIT, a row
// for each count: sixty-four runs that take the same step at the same time cost
// one row, a lone caller a handful in tables of a few pages. They are part of
// the transaction, and so as true as the steps.
type counts map[count]int64

// count names one row; which of its members count depends on the table.
type count struct {
	table   *countTable
	machine string
	texts   [5]string
	number  int64
}

// countTable is a table of counts: its columns are the machine, the texts, a
// number, and how many.
type countTable struct {
	name, columns string
	texts         int
	amount        string
}

var (
	runCounts  = &countTable{"run_counts", "machine, state, status, outcome, paused, runs", 3, "runs"}
	stepCounts = &countTable{"step_counts", "machine, kind, input, source, target, effect, day, steps", 5, "steps"}
	stayCounts = &countTable{"stay_counts", "machine, state, bucket, visits", 1, "visits"}
)

// upsert is the statement that adds so many rows.
func (t *countTable) upsert(rows int) string {
	row := "(" + strings.Repeat("?, ", t.texts+2) + "?)"
	return "INSERT INTO " + t.name + " (" + t.columns + ") VALUES " + row + strings.Repeat(", "+row, rows-1) +
		" ON CONFLICT DO UPDATE SET " + t.amount + " = " + t.amount + " + excluded." + t.amount
}

// upsertRows is the most rows that one statement adds: there are as many
// statements for each table.
const upsertRows = 4

func (c counts) merge(other counts) {
	for key, n := range other {
		c[key] += n
	}
}

func (t *tx) count(key count, n int64) {
	if t.counts == nil {
		t.counts = counts{}
	}
	t.counts[key] += n
}

// countRun counts that one run more, or with -1 one less, stands so.
func (t *tx) countRun(s *standing, n int64) {
	key := count{table: runCounts, machine: s.machine,
		texts: [5]string{s.state, string(s.status), string(s.outcome)}}
	if s.paused {
		key.number = 1
	}
	t.count(key, n)
}

// countCommit counts what a commit changes about a run that stood as before.
func (t *tx) countCommit(c *runtime.Commit, before *standing) {
	r := &c.Run
	after := standing{machine: r.Machine, state: r.State, status: r.Status, outcome: r.Outcome, paused: r.Paused}
	t.countRun(&after, 1)
	if c.Expect > 0 {
		t.countRun(before, -1)
	}
	runtime.CountRecords(r.Machine, c.History, fromMicros(before.entered),
		func(s runtime.StepCount) {
			t.count(count{table: stepCounts, machine: s.Machine, number: s.Day,
				texts: [5]string{string(s.Kind), s.Input, s.From, s.To, string(s.Effect)}}, s.Steps)
		},
		func(s runtime.StayCount) {
			t.count(count{table: stayCounts, machine: s.Machine, texts: [5]string{s.State}, number: s.Bucket}, s.Visits)
		})
}

// writeCounts adds what the batch has changed to the tables.
func (w *writer) writeCounts() error {
	t := tx{w: w}
	for _, table := range []*countTable{runCounts, stepCounts, stayCounts} {
		var args []any
		rows := 0
		flush := func() error {
			if rows == 0 {
				return nil
			}
			_, err := t.exec(table.upsert(rows), args...)
			args, rows = args[:0], 0
			return err
		}
		for key, n := range w.counts {
			if key.table != table || n == 0 {
				continue
			}
			args = append(args, key.machine)
			for _, text := range key.texts[:table.texts] {
				args = append(args, text)
			}
			args = append(args, key.number, n)
			if rows++; rows == upsertRows {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return nil
}

// An empty machine stands for all.
const (
	selectRunCounts = `
	SELECT machine, state, status, outcome, paused, runs FROM run_counts
	WHERE (?1 = '' OR machine = ?1) AND runs <> 0`
	selectStepCounts = `
	SELECT machine, day, kind, input, source, target, effect, steps FROM step_counts
	WHERE (?1 = '' OR machine = ?1) AND day >= ?2`
	selectStayCounts = `
	SELECT machine, state, bucket, visits FROM stay_counts WHERE ?1 = '' OR machine = ?1`
)

// Counts implements runtime.Store.
func (s *Store) Counts(ctx context.Context, machine string, since time.Time) (c runtime.Counts, err error) {
	tx, err := s.readers.BeginTx(ctx, nil)
	if err != nil {
		return c, s.readError(err)
	}
	defer func() { err = s.readError(errors.Join(err, tx.Rollback())) }()
	c.Runs, err = list(ctx, tx, func(rows *sql.Rows, r *runtime.RunCount) error {
		return rows.Scan(&r.Machine, &r.State, &r.Status, &r.Outcome, &r.Paused, &r.Runs)
	}, selectRunCounts, machine)
	if err != nil {
		return c, err
	}
	c.Steps, err = list(ctx, tx, func(rows *sql.Rows, r *runtime.StepCount) error {
		return rows.Scan(&r.Machine, &r.Day, &r.Kind, &r.Input, &r.From, &r.To, &r.Effect, &r.Steps)
	}, selectStepCounts, machine, runtime.DayOf(since))
	if err != nil {
		return c, err
	}
	c.Stays, err = list(ctx, tx, func(rows *sql.Rows, r *runtime.StayCount) error {
		return rows.Scan(&r.Machine, &r.State, &r.Bucket, &r.Visits)
	}, selectStayCounts, machine)
	return c, err
}
