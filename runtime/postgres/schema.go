package postgres

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
)

// migrations are numbered from 1; the format of a database is the number of the last one
// that has been applied. One that is committed is never changed. Beside one that expands the
// tables the versions before it still work. One that contracts them, of which the name ends in
// .contract.sql, is applied by Migrate alone, when no older version has the database open.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the tables.
type migration struct {
	name, text string
	contract   bool
}

// migrations are all that this version knows.
var migrations = sync.OnceValue(func() []migration {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		panic(err)
	}
	var all []migration
	for _, file := range names {
		text, err := migrationFiles.ReadFile(file)
		if err != nil {
			panic(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(file, "migrations/"), ".sql")
		name, contract := strings.CutSuffix(name, ".contract")
		all = append(all, migration{name, string(text), contract})
	}
	return all
})

func (m *migration) checksum() string {
	sum := sha256.Sum256([]byte(m.text))
	return hex.EncodeToString(sum[:])
}

// formerly is the checksum of format 6 as it was at first, when only a superuser could apply it. It is as good.
const formerly = "a0c6f944200840efff76f247feb2dfbda91a288d0c91873b124ab22200438614"

const (
	// lockSchema takes the advisory lock under which a schema is changed, beside the hash of
	// its name. Who joins takes it shared.
	lockSchema  = `SELECT pg_advisory_xact_lock(1718840675, hashtext($1))`
	shareSchema = `SELECT pg_advisory_xact_lock_shared(1718840675, hashtext($1))`

	// limitLocks is for how long a migration waits for a table that others use: who comes
	// after it waits behind it.
	limitLocks = `SELECT set_config('lock_timeout', '10s', true)`

	// selectMade says what the schema has: anything, and a table meta with our columns. It is
	// one statement, so that it sees what another process makes at the same time whole or not.
	selectMade = `
	SELECT count(*) > 0, coalesce(bool_or(c.relname = 'meta' AND 2 = (
		SELECT count(*) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname IN ('format', 'checksum'))), false)
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1`
	hasSchema = `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)`

	createMeta = `
	CREATE TABLE @meta (
		format   bigint NOT NULL PRIMARY KEY,
		checksum text NOT NULL,
		applied  timestamptz NOT NULL DEFAULT clock_timestamp()
	)`
	// selectMeta reads format 1, too, which has no column contract.
	selectMeta = `
	SELECT format, checksum, coalesce((to_jsonb(m) ->> 'contract') :: boolean, false) FROM @meta AS m ORDER BY format`
	insertMeta   = `INSERT INTO @meta (format, checksum) VALUES ($1, $2)`
	markContract = `UPDATE @meta SET contract = true WHERE format = $1`
)

// steps are the migrations that this store knows.
func (s *Store) steps() []migration {
	if s.options.steps != nil {
		return s.options.steps
	}
	return migrations()
}

// needed is the oldest format that a store can work with: what contracts the tables in the end
// is for later.
func (s *Store) needed() int {
	steps := s.steps()
	n := len(steps)
	for n > 0 && steps[n-1].contract {
		n--
	}
	return n
}

// prepare makes the tables, or brings them up to date, where that is to be done, and says that
// this process has them open. Of several processes that do it at one time the others wait for
// the first.
func (s *Store) prepare(ctx context.Context) error {
	format := 0
	err := s.once(ctx, func(ctx context.Context, t *tx) (err error) {
		format, err = s.format(ctx, t)
		return err
	})
	looks := s.options.readOnly
	switch {
	case err != nil:
		return err
	case format == 0 && (looks || s.options.existing):
		return fmt.Errorf("schema %q: %w", s.schema, ErrMissing)
	case looks && format < s.needed():
		return ErrOlder
	case looks:
		return nil
	}
	if err := s.expand(ctx, format); err != nil {
		return err
	}
	return s.join(ctx)
}

// expand applies what is missing and expands the tables.
func (s *Store) expand(ctx context.Context, format int) error {
	for format < s.needed() {
		var err error
		if format, err = writing(ctx, s, func(ctx context.Context, t *tx) (int, error) {
			return s.advance(ctx, t, false)
		}); err != nil {
			return err
		}
	}
	return nil
}

