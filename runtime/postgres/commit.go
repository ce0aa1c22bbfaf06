package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// commit is one that is being written. It is tried again where the server is away, or does
// not say whether it has made it: then the token tells it from one that someone else made.
type commit struct {
	*store.Commit
	token int64
	doubt bool // an earlier try may have been made
	back  bool // the run is moved back from the archive first
}

func (s *Store) Commit(ctx context.Context, c *store.Commit) error {
	if err := c.Check(); err != nil {
		return err
	}
	switch {
	case s.closed.Load():
		return store.ErrClosed
	case s.options.readOnly:
		return ErrReadOnly
	}
	w := commit{Commit: c, token: int64(rand.Uint64())}
	err := s.commit(ctx, &w)
	if w.archived(err) {
		w.back = true
		err = s.commitAlone(ctx, &w)
	}
	switch {
	case err == nil:
		if s.within == nil && hinted(c) {
			s.hint(c.Run.Run)
		}
		s.fold(ctx)
	case errors.Is(err, machine.ErrDuplicate):
		return s.duplicate(ctx, c)
	}
	return err
}

// commit writes a commit, together with others where it can.
func (s *Store) commit(ctx context.Context, w *commit) error {
	err := errAlone
	if s.within == nil && !w.alone() {
		err = s.together(ctx, w)
	}
	if errors.Is(err, errAlone) {
		err = s.commitAlone(ctx, w)
	}
	return err
}

// duplicate refuses a commit whose event id is known, with the answer that it had.
func (s *Store) duplicate(ctx context.Context, c *store.Commit) error {
	answer, _, err := s.Accepted(ctx, c.Run.Run, c.EventID)
	if err != nil {
		return err
	}
	return &store.Duplicate{Answer: answer}
}

// commitAlone writes a commit in a transaction of its own.
func (s *Store) commitAlone(ctx context.Context, w *commit) error {
	err := s.insist(ctx, func() error {
		err := s.transact(ctx, w.write)
		if errors.Is(err, store.ErrUnknown) {
			w.doubt = true
			return &brokenError{errors.New(words(err))}
		}
		return err
	})
	if err != nil && w.doubt && !decided(err) {
		return fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	return err
}

// decided reports whether err is of a commit that has been refused.
func decided(err error) bool {
	return slices.ContainsFunc([]error{
		machine.ErrDuplicate, machine.ErrExists, store.ErrNotFound, store.ErrConflict, machine.ErrFenced,
	}, func(refusal error) bool { return errors.Is(err, refusal) })
}

// write writes a commit in a transaction: what stands is locked and read in one round trip,
// and all that is to be written goes in another.
func (w *commit) write(ctx context.Context, t *tx) error {
	if w.back {
		t.queue(nil, unarchiveRun, w.Run.Run)
	}
	f, err := t.stand(ctx, w.Commit)
	if err != nil {
		return err
	}
	if err := f.admit(w.Commit); err != nil {
		if w.doubt {
			return w.resolve(ctx, t, f, err)
		}
		return err
	}
	r := request{commit: w, children: f.runs}
	if run := f.runs[w.Run.Run]; run != nil {
		r.before = *run
		if was := run.awake(); was != w.Run.Awake() && len(w.History) > 0 {
			t.queue(nil, wakeTasks, run.run, !was)
			t.queue(nil, wakeTimers, run.run, !was)
		}
	}
	if h := w.Hears; h != nil {
		t.queue(fenced, updateTold, h.Child, text(h.Told), text(h.Total))
	}
	if err := w.writeChildren(t, f); err != nil {
		return err
	}
	t.queue(nil, refuseNone)
	b := batch{requests: []*request{&r}}
	if err := b.buildWrites([]numbered{{&r, 1}}); err != nil {
		return err
	}
	for _, w := range b.writes {
		t.queue(nil, w.text(), w.values()...)
	}
	w.writeEnd(t, f)
	return t.flush(ctx)
}

// resolve decides whether it was an earlier try of this commit that has made the refusal.
func (w *commit) resolve(ctx context.Context, t *tx, f *footing, refusal error) error {
	switch {
	case len(w.History) > 0:
		_, ours, err := sqlrow.First(ctx, t, sqlrow.One[int], selectToken, w.Run.Run, w.Run.Seq, w.token)
		if err != nil || ours {
			return err
		}
	case w.EventID != "":
		if f.answer != nil && *f.answer == w.token {
			return nil
		}
	case errors.Is(refusal, machine.ErrFenced):
		return errors.New("the reply to the end of a claim was lost, and the claim is gone")
	}
	return refusal
}

const (
	updateTold = `
	UPDATE @runs SET told = $3 WHERE run = $1 AND told IS NOT DISTINCT FROM $2`

	wakeTasks  = `UPDATE @tasks SET awake = $2 WHERE run = $1`
	wakeTimers = `UPDATE @timers SET awake = $2 WHERE run = $1`
)
