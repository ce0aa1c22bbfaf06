package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// months are the months of the archive.
func months(t *testing.T, url string) (all []string) {
	t.Helper()
	st, err := postgres.Inspect(t.Context(), url)
	if err != nil || st.Archive != postgres.ArchiveMonth {
		t.Fatalf("archive %q, %v", st.Archive, err)
	}
	for _, m := range st.Months {
		if m.Bytes == 0 {
			t.Errorf("%s has no size", m.Month)
		}
		all = append(all, m.Month.Format("2006-01"))
	}
	return all
}

// TestArchivePrune: prune drops a month that is meant as a whole, and deletes what is meant of
// others and of live runs. The counts follow.
func TestArchivePrune(t *testing.T) {
	url := pgtest.URL(t)
	s := archiving(t, url)
	for day := 1; day <= 70; day += 3 { // 24 runs: to March 11
		run := fmt.Sprintf("r%02d", day)
		begin(t, s, run)
		endAt(t, s, run, time.Date(2026, 1, day, 12, 0, 0, 0, time.UTC), []machine.Outcome{machine.Success, machine.Failed}[day%2])
	}
	archive(t, s)
	if got := months(t, url); !slices.Equal(got, []string{"2026-01", "2026-02", "2026-03"}) {
		t.Fatalf("months %q", got)
	}
	begin(t, s, "live")
	begin(t, s, "ended")
	endAt(t, s, "ended", time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), machine.Success)

	prune := func(q store.PruneQuery) (steps []int64) {
		t.Helper()
		q.Now, q.Limit, q.Actor = noon, 100, "ada"
		dry := q
		dry.DryRun = true
		want, err := s.Prune(t.Context(), dry)
		if err != nil {
			t.Fatal(err)
		}
		for all := int64(0); ; {
			done, err := s.Prune(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if all += done.Runs; done.Runs == 0 {
				if all != want.Runs {
					t.Errorf("pruned %d, and a dry run said %d", all, want.Runs)
				}
				return steps
			}
			steps = append(steps, done.Runs)
		}
	}
	if got := prune(store.PruneQuery{Before: noon, Machine: "Other"}); len(got) > 0 {
		t.Errorf("of another machine: %v", got)
	}
	if got := prune(store.PruneQuery{Before: time.Date(2026, 2, 14, 0, 0, 0, 0, time.UTC), Outcome: machine.Failed}); !slices.Equal(got, []int64{8}) {
		t.Errorf("of one outcome: %v", got)
	}
	if got := prune(store.PruneQuery{Before: time.Date(2026, 2, 14, 0, 0, 0, 0, time.UTC)}); !slices.Equal(got, []int64{5, 2, 1}) {
		t.Errorf("a month, of another, and live: %v", got)
	}
	if got := months(t, url); !slices.Equal(got, []string{"2026-02", "2026-03"}) {
		t.Errorf("months %q", got)
	}
	rows, err := s.Runs(t.Context(), store.RunFilter{})
	if err != nil || len(rows) != 10 {
		t.Errorf("%d runs, %v", len(rows), err)
	}
	counts, err := s.Counts(t.Context(), "", time.Time{})
	if err != nil || len(counts.Runs) != 3 {
		t.Fatalf("%+v, %v", counts.Runs, err)
	}
	for _, c := range counts.Runs {
		listed, err := s.Runs(t.Context(), store.RunFilter{Status: c.Status, Outcome: c.Outcome})
		if c.Outcome == "" {
			listed, err = s.Runs(t.Context(), store.RunFilter{Status: c.Status})
		}
		if err != nil || int64(len(listed)) != c.Runs {
			t.Errorf("%+v, and there are %d, %v", c, len(listed), err)
		}
	}
	if strays, err := s.Strays(t.Context(), ""); err != nil || len(strays) > 0 {
		t.Errorf("%+v, %v", strays, err)
	}
	begin(t, s, "r01") // what has been pruned can be started
}

