package postgres

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// frozen are the checksums of the migrations: a database that was made with another text is refused. A new one is added here.
var frozen = []string{
	"eaaad73f0222d954a9af99239d5b9687afff9e4b04ef0a11ff7279982635b0f3",
	"ec32a196ce0e75e92de56b635c0e07dcd94ac5b1474647022fb05f6f162be660",
	"ce51dc172eff63fb47a53076a31d87df5d3a2392b94d17504eb77b83cdb8fa17",
	"4189925a46b9529c95a7933cdf40322096469303fa2b47c8766c6579e213bd23",
	"f1931f739303d1a43baf52eb58b5a787496bc16eda3dc7ccd90f42db2c465731",
	"e37e5a462447c09633e47f6a8617452d112c244b58da501e73f8cde86dde320e",
	"ba9a8c4369e5dadc23d31bf1152ed057f69e0cb0af05f197def27bed7de30551",
}

func TestMigrationsAreFrozen(t *testing.T) {
	var all []string
	for _, m := range migrations() {
		all = append(all, m.checksum())
	}
	if !slices.Equal(all, frozen) {
		t.Errorf("they are %q", all)
	}
}

// knows opens the database as a version that knows more migrations than ours.
func knows(more ...migration) Option {
	return func(o *options) { o.steps = append(migrations()[:len(migrations()):len(migrations())], more...) }
}

// Made-up migrations of later versions.
var (
	extra   = migration{name: "extra", text: "CREATE TABLE @extra (id int)"}
	noExtra = migration{name: "no_extra", text: "DROP TABLE @extra", contract: true}
	other   = migration{name: "other", text: "CREATE TABLE @other (id int)"}
)

func opened(t *testing.T, url string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, opts...)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// writes is a write of a store, and its error.
func writes(s *Store, hash string) error {
	return s.PutDefinition(context.Background(), store.DefinitionRow{Hash: hash, Machine: "M", Definition: []byte("{}")})
}

// do runs statements in the schema of a test, in which @ stands for it.
func do(t *testing.T, url, statements string) error {
	t.Helper()
	return pgtest.Exec(t.Context(), url, strings.ReplaceAll(statements, "@", pgtest.SchemaOf(t, url)+"."))
}

// TestExpand: a newer version brings the tables up to date as it opens them, and the one before
// works on, and can be started beside it.
func TestExpand(t *testing.T) {
	url := pgtest.URL(t)
	old := opened(t, url)
	newer := opened(t, url, knows(extra))
	must(t, do(t, url, "INSERT INTO @extra VALUES (1)"))
	for hash, s := range map[string]*Store{"a": old, "b": newer, "c": opened(t, url), "d": opened(t, url, Existing(), knows(extra))} {
		if err := writes(s, hash); err != nil {
			t.Errorf("%s: %v", hash, err)
		}
	}
	if _, err := Open(t.Context(), url, ReadOnly(), knows(extra, other)); !errors.Is(err, ErrOlder) {
		t.Errorf("a look by a version that needs another table: %v", err)
	}
	opened(t, url, ReadOnly())
}

