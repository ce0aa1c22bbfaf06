package postgres_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/fsmc-dev/fsmc/runtime/storetest"
)

// ever is an age that all runs have that have ended.
const ever = -100 * 365 * 24 * time.Hour

// archiving opens a database that has an archive.
func archiving(t testing.TB, url string, opts ...postgres.Option) *postgres.Store {
	t.Helper()
	s := open(t, url, opts...)
	if err := postgres.SetArchive(t.Context(), url, postgres.ArchiveMonth, opts...); err != nil {
		t.Fatal(err)
	}
	return s
}

// archive archives what can be, and says how many runs that are.
func archive(t testing.TB, s *postgres.Store) (all int64) {
	t.Helper()
	for {
		n, err := s.Archive(t.Context(), ever, 1000) // of one month
		if err != nil {
			t.Fatal(err)
		}
		if all += n; n == 0 {
			return all
		}
	}
}

// runsIn are the runs in a table, in order.
func runsIn(t testing.TB, url, table string) (runs []string) {
	t.Helper()
	rows, err := query(t, url, "SELECT run, '' FROM "+pgtest.SchemaOf(t, url)+"."+table+` ORDER BY run COLLATE "C"`)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		runs = append(runs, row[0])
	}
	return runs
}

// endAt ends a run as a step at a time.
func endAt(t testing.TB, s store.Store, run string, at time.Time, outcome machine.Outcome) {
	t.Helper()
	c := next(t, s, run)
	c.Run.Status, c.Run.Outcome, c.Run.Updated, c.History[0].At = machine.Finished, outcome, at, at
	if err := s.Commit(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// archivesAtOnce is a store that archives after each commit what can be.
type archivesAtOnce struct{ *postgres.Store }

func (s archivesAtOnce) Commit(ctx context.Context, c *store.Commit) error {
	err := s.Store.Commit(ctx, c)
	if _, failed := s.Archive(context.Background(), ever, 100); err == nil {
		err = failed
	}
	return err
}

// TestStoreArchives runs the suite on a store of which all runs that have ended are in the archive.
func TestStoreArchives(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store {
		return archivesAtOnce{archiving(t, pgtest.URL(t, "synchronous_commit=off"), postgres.Relaxed())}
	})
}

const fails = `
machine Failing(n int) {
    event Go { n int }
    event Fail
    initial Working
    state Working {
        on Go -> Working { }
        on Fail -> Failed
    }
    terminal Failed failure
}`

// worked is an engine on a database with runs that have ended, in all ways, and one that has not.
func worked(t *testing.T, s *postgres.Store) *runtime.Engine {
	t.Helper()
	workAll(t, s)
	e := runtime.NewEngine(s)
	register(t, e, fails, nil)
	for _, run := range []string{"f", "live"} {
		_, err := e.Start(t.Context(), "Failing", run, json.RawMessage(`{"n":1}`), runtime.WithTags(map[string]string{"team": "pay", "of": run}))
		if err == nil {
			_, err = e.Send(t.Context(), run, runtime.NewEvent("Go", json.RawMessage(`{"n":2}`), runtime.WithEventID("go")))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := e.Send(t.Context(), "f", runtime.NewEvent("Fail", nil)); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestArchiveReads: every read says the same of runs in the archive as before.
func TestArchiveReads(t *testing.T) {
	url := pgtest.URL(t)
	s := archiving(t, url)
	e := worked(t, s)
	ctx := t.Context()
	f, err := s.Load(ctx, "f")
	if err != nil {
		t.Fatal(err)
	}
	reads := map[string]func() (any, error){
		"all":    func() (any, error) { return contents(t, s), nil },
		"load":   func() (any, error) { return s.Load(ctx, "f") },
		"no run": func() (any, error) { _, err := s.Load(ctx, "none"); return nil, err },
		"page":   func() (any, error) { return s.History(ctx, "a", 3, 2) },
		"event id": func() (any, error) {
			answer, ok, err := s.Accepted(ctx, "f", "go")
			return []any{answer, ok}, err
		},
		"feed":       func() (any, error) { return s.Feed(ctx, 0, 0) },
		"later feed": func() (any, error) { return s.Feed(ctx, 5, 7) },
		"strays":     func() (any, error) { return s.Strays(ctx, "") },
		"tree":       func() (any, error) { return e.Tree(ctx, "a") },
		"history":    func() (any, error) { return e.History(ctx, "f", 0, 0) },
		"stats":      func() (any, error) { return e.Stats(ctx, runtime.StatsQuery{Machine: "Failing"}) },
		"counts":     func() (any, error) { return s.Counts(ctx, "Review", time.Time{}) },
		"replay":     func() (any, error) { return nil, replayAll(t, s) },
		"in psql":    func() (any, error) { return query(t, url, inViews(t, url)) },
		"what prunes": func() (any, error) {
			return s.Prune(ctx, store.PruneQuery{Before: time.Now(), Now: time.Now(), DryRun: true})
		},
		"known again": func() (any, error) {
			return e.Send(ctx, "f", runtime.NewEvent("Go", json.RawMessage(`{"n":2}`), runtime.WithEventID("go")))
		},
		"refused": func() (any, error) { return e.Send(ctx, "f", runtime.NewEvent("Fail", nil)) },
	}
	for name, filter := range map[string]store.RunFilter{
		"run": {Run: "f"}, "prefix": {RunPrefix: "a/"}, "machine": {Machine: "Look"}, "status": {Status: machine.Finished},
		"running": {Status: machine.Running}, "outcome": {Outcome: machine.Failed}, "definition": {Definition: f.Definition},
		"parent": {Parent: "a"}, "root": {Root: "a"}, "final": {State: "Failed"}, "finished in": {State: "Failed", Status: machine.Finished},
		"working": {State: "Working"}, "tag": {Tags: map[string]string{"team": "pay"}}, "tags": {Tags: map[string]string{"team": "pay", "of": "f"}},
		"paused": {Paused: true}, "from": {StartedFrom: f.Started}, "until": {StartedTo: f.Started}, "entered": {EnteredTo: f.Entered},
		"updated": {UpdatedTo: f.Updated}, "behind": {After: "f", Limit: 2}, "behind, tagged": {After: "live", Tags: map[string]string{"team": "pay"}},
	} {
		reads["list by "+name] = func() (any, error) { return s.Runs(ctx, filter) }
	}
	say := func() map[string]string {
		said := map[string]string{}
		for name, read := range reads {
			value, err := read()
			text, failed := json.Marshal(value)
			if failed != nil {
				t.Fatal(failed)
			}
			said[name] = fmt.Sprintf("%s, %v", text, err)
		}
		return said
	}
	before, all := say(), runsIn(t, url, "runs")
	if n := archive(t, s); n != int64(len(all)-1) || n < 6 {
		t.Fatalf("archived %d of %q", n, all)
	}
	if live := runsIn(t, url, "runs"); !slices.Equal(live, []string{"live"}) {
		t.Fatalf("live: %q", live)
	}
	for _, table := range []string{"history", "inbox", "outbox", "checkpoints", "tags"} {
		if left := slices.Compact(runsIn(t, url, table)); len(left) > 0 && !slices.Equal(left, []string{"live"}) {
			t.Errorf("%s still has %q", table, left)
		}
	}
	for name, was := range before {
		if is := say()[name]; is != was {
			t.Errorf("%s was\n%s\nand is\n%s", name, was, is)
		}
	}
	if n := archive(t, s); n != 0 {
		t.Errorf("a read has moved back %d runs", n)
	}
}

func inViews(t *testing.T, url string) string {
	return strings.ReplaceAll(`SELECT run, state || coalesce(tags :: text, '') FROM @runs_v
		UNION ALL SELECT run, seq || input || record FROM @history_v ORDER BY 1, 2`, "@", pgtest.SchemaOf(t, url)+".")
}

// TestArchiveBack: what an operator does to a run in the archive moves it back, with all that
// belongs to it, also within a transaction of the program.
func TestArchiveBack(t *testing.T) {
	url := pgtest.URL(t)
	s := archiving(t, url)
	e := worked(t, s)
	ctx, who := t.Context(), runtime.Operator{Actor: "ada"}
	was := contents(t, s)
	archive(t, s)

	conn := connect(t, url)
	tx, err := conn.Begin(ctx)
	if err == nil {
		_, err = e.Over(s.In(tx)).Retry(ctx, "f", who)
	}
	if err == nil {
		err = tx.Rollback(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	if is := contents(t, s); is != was || len(runsIn(t, url, "runs")) != 1 {
		t.Errorf("after a transaction that was rolled back:\n%s\nbefore\n%s", is, was)
	}

	if _, err := e.Start(ctx, "Failing", "f", json.RawMessage(`{"n":5}`)); !errors.Is(err, runtime.ErrExists) {
		t.Errorf("a start under the id of an archived run: %v", err)
	}
	if is := contents(t, s); is != was {
		t.Errorf("after a start that was refused:\n%s\nbefore\n%s", is, was)
	}
	archive(t, s)

	v, err := e.Retry(ctx, "f", who)
	if err != nil || v.State != "Working" {
		t.Fatalf("%+v, %v", v, err)
	}
	if live := runsIn(t, url, "runs"); !slices.Equal(live, []string{"f", "live"}) {
		t.Errorf("live after a retry: %q", live)
	}
	rows, err := s.Runs(ctx, store.RunFilter{Tags: map[string]string{"of": "f"}, Status: machine.Running})
	if err != nil || len(rows) != 1 {
		t.Errorf("its tags: %+v, %v", rows, err)
	}
	again, err := e.Send(ctx, "f", runtime.NewEvent("Go", json.RawMessage(`{"n":2}`), runtime.WithEventID("go")))
	if err != nil || again.Seq >= v.Seq {
		t.Errorf("an event id that was known: %+v, %v", again, err)
	}
	if _, err := e.Send(ctx, "f", runtime.NewEvent("Fail", nil)); err != nil {
		t.Fatal(err)
	}
	archive(t, s)

	if _, err := e.Repair(ctx, "a", runtime.RepairOptions{Apply: true}); err != nil {
		t.Fatal(err)
	}
	if err := replayAll(t, s); err != nil {
		t.Error(err)
	}
	if all := runsIn(t, url, "all_runs"); len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("twice: %q", all)
	}

	endAt(t, s, "a", time.Now(), machine.Success) // a step of a root, which has children
	tree := runsIn(t, url, "all_runs WHERE run = 'a' OR root = 'a'")
	if live := runsIn(t, url, "runs WHERE run = 'a' OR root = 'a'"); len(tree) < 2 || !slices.Equal(live, tree) {
		t.Errorf("live of the tree %q after a step: %q", tree, live)
	}
}

// TestArchiveKeeps: a tree of which anyone still has something to do is not archived, nor one that
// has ended just now, nor anything where no archive is set.
func TestArchiveKeeps(t *testing.T) {
	url := pgtest.URL(t)
	s := open(t, url)
	later := noon.Add(time.Hour)
	for _, run := range []string{"below", "message", "off", "paused", "root", "task", "timer", "untold"} {
		begin(t, s, run)
		endAt(t, s, run, later, machine.Success)
	}
	begin(t, s, "new")
	endAt(t, s, "new", time.Now(), machine.Success)
	if err := inSchema(t, url, `
		INSERT INTO @outbox (id, run, seq, n, machine, event, at, next, ready) VALUES ('m', 'message', 1, 1, 'Order', 'E', now(), true, now());
		UPDATE @runs SET paused = true WHERE run = 'paused';
		UPDATE @runs SET parent = 'root', root = 'root', status = 'running', outcome = NULL, ended = NULL, final = NULL WHERE run = 'below';
		UPDATE @runs SET parent = 'off', root = 'off', total = '{}' WHERE run = 'untold';
		INSERT INTO @timers (run, name, due, awake) VALUES ('timer', 'x', now(), true);
		INSERT INTO @tasks (run, "do", seq, machine, definition, activity, key, attempt, visit, awake, queued, timeout_ns, heartbeat_ns, progress_ns)
			VALUES ('task', 'd', 1, 'Order', 'h', 'a', 'k', 1, 1, false, now(), 0, 0, 0)`); err != nil {
		t.Fatal(err)
	}
	if n := archive(t, s); n != 0 {
		t.Errorf("archived %d runs where no archive is set", n)
	}
	if err := postgres.SetArchive(t.Context(), url, postgres.ArchiveMonth); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Archive(t.Context(), time.Hour, 100); err != nil || n != 0 {
		t.Errorf("archived %q, %v", runsIn(t, url, "archived_runs"), err)
	}
	if err := inSchema(t, url, `
		UPDATE @runs SET told = total; UPDATE @runs SET paused = false; DELETE FROM @outbox; DELETE FROM @timers; DELETE FROM @tasks;
		UPDATE @runs SET status = 'finished', outcome = 'success', ended = updated, final = 'Idle' WHERE run = 'below'`); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Archive(t.Context(), time.Hour, 100); err != nil || n != 8 {
		t.Errorf("archived %q, %v", runsIn(t, url, "archived_runs"), err)
	}
}

// inSchema runs statements in the schema of a test, in which @ stands for it.
func inSchema(t *testing.T, url, statements string) error {
	t.Helper()
	return pgtest.Exec(t.Context(), url, strings.ReplaceAll(statements, "@", pgtest.SchemaOf(t, url)+"."))
}
