package memstore

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// leave makes a task held by no one.
func (t *task) leave() {
	t.Worker = ""
	t.ClaimedAt, t.LeaseUntil, t.BeatAt, t.ProgressAt = time.Time{}, time.Time{}, time.Time{}, time.Time{}
}

// age is the time by which tasks are handed out.
func (t *task) age() time.Time {
	if t.NotBefore.IsZero() {
		return t.queued
	}
	return t.NotBefore
}

// held is the task that is held under c, or nil.
func (s *Store) held(c store.Claim) *task {
	for _, t := range s.tasks {
		if t.Worker != "" && t.TaskRow.Claim() == c {
			return t
		}
	}
	return nil
}

// current is the task that is held under c at now: the lease of a cancelled one
// ends it.
func (s *Store) current(c store.Claim, now time.Time) (*task, error) {
	t := s.held(c)
	if t == nil || t.Cancelled && !t.Leased(now) {
		return nil, machine.ErrFenced
	}
	return t, nil
}

// row is a task as callers see it.
func (s *Store) row(t *task) store.TaskRow {
	row := t.TaskRow
	last := s.checkpoints[checkpointKey{t.Run, t.Key}]
	row.Checkpoint, row.CheckpointAt = bytes.Clone(last.data), last.at
	return row
}

// rows are the tasks of which fits holds, as callers see them.
func (s *Store) rows(fits func(*task) bool) (rows []store.TaskRow) {
	for _, t := range s.tasks {
		if fits(t) {
			rows = append(rows, s.row(t))
		}
	}
	return rows
}

// leftUntil is until when workers hold attempts that a run has left.
func (s *Store) leftUntil(run string) (until time.Time) {
	for _, t := range s.tasks {
		if t.Run == run && t.Cancelled && t.LeaseUntil.After(until) {
			until = t.LeaseUntil
		}
	}
	return until
}

// childHolds reports whether a child holds t, or what the child has left when it ended.
func (s *Store) childHolds(t *task) bool {
	return t.ChildHolds() || t.Child != "" && !s.leftUntil(t.Child).IsZero()
}

// later is the later one of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// waitUntil is how long the task of a child that has ended waits for what the child has left.
func (t *task) waitUntil(until time.Time) {
	switch {
	case t.Cancelled:
		t.LeaseUntil = until
	case t.Worker == "":
		t.NotBefore = until
	}
}

// renew moves the end of a lease. If t is what a child has left that has ended, the task of the child waits for it.
func (s *Store) renew(c store.Claim, now, until time.Time) (*task, error) {
	t, err := s.current(c, micro(now))
	if err != nil {
		return nil, err
	}
	t.BeatAt, t.LeaseUntil = micro(now), micro(until)
	for _, u := range s.tasks {
		if t.Cancelled && u.Child == t.Run && u.ChildEnded {
			u.waitUntil(s.leftUntil(t.Run))
		}
	}
	return t, nil
}

// stopped takes away t, which has been cancelled and has stopped. If it was all that a child had left, the
// task of the child waits no more.
func (s *Store) stopped(t *task, now time.Time) {
	s.remove(func(u *task) bool { return u == t })
	if !s.leftUntil(t.Run).IsZero() {
		return
	}
	s.remove(func(u *task) bool { return u.Child == t.Run && u.ChildEnded && u.Cancelled })
	for _, u := range s.tasks {
		if u.Child == t.Run && u.ChildEnded && u.NotBefore.After(now) {
			u.waitUntil(now)
		}
	}
}

func (s *Store) Claim(ctx context.Context, q store.ClaimQuery) ([]store.TaskRow, error) {
	return locked(ctx, s, func() ([]store.TaskRow, error) {
		now := micro(q.Now)
		s.remove(func(t *task) bool { return t.Stopped(now) })
		var ready []*task
		not := s.due(now) // these runs may not have their tasks claimed
		for _, t := range s.tasks {
			if t.Cancelled && !t.Stopped(now) {
				not[t.Run] = true
			}
		}
		for _, t := range s.tasks {
			if !not[t.Run] && s.ready(t, &q, now) {
				ready = append(ready, t)
			}
		}
		slices.SortStableFunc(ready, func(a, b *task) int { return a.age().Compare(b.age()) })
		var rows []store.TaskRow
		for _, t := range ready {
			if len(rows) >= q.Limit {
				break
			}
			if !s.admitClaim(t, now) {
				continue
			}
			s.epoch++
			t.Epoch, t.Worker, t.LeaseUntil = s.epoch, q.Worker, micro(q.Until)
			t.ClaimedAt, t.BeatAt, t.ProgressAt = now, now, now
			rows = append(rows, s.row(t))
		}
		return rows, nil
	})
}

func (s *Store) ready(t *task, q *store.ClaimQuery, now time.Time) bool {
	if t.Worker != "" || t.NotBefore.After(now) || !within(q.Run, t.Run) || !s.awake(t.Run) {
		return false
	}
	return slices.Contains(q.Activities, store.Claimable{Definition: t.Definition, Activity: t.Activity})
}

// within reports whether a query of a run means another.
func within(of, run string) bool {
	return of == "" || run == of || strings.HasPrefix(run, of+"/")
}

// anyHeld reports whether a cancelled task of the run is held at now.
func (s *Store) anyHeld(id string, now time.Time) bool {
	return slices.ContainsFunc(s.tasks, func(t *task) bool {
		return t.Run == id && t.Cancelled && !t.Stopped(now)
	})
}

