// Package pgtest gives tests a real PostgreSQL server, and each test a schema of its own. It
// is the one that FSMC_POSTGRES names (postgres://…), or else a cluster of this process's own,
// made with the programs of the system. Without either the tests are skipped, aloud.
package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
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
	if _, err := server(); err != nil {
		skipped.Store(true)
		t.Skipf("there is no PostgreSQL server: %v", err)
	}
	text, drop, err := Schema(params...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := drop(context.Background()); err != nil {
			t.Errorf("the schema of the test: %v", err)
		}
	})
	return text
}

// Schema gives the database with a schema that no one else has, and what drops that. It is for
// those who have no test at hand; the error says why there is no server.
func Schema(params ...string) (text string, drop func(context.Context) error, err error) {
	base, err := server()
	if err != nil {
		return "", nil, err
	}
	parsed, err := url.Parse(base)
	if err != nil {
		return "", nil, errors.New("FSMC_POSTGRES is no URL")
	}
	schema := "test_" + strings.ToLower(rand.Text()[:16])
	query := parsed.Query()
	query.Set("fsmc_schema", schema)
	for _, param := range params {
		name, value, _ := strings.Cut(param, "=")
		query.Set(name, value)
	}
	parsed.RawQuery = query.Encode()
	return parsed.String(), func(ctx context.Context) error {
		return Exec(ctx, base, "DROP SCHEMA IF EXISTS "+schema+" CASCADE")
	}, nil
}

// Found reports whether there is a server. Where there is none it says aloud that what asks
// for one is not tested.
func Found() bool {
	_, err := server()
	if err != nil {
		fmt.Printf("%s: %v\n", NotTested, err)
	}
	return err == nil
}

// SchemaOf is the schema that a URL names.
func SchemaOf(t testing.TB, text string) string {
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
