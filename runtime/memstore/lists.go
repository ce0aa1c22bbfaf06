package memstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

func (s *Store) Due(ctx context.Context, now time.Time, limit int) ([]store.TimerRow, error) {
	return locked(ctx, s, func() ([]store.TimerRow, error) { return page(s.dueTimers(now, ""), limit), nil })
}

// dueTimers are those of a run and those below it, or of all.
func (s *Store) dueTimers(now time.Time, run string) (rows []store.TimerRow) {
	for key, due := range s.timers {
		if within(run, key.run) && !due.After(micro(now)) && s.awake(key.run) {
			rows = append(rows, store.TimerRow{Run: key.run, Name: key.name, Due: due})
		}
	}
	slices.SortFunc(rows, func(a, b store.TimerRow) int {
		return cmp.Or(a.Due.Compare(b.Due), strings.Compare(a.Run, b.Run), strings.Compare(a.Name, b.Name))
	})
	return rows
}

// nextWake is that of a run and those below it, or of all; rates are those of all.
func (s *Store) nextWake(after time.Time, run string) (next time.Time) {
	consider := func(t time.Time) {
		if t.Before(store.Never) && t.After(after) && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	for key, due := range s.timers {
		if within(run, key.run) && s.awake(key.run) {
			consider(due)
		}
	}
	for _, t := range s.tasks {
		if !within(run, t.Run) {
			continue
		}
		if t.Worker != "" {
			consider(t.LeaseUntil)
		} else if s.awake(t.Run) {
			consider(t.NotBefore)
		}
	}
	for _, m := range s.heads() {
		if within(run, m.Run) {
			consider(m.Ready)
		}
	}
	for _, opens := range s.openings(after) {
		consider(opens)
	}
	return next
}

func (s *Store) Runs(ctx context.Context, f store.RunFilter) ([]store.RunRow, error) {
	after, err := f.Begins(ctx, s)
	if err != nil {
		return nil, err
	}
	return locked(ctx, s, func() ([]store.RunRow, error) {
		var rows []store.RunRow
		for _, r := range s.runs {
			if f.Matches(&r.row) && (after == nil || store.NewestFirst(*after, r.row) < 0) {
				rows = append(rows, copyRun(&r.row))
			}
		}
		slices.SortFunc(rows, store.NewestFirst)
		return page(rows, f.Limit), nil
	})
}

func (s *Store) Timers(ctx context.Context, run string) ([]store.TimerRow, error) {
	return locked(ctx, s, func() ([]store.TimerRow, error) {
		var rows []store.TimerRow
		for key, due := range s.timers {
			if key.run == run {
				rows = append(rows, store.TimerRow{Run: run, Name: key.name, Due: due})
			}
		}
		slices.SortFunc(rows, func(a, b store.TimerRow) int { return strings.Compare(a.Name, b.Name) })
		return rows, nil
	})
}
