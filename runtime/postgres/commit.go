package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// commit is one that is being written. It is tried again where the server is away, or does
// not say whether it has made it: then the token tells it from one that someone else made.
type commit struct {
	*store.Commit
	token int64
	doubt bool // an earlier try may have been made
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, c *store.Commit) error {
	if err := c.Check(); err != nil {
		return err
	}
	w := commit{Commit: c, token: int64(rand.Uint64())}
	err := s.insist(ctx, func() error {
		err := s.transact(ctx, w.write)
		if errors.Is(err, store.ErrUnknown) {
			w.doubt = true
			return &brokenError{errors.New(words(err))}
		}
		return err
	})
	switch {
	case err == nil:
		s.fold(ctx)
	case w.doubt && !decided(err):
		return fmt.Errorf("%w: %w", store.ErrUnknown, err)
	}
	return err
}

// decided reports whether err is of a commit that has been refused.
func decided(err error) bool {
	for _, refusal := range []error{
		machine.ErrDuplicate, machine.ErrExists, store.ErrNotFound, store.ErrConflict, machine.ErrFenced,
	} {
		if errors.Is(err, refusal) {
			return true
		}
	}
	return false
}

// write writes a commit in a transaction: what stands is locked and read in one round trip,
// and all that is to be written goes in another.
func (w *commit) write(ctx context.Context, t *tx) error {
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
	before := standing{}
	if run := f.runs[w.Run.Run]; run != nil {
		before = *run
	} else {
		before.parent = w.Run.Parent
	}
	if len(w.History) > 0 {
		if err := w.writeRun(t, &before); err != nil {
			return err
		}
	}
	if h := w.Hears; h != nil {
		t.queue(fenced, updateTold, h.Child, text(h.Told), text(h.Total))
	}
	if err := w.writeTasks(t, f); err != nil {
		return err
	}
	t.writeTimers(w.Commit)
	t.publish(w.Publish)
	if w.EventID != "" {
		t.queue(nil, insertAnswer, w.Run.Run, w.EventID, w.Run.Seq, w.token, text(w.Answer))
	}
	return t.flush(ctx)
}

// resolve decides whether it was an earlier try of this commit that has made the refusal.
func (w *commit) resolve(ctx context.Context, t *tx, f *footing, refusal error) error {
	switch {
	case len(w.History) > 0:
		_, ours, err := first(ctx, t, scanOne[int], selectToken, w.Run.Run, w.Run.Seq, w.token)
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
	insertRun = `
	INSERT INTO @runs (run, machine, definition, state, status, outcome, paused, seq, started, entered, updated, ended, final,
		snapshot, total, parent, root)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`
	updateRun = `
	UPDATE @runs SET machine = $2, definition = $3, state = $4, status = $5, outcome = $6, paused = $7, seq = $8,
		started = $9, entered = $10, updated = $11, ended = $12, final = $13, snapshot = $14, total = coalesce($15, total)
	WHERE run = $1 AND seq = $16`
	updateTold = `
	UPDATE @runs SET told = $3 WHERE run = $1 AND told IS NOT DISTINCT FROM $2`

	wakeTasks  = `UPDATE @tasks SET awake = $2 WHERE run = $1`
	wakeTimers = `UPDATE @timers SET awake = $2 WHERE run = $1`
)

// writeRun queues the row of the run, its history, and what they count.
func (w *commit) writeRun(t *tx, before *standing) error {
	r := &w.Run
	args := []any{r.Run, r.Machine, r.Definition, r.State, string(r.Status), nullable(string(r.Outcome)), r.Paused, r.Seq,
		r.Started, r.Entered, r.Updated, nil, nil, string(r.Snapshot), nil}
	if r.Status == machine.Finished {
		args[11], args[12] = r.Updated, r.State
	}
	if before.parent != "" {
		args[14] = text(w.Total)
	}
	if w.Expect == 0 {
		var root *string
		if before.parent != "" {
			root = nullable(r.Root)
		}
		t.queue(nil, insertRun, append(args, nullable(before.parent), root)...)
	} else {
		t.queue(moved, updateRun, append(args, w.Expect)...)
		if was := before.status != machine.Halted && !before.paused; was != awake(r) {
			t.queue(nil, wakeTasks, r.Run, awake(r))
			t.queue(nil, wakeTimers, r.Run, awake(r))
		}
	}
	for i := range w.History {
		h := &w.History[i]
		t.queue(nil, insertRecord, h.Run, h.Seq, h.At, string(h.Kind), h.Input, h.From, h.To, string(h.Effect), w.token, string(h.Record))
	}
	return t.count(w.Commit, before)
}

// moved is the error of an update that did not find the run at the number it expects.
func moved(n int64) error {
	if n == 0 {
		return store.ErrConflict
	}
	return nil
}

// awake reports whether the run's timers fire and its tasks are handed out.
func awake(r *store.RunRow) bool { return r.Status != machine.Halted && !r.Paused }
