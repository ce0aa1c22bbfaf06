package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// as is a URL with another role.
func as(t *testing.T, at, role string) string {
	t.Helper()
	parsed, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	if parsed.Query().Get("host") == "" {
		t.Skip("roles without a password need the tests' own cluster")
	}
	parsed.User = url.User(role)
	return parsed.String()
}

// grant makes an owner, a worker and a reader of a test's schema, and gives their URLs.
func grant(t *testing.T, at string) (owner, worker, reader string) {
	t.Helper()
	name := pgtest.SchemaOf(t, at)
	roles := postgres.Roles{Owner: name + "_owner", Worker: name + "_worker", Reader: name + `_reader"; --`}
	urls := []string{as(t, at, roles.Owner), as(t, at, roles.Worker), as(t, at, roles.Reader)}
	t.Cleanup(func() {
		for _, role := range []string{roles.Owner, roles.Worker, strings.ReplaceAll(roles.Reader, `"`, `""`)} {
			if err := pgtest.Exec(context.Background(), at, `DROP OWNED BY "`+role+`" CASCADE; DROP ROLE "`+role+`"`); err != nil {
				t.Error(err)
			}
		}
	})
	for range 2 { // a second time changes nothing
		statements, err := postgres.Grant(t.Context(), at, roles, true)
		if err != nil || len(statements) < 10 {
			t.Fatalf("%q, %v", statements, err)
		}
	}
	return urls[0], urls[1], urls[2]
}

// allowed reports whether a role may do something to the schema of a test, past any store.
func allowed(t *testing.T, at, statement string) error {
	t.Helper()
	err := pgtest.Exec(t.Context(), at, strings.ReplaceAll(statement, "@", pgtest.SchemaOf(t, at)+"."))
	if err != nil && !strings.Contains(err.Error(), "42501") {
		t.Fatalf("%s: %v", statement, err)
	}
	return err
}

// TestRoles: a worker does all the work and can change neither a table nor history, a reader
// cannot write, and the owner may do what is left.
func TestRoles(t *testing.T) {
	at := pgtest.URL(t)
	if _, err := postgres.Grant(t.Context(), at, postgres.Roles{Worker: "w"}, false); !errors.Is(err, postgres.ErrMissing) {
		t.Errorf("without tables: %v", err)
	}
	if err := open(t, at).Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range []postgres.Roles{{Worker: "postgres"}, {Reader: "postgres"}, {Owner: "o", Worker: "o"}, {Worker: "w", Reader: "w"}} {
		if statements, err := postgres.Grant(t.Context(), at, r, true); err == nil {
			t.Errorf("%+v: %q", r, statements)
		}
	}
	owner, worker, reader := grant(t, at)
	workAll(t, open(t, worker))

	look := open(t, reader, postgres.ReadOnly())
	if rows, err := look.Runs(t.Context(), store.RunFilter{}); err != nil || len(rows) == 0 {
		t.Errorf("a reader sees %d runs, %v", len(rows), err)
	}
	if err := replayAll(t, look); err != nil {
		t.Errorf("a reader replays: %v", err)
	}
	if _, err := postgres.Open(t.Context(), reader); !errors.Is(err, postgres.ErrRights) || !strings.Contains(err.Error(), "fsmc db roles") {
		t.Errorf("a reader opens it to write: %v", err)
	}
	for _, statement := range []string{
		"CREATE TABLE @mine (id int)", "DROP TABLE @counts", "ALTER TABLE @runs ADD COLUMN mine int", "TRUNCATE @timers",
		"UPDATE @history SET input = 'x'", "DELETE FROM @history", "ALTER TABLE @history DISABLE TRIGGER ALL",
		"DELETE FROM @runs", "UPDATE @definitions SET source = 'x'", "DELETE FROM @inbox", "UPDATE @inbox SET answer = NULL",
		"UPDATE @meta SET checksum = 'x'", "DELETE FROM @prunings", "CREATE SCHEMA mine",
	} {
		for who, url := range map[string]string{"worker": worker, "reader": reader} {
			if allowed(t, url, statement) == nil {
				t.Errorf("a %s may %s", who, statement)
			}
		}
	}
	for _, statement := range []string{
		"INSERT INTO @timers VALUES ('r', 'x', now(), true)", "UPDATE @runs SET paused = true", "DELETE FROM @tasks",
		"SELECT nextval('@epochs')", "DELETE FROM @hosts", "SELECT 1 FROM @runs FOR UPDATE",
	} {
		if allowed(t, reader, statement) == nil {
			t.Errorf("a reader may %s", statement)
		}
	}
	pruned, err := open(t, owner).Prune(t.Context(), store.PruneQuery{Before: time.Now().Add(time.Hour), Limit: 10, Now: time.Now(), Actor: "ada"})
	if err != nil || pruned.Runs == 0 {
		t.Errorf("the owner prunes %d, %v", pruned.Runs, err)
	}
	if err := allowed(t, owner, "ALTER TABLE @runs ADD COLUMN mine int"); err != nil {
		t.Error(err)
	}
	if err := allowed(t, owner, "CREATE TABLE @later (id int)"); err != nil {
		t.Error(err)
	}
	for url, statement := range map[string]string{worker: "INSERT INTO @later VALUES (1)", reader: "SELECT FROM @later"} {
		if err := allowed(t, url, statement); err != nil {
			t.Errorf("a table of a later version: %v", err)
		}
	}
}

