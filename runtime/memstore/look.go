package memstore

import (
	"context"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

func (s *Store) Look(ctx context.Context, q store.LookQuery) (store.Work, error) {
	return locked(ctx, s, func() (store.Work, error) {
		q.Now = micro(q.Now)
		w := store.Work{Stopping: s.stopping(q.Worker, q.Now), Wake: s.nextWake(q.Now, q.Run)}
		if q.Limit > 0 {
			w.Due = s.hands.Timers(s.dueTimers(q.Now, q.Run), &q)
			w.Expired = s.hands.Claims(s.expired(q.Now, q.Run), &q)
		}
		if q.Versions {
			w.Wanted = s.wanted()
		}
		if q.Versions || q.Children {
			w.Leftovers = s.rows(func(t *task) bool { return t.Cancelled && t.ChildHolds() })
		}
		if q.Children {
			w.Reports, w.Ending = s.reports(&store.ReportQuery{}), s.ending()
		}
		return w, nil
	})
}

// stopping are the claims of a worker whose tasks have been cancelled.
func (s *Store) stopping(worker string, now time.Time) (claims []store.Claim) {
	for _, t := range s.tasks {
		if t.Cancelled && t.Worker == worker && t.Leased(now) {
			claims = append(claims, t.Claim())
		}
	}
	return claims
}

// wanted are the versions that have tasks which no one holds.
func (s *Store) wanted() (hashes []string) {
	for _, t := range s.tasks {
		if t.Worker == "" && s.awake(t.Run) && !slices.Contains(hashes, t.Definition) {
			hashes = append(hashes, t.Definition)
		}
	}
	return hashes
}

// ending are the runs that wait for their children to end.
func (s *Store) ending() (runs []string) {
	for id, r := range s.runs {
		if r.row.Status == machine.Ending {
			runs = append(runs, id)
		}
	}
	return runs
}