// TestArchiveCrash: what a connection has begun that is lost is taken back, and done later.
func TestArchiveCrash(t *testing.T) {
	url := pgtest.URL(t)
	s := archiving(t, url)
	for _, run := range []string{"a", "b", "c"} {
		begin(t, s, run)
		endAt(t, s, run, noon, machine.Success)
	}
	was := contents(t, s)
	for _, call := range []string{"@archive_runs(now(), 100)", "@unarchive_run('a')"} {
		conn := connect(t, url)
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		moved := 0
		err = tx.QueryRow(t.Context(), strings.ReplaceAll("SELECT "+call, "@", pgtest.SchemaOf(t, url)+".")).Scan(&moved)
		if err != nil || moved == 0 {
			t.Fatalf("%s: %d, %v", call, moved, err)
		}
		if is := contents(t, s); is != was {
			t.Errorf("in the middle of %s:\n%s\nbefore\n%s", call, is, was)
		}
		if err := inSchema(t, url, fmt.Sprintf("SELECT pg_terminate_backend(%d)", conn.PgConn().PID())); err != nil {
			t.Fatal(err)
		}
		if is := contents(t, s); is != was {
			t.Errorf("after it was lost:\n%s\nbefore\n%s", is, was)
		}
		for len(runsIn(t, url, "runs")) > 0 { // until the server has seen that it is lost
			archive(t, s)
		}
	}
	if is := contents(t, s); is != was {
		t.Errorf("in the end:\n%s\nbefore\n%s", is, was)
	}
}

// TestArchiveTogether: two hosts archive while others end runs and retry them. No step is lost,
// no run is there twice, and no two wait for each other.
func TestArchiveTogether(t *testing.T) {
	url := pgtest.URL(t, "synchronous_commit=off")
	stores := []*postgres.Store{archiving(t, url, postgres.Relaxed()), open(t, url, postgres.Relaxed())}
	begin(t, stores[0], "first")
	ctx, stop := context.WithCancel(t.Context())
	var movers, steppers sync.WaitGroup
	for _, s := range stores {
		movers.Go(func() {
			for ctx.Err() == nil {
				if _, err := s.Archive(t.Context(), ever, 10); err != nil {
					t.Error(err)
				}
			}
		})
	}
	const runs, rounds = 8, 12
	for i := range runs {
		steppers.Go(func() {
			s, run := stores[i%2], fmt.Sprintf("r%d", i)
			c := step(store.RunRow{Run: run, Machine: "Order", Definition: "h", State: "Idle", Status: machine.Running, Started: noon, Entered: noon})
			for n := range rounds {
				if n%2 > 0 {
					c.Run.Status, c.Run.Outcome = machine.Finished, machine.Success
				} else {
					c.Run.Status, c.Run.Outcome = machine.Running, ""
				}
				if err := s.Commit(t.Context(), c); err != nil {
					t.Errorf("%s, step %d: %v", run, n, err)
					return
				}
				if twice := step(store.RunRow{Run: run, Machine: "Order", Definition: "h", State: "Idle", Status: machine.Running, Started: noon, Entered: noon}); n%2 > 0 {
					twice.EventID = ""
					if err := s.Commit(t.Context(), twice); !errors.Is(err, machine.ErrExists) {
						t.Errorf("%s was started a second time: %v", run, err)
					}
				}
				c = step(c.Run)
			}
		})
	}
	steppers.Wait()
	stop()
	movers.Wait()
	all := runsIn(t, url, "all_runs")
	if len(all) != runs+1 || len(slices.Compact(all)) != runs+1 {
		t.Errorf("runs %q", all)
	}
	for i := range runs {
		row, err := stores[0].Load(t.Context(), fmt.Sprintf("r%d", i))
		if err != nil || row.Seq != rounds {
			t.Errorf("%s is at %d, %v", row.Run, row.Seq, err)
		}
		if records, err := stores[1].History(t.Context(), row.Run, 0, 0); err != nil || len(records) != rounds {
			t.Errorf("%s has %d records, %v", row.Run, len(records), err)
		}
	}
}

