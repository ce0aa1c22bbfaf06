package sqlrow

import (
	"context"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Limits are the statements about limits of activities. But for All they are of the activity of a machine.
type Limits struct {
	All    string // the limits, by machine and activity
	Held   string // how many tasks are held at a time
	Last   string // the last claim
	Claims string // claims behind one, so many
}

// LimitedClaim is the nth claim of an activity with a limit.
type LimitedClaim struct {
	N  int64
	At time.Time
}

func limitedClaim(found Row, c *LimitedClaim) error { return found.Scan(&c.N, &c.At) }

// Limited is a limit, for a version of its machine.
type Limited struct {
	store.ActivityLimit
	hash string
}

// Claimable is what the limit is of.
func (l *Limited) Claimable() store.Claimable {
	return store.Claimable{Definition: l.hash, Activity: l.Activity}
}

// LimitOfVersion reads a limit behind the hash of a version of its machine.
func LimitOfVersion(found Row, l *Limited) error {
	return limitBehind(found, &l.ActivityLimit, &l.hash)
}

func limitBehind(found Row, l *store.ActivityLimit, before ...any) error {
	var span int64
	err := found.Scan(append(before, &l.Machine, &l.Activity, &l.AtOnce, &l.Rate, &span)...)
	l.Window = time.Duration(span) * time.Microsecond
	return err
}

// Allowance is how many tasks of an activity a claim may take.
type Allowance struct {
	store.ActivityLimit
	Free int
	Last LimitedClaim // the zero one for none
}

// Take reports whether one more may be claimed.
func (a *Allowance) Take() bool {
	a.Free--
	return a.Free >= 0
}

// Claimed counts a claim, and says which ones need not be remembered any more: up to that number.
func (a *Allowance) Claimed(now time.Time) (forget int64) {
	a.Last = LimitedClaim{a.Last.N + 1, now}
	return a.Last.N - int64(max(a.Rate, 1))
}

// Allowances are those of limits, of up to most tasks each. They are shared by the versions of a machine.
func (s *Limits) Allowances(ctx context.Context, from Source, limits []Limited, now time.Time, most int) (map[store.Claimable]*Allowance, error) {
	of, shared := map[store.Claimable]*Allowance{}, map[[2]string]*Allowance{}
	for i := range limits {
		l := &limits[i]
		name := [2]string{l.Machine, l.Activity}
		if shared[name] == nil {
			shared[name] = &Allowance{ActivityLimit: l.ActivityLimit, Free: most}
			if err := s.count(ctx, from, shared[name], now); err != nil {
				return nil, err
			}
		}
		of[l.Claimable()] = shared[name]
	}
	return of, nil
}

// count finds how many tasks may be claimed now. Claims are in the order of time, so that the oldest that count are
// asked first.
func (s *Limits) count(ctx context.Context, from Source, a *Allowance, now time.Time) (err error) {
	if a.Last, _, err = First(ctx, from, limitedClaim, s.Last, a.Machine, a.Activity); err != nil {
		return err
	}
	if a.AtOnce > 0 {
		held, _, err := First(ctx, from, One[int], s.Held, a.Machine, a.Activity, now)
		if err != nil {
			return err
		}
		a.Free = max(0, min(a.Free, a.AtOnce-held))
	}
	if a.Rate == 0 {
		return nil
	}
	a.Free = min(a.Free, a.Rate)
	before := a.Last.N - int64(a.Rate) // claims up to this one do not count any more
	claims, err := List(ctx, from, limitedClaim, s.Claims, a.Machine, a.Activity, before, a.Free)
	for _, c := range claims {
		if c.At.After(now.Truncate(time.Microsecond).Add(-a.Window)) {
			a.Free = min(a.Free, int(c.N-before)-1)
			break
		}
	}
	return err
}

// Read gives all limits, and how they stand.
func (s *Limits) Read(ctx context.Context, from Source, now time.Time) ([]store.LimitRow, error) {
	rows, err := List(ctx, from, func(found Row, l *store.LimitRow) error { return limitBehind(found, &l.ActivityLimit) }, s.All)
	for i := range rows {
		if err == nil {
			err = s.read(ctx, from, &rows[i], now.UTC().Truncate(time.Microsecond))
		}
	}
	return rows, err
}

// read fills in how a limit stands.
func (s *Limits) read(ctx context.Context, from Source, l *store.LimitRow, now time.Time) (err error) {
	if l.Held, _, err = First(ctx, from, One[int], s.Held, l.Machine, l.Activity, now); err != nil {
		return err
	}
	last, ok, err := First(ctx, from, limitedClaim, s.Last, l.Machine, l.Activity)
	if err != nil || !ok {
		return err
	}
	l.Last = store.NotAfter(last.At, now)
	if l.Rate == 0 || last.N < int64(l.Rate) {
		return nil
	}
	oldest, ok, err := First(ctx, from, limitedClaim, s.Claims, l.Machine, l.Activity, last.N-int64(l.Rate), 1)
	if ok && oldest.N == last.N-int64(l.Rate)+1 {
		l.Opens = store.NotAfter(oldest.At, now).Add(l.Window)
	}
	return err
}
