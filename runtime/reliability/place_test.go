//go:build unix && cgo

package reliability

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

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
	conn, name := connectTo(t, dir)
	if conn == nil {
		return
	}
	for left := 1; left > 0; time.Sleep(time.Millisecond) {
		must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1", name).Scan(&left))
	}
	must(t, conn.Close(t.Context()))
}

// connectTo gives a connection to the PostgreSQL database of a directory, by another name than those of
// processes, which is that of their schema. It is nil where there is none.
func connectTo(t *testing.T, dir string) (conn *pgx.Conn, name string) {
	t.Helper()
	url, err := os.ReadFile(urlIn(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ""
	}
	must(t, err)
	name = pgtest.SchemaOf(t, string(url))
	config, err := pgx.ParseConfig(string(url))
	must(t, err)
	delete(config.RuntimeParams, "fsmc_schema")
	config.RuntimeParams["application_name"] = "inspector"
	conn, err = pgx.ConnectConfig(t.Context(), config)
	must(t, err)
	return conn, name
}

// soundIn asks the database of a directory itself.
func soundIn(t *testing.T, dir string) error {
	t.Helper()
	conn, schema := connectTo(t, dir)
	if conn == nil {
		return integrity(databaseIn(dir))
	}
	defer conn.Close(t.Context())
	for _, table := range strings.Fields("history inbox outbox timers tasks checkpoints") {
		var n int
		of := schema + "." + table
		must(t, conn.QueryRow(t.Context(), "SELECT count(*) FROM "+of+" WHERE run NOT IN (SELECT run FROM "+schema+".runs)").Scan(&n))
		if n > 0 {
			return fmt.Errorf("%d rows of %s belong to no run", n, table)
		}
	}
	var n int
	must(t, conn.QueryRow(t.Context(), "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&n))
	if n > 0 {
		return fmt.Errorf("%d transactions waited for each other", n)
	}
	return nil
}
