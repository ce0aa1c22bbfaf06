package store

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"
)

// EachRun reads the runs that f lets through, newest first, a page at a time,
// and gives each to visit, whose error ends the walk. Where the last run of a page
// is pruned meanwhile, the walk goes on behind where it stood.
func EachRun(ctx context.Context, store Store, f RunFilter, page int, visit func(*RunRow) error) error {
	left := f.Limit
	var last *RunRow // that was given to visit
	for f.Limit = page; ; {
		if left > 0 {
			f.Limit = min(page, left)
		}
		rows, err := store.Runs(ctx, f)
		if errors.Is(err, ErrNotFound) && last != nil && f.After != "" {
			f.After = ""
			if behind := last.Started.Add(time.Microsecond); f.StartedTo.IsZero() || behind.Before(f.StartedTo) {
				f.StartedTo = behind
			}
			continue
		}
		if err != nil {
			return err
		}
		for i := range rows {
			if last != nil && NewestFirst(*last, rows[i]) >= 0 {
				continue // those that started with the one that is gone come again
			}
			if err := visit(&rows[i]); err != nil {
				return err
			}
			last = &RunRow{Run: rows[i].Run, Started: rows[i].Started}
			if left--; left == 0 {
				return nil
			}
		}
		if len(rows) < f.Limit {
			return nil
		}
		f.After = rows[len(rows)-1].Run
	}
}

// NewestFirst orders runs as they are listed: by when they started, then by id, backwards.
func NewestFirst(a, b RunRow) int {
	return cmp.Or(b.Started.Compare(a.Started), strings.Compare(b.Run, a.Run))
}
