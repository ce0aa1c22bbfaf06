package postgres

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/internal/sqlrow"
	"github.com/fsmc-dev/fsmc/runtime/machine"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Hints tell other processes that a commit may have left something for them: a task, a message,
// a cancelled task that they hold, a run that someone waits for. They are gathered for a
// moment and sent after the commit: a NOTIFY within it would hold a lock of the whole server until the
// disk has synced. They decide nothing, so that they need no sync of their own, and may be
// lost.
const (
	gatherHints = 5 * time.Millisecond
	hintLimit   = time.Second // for sending, and for what Close still sends
	maxHint     = 7900        // bytes; the server takes less than 8000

	// mostHints is the most processes that have hints. With more they would mostly wake for nothing.
	mostHints = 64

	notify = `SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`
	// askListening says whether a session is one of its own, and not one that a pooler lends for a
	// transaction, and whether the processes are few enough.
	askListening = `
	SELECT pg_backend_pid() = $1 AND
		(SELECT count(*) FROM @hosts WHERE seen > clock_timestamp() - $2 * interval '1 second') <= $3`
)

// hints are those that are to be sent.
type hints struct {
	sender  string // tells our own from those of others
	closing chan struct{}
	heard   atomic.Bool // a call of Watch is under way

	mu      sync.Mutex
	runs    map[string]struct{}
	sending sync.WaitGroup
	busy    bool // someone is sending
	closed  bool
}

func newHints() *hints {
	return &hints{sender: rand.Text(), closing: make(chan struct{}), runs: map[string]struct{}{}}
}

// hinted reports whether a commit may have left something for another process. A step that only
// moves its run has not: nobody waits for that.
func hinted(c *store.Commit) bool {
	return len(c.History) > 0 && (len(c.Start)+len(c.Ready)+len(c.Cancel)+len(c.Publish) > 0 || c.Run.Status != machine.Running || c.Run.Paused)
}

// hint has others told of a run soon.
func (s *Store) hint(run string) {
	h := s.hints
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.runs[run] = struct{}{}
	if !h.busy {
		h.busy = true
		h.sending.Go(s.sendHints)
	}
}

// sendHints sends what is gathered until nothing comes any more.
func (s *Store) sendHints() {
	h := s.hints
	for {
		select {
		case <-time.After(gatherHints):
		case <-h.closing:
		}
		h.mu.Lock()
		runs := h.runs
		h.runs = map[string]struct{}{}
		h.busy = len(runs) > 0
		h.mu.Unlock()
		if len(runs) == 0 {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), hintLimit)
		_ = s.useNow(ctx, func(t *tx) error {
			_, err := t.exec(ctx, notify, s.channel(), h.payload(runs))
			return err
		})
		cancel()
	}
}

// close sends what is gathered at once, and waits for that.
func (h *hints) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	close(h.closing)
	h.sending.Wait()
}

// payload names the sender and runs, or no run where they are too many.
func (h *hints) payload(runs map[string]struct{}) string {
	names := slices.AppendSeq([]string{h.sender}, maps.Keys(runs))
	text, err := json.Marshal(names)
	if err != nil || len(text) > maxHint {
		text, _ = json.Marshal(names[:1])
	}
	return string(text)
}

// channel is that of the hints of a schema.
func (s *Store) channel() string {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(s.schema))
	return fmt.Sprintf("fsmc_%016x", sum.Sum64())
}

// Watch calls hint with the ids of runs that another process has moved in a way that may be
// of interest, and with an empty one where it does not know of which. It returns nil at once where there are no
// hints to be had: while another call hears them, behind a pooler of transactions, among more than 64 processes, or with
// fewer than three connections. Otherwise it returns soon after ctx is done, or the store is closed, or
// with an error where it hears nothing more.
func (s *Store) Watch(ctx context.Context, hint func(run string)) error {
	if s.within != nil || s.pool.Config().MaxConns < 3 || !s.hints.heard.CompareAndSwap(false, true) {
		return nil // one connection listens: several engines would take those with which they work
	}
	defer s.hints.heard.Store(false)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.hints.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := s.useNow(ctx, func(t *tx) error {
		fit, _, err := sqlrow.First(ctx, t, sqlrow.One[bool], askListening, t.conn.PgConn().PID(), hostGone.Seconds(), mostHints)
		if err != nil || !fit {
			return err
		}
		defer func() { _ = t.conn.Close(context.WithoutCancel(ctx)) }() // a session that listens is lent to nobody
		if _, err := t.exec(ctx, "LISTEN "+s.channel()); err != nil {
			return err
		}
		hint("") // for what it has not heard before
		return s.hear(ctx, t, hint)
	})
	return s.translate(ctx, err)
}

// hear calls hint for what others send.
func (s *Store) hear(ctx context.Context, t *tx, hint func(run string)) error {
	for {
		said, err := t.conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		var names []string
		switch {
		case json.Unmarshal([]byte(said.Payload), &names) != nil || len(names) == 0:
			continue // someone else's
		case names[0] == s.hints.sender:
			continue
		case len(names) == 1:
			hint("")
		}
		for _, run := range names[1:] {
			hint(run)
		}
	}
}
