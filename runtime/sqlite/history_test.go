//go:build cgo

package sqlite

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// brokenLinks counts runs whose last row of history is another one, and rows
// whose predecessor is.
const brokenLinks = `
	SELECT (SELECT count(*) FROM runs WHERE last <> coalesce((SELECT max(id) FROM history WHERE history.run = runs.run), 0)) +
		(SELECT count(*) FROM (SELECT back <> id - lag(id, 1, id) OVER (PARTITION BY run ORDER BY seq) AS broken FROM history) WHERE broken)`

const longRun = 200

// longHistories makes a database in which the rows of three runs are mixed. Some
// commits have several.
func longHistories(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs.db")
	s := openAt(t, path)
	putDefinition(t, s)
	for _, run := range []string{"p", "q", "r"} {
		commit(t, s, firstStep(run))
	}
	for i := 0; i < longRun; i++ {
		for k, run := range []string{"p", "q", "r"} {
			row := load(t, s, run)
			if row.Seq >= longRun {
				continue
			}
			c := nextStep(row)
			for extra := range (i + k) % 3 {
				if c.Run.Seq == longRun {
					break
				}
				h := c.History[extra]
				h.Seq++
				c.History = append(c.History, h)
				c.Run.Seq++
			}
			commit(t, s, c)
		}
	}
	must(t, s.Close())
	return path
}

// numbers gives those of a run's records.
func numbers(t *testing.T, s *Store, run string, after int64, limit int) []int64 {
	t.Helper()
	rows, err := s.History(t.Context(), run, after, limit)
	must(t, err)
	all := []int64{}
	for _, h := range rows {
		if h.Run != run {
			t.Fatalf("%s has a record of %s", run, h.Run)
		}
		all = append(all, h.Seq)
	}
	return all
}

func TestHistoryInParts(t *testing.T) {
	s := openAt(t, longHistories(t))
	if n := query[int](t, s, brokenLinks); n != 0 {
		t.Errorf("%d links are broken", n)
	}
	for _, after := range []int64{0, 1, 62, 63, 64, 65, 127, 128, 191, 192, 199, 200, 201} {
		for _, limit := range []int{0, 1, 2, 63, 64, 65, 199, 1000} {
			want := []int64{}
			for seq := after + 1; seq <= longRun && (limit == 0 || seq <= after+int64(limit)); seq++ {
				want = append(want, seq)
			}
			if got := numbers(t, s, "q", after, limit); !slices.Equal(got, want) {
				t.Errorf("%d after %d: %v", limit, after, got)
			}
		}
	}
	if got := numbers(t, s, "none", 0, 0); len(got) != 0 {
		t.Errorf("a run that is none has %v", got)
	}
}

// TestHistoryDamagedChain: where a link is wrong the history is found
// nevertheless, the next step links what it writes as it should be, and a prune
// leaves nothing behind.
func TestHistoryDamagedChain(t *testing.T) {
	for _, damage := range []string{
		`UPDATE runs SET last = 0`,
		`UPDATE runs SET last = last - 1`,
		`UPDATE runs SET last = 1000000`,
		`UPDATE history SET back = 0 WHERE run = 'q' AND seq = 150`,
		`UPDATE history SET back = back + 1 WHERE run = 'q' AND seq = 150`,
		`UPDATE history SET back = (SELECT id - h.id FROM history AS h WHERE h.run = 'q' AND h.seq = 148) WHERE run = 'q' AND seq = 150`,
	} {
		path := longHistories(t)
		withoutTrigger(t, path, "history_no_update", damage)
		s := openAt(t, path)
		whole := numbers(t, s, "q", 0, 0)
		if len(whole) != longRun || whole[longRun-1] != longRun {
			t.Errorf("%s: %d records are found", damage, len(whole))
		}
		if part := numbers(t, s, "q", 140, 20); !slices.Equal(part, whole[140:160]) {
			t.Errorf("%s: a part of it is %v", damage, part)
		}
		row := load(t, s, "q")
		c := nextStep(row)
		c.Run.Status, c.Run.Outcome, c.Publish = machine.Finished, machine.Success, nil
		commit(t, s, c)
		if id := query[int64](t, s, `SELECT id - back FROM history WHERE run = 'q' AND seq = 201`); id != query[int64](t, s, `SELECT id FROM history WHERE run = 'q' AND seq = 200`) {
			t.Errorf("%s: the next record stands behind row %d", damage, id)
		}
		err := s.writer.do(t.Context(), 0, func(t *tx) error {
			_, err := t.exec(`UPDATE outbox SET delivered = 1`)
			return err
		})
		must(t, err)
		done, err := s.Prune(t.Context(), store.PruneQuery{Before: noon.Add(time.Hour), Limit: 10, Now: noon.Add(time.Hour)})
		if err != nil || done.Runs != 1 {
			t.Errorf("%s: %+v, %v", damage, done, err)
		}
		if n := query[int](t, s, `SELECT count(*) FROM history WHERE run = 'q'`); n != 0 {
			t.Errorf("%s: a prune has left %d records", damage, n)
		}
	}
}

