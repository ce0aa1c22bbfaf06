package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/postgres/pgtest"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// faults is how often each fault happens; FSMC_PG_FAULTS=N for other numbers, and for servers that are
// replaced by a standby.
func faults(t testing.TB, usual int) int {
	given := os.Getenv("FSMC_PG_FAULTS")
	if given == "" {
		return usual
	}
	n, err := strconv.Atoi(given)
	must(t, err)
	return n
}

// load is callers who take steps while something fails, and each insists on its own step until
// it hears that it was made.
type load struct {
	testing.TB
	stores []*postgres.Store
	stop   chan struct{}
	wait   sync.WaitGroup

	mu     sync.Mutex
	made   map[string]bool // steps that were acknowledged, by a name of their own
	failed int             // calls
}

const loadedRuns = 3

// newLoad begins, with stores on a database and two callers for each of some runs.
func newLoad(t testing.TB, url string) *load {
	l := &load{TB: t, stop: make(chan struct{}), made: map[string]bool{}, stores: []*postgres.Store{open(t, url), open(t, url)}}
	for i := range loadedRuns {
		begin(t, l.stores[0], fmt.Sprint("r", i))
	}
	for i := range 2 * loadedRuns {
		l.wait.Go(func() {
			for n := 0; l.goesOn(); n++ {
				l.take(l.stores[i%2], fmt.Sprint("r", i%loadedRuns), fmt.Sprintf("%d/%d", i, n))
			}
		})
	}
	return l
}

func (l *load) goesOn() bool {
	select {
	case <-l.stop:
		return false
	default:
		return true
	}
}

// take takes a step of a name.
func (l *load) take(s *postgres.Store, run, name string) {
	for {
		row, err := s.Load(context.Background(), run)
		if err == nil {
			c := step(row)
			c.EventID = name
			c.History[0].Record = fmt.Appendf(nil, `{"name":%q}`, name)
			err = s.Commit(context.Background(), c)
		}
		switch {
		case err == nil, errors.Is(err, machine.ErrDuplicate):
			l.mu.Lock()
			l.made[name] = true
			l.mu.Unlock()
			return
		case errors.Is(err, store.ErrConflict):
		default:
			l.mu.Lock()
			l.failed++
			l.mu.Unlock()
			if !l.goesOn() {
				return
			}
		}
	}
}

// takes waits until so many more steps have been acknowledged.
func (l *load) takes(n int) {
	l.Helper()
	l.more("steps are made", n, func() int { return len(l.made) })
}

// fails waits until so many more calls have failed.
func (l *load) fails(n int) {
	l.Helper()
	l.more("calls fail", n, func() int { return l.failed })
}

func (l *load) more(what string, n int, of func() int) {
	l.Helper()
	count := func() int {
		l.mu.Lock()
		defer l.mu.Unlock()
		return of()
	}
	want := count() + n
	for begun := time.Now(); count() < want; time.Sleep(time.Millisecond) {
		if time.Since(begun) > 5*time.Minute {
			l.Fatalf("no %s: %d of %d", what, count(), want)
		}
	}
}

// ends ends the load.
func (l *load) ends() {
	close(l.stop)
	l.wait.Wait()
	l.Logf("%d steps, %d calls failed", len(l.made), l.failed)
}

// check looks for each acknowledged step in history, once, and says how many are not there.
func (l *load) check(s store.Store) (missing int) {
	l.Helper()
	seen := map[string]int{}
	for i := range loadedRuns {
		history, err := s.History(l.Context(), fmt.Sprint("r", i), 0, 0)
		must(l, err)
		for n, row := range history {
			if row.Seq != int64(n+1) {
				l.Errorf("%s: record %d stands at %d", row.Run, row.Seq, n+1)
			}
			if n > 0 {
				seen[string(row.Record)]++
			}
		}
	}
	for name, n := range seen {
		if n > 1 {
			l.Errorf("step %s is there %d times", name, n)
		}
	}
	for name := range l.made {
		if seen[fmt.Sprintf(`{"name":%q}`, name)] == 0 {
			missing++
		}
	}
	return missing
}

// nothingLost: each acknowledged step is there, and no two transactions waited for each other.
func (l *load) nothingLost(s store.Store, url string) {
	l.Helper()
	if n := l.check(s); n > 0 {
		l.Errorf("%d acknowledged steps are lost", n)
	}
	if rows, err := query(l, url, "SELECT deadlocks::text, '' FROM pg_stat_database WHERE datname = current_database()"); err != nil || rows[0][0] != "0" {
		l.Errorf("deadlocks: %v, %v", rows, err)
	}
}

