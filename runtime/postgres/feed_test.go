package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
	"github.com/fsmc-dev/fsmc/runtime/storetest"
)

// newRun is the commit that creates a run.
func newRun(run string) *store.Commit {
	return step(store.RunRow{
		Run: run, Machine: "Order", Definition: "h", State: "Idle", Status: machine.Running, Started: noon, Entered: noon,
	})
}

// fed are the steps of the feed behind a position, and its end.
func fed(t *testing.T, s *postgres.Store, after int64) (steps []string, end int64) {
	t.Helper()
	rows, err := s.Feed(t.Context(), after, 0)
	must(t, err)
	for i := range rows {
		steps = append(steps, fmt.Sprintf("%s %d", rows[i].Run, rows[i].Seq))
	}
	if end, err = s.FeedEnd(t.Context()); err != nil {
		t.Fatal(err)
	}
	return steps, end
}

// TestFeedHoldsBack: what is written behind something that is not committed yet waits for
// that, so that who has read further does not miss it.
func TestFeedHoldsBack(t *testing.T) {
	url := pgtest.URL(t)
	s := open(t, url)
	begin(t, s, "r")
	expect := func(after int64, want string) (end int64) {
		t.Helper()
		steps, end := fed(t, s, after)
		if got := fmt.Sprint(steps); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		return end
	}
	end := expect(0, "[r 1]")
	conn := connect(t, url)
	for _, commits := range []bool{true, false} {
		run := fmt.Sprint(commits)
		tx, err := conn.Begin(t.Context())
		must(t, err)
		in := s.In(tx)
		commit := func(s *postgres.Store, c *store.Commit) *store.Commit {
			t.Helper()
			must(t, s.Commit(t.Context(), c))
			return step(c.Run)
		}
		slow := commit(in, newRun("slow "+run))
		fast := commit(s, newRun("fast "+run))
		if held := expect(end, "[]"); held != end {
			t.Errorf("the end is %d, where %d is under way", held, end+1)
		}
		for range 200 { // of which not each takes a lock
			slow = commit(in, slow)
		}
		commit(s, fast)
		expect(end, "[]")
		if rows, err := in.Feed(t.Context(), 0, 1); err != nil || len(rows) != 1 {
			t.Errorf("in the transaction: %v, %v", rows, err)
		}
		var locks int
		if err := tx.QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()").Scan(&locks); err != nil || locks != 1 {
			t.Errorf("it has %d locks: %v", locks, err)
		}
		ends := tx.Rollback
		if commits {
			ends = tx.Commit
		}
		must(t, ends(t.Context()))
		steps, last := fed(t, s, end)
		want := 2
		if commits {
			want = 203
		}
		if len(steps) != want || steps[len(steps)-1] != "fast "+run+" 2" {
			t.Errorf("%d steps, want %d, the last one that of fast: %v", len(steps), want, steps)
		}
		end = last
	}
}

// TestFeedOfTransactions: who reads while programs commit steps in transactions of their own,
// of several runs each, is given each step once.
func TestFeedOfTransactions(t *testing.T) {
	url := pgtest.URL(t, "synchronous_commit=off")
	s := open(t, url, postgres.Relaxed())
	begin(t, s, "first")
	const programs, runs, steps = 4, 3, 10
	var conns []*pgx.Conn
	for range programs {
		conns = append(conns, connect(t, url))
	}
	storetest.Follow(t, s, programs*runs, steps, func() {
		var wait sync.WaitGroup
		for p, conn := range conns {
			wait.Go(func() {
				if err := inTransactions(s, conn, p, runs, steps); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	})
}

// inTransactions takes steps of some runs, a step of each in one transaction.
func inTransactions(s *postgres.Store, conn *pgx.Conn, program, runs, steps int) error {
	commits := make([]*store.Commit, runs)
	for i := range commits {
		commits[i] = newRun(fmt.Sprintf("p%d r%d", program, i))
	}
	for range steps {
		tx, err := conn.Begin(context.Background())
		if err != nil {
			return err
		}
		in := s.In(tx)
		for i, c := range commits {
			if err := in.Commit(context.Background(), c); err != nil {
				return err
			}
			commits[i] = step(c.Run)
		}
		if err := tx.Commit(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// TestFeedReader: who may only look may read the feed.
func TestFeedReader(t *testing.T) {
	url := pgtest.URL(t)
	begin(t, open(t, url), "r")
	s := open(t, url, postgres.ReadOnly())
	if steps, end := fed(t, s, 0); fmt.Sprint(steps) != "[r 1]" || end != 1 {
		t.Errorf("%v, %d", steps, end)
	}
}
