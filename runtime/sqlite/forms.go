//go:build cgo

package sqlite

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// Four migrations were changed after they had been committed.
// form is one of them as it was, in databases that were made then: its text in place of
// the migration, and what brings such a database to where the migrations go on.
type form struct {
	version int
	text    string
	bridge  string
}

var earlyForms = sync.OnceValue(func() []form {
	runs, operating, history, children := migrations()[0], migrations()[1], migrations()[4], migrations()[8]
	const (
		ready = `  ready     INTEGER NOT NULL,            -- when it can be taken: at once, after a wait, or when its lease has run out
  attempt   INTEGER NOT NULL DEFAULT 0,  -- how often it has been taken
  worker    TEXT,                        -- who took it last
  reason    TEXT,                        -- why the last attempt that came back failed
`
		counts = `  counts TEXT CHECK (counts IS NULL OR json_valid(counts)), -- what it, and the rows before it of its commit, change: [[name, by], …]
`
		countsBefore = `  counts TEXT CHECK (json_valid(counts)), -- what it, and the rows before it of its commit, change: [[name, by], …]
`
		countsFirst = `  counts TEXT CHECK (json_valid(counts)), -- what it, and rows before it, change: [[name, by], …]
`
		record      = "  record TEXT NOT NULL CHECK (json_valid(record)), -- all of it, canonical; last, because it may be large\n"
		recordFirst = "  record TEXT NOT NULL CHECK (json_valid(record)), -- all of it, canonical\n"
	)
	countLog := between(operating, "CREATE TABLE count_log", "INSERT INTO run_counts")
	countNames := between(history, "CREATE TABLE count_names", "CREATE TRIGGER history_no_gap")
	used := between(children, "ALTER TABLE runs ADD COLUMN total", "\nCREATE INDEX runs_by_parent")
	untold := between(children, "CREATE INDEX runs_untold", "\n-- Children are pruned")
	return []form{
		{
			version: 1,
			text: strings.NewReplacer(ready, "", "outbox (ready, run)", "outbox (at, run)",
				"data, attempt, reason,\n", "data,\n").Replace(runs),
			bridge: `
				DROP VIEW outbox_v;
				DROP INDEX outbox_next;
				DROP INDEX outbox_waiting;
				ALTER TABLE outbox RENAME TO outbox_at_first;` +
				between(runs, "CREATE TABLE outbox", "CREATE TABLE inbox") + between(runs, "CREATE VIEW outbox_v", "") + `
				INSERT INTO outbox (id, run, seq, n, machine, event, data, at, next, ready, delivered)
				SELECT id, run, seq, n, machine, event, data, at, next, at, delivered FROM outbox_at_first;
				DROP TABLE outbox_at_first;`,
		},
		{version: 2, text: strings.Replace(operating, countLog, "", 1), bridge: countLog},
		{
			version: 5,
			text:    strings.NewReplacer(counts, "", countNames, "", record, recordFirst).Replace(history),
			bridge:  "ALTER TABLE history ADD COLUMN counts TEXT;" + countNames,
		},
		{version: 5, text: strings.NewReplacer(counts+record, recordFirst+countsFirst).Replace(history)},
		{version: 5, text: strings.Replace(history, counts, countsBefore, 1)},
		{version: 9, text: strings.NewReplacer(used, "", untold, "").Replace(children), bridge: used + untold},
	}
})

// between is the part of a text from one of its parts up to the next; to its end
// where that is empty.
func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	if to != "" {
		rest, _, _ = strings.Cut(rest, to)
	}
	return from + rest
}

// formOf finds how a database of a version was made: nil stands for the migrations as
// they are. The error is that of the migrations as they are.
func (c *contents) formOf(ctx context.Context) (*form, error) {
	fault, err := c.differs(ctx, migrations()[:c.version])
	if fault == nil || err != nil {
		return nil, err
	}
	for _, f := range earlyForms() {
		if f.version != c.version {
			continue
		}
		texts := append(append([]string{}, migrations()[:f.version-1]...), f.text)
		if other, err := c.differs(ctx, texts); other == nil || err != nil {
			return &f, err
		}
	}
	return nil, fault
}

// differs says what a database has that the migrations do not make, or lacks.
func (c *contents) differs(ctx context.Context, texts []string) (fault, err error) {
	want, err := contentsOf(ctx, texts)
	if err != nil {
		return nil, err
	}
	for name, text := range want.objects {
		switch got, ok := c.objects[name]; {
		case !ok:
			return fmt.Errorf("%w: %s is missing", ErrDamaged, name), nil
		case got != text:
			return fmt.Errorf("%w: %s has been changed", ErrDamaged, name), nil
		}
	}
	for name := range c.objects {
		if _, ours := want.objects[name]; !ours && strings.HasPrefix(name, "trigger ") {
			return fmt.Errorf("%w: %s has been added, and may change what fsmc writes: drop it", ErrDamaged, name), nil
		}
	}
	return nil, nil
}
