// Package pgtest gives tests a real PostgreSQL server, and each test a schema of its own. It
// is the one that FSMC_POSTGRES names (postgres://…), or else a cluster of this process's own,
// made with the programs of the system. Without either the tests are skipped, aloud.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
)

// NotTested is the last line of a test binary that has found no server.
const NotTested = "POSTGRES WAS NOT TESTED"

var skipped atomic.Bool

// Main runs the tests, and ends the cluster if there is one. It gives the exit status:
//
//	func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }
func Main(m *testing.M) int {
	status := m.Run()
	own.stop()
	if skipped.Load() {
		fmt.Println(NotTested)
	}
	return status
}

// server is the one that tests use.
var server = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("FSMC_POSTGRES"); given != "" {
		return given, nil
	}
	return own.start()
})

// URL gives the database, with a schema that is this test's alone, and is dropped after it.
// Each pair is a parameter that the URL gets: "synchronous_commit=off".
func URL(t testing.TB, params ...string) string {
	t.Helper()
	base, err := server()
	if err != nil {
		skipped.Store(true)
		t.Skipf("there is no PostgreSQL server: %v", err)
	}
	parsed, err := url.Parse(base)
	if err != nil {
		t.Fatal("FSMC_POSTGRES is no URL")
	}
	schema := "test_" + strings.ToLower(rand.Text()[:16])
	query := parsed.Query()
	query.Set("fsmc_schema", schema)
	for _, param := range params {
		name, value, _ := strings.Cut(param, "=")
		query.Set(name, value)
	}
	parsed.RawQuery = query.Encode()
	t.Cleanup(func() {
		if err := Exec(context.Background(), base, "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
			t.Errorf("the schema of the test: %v", err)
		}
	})
	return parsed.String()
}

// Schema is the schema that a URL names.
func Schema(t testing.TB, text string) string {
	t.Helper()
	parsed, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Query().Get("fsmc_schema")
}

// Exec runs statements on a database, past any store.
func Exec(ctx context.Context, text, statements string) error {
	config, err := pgx.ParseConfig(text)
	if err != nil {
		return err
	}
	delete(config.RuntimeParams, "fsmc_schema")
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.PgConn().Exec(ctx, statements).ReadAll()
	return err
}