// workAll takes runs through all that an engine and an operator do to them.
func workAll(t *testing.T, s *postgres.Store) {
	t.Helper()
	ctx, who := t.Context(), runtime.Operator{Actor: "ada"}
	e := runtime.NewEngine(s, runtime.WithOutbox(func(context.Context, *runtime.Message) error { return nil }))
	register(t, e, review, reviewer(new(string)))
	for _, id := range []string{"a", "b"} {
		_, err := e.Start(ctx, "Review", id, json.RawMessage(`{"pr":"`+id+`"}`))
		if err == nil {
			_, err = e.RunUntilIdle(ctx, id)
		}
		if err == nil {
			_, err = e.Pause(ctx, id, who)
		}
		if err == nil {
			_, err = e.Resume(ctx, id, who)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	leaveCheckpoint(t, e, s, childrenOf(t, s, "a"))
	for state := ""; state != "Done"; {
		for _, child := range childrenOf(t, s, "a") {
			send(t, e, child)
		}
		v, err := e.RunUntilIdle(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		state = v.State
	}
	if _, err := e.Cancel(ctx, "b", runtime.CancelOptions{}); err != nil {
		t.Fatal(err)
	}
	if v, err := e.RunUntilDone(ctx, "b"); err != nil || v.Outcome != runtime.Cancelled {
		t.Fatalf("%+v, %v", v, err)
	}
	if _, err := e.Repair(ctx, "a", runtime.RepairOptions{Apply: true}); err != nil {
		t.Fatal(err)
	}
	if err := replayAll(t, s); err != nil {
		t.Error(err)
	}
}

func replayAll(t *testing.T, s *postgres.Store) error {
	return runtime.NewEngine(s).ReplayAll(t.Context(), runtime.RunFilter{}, func(_ *runtime.RunRow, err error) error { return err })
}

// TestNoRights: who has no right to the schema, or none to make one, is told so.
func TestNoRights(t *testing.T) {
	at := pgtest.URL(t)
	role := pgtest.SchemaOf(t, at) + "_nobody"
	nobody := as(t, at, role)
	if err := pgtest.Exec(t.Context(), at, "CREATE ROLE "+role+" LOGIN"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pgtest.Exec(context.Background(), at, "DROP ROLE "+role) })
	if _, err := postgres.Open(t.Context(), nobody); !errors.Is(err, postgres.ErrRights) {
		t.Errorf("without the right to make a schema: %v", err)
	}
	open(t, at)
	for _, opts := range [][]postgres.Option{nil, {postgres.ReadOnly()}} {
		if _, err := postgres.Open(t.Context(), nobody, opts...); !errors.Is(err, postgres.ErrRights) {
			t.Errorf("without a right to the schema: %v", err)
		}
	}
}

// TestOrdinaryOwner: a role that may make a schema, and nothing else of the server, makes the tables and does all the work.
func TestOrdinaryOwner(t *testing.T) {
	at := pgtest.URL(t)
	role := pgtest.SchemaOf(t, at) + "_ordinary"
	url := as(t, at, role)
	ctx := t.Context()
	grants := "DO $$ BEGIN EXECUTE 'GRANT CREATE ON DATABASE ' || quote_ident(current_database()) || ' TO " + role + "'; END $$"
	if err := pgtest.Exec(ctx, at, "CREATE ROLE "+role+" LOGIN; "+grants); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pgtest.Exec(context.Background(), at, "DROP OWNED BY "+role+" CASCADE; DROP ROLE "+role); err != nil {
			t.Error(err)
		}
	})
	s := archiving(t, url)
	workAll(t, s)
	if n := archive(t, s); n == 0 {
		t.Error("it archives nothing")
	}
	if _, err := runtime.NewEngine(s).Repair(ctx, "a", runtime.RepairOptions{Apply: true}); err != nil {
		t.Error(err)
	}
	archive(t, s)
	statements := strings.ReplaceAll("SELECT @unarchive_run('a'); DELETE FROM @history", "@", pgtest.SchemaOf(t, at)+".")
	if err := pgtest.Exec(ctx, url, statements); err == nil || !strings.Contains(err.Error(), "only grows") {
		t.Errorf("history after a move, in its transaction: %v", err)
	}
	if st, err := postgres.Inspect(ctx, url); err != nil || len(st.Problems) > 0 || len(st.Months) == 0 || len(st.Hosts) == 0 {
		t.Errorf("%+v, %v", st, err)
	}
	if done, err := s.Prune(ctx, store.PruneQuery{Before: time.Now().AddDate(0, 2, 0), Limit: 10, Now: time.Now(), Actor: "ada"}); err != nil || done.Runs == 0 {
		t.Errorf("pruned %+v, %v", done, err)
	}
}
