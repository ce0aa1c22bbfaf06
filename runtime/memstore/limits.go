package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

type limitKey struct{ machine, activity string }

// putLimits makes the limits of a new definition those of its machine.
func (s *Store) putLimits(d *store.DefinitionRow) error {
	limits, err := store.LimitsOf(d)
	if err == nil {
		s.limits = slices.DeleteFunc(s.limits, func(l store.ActivityLimit) bool { return l.Machine == d.Machine })
		s.limits = append(s.limits, limits...)
	}
	return err
}

// admitClaim reports whether the limit of a task's activity, if any, lets it be claimed
// now, and notes the claim.
func (s *Store) admitClaim(t *task, now time.Time) bool {
	i := slices.IndexFunc(s.limits, func(l store.ActivityLimit) bool {
		return l.Machine == t.Machine && l.Activity == t.Activity
	})
	if i < 0 {
		return true
	}
	l := &s.limits[i]
	key := limitKey{l.Machine, l.Activity}
	for k, at := range s.claims[key] {
		if at.After(now.Add(store.Racing)) {
			s.claims[key][k] = now // the clock has gone back
		}
	}
	if row := s.limitRow(l, now); !row.Open(now) {
		return false
	}
	claims := append(s.claims[key], now)
	s.claims[key] = claims[max(0, len(claims)-max(l.Rate, 1)):]
	return true
}

// limitRow is how a limit stands.
func (s *Store) limitRow(l *store.ActivityLimit, now time.Time) store.LimitRow {
	row := store.LimitRow{ActivityLimit: *l}
	for _, t := range s.tasks {
		left := t.Cancelled || s.runs[t.Run].row.Status == machine.Halted // no one reclaims it
		if t.Machine == l.Machine && t.Activity == l.Activity && t.Worker != "" && (!left || t.Leased(now)) {
			row.Held++
		}
	}
	claims := s.claims[limitKey{l.Machine, l.Activity}]
	if len(claims) == 0 {
		return row
	}
	row.Last = store.NotAfter(claims[len(claims)-1], now)
	if l.Rate > 0 && len(claims) >= l.Rate {
		row.Opens = store.NotAfter(claims[len(claims)-l.Rate], now).Add(l.Window)
	}
	return row
}

func (s *Store) Limits(ctx context.Context, now time.Time) ([]store.LimitRow, error) {
	return locked(ctx, s, func() ([]store.LimitRow, error) {
		var rows []store.LimitRow
		for i := range s.limits {
			rows = append(rows, s.limitRow(&s.limits[i], micro(now)))
		}
		slices.SortFunc(rows, func(a, b store.LimitRow) int {
			return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.Activity, b.Activity))
		})
		return rows, nil
	})
}

// openings are when the rates open under which a task waits that is ready at now.
func (s *Store) openings(now time.Time) []time.Time {
	var times []time.Time
	for i := range s.limits {
		l := &s.limits[i]
		waits := slices.ContainsFunc(s.tasks, func(t *task) bool {
			return t.Machine == l.Machine && t.Activity == l.Activity && t.Worker == "" && s.awake(t.Run) && !t.NotBefore.After(now)
		})
		if row := s.limitRow(l, now); waits {
			times = append(times, row.Opens)
		}
	}
	return times
}