// TestHistoryOfOtherLength: a step is refused where history does not end with the
// step before it, and records that no run leads to are found.
func TestHistoryOfOtherLength(t *testing.T) {
	for damage, want := range map[string]string{
		`DELETE FROM history WHERE run = 'q' AND seq = 200`:                                                        `the history of run "q" ends with record 199, and not 200`,
		`DELETE FROM history WHERE run = 'q'`:                                                                      `the history of run "q" ends with record 0, and not 200`,
		`UPDATE runs SET seq = 199, snapshot = '{"seq":199}' WHERE run = 'q'`:                                      `the history of run "q" ends with record 200, and not 199`,
		`UPDATE runs SET seq = 191, last = (SELECT id FROM history WHERE run = 'q' AND seq = 191) WHERE run = 'q'`: `record 192 of run "q" is there already`,
	} {
		path := longHistories(t)
		withoutTrigger(t, path, "history_no_delete", damage)
		s := openAt(t, path)
		row := load(t, s, "q")
		kept := numbers(t, s, "q", 0, 0)
		if err := s.Commit(t.Context(), withoutEvent(nextStep(row))); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", damage, err)
		}
		if got := numbers(t, s, "q", 0, 0); !slices.Equal(got, kept) || len(got) > int(row.Seq) {
			t.Errorf("%s: history of %d was %v, is %v", damage, row.Seq, kept, got)
		}
		var strays []store.Stray
		if strings.HasPrefix(damage, "UPDATE") {
			strays = []store.Stray{{Run: "q", Records: longRun, Steps: row.Seq}}
		}
		for run, want := range map[string][]store.Stray{"": strays, "q": strays, "p": nil} {
			if got, err := s.Strays(t.Context(), run); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: strays of %q: %v, %v", damage, run, got, err)
			}
		}
	}
}

// TestHistoryOfNoRun: records whose run is gone are not taken for those of a later
// run with its id.
func TestHistoryOfNoRun(t *testing.T) {
	path := longHistories(t)
	withoutTrigger(t, path, "runs_no_delete", `DELETE FROM runs WHERE run = 'q'`)
	s := openAt(t, path)
	if got := numbers(t, s, "q", 0, 0); len(got) != 0 {
		t.Errorf("a run that is gone has %v", got)
	}
	c := withoutEvent(firstStep("q"))
	c.History[0].Input, c.Set = "Again", nil
	commit(t, s, c)
	if rows, err := s.History(t.Context(), "q", 0, 0); err != nil || len(rows) != 1 || rows[0].Input != "Again" {
		t.Errorf("%+v, %v", rows, err)
	}
	if got, err := s.Strays(t.Context(), ""); err != nil || !slices.Equal(got, []store.Stray{{Run: "q", Records: longRun + 1, Steps: 1}}) {
		t.Errorf("strays %v, %v", got, err)
	}
}

// withoutEvent is c without what other steps may have left already.
func withoutEvent(c *store.Commit) *store.Commit {
	c.EventID, c.Answer, c.Publish = "", nil, nil
	return c
}

// withoutTrigger runs a statement that a trigger refuses.
func withoutTrigger(t *testing.T, path, trigger, text string) {
	t.Helper()
	s := openAt(t, path)
	create := query[string](t, s, `SELECT sql FROM sqlite_schema WHERE name = ?`, trigger)
	must(t, s.Close())
	raw(t, path, fmt.Sprintf("DROP TRIGGER %s; %s; %s", trigger, text, create))
}
