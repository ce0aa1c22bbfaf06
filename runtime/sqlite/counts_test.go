//go:build cgo

package sqlite

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestCountsOfOlderDatabase: a database of format 1 has the counts after the
// migration that it would have had, had it been counted from the beginning; one
// of format 4 has those of its log of counts, and one of format 5 those that it had.
func TestCountsOfOlderDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.db")
	s := openAt(t, path)
	putDefinition(t, s)
	random := rand.New(rand.NewPCG(7, 7))
	for n := range 30 {
		run := fmt.Sprintf("r%d", n)
		begin := firstStep(run)
		begin.History[0].From, begin.Run.Entered = "", begin.History[0].At
		commit(t, s, begin)
		for range random.IntN(6) {
			row := load(t, s, run)
			c := nextStep(row)
			h := &c.History[0]
			h.At = row.Updated.Add(time.Duration(random.Int64N(1 << (10 + random.IntN(35)))).Truncate(time.Microsecond))
			h.From, h.To, h.Effect = row.State, fmt.Sprintf("S%d", random.IntN(3)), machine.Moved
			if random.IntN(3) == 0 {
				h.To, h.Effect = h.From, machine.Stayed
			} else {
				c.Run.Entered = h.At
			}
			if random.IntN(2) == 0 {
				h.Record = fmt.Appendf(nil, `{"input":{"cost":[{"name":"tokens","amount":"%d"},{"name":"usd","amount":"0.%02d1"}]}}`,
					random.IntN(1e6), random.IntN(100))
			}
			c.Run.State, c.Run.Updated = h.To, h.At
			commit(t, s, c)
		}
	}
	want := sortedCounts(t, s)
	if len(want) < 20 {
		t.Fatalf("only %d counts: %v", len(want), want)
	}
	history, logged := historyOf(t, s), allCounts(t, s)
	must(t, s.Close())
	for format, path := range map[int]string{1: inFormat(t, 1, path, nil), 4: inFormat(t, 4, path, logged), 5: inFormat(t, 5, path, nil)} {
		s = openAt(t, path)
		if got := sortedCounts(t, s); !slices.Equal(got, want) {
			t.Errorf("format %d:\ngot  %v\nwant %v", format, got, want)
		}
		if got := historyOf(t, s); !slices.Equal(got, history) {
			t.Errorf("format %d:\ngot  %v\nwant %v", format, got, history)
		}
		if got := allCounts(t, s); !maps.Equal(got, logged) {
			t.Errorf("format %d:\ngot  %v\nwant %v", format, got, logged)
		}
		if n := query[int](t, s, brokenLinks); n != 0 {
			t.Errorf("format %d: %d links of history are broken", format, n)
		}
	}
}

// TestCountsOfRepairs: a repair counts how the run stood by its history, whatever
// someone has made of its row, of which nothing has been counted.
func TestCountsOfRepairs(t *testing.T) {
	s := openAt(t, made(t))
	row := load(t, s, "r")
	err := s.write(t.Context(), func(t *tx) error {
		_, err := t.exec(`UPDATE runs SET state = 'Lost', machine = 'Other', paused = 1, started = started + 5 WHERE run = 'r'`)
		return err
	})
	must(t, err)
	if err := s.Commit(t.Context(), nextStep(row)); !errors.Is(err, store.ErrConflict) {
		t.Errorf("a step of a run that was started at another time: %v", err)
	}
	c := nextStep(row)
	c.Repairs = &row
	commit(t, s, c)
	if got, err := s.Load(t.Context(), "r"); err != nil || got.State != "Idle" || got.Machine != "Order" || got.Paused || !got.Started.Equal(row.Started) {
		t.Errorf("the run is %+v, %v", got, err)
	}
	runs := allCounts(t, s)
	maps.DeleteFunc(runs, func(c count, _ int64) bool { return c.table != runCounts })
	if want := (counts{{table: runCounts, machine: "Order", texts: [5]string{"Idle", "running"}}: 1}); !maps.Equal(runs, want) {
		t.Errorf("counted %v, want %v", runs, want)
	}
	commit(t, s, nextStep(c.Run))
}

// allCounts are all but the costs.
func allCounts(t *testing.T, s *Store) counts {
	t.Helper()
	all, err := uncounted(t.Context(), plain{s.readers})
	must(t, err)
	for _, table := range countTables {
		must(t, table.read(t.Context(), plain{s.readers}, "", all))
	}
	maps.DeleteFunc(all, func(_ count, n int64) bool { return n == 0 })
	return all
}

