package postgres

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"sync"
)

// migrations are numbered from 1; the format of a database is the number of the last one
// that has been applied. One that is committed is never changed.
//
//go:embed migrations/*.sql
var migrationFiles embed.FS

var migrations = sync.OnceValue(func() []string {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql") // sorted
	if err != nil {
		panic(err)
	}
	var texts []string
	for _, name := range names {
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err)
		}
		texts = append(texts, string(text))
	}
	return texts
})

const (
	// lockSchema takes the advisory lock under which a schema is changed, beside the hash of
	// its name.
	lockSchema = `SELECT pg_advisory_xact_lock(1718840675, hashtext($1))`

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
	selectMeta = `SELECT checksum FROM @meta ORDER BY format`
	insertMeta = `INSERT INTO @meta (format, checksum) VALUES ($1, $2)`
)

// prepare makes the tables, or brings them up to date, where that is to be done. Of several
// processes that do it at one time the others wait for the first.
func (s *Store) prepare(ctx context.Context) error {
	format := 0
	err := s.once(ctx, func(ctx context.Context, t *tx) (err error) {
		format, err = s.format(ctx, t)
		return err
	})
	switch {
	case err != nil || format == len(migrations()):
		return err
	case format == 0 && (s.options.readOnly || s.options.existing):
		return fmt.Errorf("%w: %s", ErrMissing, s.schema)
	case s.options.readOnly:
		return ErrOlder
	}
	return s.write(ctx, s.migrate)
}

// format is that of the tables, 0 where there are none. It refuses those that are not ours.
func (s *Store) format(ctx context.Context, t *tx) (int, error) {
	type made struct{ any, ours bool }
	is, _, err := first(ctx, t, func(found row, m *made) error { return found.Scan(&m.any, &m.ours) }, selectMade, s.schema)
	if err == nil && is.any && !is.ours {
		err = fmt.Errorf("%w: %s", ErrForeign, s.schema)
	}
	if err != nil || !is.any {
		return 0, err
	}
	sums, err := list(ctx, t, scanOne[string], selectMeta)
	if err != nil {
		return 0, err
	}
	for i, text := range migrations() {
		if i < len(sums) && sums[i] != checksum(text) {
			return 0, fmt.Errorf("%w: %s has format %d of another origin", ErrForeign, s.schema, i+1)
		}
	}
	if len(sums) > len(migrations()) {
		return 0, fmt.Errorf("%w: it has format %d, and this version knows %d", ErrNewer, len(sums), len(migrations()))
	}
	return len(sums), nil
}

func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// migrate applies what is missing.
func (s *Store) migrate(ctx context.Context, t *tx) error {
	if _, err := t.exec(ctx, lockSchema, s.schema); err != nil {
		return err
	}
	format, err := s.format(ctx, t)
	if err != nil {
		return err
	}
	if format == 0 {
		if err := s.createSchema(ctx, t); err != nil {
			return err
		}
	}
	for i := format; i < len(migrations()); i++ {
		text := migrations()[i]
		if err := t.script(ctx, text); err != nil {
			return fmt.Errorf("format %d: %w", i+1, err)
		}
		if _, err := t.exec(ctx, insertMeta, i+1, checksum(text)); err != nil {
			return err
		}
	}
	return nil
}

// createSchema makes the schema, which one who may not make schemas has been given.
func (s *Store) createSchema(ctx context.Context, t *tx) error {
	there, _, err := first(ctx, t, scanOne[bool], hasSchema, s.schema)
	if err == nil && !there {
		_, err = t.exec(ctx, "CREATE SCHEMA "+s.schema)
	}
	if err == nil {
		_, err = t.exec(ctx, createMeta)
	}
	return err
}