// due gives the runs that have a timer which is due at now.
func (s *Store) due(now time.Time) map[string]bool {
	runs := map[string]bool{}
	for key, due := range s.timers {
		if !due.After(now) {
			runs[key.run] = true
		}
	}
	return runs
}

func (s *Store) Renew(ctx context.Context, c store.Claim, now, until time.Time, data json.RawMessage) (bool, error) {
	return locked(ctx, s, func() (bool, error) {
		t, err := s.renew(c, now, until)
		if err != nil {
			return false, err
		}
		if data != nil {
			t.ProgressAt = micro(now)
			s.checkpoints[checkpointKey{t.Run, t.Key}] = checkpoint{bytes.Clone(data), micro(now)}
		}
		return t.Cancelled, nil
	})
}

func (s *Store) RenewAll(ctx context.Context, claims []store.Claim, now, until time.Time) (store.Renewed, error) {
	return locked(ctx, s, func() (store.Renewed, error) {
		var r store.Renewed
		for _, c := range claims {
			if t, err := s.renew(c, now, until); err != nil {
				r.Fenced = append(r.Fenced, c)
			} else if t.Cancelled {
				r.Cancelled = append(r.Cancelled, c)
			}
		}
		return r, nil
	})
}

func (s *Store) Release(ctx context.Context, c store.Claim, now, notBefore time.Time) error {
	return s.locked(ctx, func() error {
		t, err := s.current(c, micro(now))
		switch {
		case err != nil:
		case t.Cancelled:
			s.stopped(t, micro(now))
		default:
			s.release(t, now, notBefore)
		}
		return err
	})
}

// release lets others claim t from notBefore on, unless it waits for what its child has left.
func (s *Store) release(t *task, now, notBefore time.Time) {
	t.leave()
	t.queued, t.NotBefore = micro(now), micro(notBefore)
	if t.ChildEnded {
		t.NotBefore = later(t.NotBefore, s.leftUntil(t.Child))
	}
}

func (s *Store) Confirm(ctx context.Context, c store.Claim, now time.Time) error {
	return s.locked(ctx, func() error {
		t, err := s.current(c, micro(now))
		if err != nil {
			return err
		}
		if !t.Cancelled {
			return machine.ErrFenced
		}
		s.stopped(t, micro(now))
		return nil
	})
}

func (s *Store) Expired(ctx context.Context, now time.Time, limit int) ([]store.TaskRow, error) {
	return locked(ctx, s, func() ([]store.TaskRow, error) { return page(s.expired(now, ""), limit), nil })
}

// expired are the claims whose lease has run out, of a run and those below it, or of all.
func (s *Store) expired(now time.Time, run string) []store.TaskRow {
	rows := s.rows(func(t *task) bool {
		return within(run, t.Run) && t.Worker != "" && !t.Leased(micro(now)) && !t.Cancelled && s.runs[t.Run].row.Status != machine.Halted
	})
	slices.SortStableFunc(rows, func(a, b store.TaskRow) int { return a.LeaseUntil.Compare(b.LeaseUntil) })
	return rows
}

func (s *Store) Reclaim(ctx context.Context, c store.Claim, now time.Time) error {
	return s.locked(ctx, func() error {
		t := s.held(c)
		if t == nil || t.Cancelled || t.Leased(micro(now)) {
			return machine.ErrFenced
		}
		s.release(t, now, time.Time{})
		t.Lost++
		return nil
	})
}

func (s *Store) Held(ctx context.Context, id string, now time.Time) (bool, error) {
	return locked(ctx, s, func() (bool, error) { return s.anyHeld(id, micro(now)), nil })
}

func (s *Store) Reports(ctx context.Context, q store.ReportQuery) ([]store.Report, error) {
	return locked(ctx, s, func() ([]store.Report, error) { return s.reports(&q), nil })
}

func (s *Store) reports(q *store.ReportQuery) (reports []store.Report) {
	if len(s.untold) == 0 {
		return nil
	}
	of := map[string]*task{}
	for _, t := range s.tasks {
		if s.untold[t.Child] && !t.Cancelled {
			of[t.Child] = t
		}
	}
	for id := range s.untold {
		r, t := s.runs[id], of[id]
		if q.Parent != "" && r.row.Parent != q.Parent || q.Child != "" && id != q.Child {
			continue
		}
		report := store.Report{Child: id, Parent: r.row.Parent, Total: bytes.Clone(r.total), Told: bytes.Clone(r.told)}
		if t != nil {
			report.Do, report.Key, report.Attempt = t.Do, t.Key, t.Attempt
		}
		if t == nil || !t.ChildEnded || q.Child != "" {
			reports = append(reports, report)
		}
	}
	return reports
}

func (s *Store) Tasks(ctx context.Context, id string) ([]store.TaskRow, error) {
	return locked(ctx, s, func() ([]store.TaskRow, error) {
		rows := s.rows(func(t *task) bool { return t.Run == id })
		slices.SortStableFunc(rows, func(a, b store.TaskRow) int { return cmp.Compare(a.Seq, b.Seq) })
		return rows, nil
	})
}

func (s *Store) TaskOf(ctx context.Context, child string) (store.TaskRow, error) {
	return locked(ctx, s, func() (store.TaskRow, error) {
		i := slices.IndexFunc(s.tasks, func(t *task) bool { return t.Child == child })
		if child == "" || i < 0 {
			return store.TaskRow{}, store.ErrNotFound
		}
		return s.row(s.tasks[i]), nil
	})
}