// format is that of the tables, 0 where there are none. It refuses those that are not ours,
// and those that only a newer version can work with.
func (s *Store) format(ctx context.Context, t *tx) (int, error) {
	type made struct{ any, ours bool }
	is, _, err := sqlrow.First(ctx, t, func(found sqlrow.Row, m *made) error { return found.Scan(&m.any, &m.ours) }, selectMade, s.schema)
	if err == nil && is.any && !is.ours {
		err = fmt.Errorf("%w: %s", ErrForeign, s.schema)
	}
	if err != nil || !is.any {
		return 0, err
	}
	rows, err := sqlrow.List(ctx, t, scanApplied, selectMeta)
	if err != nil {
		return 0, err
	}
	if len(rows) == 0 {
		return 0, fmt.Errorf("%w: %s has no format", ErrForeign, s.schema)
	}
	return rows[len(rows)-1].format, s.known(rows)
}

// applied is a migration as the database has it.
type applied struct {
	format   int
	checksum string
	contract bool
}

func scanApplied(found sqlrow.Row, a *applied) error {
	return found.Scan(&a.format, &a.checksum, &a.contract)
}

// known refuses a database of which the migrations are others than ours, or of which one that
// this version does not know has contracted the tables.
func (s *Store) known(rows []applied) error {
	steps := s.steps()
	for i, a := range rows {
		switch {
		case i < len(steps) && (a.format != i+1 || a.checksum != steps[i].checksum() && a.checksum != formerly):
			return fmt.Errorf("%w: %s has format %d of another origin", ErrForeign, s.schema, a.format)
		case i >= len(steps) && a.contract:
			return fmt.Errorf("%w: it has format %d, and this version knows %d", ErrNewer, rows[len(rows)-1].format, len(steps))
		}
	}
	return nil
}

// advance applies the next migration in a transaction, or all where there are no tables yet, and
// gives the format after it. It does not contract the tables unless it is told to, and nobody
// else has them open who does not know the format.
func (s *Store) advance(ctx context.Context, t *tx, contract bool) (int, error) {
	if _, err := t.exec(ctx, lockSchema, s.schema); err != nil {
		return 0, err
	}
	if _, err := t.exec(ctx, limitLocks); err != nil {
		return 0, err
	}
	format, err := s.format(ctx, t)
	if err != nil {
		return 0, err
	}
	steps := s.steps()
	if format == 0 {
		if err := s.createSchema(ctx, t); err != nil {
			return 0, err
		}
		for format = range steps {
			if err := t.apply(ctx, format+1, &steps[format]); err != nil {
				return 0, err
			}
		}
		return len(steps), nil
	}
	if format >= len(steps) {
		return format, nil
	}
	next := &steps[format]
	if next.contract {
		if !contract {
			return format, fmt.Errorf("%w: format %d (%s)", ErrContract, format+1, next.name)
		}
		if err := t.refuseOlder(ctx, format+1); err != nil {
			return format, err
		}
	}
	return format + 1, t.apply(ctx, format+1, next)
}

// apply applies one migration.
func (t *tx) apply(ctx context.Context, format int, m *migration) error {
	err := t.script(ctx, m.text)
	if err == nil {
		_, err = t.exec(ctx, insertMeta, format, m.checksum())
	}
	if err == nil && m.contract {
		_, err = t.exec(ctx, markContract, format)
	}
	if err != nil {
		return fmt.Errorf("format %d (%s): %w", format, m.name, err)
	}
	return nil
}

// createSchema makes the schema, which one who may not make schemas has been given.
func (s *Store) createSchema(ctx context.Context, t *tx) error {
	there, _, err := sqlrow.First(ctx, t, sqlrow.One[bool], hasSchema, s.schema)
	if err == nil && !there {
		_, err = t.exec(ctx, "CREATE SCHEMA "+s.schema)
	}
	if err == nil {
		_, err = t.exec(ctx, createMeta)
	}
	return err
}
