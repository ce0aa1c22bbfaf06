package runtime

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// mostLongest is how many runs of a status Longest reads, if more have not been in their state for long.
const mostLongest = 500

// longAgo are the ages by which Longest looks for fewer runs.
var longAgo = []time.Duration{0, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, day, 7 * day, 30 * day}

// Longest gives the runs that have been in their present state for longest, the longest first,
// without their snapshots. If there are many runs, it gives only those that have been there for a
// while, such as an hour.
func (e *Engine) Longest(ctx context.Context) (longest []RunRow, err error) {
	now := e.now()
	for _, status := range []machine.Status{Running, Halted} {
		var rows []RunRow
		for _, age := range longAgo {
			f := RunFilter{Status: status, Limit: mostLongest + 1}
			if age > 0 {
				f.EnteredTo = now.Add(-age)
				f.StartedTo = f.EnteredTo // by which stores have them in order
			}
			older, err := e.store.Runs(ctx, f)
			if err != nil {
				return nil, err
			}
			if len(older) == 0 && age > 0 {
				break // all are younger
			}
			if rows = older; len(rows) <= mostLongest {
				break
			}
		}
		longest = append(longest, rows...)
	}
	for i := range longest {
		longest[i].Snapshot = nil
	}
	slices.SortFunc(longest, func(a, b RunRow) int { return cmp.Or(a.Entered.Compare(b.Entered), cmp.Compare(a.Run, b.Run)) })
	return longest, nil
}
