package postgres_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
)

// locking is a transaction in which statements have been run on the schema of a test.
func locking(t *testing.T, url, statements string) pgx.Tx {
	t.Helper()
	tx, err := connect(t, url).Begin(t.Context())
	if err == nil {
		_, err = tx.Exec(t.Context(), strings.ReplaceAll(statements, "@", pgtest.SchemaOf(t, url)+"."))
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tx.Rollback(context.Background()) })
	return tx
}

// TestArchiveLocked: a tree of which someone else has a part stays where it is, as a whole, and no one waits for it. So
// does all of them while another process archives.
func TestArchiveLocked(t *testing.T) {
	url := pgtest.URL(t)
	s := archiving(t, url)
	for _, run := range []string{"child", "other", "root"} {
		begin(t, s, run)
		endAt(t, s, run, noon, machine.Success)
	}
	if err := inSchema(t, url, "UPDATE @runs SET parent = 'root', root = 'root' WHERE run = 'child'"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	mover := locking(t, url, "SELECT pg_advisory_xact_lock(1718840677, hashtext('@runs'))")
	if n, err := s.Archive(ctx, time.Hour, 100); err != nil || n != 0 {
		t.Errorf("archived %d runs beside another process, %v", n, err)
	}
	if err := mover.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	stepper := locking(t, url, "SELECT 1 FROM @runs WHERE run = 'child' FOR NO KEY UPDATE")
	if n, err := s.Archive(ctx, time.Hour, 100); err != nil || n != 1 {
		t.Errorf("archived %d runs, %v", n, err)
	}
	if live := runsIn(t, url, "runs"); !slices.Equal(live, []string{"child", "root"}) {
		t.Errorf("live: %q", live)
	}
	if err := stepper.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	if n := archive(t, s); n != 2 {
		t.Errorf("archived %d runs in the end", n)
	}
}

// TestArchiveBehind: trees that have to stay do not keep those that ended later.
func TestArchiveBehind(t *testing.T) {
	url := pgtest.URL(t)
	s := archiving(t, url)
	for i, run := range []string{"paused", "done"} {
		begin(t, s, run)
		endAt(t, s, run, noon.Add(time.Duration(i)*time.Hour), machine.Success)
	}
	if err := inSchema(t, url, "UPDATE @runs SET paused = true WHERE run = 'paused'"); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Archive(t.Context(), time.Hour, 1); err != nil || n != 1 {
		t.Errorf("archived %d runs, %v", n, err)
	}
}

// TestArchiveChanged: what becomes of a tree between the look at it and the lock counts. The function of the look stands for
// the process that comes between: it changes the run as that would.
func TestArchiveChanged(t *testing.T) {
	for name, change := range map[string]string{
		"ended again": "UPDATE @runs SET ended = clock_timestamp() WHERE run = top",
		"paused":      "IF (SELECT paused FROM @runs WHERE run = top) THEN RETURN true; END IF; UPDATE @runs SET paused = true WHERE run = top",
	} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.URL(t)
			s := archiving(t, url)
			begin(t, s, "r")
			endAt(t, s, "r", noon, machine.Success)
			if err := inSchema(t, url, `CREATE OR REPLACE FUNCTION @busy_tree(top text) RETURNS boolean LANGUAGE plpgsql AS $$
				BEGIN `+change+`; RETURN false; END $$`); err != nil {
				t.Fatal(err)
			}
			if n, err := s.Archive(t.Context(), time.Hour, 10); err != nil || n != 0 {
				t.Errorf("archived %q, %v", runsIn(t, url, "archived_runs"), err)
			}
		})
	}
}

// TestArchiveDelivered: messages that are delivered do not keep a tree, nor does anything of another run.
func TestArchiveDelivered(t *testing.T) {
	url := pgtest.URL(t)
	s := archiving(t, url)
	for _, run := range []string{"busy", "done"} {
		begin(t, s, run)
		endAt(t, s, run, noon, machine.Success)
	}
	if err := inSchema(t, url, `
		INSERT INTO @outbox (id, run, seq, n, machine, event, at, next, ready, delivered) VALUES
			('m', 'done', 1, 1, 'Order', 'E', now(), false, now(), now()), ('n', 'busy', 1, 1, 'Order', 'E', now(), true, now(), NULL);
		INSERT INTO @timers (run, name, due, awake) VALUES ('busy', 'x', now(), true);
		INSERT INTO @tasks (run, "do", seq, machine, definition, activity, key, attempt, visit, awake, queued, timeout_ns, heartbeat_ns, progress_ns)
			VALUES ('busy', 'd', 1, 'Order', 'h', 'a', 'k', 1, 1, false, now(), 0, 0, 0)`); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Archive(t.Context(), time.Hour, 10); err != nil || n != 1 {
		t.Errorf("archived %d runs, %v", n, err)
	}
	if gone := runsIn(t, url, "archived_runs"); !slices.Equal(gone, []string{"done"}) {
		t.Errorf("archived %q", gone)
	}
}

// TestArchiveLater: the tables of the archive, where they are added to a database that has roles. What a role may do to tables that
// are made later, it may not do to them; the owner may.
func TestArchiveLater(t *testing.T) {
	at := pgtest.URL(t)
	if err := open(t, at, postgres.OfFormat(5)).Close(); err != nil {
		t.Fatal(err)
	}
	owner, worker, _ := grant(t, at)
	if done, err := postgres.Migrate(t.Context(), owner, true); err != nil || done.After < 6 {
		t.Fatalf("%+v, %v", done, err)
	}
	archiving(t, owner)
	works := open(t, worker)
	for _, run := range []string{"a", "b"} {
		begin(t, works, run)
		endAt(t, works, run, noon, machine.Success)
	}
	if n := archive(t, works); n != 2 {
		t.Errorf("a worker archives %d runs", n)
	}
	if err := works.Commit(t.Context(), next(t, works, "a")); err != nil {
		t.Errorf("a worker moves a run back: %v", err)
	}
	if live := runsIn(t, at, "runs"); !slices.Equal(live, []string{"a"}) {
		t.Errorf("live: %q", live)
	}
	for _, table := range []string{"archived_runs", "archived_runs_2026_03", "archived_history", "archived_tags_2026_03", "settings"} {
		for _, statement := range []string{"DELETE FROM @" + table, "INSERT INTO @" + table + " SELECT * FROM @" + table, "TRUNCATE @" + table} {
			if allowed(t, worker, statement) == nil {
				t.Errorf("a worker may %s", statement)
			}
		}
	}
	if err := allowed(t, owner, "DELETE FROM @archived_inbox_2026_03"); err != nil {
		t.Errorf("the owner: %v", err)
	}
}
