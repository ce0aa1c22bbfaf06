package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestOpenRefuses: what cannot be opened is named, and no password is.
func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct{ name, url, want string }{
		{"a path", "runs.db", "named by a URL"},
		{"no port", "postgres://u:geheim@localhost:port/d", "URL of the database"},
		{"a schema to quote", "postgres://u:geheim@localhost/d?fsmc_schema=A%3BB", "small letters"},
		{"a setting there is none of", "postgres://u:geheim@localhost/d?fsmc_skema=a", `there is no setting "fsmc_skema"; the one that begins with fsmc_ is fsmc_schema`},
		{"no server", "postgres://u:geheim@127.0.0.1:1/d", "cannot do it now"},
		{"no host", "postgres://u:geheim@fsmc.invalid/d", "cannot do it now"},
		{"no such limit", "postgres://u:geheim@localhost/d?pool_max_conns=many", "pool_max_conns"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := postgres.Open(t.Context(), test.url)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "geheim") || strings.Count(err.Error(), "refused") > 1 {
				t.Errorf("got %v, want %q without the password", err, test.want)
			}
		})
	}
}

// TestOpenForeign: tables that are not ours are left as they are.
func TestOpenForeign(t *testing.T) {
	for _, test := range []struct {
		name, first string
		ours        bool
		want        error
		says        string
	}{
		{"another program's", "CREATE SCHEMA @; CREATE TABLE @.orders (id int)", false, postgres.ErrForeign, ""},
		{"another meta", "CREATE SCHEMA @; CREATE TABLE @.meta (k text)", false, postgres.ErrForeign, ""},
		{"a meta without a row", "CREATE SCHEMA @; CREATE TABLE @.meta (format bigint, checksum text)", false, postgres.ErrForeign, ""},
		{"another format", "UPDATE @.meta SET checksum = 'x'", true, postgres.ErrForeign, "has format 1 of another origin"},
		{"a format that is missing", "DELETE FROM @.meta WHERE format = 3", true, postgres.ErrForeign, "has format 4 of another origin"},
		{"a newer format", "INSERT INTO @.meta (format, checksum, contract) VALUES (99, 'x', true)", true, postgres.ErrNewer, "it has format 99, and this version knows"},
	} {
		t.Run(test.name, func(t *testing.T) {
			url := pgtest.URL(t)
			if test.ours {
				if err := open(t, url).Close(); err != nil {
					t.Fatal(err)
				}
			}
			if err := pgtest.Exec(t.Context(), url, strings.ReplaceAll(test.first, "@", pgtest.SchemaOf(t, url))); err != nil {
				t.Fatal(err)
			}
			if _, err := postgres.Open(t.Context(), url); !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v, want %v and %q", err, test.want, test.says)
			}
		})
	}
}

// TestNewerFormat: the format that is told is the one that the database has, and no count.
func TestNewerFormat(t *testing.T) {
	url := pgtest.URL(t)
	open(t, url)
	must(t, inSchema(t, url, "INSERT INTO @meta (format, checksum) VALUES (99, 'x')"))
	if st, err := postgres.Inspect(t.Context(), url); err != nil || st.Format != 99 {
		t.Errorf("format %d, %v", st.Format, err)
	}
	if done, err := postgres.Migrate(t.Context(), url, true); err != nil || done.Before != 99 || done.After != 99 || len(done.Steps) > 0 {
		t.Errorf("%+v, %v", done, err)
	}
	begin(t, open(t, url), "r")
}

// TestOpenOptions: who only looks makes nothing, and a server that forgets is refused.
func TestOpenOptions(t *testing.T) {
	url := pgtest.URL(t)
	for _, option := range []postgres.Option{postgres.ReadOnly(), postgres.Existing()} {
		if _, err := postgres.Open(t.Context(), url, option); !errors.Is(err, postgres.ErrMissing) {
			t.Errorf("an empty schema: %v", err)
		}
	}
	if _, err := postgres.Open(t.Context(), url+"&synchronous_commit=off"); !errors.Is(err, postgres.ErrUnfit) {
		t.Errorf("synchronous_commit=off: %v", err)
	}
	open(t, url+"&synchronous_commit=off", postgres.Relaxed())
	s := open(t, url, postgres.ReadOnly())
	err := s.PutDefinition(t.Context(), store.DefinitionRow{Hash: "h", Machine: "M", Definition: []byte("{}")})
	if !errors.Is(err, postgres.ErrReadOnly) {
		t.Errorf("a write to a store that only reads: %v", err)
	}
	if all, err := s.Definitions(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("%v, %v", all, err)
	}
}

// TestOpenTogether: of many processes that find an empty schema one makes the tables.
func TestOpenTogether(t *testing.T) {
	url := pgtest.URL(t)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			s, err := postgres.Open(context.Background(), url)
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	wait.Wait()
}

// TestHistoryOnlyGrows: the tables themselves refuse to change or to lose what happened.
func TestHistoryOnlyGrows(t *testing.T) {
	url := pgtest.URL(t)
	s := open(t, url)
	begin(t, s, "r")
	for _, statement := range []string{"UPDATE @.history SET seq = 9", "DELETE FROM @.history", "TRUNCATE @.history"} {
		err := pgtest.Exec(t.Context(), url, strings.ReplaceAll(statement, "@", pgtest.SchemaOf(t, url)))
		if err == nil || !strings.Contains(err.Error(), "history only grows") {
			t.Errorf("%s: %v", statement, err)
		}
	}
}

// TestReturnsWithItsContext: a call that has to wait for a lock of someone else ends with its
// context, and has written nothing.
func TestReturnsWithItsContext(t *testing.T) {
	url := pgtest.URL(t)
	s := open(t, url)
	begin(t, s, "r")
	locked, done := make(chan error, 1), make(chan error, 1)
	go func() {
		statement := "BEGIN; SELECT 1 FROM @.runs FOR UPDATE; SELECT pg_notify('x', ''); SELECT pg_sleep(3); ROLLBACK"
		locked <- nil
		done <- pgtest.Exec(context.Background(), url, strings.ReplaceAll(statement, "@", pgtest.SchemaOf(t, url)))
	}()
	<-locked
	time.Sleep(time.Second)
	gone := errors.New("the caller has gone")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 100*time.Millisecond, gone)
	defer cancel()
	begun := time.Now()
	if err := s.Commit(ctx, next(t, s, "r")); !errors.Is(err, gone) {
		t.Errorf("got %v", err)
	}
	if d := time.Since(begun); d > time.Second {
		t.Errorf("it took %s", d)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if row, err := s.Load(t.Context(), "r"); err != nil || row.Seq != 1 {
		t.Errorf("%+v, %v", row, err)
	}
}

// TestFormerFormat6: tables that a superuser has made with the first text of format 6 are ours.
func TestFormerFormat6(t *testing.T) {
	url := pgtest.URL(t)
	if err := open(t, url).Close(); err != nil {
		t.Fatal(err)
	}
	former := "a0c6f944200840efff76f247feb2dfbda91a288d0c91873b124ab22200438614"
	if err := inSchema(t, url, "UPDATE @meta SET checksum = '"+former+"' WHERE format = 6"); err != nil {
		t.Fatal(err)
	}
	begin(t, open(t, url), "r")
}