// TestTerminated: the server ends connections again and again, in the middle of what they do.
func TestTerminated(t *testing.T) {
	url := pgtest.URL(t, "application_name=terminated")
	l := newLoad(t, url)
	for range faults(t, 30) {
		l.takes(5)
		err := pgtest.Exec(t.Context(), strings.Replace(url, "application_name=terminated", "application_name=killer", 1),
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'terminated' AND random() < 0.7")
		must(t, err)
	}
	l.takes(10)
	l.ends()
	l.nothingLost(l.stores[0], url)
}

// TestRestarted: the server crashes and comes back, and nothing that it has acknowledged is lost.
func TestRestarted(t *testing.T) {
	server := pgtest.NewServer(t)
	l := newLoad(t, server.URL())
	for range faults(t, 2) {
		l.takes(20)
		server.Crash()
		time.Sleep(rand.N(50 * time.Millisecond))
		server.Start()
	}
	l.takes(20)
	l.ends()
	l.nothingLost(l.stores[0], server.URL())
}

// TestErrors: what a server says that has no room, has lost a race or was told to stop makes no
// step that is acknowledged and not there, and none twice.
func TestErrors(t *testing.T) {
	url := pgtest.URL(t)
	l := newLoad(t, url)
	fail := strings.ReplaceAll(`
		CREATE SEQUENCE @.failing;
		CREATE FUNCTION @.fail() RETURNS trigger LANGUAGE plpgsql AS $$
		DECLARE n bigint := nextval('@.failing');
		BEGIN
			IF n / 5 % 3 = 0 THEN
				RAISE 'a test' USING ERRCODE = (ARRAY['40001', '40P01', '53300', '53100', '57014'])[1 + n / 15 % 5];
			END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER failing BEFORE INSERT ON @.history FOR EACH ROW EXECUTE FUNCTION @.fail();`, "@", pgtest.SchemaOf(t, url))
	must(t, pgtest.Exec(t.Context(), url, fail))
	l.takes(5 * faults(t, 40))
	l.ends()
	l.nothingLost(l.stores[0], url)
	if l.failed == 0 {
		t.Error("nothing has failed")
	}
}

// failover is a load on a server with a standby, by a URL that names both.
func failover(t *testing.T) (primary, standby *pgtest.Server, l *load, url string) {
	if os.Getenv("FSMC_PG_FAULTS") == "" {
		t.Skip("FSMC_PG_FAULTS is not set")
	}
	primary = pgtest.NewServer(t)
	standby = primary.Standby()
	url = strings.Replace(primary.URL(), "host=", "target_session_attrs=read-write&host=", 1)
	at := strings.Index(url, "host=") + len("host=")
	url = url[:at] + strings.ReplaceAll(primary.Dir()+","+standby.Dir(), "/", "%2F") + url[at+strings.IndexAny(url[at:]+"&", "&"):]
	return primary, standby, newLoad(t, url), url
}

// claims claims the only task of a run, as often as it is asked to, and gives the epochs.
func claims(t *testing.T, s *postgres.Store, times int) (epochs []int64) {
	t.Helper()
	for range times {
		rows, err := s.Claim(t.Context(), store.ClaimQuery{Worker: "w", Now: noon, Until: noon.Add(time.Hour), Limit: 1,
			Activities: []store.Claimable{{Definition: "h", Activity: "work"}}})
		if err != nil || len(rows) != 1 {
			t.Fatalf("%v, %v", rows, err)
		}
		epochs = append(epochs, rows[0].Epoch)
		must(t, s.Release(t.Context(), rows[0].Claim(), noon, time.Time{}))
	}
	return epochs
}

// withTask gives a run a task that can be claimed.
func withTask(t *testing.T, s *postgres.Store, run string) {
	t.Helper()
	begin(t, s, run)
	c := next(t, s, run)
	c.Start = []store.TaskRow{{Run: run, Machine: "Order", Definition: "h", Do: "a", Activity: "work", Key: "k", Attempt: 1, Seq: c.Run.Seq}}
	must(t, s.Commit(t.Context(), c))
}

// TestFailover: the server crashes, and its synchronous standby takes its place. Nothing that was
// acknowledged is lost, and the stores go on without being opened again.
func TestFailover(t *testing.T) {
	primary, standby, l, url := failover(t)
	withTask(t, l.stores[0], "t")
	for _, statement := range []string{"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"} {
		must(t, pgtest.Exec(t.Context(), primary.URL(), statement))
	}
	synchronous := "DO 'BEGIN WHILE NOT EXISTS (SELECT 1 FROM pg_stat_replication WHERE sync_state = ''sync'') LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END'"
	must(t, pgtest.Exec(t.Context(), primary.URL(), synchronous))
	before := claims(t, l.stores[0], 3)
	l.takes(30)
	primary.Crash()
	standby.Promote()
	l.takes(30)
	l.ends()
	l.nothingLost(l.stores[0], url)
	noneTwice(t, append(before, claims(t, l.stores[0], 3)...))
}

// TestFailoverLosing: a standby that is behind takes the place of the server. What it does not
// have is lost, in whole steps, and no epoch is given twice.
func TestFailoverLosing(t *testing.T) {
	primary, standby, l, _ := failover(t)
	l.takes(10)
	withTask(t, l.stores[0], "t")
	caught := "DO 'BEGIN WHILE NOT EXISTS (SELECT 1 FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_lsn()) LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END'"
	must(t, pgtest.Exec(t.Context(), primary.URL(), caught))
	for _, statement := range []string{"ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()",
		"DO 'BEGIN WHILE EXISTS (SELECT 1 FROM pg_stat_wal_receiver) LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END'"} {
		must(t, pgtest.Exec(t.Context(), standby.URL(), statement))
	}
	before := claims(t, l.stores[0], 100) // more than the server writes ahead of a sequence
	l.takes(30)
	primary.Crash()
	standby.Promote()
	l.takes(30)
	l.ends()
	if n := l.check(l.stores[0]); n == 0 {
		t.Error("nothing is lost: the test has shown nothing")
	} else {
		t.Logf("%d acknowledged steps are lost", n)
	}
	noneTwice(t, append(before, claims(t, l.stores[0], 100)...))
}

// noneTwice: epochs rise.
func noneTwice(t *testing.T, epochs []int64) {
	t.Helper()
	for i := 1; i < len(epochs); i++ {
		if epochs[i] <= epochs[i-1] {
			t.Fatalf("epoch %d behind %d", epochs[i], epochs[i-1])
		}
	}
}
