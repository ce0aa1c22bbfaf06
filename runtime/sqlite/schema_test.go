//go:build cgo

package sqlite

import (
	"strings"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
)

// TestHistoryOnlyGrows tries every way to change what happened, with a
// connection that may write.
func TestHistoryOnlyGrows(t *testing.T) {
	s := openAt(t, made(t))
	try := func(text string) error {
		return s.writer.do(t.Context(), 0, func(t *tx) error {
			_, err := t.exec(text)
			return err
		})
	}
	for _, text := range []string{
		`UPDATE history SET input = 'Other'`,
		`DELETE FROM history`,
		`INSERT OR REPLACE INTO history SELECT id, run, seq, back, at, kind, 'Other', source, target, effect, counts, record FROM history`,
		`INSERT OR REPLACE INTO history SELECT id, run, seq + 1, back, at, kind, 'Other', source, target, effect, counts, record FROM history`,
	} {
		if err := try(text); err == nil || !strings.Contains(err.Error(), "history only grows") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{ // an unfinished run cannot be pruned
		`INSERT INTO pruning (run) VALUES ('r')`, `DELETE FROM history WHERE run = 'r'`,
	} {
		if err := try(text); err != nil && !strings.Contains(err.Error(), "history only grows") {
			t.Errorf("%s: %v", text, err)
		}
	}
	if n := query[int](t, s, `SELECT count(*) FROM history WHERE input = 'Go'`); n != 1 {
		t.Fatalf("%d records are left as they were", n)
	}
	for _, text := range []string{ // a finished one can
		`UPDATE runs SET status = 'finished', outcome = 'success'`, `DELETE FROM history WHERE run = 'r'`,
	} {
		if err := try(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := try(`UPDATE epochs SET epoch = epoch - 1`); err == nil {
		t.Error("a fencing token has fallen")
	}
}

func TestConstraints(t *testing.T) {
	s := openAt(t, made(t))
	for _, text := range []string{
		`UPDATE runs SET snapshot = 'no json'`,
		`UPDATE runs SET started = 'yesterday'`,
		`UPDATE runs SET definition = 'never put'`,
		`INSERT INTO timers (run, name, due, awake) VALUES ('none', 't', 1, 1)`,
		`INSERT INTO inbox (run, event_id, seq) VALUES ('r', '1', 1)`,
		`DELETE FROM runs`,
		`UPDATE runs SET run = 'other'`,
	} {
		err := s.writer.do(t.Context(), 0, func(t *tx) error {
			_, err := t.exec(text)
			return err
		})
		if err == nil {
			t.Errorf("%s was done", text)
		}
	}
}

// TestReadable reads the database as a person would, with SQL alone.
func TestReadable(t *testing.T) {
	s := openAt(t, made(t))
	for text, want := range map[string]string{
		`SELECT state || ' ' || started || ' ' || data FROM runs_v`: `Idle 2026-03-01T12:00:00.000000Z {"n":1}`,
		`SELECT seq || ' ' || at || ' ' || input FROM history_v`:    `1 2026-03-01T12:00:01.000000Z Go`,
		`SELECT due FROM timers_v`:                                  `2026-03-01T12:00:01.000000Z`,
		`SELECT id || coalesce(delivered, ' waits') FROM outbox_v`:  `r/1/1 waits`,
		`SELECT count(*) FROM tasks_v`:                              `0`,
	} {
		if got := query[string](t, s, text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	silent, err := readAll(t.Context(), s, sqlrow.One[string],
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%-- %'`)
	if err != nil || len(silent) > 0 {
		t.Errorf("tables %q do not say what they are, %v", silent, err)
	}
}