// TestContract: what older versions need is taken away by Migrate alone, and only when none of
// them has the database open.
func TestContract(t *testing.T) {
	url := pgtest.URL(t)
	newest := knows(extra, noExtra)
	first, second := opened(t, url), opened(t, url, knows(extra))
	must(t, writes(opened(t, url, newest), "a"))
	if err := do(t, url, "SELECT FROM @extra"); err != nil {
		t.Fatalf("an open took it away: %v", err)
	}
	for _, s := range []*Store{first, second} {
		if _, err := Migrate(t.Context(), url, true, newest); !errors.Is(err, ErrOlderHosts) || !strings.Contains(err.Error(), "fsmc ") {
			t.Fatalf("beside an older version: %v", err)
		}
		must(t, s.Close())
	}
	n := len(migrations())
	shown, err := Migrate(t.Context(), url, false, newest)
	if err != nil || shown.Before != n+1 || shown.After != n+2 || len(shown.Steps) != 1 || !shown.Steps[0].Contract {
		t.Errorf("%+v, %v", shown, err)
	}
	if err := do(t, url, "SELECT FROM @extra"); err != nil {
		t.Fatalf("a look took it away: %v", err)
	}
	_, err = Migrate(t.Context(), url, true, newest)
	must(t, err)
	if err := do(t, url, "SELECT FROM @extra"); err == nil {
		t.Error("it is still there")
	}
	for _, o := range [][]Option{nil, {ReadOnly()}, {knows(extra)}} {
		if _, err := Open(t.Context(), url, o...); !errors.Is(err, ErrNewer) {
			t.Errorf("an older version: %v", err)
		}
	}
	if err := writes(opened(t, url, newest), "b"); err != nil {
		t.Error(err)
	}
	if done, err := Migrate(t.Context(), url, true, newest); err != nil || len(done.Steps) > 0 {
		t.Errorf("a second time: %+v, %v", done, err)
	}
}

// TestContractPending: a version that needs what comes behind a step that contracts the tables
// does not start, and says what to do.
func TestContractPending(t *testing.T) {
	url := pgtest.URL(t)
	opened(t, url, knows(extra)).Close()
	needs := knows(extra, noExtra, other)
	if _, err := Open(t.Context(), url, needs); !errors.Is(err, ErrContract) || !strings.Contains(err.Error(), "fsmc db migrate") {
		t.Fatalf("got %v", err)
	}
	_, err := Migrate(t.Context(), url, true, needs)
	must(t, err)
	opened(t, url, needs)
}

// TestGoneHost: a process that was away for so long that it counts as gone finds, before it
// writes anything, that the tables are no longer its own.
func TestGoneHost(t *testing.T) {
	url := pgtest.URL(t)
	newest := knows(extra, noExtra)
	old := opened(t, url, knows(extra))
	must(t, do(t, url, "UPDATE @hosts SET seen = seen - interval '3 minutes'"))
	old.present.seen.Add(-180)
	if _, err := Migrate(t.Context(), url, true, newest); err != nil {
		t.Fatalf("an older version that has gone: %v", err)
	}
	if err := writes(old, "a"); !errors.Is(err, ErrNewer) {
		t.Errorf("it writes: %v", err)
	}
	if _, err := old.Definitions(t.Context()); !errors.Is(err, ErrNewer) {
		t.Errorf("it reads: %v", err)
	}
}

// TestBeat: a process that is there stays so, also where its row is lost, and takes it away.
func TestBeat(t *testing.T) {
	url := pgtest.URL(t)
	s := opened(t, url)
	must(t, do(t, url, "DELETE FROM @hosts"))
	must(t, s.beat(t.Context()))
	count := func() (n int) {
		look := opened(t, url, ReadOnly())
		n, _, err := readFirst(t.Context(), look, sqlrow.One[int], "SELECT count(*) FROM @hosts WHERE seen > now() - interval '1 minute'")
		must(t, err)
		return n
	}
	if n := count(); n != 1 {
		t.Errorf("%d hosts", n)
	}
	must(t, s.Close())
	if n := count(); n != 0 {
		t.Errorf("%d hosts after it has closed", n)
	}
}

// TestMigrateTogether: of many processes of a newer version one brings the tables up to date.
func TestMigrateTogether(t *testing.T) {
	url := pgtest.URL(t)
	opened(t, url)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			s, err := Open(context.Background(), url, knows(extra, other))
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Close()
		})
	}
	wait.Wait()
}

// inMigration names the variable with the URL that a test's child process opens.
const inMigration = "FSMC_TEST_IN_MIGRATION"

// slow is a migration that a test ends from outside.
var slow = migration{name: "slow", text: "CREATE TABLE @extra (id int); SELECT pg_sleep(600)"}

