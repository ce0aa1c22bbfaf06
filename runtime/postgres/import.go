package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// ErrNotEmpty is the error of Import into a database that has runs.
var ErrNotEmpty = errors.New("the database has runs already")

const (
	// The source and the check take the time that they take.
	idleImport = `SET LOCAL idle_in_transaction_session_timeout = 0`

	// lockImported keeps others from beginning anything in the meantime.
	lockImported = `LOCK TABLE @definitions, @runs, @history, @prunings, @archived_runs IN EXCLUSIVE MODE`
	// awaitImported waits until an import that is under way has ended.
	awaitImported = `LOCK TABLE @history IN ROW SHARE MODE`
	selectSome    = `
	SELECT EXISTS (SELECT 1 FROM @runs) OR EXISTS (SELECT 1 FROM @history) OR EXISTS (SELECT 1 FROM @definitions)
		OR EXISTS (SELECT 1 FROM @prunings) OR EXISTS (SELECT 1 FROM @archived_runs)`
	raiseEpoch = `SELECT setval('@epochs', greatest($1, (SELECT last_value FROM @epochs), 1))`
	analyzeAll = `ANALYZE @definitions, @runs, @history, @tasks, @timers, @outbox, @inbox`

	// countsOfRow is how many counts a row of count_log gets.
	countsOfRow = 1000
)

// Import takes all that another store keeps, in one transaction: the database must have no runs
// (ErrNotEmpty). Check is given the store as it is within the transaction, before that is
// committed; its error takes all back. Where the reply to the COMMIT is lost the server is asked what has
// become of it: ErrUnknown says that it did not answer.
func (s *Store) Import(ctx context.Context, from store.Exporter, check func(context.Context, *Store) error) error {
	m := mark{token: int64(rand.Uint64())}
	err := s.translate(ctx, s.transact(ctx, func(ctx context.Context, t *tx) error {
		for _, text := range []string{idleImport, lockImported} {
			if _, err := t.exec(ctx, text); err != nil {
				return err
			}
		}
		some, _, err := sqlrow.First(ctx, t, sqlrow.One[bool], selectSome)
		if err == nil && some {
			err = fmt.Errorf("%w: schema %s", ErrNotEmpty, s.schema)
		}
		if err != nil {
			return err
		}
		for i := range store.Tables {
			if err := t.importTable(ctx, &store.Tables[i], from, &m); err != nil {
				return err
			}
		}
		if err := t.importCounts(ctx, from); err != nil {
			return err
		}
		epoch, err := from.Epoch(ctx)
		if err != nil {
			return err
		}
		if _, err := t.exec(ctx, raiseEpoch, epoch); err != nil {
			return err
		}
		if _, err := t.exec(ctx, analyzeAll); err != nil {
			return err
		}
		return check(ctx, s.In(t.own))
	}))
	if !errors.Is(err, store.ErrUnknown) || m.run == nil {
		return err
	}
	there, failed := s.bears(ctx, &m)
	switch {
	case failed != nil:
		return errors.Join(err, failed)
	case !there:
		return fmt.Errorf("%w: it was lost before the end", ErrServer)
	}
	return nil
}

// mark is what tells the records of one import from all others: a token, and the first of them.
type mark struct {
	token    int64
	run, seq any
}

// bears reports whether an import is there that has ended, or ends soon.
func (s *Store) bears(ctx context.Context, m *mark) (there bool, err error) {
	return writing(ctx, s, func(ctx context.Context, t *tx) (bool, error) {
		for _, text := range []string{limitLocks, awaitImported} {
			if _, err := t.exec(ctx, text); err != nil {
				return false, err
			}
		}
		_, there, err := sqlrow.First(ctx, t, sqlrow.One[int], selectToken, m.run, m.seq, m.token)
		return there, err
	})
}

// importTable copies the rows of a table.
func (t *tx) importTable(ctx context.Context, table *store.Table, from store.Exporter, m *mark) error {
	rows := imported{table: table, mark: m}
	var stop func()
	rows.next, stop = iter.Pull2(from.Rows(ctx, table))
	defer stop()
	_, err := t.conn.CopyFrom(ctx, pgx.Identifier{t.s.schema, table.Name}, rows.columns(), &rows)
	if rows.err != nil {
		err = rows.err // which is why it has ended
	}
	if err != nil {
		return fmt.Errorf("the table %q: %w", table.Name, err)
	}
	return nil
}

// imported are the rows of a table, with what ours has beside.
type imported struct {
	table *store.Table
	mark  *mark
	next  func() ([]any, error, bool)
	row   []any
	err   error
}

// columns are those of the table, as Values gives them.
func (r *imported) columns() (names []string) {
	for _, c := range r.table.Columns {
		names = append(names, c.Name)
	}
	switch r.table.Name {
	case "runs":
		names = append(names, "ended", "final")
	case "history":
		names = append(names, "token", "id")
	case "inbox":
		names = append(names, "token")
	}
	return names
}

func (r *imported) Next() (more bool) {
	r.row, r.err, more = r.next()
	return more && r.err == nil
}

func (r *imported) Values() ([]any, error) {
	switch r.table.Name {
	case "runs":
		if r.value("status") == string(machine.Finished) {
			return append(r.row, r.value("updated"), r.value("state")), nil
		}
		return append(r.row, nil, nil), nil
	case "history":
		if r.mark.run == nil {
			r.mark.run, r.mark.seq = r.value("run"), r.value("seq")
		}
		return append(r.row, r.mark.token, nil), nil // the feed begins now
	case "inbox":
		return append(r.row, int64(0)), nil // no commit waits for its reply
	}
	return r.row, nil
}

func (r *imported) Err() error { return r.err }

// value is that of a column of the row.
func (r *imported) value(column string) any {
	i := slices.IndexFunc(r.table.Columns, func(c store.Column) bool { return c.Name == column })
	return r.row[i]
}

// importCounts writes the counts as the log has them.
func (t *tx) importCounts(ctx context.Context, from store.Exporter) error {
	counts, err := from.Counts(ctx, "", time.Time{})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(tallied(&counts), countsOfRow) {
		if err := t.log(some); err != nil {
			return err
		}
	}
	return t.flush(ctx)
}

// tallied are counts as a tally.
func tallied(c *store.Counts) tally {
	var y counter
	for i := range c.Runs {
		n := &c.Runs[i]
		y.run(&standing{machine: n.Machine, state: n.State, status: n.Status, outcome: n.Outcome, paused: n.Paused}, fmt.Sprint(n.Runs))
	}
	for i := range c.Steps {
		n := &c.Steps[i]
		y.add(stepCount, n.Machine, n.Day, fmt.Sprint(n.Steps), string(n.Kind), n.Counted(), n.From, n.To, string(n.Effect))
	}
	for i := range c.Stays {
		n := &c.Stays[i]
		y.add(stayCount, n.Machine, n.Bucket, fmt.Sprint(n.Visits), n.State)
	}
	for i := range c.Costs {
		n := &c.Costs[i]
		y.add(costCount, n.Machine, n.Day, n.Amount, n.Name)
	}
	return y.tally
}
