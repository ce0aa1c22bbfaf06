package postgres_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgproxy"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
)

// TestServers: a server that forgets, and one that asks for a password.
func TestServers(t *testing.T) {
	server := pgtest.NewServer(t, "fsync=off")
	at, dir := server.URL(), server.Dir()
	if _, err := postgres.Open(t.Context(), at); !errors.Is(err, postgres.ErrUnfit) || !strings.Contains(err.Error(), "fsync=off") {
		t.Errorf("fsync=off: %v", err)
	}
	st, err := postgres.Inspect(t.Context(), at)
	if err != nil || len(st.Problems) != 1 || st.Settings[0] != (postgres.Setting{Name: "fsync", Value: "off"}) {
		t.Errorf("its status: %+v, %v", st, err)
	}

	if err := pgtest.Exec(t.Context(), at, "CREATE ROLE ada LOGIN SUPERUSER PASSWORD 'ge:h/eim'"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "pg_hba.conf"), []byte("local all ada scram-sha-256\nlocal all all trust\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := pgtest.Exec(t.Context(), at, "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	parsed, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	parsed.User = url.UserPassword("ada", "woanders")
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if _, err := postgres.Open(t.Context(), parsed.String()); err == nil || !strings.Contains(err.Error(), "fsync=off") {
			break // the server has read the file
		}
	}
	for password, want := range map[string]string{
		"woanders": "password authentication failed",
		"ge:h/eim": "fsync=off", // and so it has let the role in
	} {
		parsed.User = url.UserPassword("ada", password)
		_, err := postgres.Open(t.Context(), parsed.String())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v", password, err)
		}
	}
	parsed.User = url.User("ada")
	t.Setenv("PGPASSWORD", "woanders")
	if _, err := postgres.Open(t.Context(), parsed.String()); err == nil || strings.Contains(err.Error(), "woanders") {
		t.Errorf("from the environment: %v", err)
	}
	parsed.User, parsed.Path = url.User("postgres"), "/nowhere"
	const nowhere = `the PostgreSQL server refuses the connection: FATAL: database "nowhere" does not exist (SQLSTATE 3D000)`
	if _, err := postgres.Open(t.Context(), parsed.String()); err == nil || err.Error() != nowhere {
		t.Errorf("no such database: %v", err)
	}
}

// TestOldServer: one that says that it is of version 13 is refused.
func TestOldServer(t *testing.T) {
	at := pgtest.URL(t)
	rows, err := query(t, at, "SELECT current_setting('server_version_num'), ''")
	if err != nil {
		t.Fatal(err)
	}
	is, made := version(t, rows[0][0]), version(t, "130018")
	p := between(t, at)
	p.Server(func(m *pgproxy.Message) pgproxy.Verdict {
		m.Bytes = bytes.ReplaceAll(m.Bytes, is, made)
		return pgproxy.Pass
	})
	if _, err := postgres.Open(t.Context(), p.URL()); !errors.Is(err, postgres.ErrUnfit) || !strings.Contains(err.Error(), "it is version 13, and 14 is the oldest") {
		t.Errorf("got %v", err)
	}
}

// version is a number of a version as the server sends it.
func version(t *testing.T, text string) []byte {
	var n uint32
	for _, digit := range text {
		n = 10*n + uint32(digit-'0')
	}
	if n < 13_00_00 {
		t.Errorf("version %q", text)
	}
	return binary.BigEndian.AppendUint32(nil, n)
}
