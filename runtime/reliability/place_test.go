//go:build unix && cgo

package reliability

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

// Processes work in a directory. Their runs are in a SQLite database there, or in one on a
// PostgreSQL server, whose URL is there.
func databaseIn(dir string) string { return filepath.Join(dir, "runs.db") }
func urlIn(dir string) string      { return filepath.Join(dir, "url") }
func ledgerIn(dir string) string   { return filepath.Join(dir, "ledger") }

// place makes such a directory.
type place struct {
	store string // as failpoints name it
	dir   func(t *testing.T) string
}

var (
	onSQLite   = place{"sqlite", func(t *testing.T) string { return t.TempDir() }}
	onPostgres = place{"postgres", func(t *testing.T) string {
		t.Helper()
		url, dir := pgtest.URL(t, "synchronous_commit=off"), t.TempDir() // no server is killed
		url += "&application_name=" + pgtest.SchemaOf(t, url)
		must(t, os.WriteFile(urlIn(dir), []byte(url), 0o600))
		return dir
	}}
)

// places are both, by the names of their stores.
var places = map[string]place{onSQLite.store: onSQLite, onPostgres.store: onPostgres}

// openIn opens the database of a directory.
func openIn(dir string) (runtime.Store, error) {
	url, err := os.ReadFile(urlIn(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return sqlite.Open(context.Background(), databaseIn(dir))
	}
	if err != nil {
		return nil, err
	}
	return postgres.Open(context.Background(), string(url), postgres.Relaxed())
}

// deserted waits until a PostgreSQL server has ended what processes that are dead have asked it for.
func deserted(t *testing.T, dir string) {
	t.Helper()
	db, name := connectTo(t, dir)
	defer db.Close()
	for left := 1; name != "" && left > 0; time.Sleep(time.Millisecond) {
		must(t, db.QueryRow("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", name).Scan(&left))
	}
}

// connectTo gives the database of a directory. On PostgreSQL it has another name than processes, which have that of
// their schema; that name is empty for SQLite.
func connectTo(t *testing.T, dir string) (db *sql.DB, name string) {
	t.Helper()
	url, err := os.ReadFile(urlIn(dir))
	if errors.Is(err, fs.ErrNotExist) {
		db, err = sql.Open("sqlite3", "file:"+databaseIn(dir)+"?_busy_timeout=1000&_txlock=immediate")
		must(t, err)
		return db, ""
	}
	must(t, err)
	name = pgtest.SchemaOf(t, string(url))
	config, err := pgx.ParseConfig(string(url))
	must(t, err)
	delete(config.RuntimeParams, "fsmc_schema")
	config.RuntimeParams["search_path"] = name
	config.RuntimeParams["application_name"] = "inspector"
	return stdlib.OpenDB(*config), name
}

// soundIn asks the database of a directory itself.
func soundIn(t *testing.T, dir string) error {
	t.Helper()
	db, name := connectTo(t, dir)
	defer db.Close()
	tables := strings.Fields("history inbox outbox timers tasks checkpoints")
	if name == "" {
		tables = append(tables, "pruning")
	}
	for _, table := range tables {
		if n := counted(t, db, "SELECT count(*) FROM "+table+" WHERE run NOT IN (SELECT run FROM runs)"); n > 0 {
			return fmt.Errorf("%d rows of %s belong to no run", n, table)
		}
	}
	if name == "" {
		return integrity(databaseIn(dir))
	}
	if n := counted(t, db, "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"); n > 0 {
		return fmt.Errorf("%d transactions waited for each other", n)
	}
	return nil
}

func counted(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	must(t, db.QueryRow(query).Scan(&n))
	return n
}