// TestKilledInMigration: what a process that is killed has begun is taken back, and the next
// one does it.
func TestKilledInMigration(t *testing.T) {
	if url := os.Getenv(inMigration); url != "" {
		_, err := Open(context.Background(), url, knows(slow))
		t.Fatalf("it was not killed: %v", err)
	}
	url := pgtest.URL(t)
	name := pgtest.SchemaOf(t, url)
	old := opened(t, url)
	child := exec.Command(os.Args[0], "-test.run=^TestKilledInMigration$")
	child.Env = append(os.Environ(), inMigration+"="+url+"&application_name="+name)
	must(t, child.Start())
	asleep := "DO 'BEGIN ASSERT (SELECT count(*) FROM pg_stat_activity WHERE application_name = ''" + name + "'' AND wait_event = ''PgSleep'') = 1; END'"
	for begun := time.Now(); do(t, url, asleep) != nil; time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("it has not begun")
		}
	}
	must(t, child.Process.Kill())
	_ = child.Wait()
	if err := do(t, url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '"+name+"'"); err != nil {
		t.Fatal(err) // the server would find out when it has slept
	}
	if err := writes(old, "a"); err != nil {
		t.Errorf("the version before: %v", err)
	}
	if err := writes(opened(t, url, knows(extra)), "b"); err != nil {
		t.Errorf("the newer version: %v", err)
	}
}

// TestFeedOfFormat3: the feed begins where the tables are brought up to date, and what a process
// of the version before writes from then on is in it.
func TestFeedOfFormat3(t *testing.T) {
	url := pgtest.URL(t)
	old := opened(t, url, func(o *options) { o.steps = migrations()[:3] })
	must(t, writes(old, "h"))
	writeAsBefore(t, url, "before")
	s := opened(t, url)
	writeAsBefore(t, url, "old")
	must(t, s.Commit(t.Context(), newRun("new")))
	rows, err := s.Feed(t.Context(), 0, 0)
	if err != nil || len(rows) != 2 || rows[0].Run != "old" || rows[1].Run != "new" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// writeAsBefore writes a run as the versions before format 5 do, which know no tags.
func writeAsBefore(t *testing.T, url, run string) {
	t.Helper()
	if err := do(t, url, `
		INSERT INTO @runs (run, machine, definition, state, status, paused, seq, started, entered, updated, snapshot)
			VALUES ('`+run+`', 'M', 'h', 'Idle', 'running', false, 1, now(), now(), now(), '{}');
		INSERT INTO @history (run, seq, at, kind, input, source, target, effect, token, record)
			VALUES ('`+run+`', 1, now(), 'start', '', '', 'Idle', 'moved', 1, '{}')`); err != nil {
		t.Fatal(err)
	}
}

// TestTagsBesideFormat4: a version that knows no tags starts runs and prunes those that have some.
func TestTagsBesideFormat4(t *testing.T) {
	url := pgtest.URL(t)
	old := opened(t, url, func(o *options) { o.steps = migrations()[:4] })
	must(t, writes(old, "h"))
	s := opened(t, url)
	tagged := newRun("tagged")
	tagged.Run.Tags = map[string]string{"team": "pay"}
	must(t, s.Commit(t.Context(), tagged))
	writeAsBefore(t, url, "old")
	if row, err := s.Load(t.Context(), "old"); err != nil || row.Tags != nil {
		t.Errorf("%+v, %v", row.Tags, err)
	}
	must(t, do(t, url, "SET fsmc.pruning = 'on'; DELETE FROM @history WHERE run = 'tagged'; DELETE FROM @runs WHERE run = 'tagged'"))
	rows, err := s.Runs(t.Context(), store.RunFilter{Tags: tagged.Run.Tags})
	if err != nil || len(rows) > 0 {
		t.Errorf("%+v, %v", rows, err)
	}
	if err := do(t, url, "DO $$ BEGIN IF EXISTS (SELECT 1 FROM @tags) THEN RAISE 'tags of a run that is gone'; END IF; END $$"); err != nil {
		t.Error(err)
	}
}