// inFormat gives a copy of a database as an earlier version would have made it,
// with a log of counts where that had one.
func inFormat(t *testing.T, format int, path string, logged counts) string {
	t.Helper()
	older := filepath.Join(t.TempDir(), "older.db")
	must(t, prepareFile(older, true))
	db := connect(older, "rw", newOptions(nil))
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, text := range []string{
		strings.Join(migrations()[:format], "\n"),
		fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, format),
		"ATTACH '" + path + "' AS newer",
	} {
		if _, err := db.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	tables := "definitions runs history checkpoints tasks timers outbox inbox"
	switch format {
	case 4:
		tables += " cost_counts"
	case 5:
		tables += " cost_counts run_counts step_counts stay_counts count_names counted"
	}
	for _, table := range strings.Fields(tables) {
		var columns string
		err := db.QueryRow("SELECT group_concat(name) FROM pragma_table_info('" + table + "')").Scan(&columns)
		if err == nil {
			_, err = db.Exec("INSERT OR REPLACE INTO main." + table + " (" + columns + ") SELECT " + columns + " FROM newer." + table)
		}
		if err != nil {
			t.Fatalf("%s: %v", table, err)
		}
	}
	for c, n := range logged { // in three rows each
		name, err := c.name()
		for _, part := range []int64{n, 3, -3} {
			if err == nil {
				_, err = db.Exec(`INSERT INTO count_log (counts) VALUES (?)`,
					fmt.Sprintf(`[%s,"n":%d}]`, strings.TrimSuffix(name, "}"), part))
			}
		}
		must(t, err)
	}
	return older
}

func historyOf(t *testing.T, s *Store) []string {
	t.Helper()
	lines, err := readAll(t.Context(), s, sqlrow.One[string],
		`SELECT concat_ws('|', run, seq, at, kind, input, source, target, effect, record) FROM history ORDER BY run, seq`)
	if err != nil || len(lines) == 0 {
		t.Fatal(lines, err)
	}
	return lines
}

func sortedCounts(t *testing.T, s *Store) []string {
	t.Helper()
	c, err := s.Counts(t.Context(), "", time.Time{})
	must(t, err)
	var all []string
	for _, r := range c.Runs {
		all = append(all, fmt.Sprint("run ", r))
	}
	for _, r := range c.Steps {
		all = append(all, fmt.Sprint("step ", r))
	}
	for _, r := range c.Stays {
		all = append(all, fmt.Sprint("stay ", r))
	}
	costs := map[store.CostCount]string{} // in which parts does not matter
	for _, r := range c.Costs {
		amount := r.Amount
		r.Amount = ""
		costs[r] = machine.AddAmounts(cmp.Or(costs[r], "0"), amount)
	}
	for key, amount := range costs {
		key.Amount = amount
		all = append(all, fmt.Sprint("cost ", key))
	}
	slices.Sort(all)
	return all
}

// TestPruneShortWrites: a prune of long histories is cut into writes that are
// short, and each is recorded with who did it.
func TestPruneShortWrites(t *testing.T) {
	s := openAt(t, filepath.Join(t.TempDir(), "runs.db"))
	putDefinition(t, s)
	for n := range 4 {
		c := firstStep(fmt.Sprintf("r%d", n))
		for len(c.History) < maxPruned/2 {
			h := c.History[0]
			h.Seq = int64(len(c.History) + 1)
			c.History = append(c.History, h)
		}
		c.Run.Seq, c.Publish = int64(len(c.History)), nil
		c.Run.Status, c.Run.Outcome = machine.Finished, machine.Success
		commit(t, s, c)
	}
	q := store.PruneQuery{Before: noon.Add(time.Hour), Limit: 100, Actor: "ada", Reason: "old", Now: noon}
	for _, want := range []int64{2, 2, 0} {
		if done, err := s.Prune(t.Context(), q); err != nil || done.Runs != want {
			t.Errorf("%d runs, want %d; %v", done.Runs, want, err)
		}
	}
	if n := query[int](t, s, `SELECT runs FROM prunings WHERE actor = 'ada' AND reason = 'old'`); n != 4 {
		t.Errorf("%d runs are recorded", n)
	}
	for _, table := range []string{"runs", "history", "pruning"} {
		if n := query[int](t, s, `SELECT count(*) FROM `+table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
}