// TestArchiveSetting: a version that knows no archive cannot go on beside one, and holds it up while it is there.
func TestArchiveSetting(t *testing.T) {
	url := pgtest.URL(t)
	if err := postgres.SetArchive(t.Context(), url, postgres.ArchiveMonth); !errors.Is(err, postgres.ErrMissing) {
		t.Errorf("without tables: %v", err)
	}
	s := open(t, url)
	if err := postgres.SetArchive(t.Context(), url, "year"); err == nil || !strings.Contains(err.Error(), `"month" or "off"`) {
		t.Errorf("got %v", err)
	}
	if err := inSchema(t, url, "UPDATE @hosts SET format = 5"); err != nil {
		t.Fatal(err)
	}
	if err := postgres.SetArchive(t.Context(), url, postgres.ArchiveMonth); !errors.Is(err, postgres.ErrOlderHosts) {
		t.Errorf("beside an older version: %v", err)
	}
	if err := inSchema(t, url, "UPDATE @hosts SET format = 6"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := postgres.SetArchive(t.Context(), url, postgres.ArchiveMonth); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := postgres.Open(t.Context(), url, postgres.OfFormat(5)); !errors.Is(err, postgres.ErrNewer) {
		t.Errorf("an older version opens it: %v", err)
	}
	for _, run := range []string{"a", "b"} {
		begin(t, s, run)
		endAt(t, s, run, noon, machine.Success)
		if run == "a" && archive(t, s) != 1 {
			t.Error("nothing is archived")
		}
		if err := postgres.SetArchive(t.Context(), url, postgres.ArchiveOff); err != nil {
			t.Fatal(err)
		}
	}
	if n := archive(t, s); n != 0 {
		t.Errorf("archived %d runs where it is off", n)
	}
	endAgain := next(t, s, "a")
	if err := s.Commit(t.Context(), endAgain); err != nil {
		t.Errorf("a step of a run that is still in the archive: %v", err)
	}
	if st, err := postgres.Inspect(t.Context(), url); err != nil || st.Archive != postgres.ArchiveOff || len(st.Months) != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestArchiveRoles: a worker archives and can do nothing else to the archive, a reader reads it, and the owner sets it.
func TestArchiveRoles(t *testing.T) {
	at := pgtest.URL(t)
	if err := open(t, at).Close(); err != nil {
		t.Fatal(err)
	}
	owner, worker, reader := grant(t, at)
	if err := postgres.SetArchive(t.Context(), worker, postgres.ArchiveMonth); !errors.Is(err, postgres.ErrRights) {
		t.Errorf("a worker sets it: %v", err)
	}
	if err := postgres.SetArchive(t.Context(), owner, postgres.ArchiveMonth); err != nil {
		t.Fatal(err)
	}
	works := open(t, worker)
	begin(t, works, "r")
	endAt(t, works, "r", noon, machine.Success)
	if n := archive(t, works); n != 1 {
		t.Errorf("a worker archives %d runs", n)
	}
	for _, statement := range []string{
		"DELETE FROM @archived_runs", "UPDATE @archived_runs SET state = 'x'", "DELETE FROM @archived_history_2026_03", "DROP TABLE @archived_runs_2026_03",
		"INSERT INTO @archived_inbox_2026_03 SELECT * FROM @archived_inbox", "TRUNCATE @archived_tags_2026_03", "UPDATE @settings SET value = 'off'",
	} {
		for who, url := range map[string]string{"worker": worker, "reader": reader} {
			if allowed(t, url, statement) == nil {
				t.Errorf("a %s may %s", who, statement)
			}
		}
	}
	for _, call := range []string{"SELECT @archive_runs(now(), 1)", "SELECT @unarchive_run('r')"} {
		if allowed(t, reader, call) == nil {
			t.Errorf("a reader may %s", call)
		}
	}
	if row, err := open(t, reader, postgres.ReadOnly()).Load(t.Context(), "r"); err != nil || row.Seq != 2 {
		t.Errorf("a reader reads %+v, %v", row, err)
	}
	if err := works.Commit(t.Context(), next(t, works, "r")); err != nil {
		t.Errorf("a worker moves a run back: %v", err)
	}
	q := store.PruneQuery{Before: time.Now(), Limit: 10, Now: time.Now(), Actor: "ada"}
	if err := inSchema(t, at, "UPDATE @runs SET ended = '2026-03-01 12:00Z' WHERE run = 'r'"); err != nil {
		t.Fatal(err)
	}
	archive(t, works)
	if _, err := works.Prune(t.Context(), q); !errors.Is(err, postgres.ErrRights) {
		t.Errorf("a worker prunes: %v", err)
	}
	if done, err := open(t, owner).Prune(t.Context(), q); err != nil || done.Runs != 1 {
		t.Errorf("the owner prunes %+v, %v", done, err)
	}
}
