//go:build cgo

package sqlite

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Counts are kept by the steps themselves, so that stats need not read what a
// million runs have left. What a step changes about them stands in its row of
// history, by numbers that count_names explains: there it costs no page more.
// From time to time a batch adds up in the tables what history has to be counted
// (see tally.go). What is read is the tables and that together. All of it is
// part of the steps' transactions, and so as true as they are.
type counts map[count]int64

// count names one row; which of its members count depends on the table.
type count struct {
	table   *countTable
	machine string
	texts   [5]string
	number  int64
}

// change is by how much a request changes a count.
type change struct {
	count
	n  int64
	id int64 // of its name
}

// countTable is a table of counts: its columns are the machine, the texts, a
// number, and how many.
type countTable struct {
	name, columns string
	texts         int
	add           string // the statement that adds to a row
}

var (
	runCounts  = newCountTable("run_counts", "machine, state, status, outcome, paused, runs", 3, "runs")
	stepCounts = newCountTable("step_counts", "machine, kind, input, source, target, effect, day, steps", 5, "steps")
	stayCounts = newCountTable("stay_counts", "machine, state, bucket, visits", 1, "visits")
)

var countTables = []*countTable{runCounts, stepCounts, stayCounts}

func newCountTable(name, columns string, texts int, amount string) *countTable {
	return &countTable{name, columns, texts,
		"INSERT INTO " + name + " (" + columns + ") VALUES (" + strings.Repeat("?, ", texts+2) + "?)" +
			" ON CONFLICT DO UPDATE SET " + amount + " = " + amount + " + excluded." + amount}
}

func (t *tx) count(key count, n int64) { t.counts = append(t.counts, change{count: key, n: n}) }

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
func (t *tx) countCommit(c *store.Commit, before *standing) {
	after := standingIn(&c.Run)
	t.countRun(&after, 1)
	if c.Expect > 0 {
		t.countRun(before, -1)
	}
	store.CountRecords(c.Run.Machine, c.History, fromMicros(before.entered),
		func(s store.StepCount) {
			t.count(count{table: stepCounts, machine: s.Machine, number: s.Day,
				texts: [5]string{string(s.Kind), s.Counted(), s.From, s.To, string(s.Effect)}}, s.Steps)
		},
		func(s store.StayCount) {
			t.count(count{table: stayCounts, machine: s.Machine, texts: [5]string{s.State}, number: s.Bucket}, s.Visits)
		})
}

// read adds what the table holds of a machine; an empty machine stands for all.
func (t *countTable) read(ctx context.Context, from sqlrow.Source, name string, all counts) error {
	_, err := sqlrow.List(ctx, from, func(found sqlrow.Row, _ *struct{}) error {
		key, n := count{table: t}, int64(0)
		into := []any{&key.machine}
		for i := range t.texts {
			into = append(into, &key.texts[i])
		}
		if err := found.Scan(append(into, &key.number, &n)...); err != nil {
			return err
		}
		all[key] += n
		return nil
	}, "SELECT "+t.columns+" FROM "+t.name+" WHERE ?1 = '' OR machine = ?1", name)
	return err
}

func (s *Store) Counts(ctx context.Context, name string, since time.Time) (store.Counts, error) {
	return heeding(ctx, s, func() (store.Counts, error) { return s.counts(ctx, name, since) })
}

func (s *Store) counts(ctx context.Context, name string, since time.Time) (c store.Counts, err error) {
	if err := s.sit(ctx); err != nil {
		return c, s.readError(err)
	}
	defer s.rise()
	tx, err := s.readers.BeginTx(ctx, nil) // one moment of history and the tables
	if err != nil {
		return c, s.readError(err)
	}
	defer func() { err = s.readError(errors.Join(err, tx.Rollback())) }()
	all, err := uncounted(ctx, plain{tx})
	if err != nil {
		return c, err
	}
	for _, table := range countTables {
		if err := table.read(ctx, plain{tx}, name, all); err != nil {
			return c, err
		}
	}
	if c.Costs, err = readCosts(ctx, plain{tx}, name, since); err != nil {
		return c, err
	}
	for key, n := range all {
		x := key.texts
		switch {
		case n == 0 || name != "" && key.machine != name:
		case key.table == runCounts:
			c.Runs = append(c.Runs, store.RunCount{Machine: key.machine, State: x[0], Status: machine.Status(x[1]),
				Outcome: machine.Outcome(x[2]), Paused: key.number == 1, Runs: n})
		case key.table == stepCounts && key.number >= store.DayOf(since):
			s := store.StepCount{Machine: key.machine, Day: key.number, Kind: machine.InputKind(x[0]),
				From: x[2], To: x[3], Effect: machine.Effect(x[4]), Steps: n}
			s.Recount(x[1])
			c.Steps = append(c.Steps, s)
		case key.table == stayCounts:
			c.Stays = append(c.Stays, store.StayCount{Machine: key.machine, State: x[0], Bucket: key.number, Visits: n})
		}
	}
	return c, nil
}
