//go:build cgo

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
)

// Counts are kept by the steps themselves, so that stats need not read what a
// million runs have left. A request notes in memory what it changes; what a
// whole batch has changed is one row of count_log, written just before its
// COMMIT: the least that can be written, one page for all callers of the batch.
// From time to time a batch adds the log up in the tables, and empties it. What
// is read is the tables and the log together. All of it is part of the steps'
// transactions, and so as true as they are.
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

var countTables = []*countTable{runCounts, stepCounts, stayCounts}

// upsert is the statement that adds to a row.
func (t *countTable) upsert() string {
	return "INSERT INTO " + t.name + " (" + t.columns + ") VALUES (" + strings.Repeat("?, ", t.texts+2) + "?)" +
		" ON CONFLICT DO UPDATE SET " + t.amount + " = " + t.amount + " + excluded." + t.amount
}

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

// foldAt is how many batches the log holds before they are added up.
const foldAt = 256

const (
	insertCountLog = `INSERT INTO count_log (counts) VALUES (?)`
	selectCountLog = `SELECT counts FROM count_log`
	deleteCountLog = `DELETE FROM count_log`
)

// writeCounts logs what the batch has changed. Rows of an emptied log are
// numbered from 1 again, so that the last number says how many there are,
// whichever process has written them.
func (w *writer) writeCounts() error {
	row, err := w.counts.encode()
	if err != nil || row == nil {
		return err
	}
	insert, err := w.statement(insertCountLog)
	if err != nil {
		return err
	}
	result, err := insert.Exec(text(row))
	if err != nil {
		return err
	}
	if rows, err := result.LastInsertId(); err != nil || rows < foldAt {
		return err
	}
	return w.foldCounts()
}

// foldCounts adds the log up in the tables, and empties it.
func (w *writer) foldCounts() error {
	t := tx{w: w}
	all, err := loggedCounts(context.Background(), &t)
	if err != nil {
		return err
	}
	for key, n := range all {
		if n == 0 {
			continue
		}
		args := []any{key.machine}
		for _, text := range key.texts[:key.table.texts] {
			args = append(args, text)
		}
		if _, err := t.exec(key.table.upsert(), append(args, key.number, n)...); err != nil {
			return err
		}
	}
	_, err = t.exec(deleteCountLog)
	return err
}

// loggedCounts adds up what the log holds.
func loggedCounts(ctx context.Context, from source) (counts, error) {
	rows, err := list(ctx, from, scanOne[[]byte], selectCountLog)
	if err != nil {
		return nil, err
	}
	all := counts{}
	for _, row := range rows {
		if err := all.decode(row); err != nil {
			return nil, fmt.Errorf("%w: the log of counts: %w", ErrDamaged, err)
		}
	}
	return all, nil
}

// countJSON is a count as a row of the log has it.
type countJSON struct {
	Table   string   `json:"t"`
	Machine string   `json:"m"`
	Texts   []string `json:"x"`
	Number  int64    `json:"k"`
	Amount  int64    `json:"n"`
}

// encode gives the counts that are not 0, or nil where there is none.
func (c counts) encode() ([]byte, error) {
	var rows []countJSON
	for key, n := range c {
		if n != 0 {
			rows = append(rows, countJSON{key.table.name, key.machine, key.texts[:key.table.texts], key.number, n})
		}
	}
	if rows == nil {
		return nil, nil
	}
	return json.Marshal(rows)
}

// decode adds what encode gave.
func (c counts) decode(data []byte) error {
	var rows []countJSON
	if err := json.Unmarshal(data, &rows); err != nil {
		return err
	}
	for _, r := range rows {
		i := slices.IndexFunc(countTables, func(t *countTable) bool { return t.name == r.Table })
		if i < 0 || len(r.Texts) != countTables[i].texts {
			return fmt.Errorf("there is no count %q of %d texts", r.Table, len(r.Texts))
		}
		key := count{table: countTables[i], machine: r.Machine, number: r.Number}
		copy(key.texts[:], r.Texts)
		c[key] += r.Amount
	}
	return nil
}

// read adds what the table holds of a machine; an empty machine stands for all.
func (t *countTable) read(ctx context.Context, from source, machine string, all counts) error {
	_, err := list(ctx, from, func(rows *sql.Rows, _ *struct{}) error {
		key, n := count{table: t}, int64(0)
		into := []any{&key.machine}
		for i := range t.texts {
			into = append(into, &key.texts[i])
		}
		if err := rows.Scan(append(into, &key.number, &n)...); err != nil {
			return err
		}
		all[key] += n
		return nil
	}, "SELECT "+t.columns+" FROM "+t.name+" WHERE ?1 = '' OR machine = ?1", machine)
	return err
}

// Counts implements runtime.Store.
func (s *Store) Counts(ctx context.Context, machine string, since time.Time) (c runtime.Counts, err error) {
	tx, err := s.readers.BeginTx(ctx, nil) // one moment of the log and the tables
	if err != nil {
		return c, s.readError(err)
	}
	defer func() { err = s.readError(errors.Join(err, tx.Rollback())) }()
	all, err := loggedCounts(ctx, tx)
	if err != nil {
		return c, err
	}
	for _, table := range countTables {
		if err := table.read(ctx, tx, machine, all); err != nil {
			return c, err
		}
	}
	if c.Costs, err = readCosts(ctx, tx, machine, since); err != nil {
		return c, err
	}
	for key, n := range all {
		x := key.texts
		switch {
		case n == 0 || machine != "" && key.machine != machine:
		case key.table == runCounts:
			c.Runs = append(c.Runs, runtime.RunCount{Machine: key.machine, State: x[0], Status: runtime.Status(x[1]),
				Outcome: runtime.Outcome(x[2]), Paused: key.number == 1, Runs: n})
		case key.table == stepCounts && key.number >= runtime.DayOf(since):
			c.Steps = append(c.Steps, runtime.StepCount{Machine: key.machine, Day: key.number, Kind: runtime.InputKind(x[0]),
				Input: x[1], From: x[2], To: x[3], Effect: runtime.Effect(x[4]), Steps: n})
		case key.table == stayCounts:
			c.Stays = append(c.Stays, runtime.StayCount{Machine: key.machine, State: x[0], Bucket: key.number, Visits: n})
		}
	}
	return c, nil
}
