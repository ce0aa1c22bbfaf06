// Package memstore keeps runs in memory: for tests, simulation, and programs
// that need no durability. It is written to be obviously correct, not fast:
// one lock, and plain loops over what is open.
package memstore

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/fsmc-dev/fsmc/runtime/store"
)

// Store is a store.Store in memory. It is safe for concurrent use, and its
// contents are gone with it.
type Store struct {
	mu          sync.Mutex
	closed      bool
	definitions map[string]store.DefinitionRow
	runs        map[string]*run
	tasks       []*task // that have not ended, in the order in which they were started
	timers      map[timerKey]time.Time
	outbox      []*message // in the order in which they were published
	checkpoints map[checkpointKey]checkpoint
	untold      map[string]bool // children that have used what their parents do not know
	epoch       int64           // the last one given
	feed        []fed           // what has not been pruned, in order
	feedEnd     int64           // the last position given
	pruned      *tally
	hands       store.Hands
	limits      []store.ActivityLimit    // of the newest definition of each machine
	claims      map[limitKey][]time.Time // the last ones of each activity with a limit
}

var _ store.Store = (*Store)(nil)

// run is one run with what only it needs.
type run struct {
	row      store.RunRow
	history  []store.HistoryRow
	accepted map[string]json.RawMessage

	total, told json.RawMessage // what a child has used, and what its parent knows of that
}

// task is a task with the time by which it is queued.
type task struct {
	store.TaskRow
	queued time.Time
}

// checkpoint is the last one of an execution.
type checkpoint struct {
	data json.RawMessage
	at   time.Time
}

type timerKey struct{ run, name string }

// checkpointKey is the run and the idempotency key of an execution.
type checkpointKey struct{ run, key string }

type message struct {
	store.MessageRow
	delivered bool
}

// New gives an empty store.
func New() *Store {
	return &Store{
		definitions: map[string]store.DefinitionRow{},
		runs:        map[string]*run{},
		timers:      map[timerKey]time.Time{},
		checkpoints: map[checkpointKey]checkpoint{},
		untold:      map[string]bool{},
		pruned:      newTally(),
		claims:      map[limitKey][]time.Time{},
	}
}

// locked runs f under the store's lock, unless the store is closed or the caller
// has given up.
func (s *Store) locked(ctx context.Context, f func() error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	return f()
}

// locked is Store.locked with what f gives.
func locked[T any](ctx context.Context, s *Store, f func() (T, error)) (given T, err error) {
	err = s.locked(ctx, func() (err error) {
		given, err = f()
		return err
	})
	return given, err
}

// Close ends the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *Store) PutDefinition(ctx context.Context, d store.DefinitionRow) error {
	return s.locked(ctx, func() error {
		if _, ok := s.definitions[d.Hash]; !ok {
			if err := s.putLimits(&d); err != nil {
				return err
			}
			d.Definition = bytes.Clone(d.Definition)
			s.definitions[d.Hash] = d
		}
		return nil
	})
}

func (s *Store) Definition(ctx context.Context, hash string) (store.DefinitionRow, error) {
	return locked(ctx, s, func() (store.DefinitionRow, error) {
		d, ok := s.definitions[hash]
		if !ok {
			return d, store.NotFound("definition", hash)
		}
		d.Definition = bytes.Clone(d.Definition)
		return d, nil
	})
}

func (s *Store) Load(ctx context.Context, id string) (store.RunRow, error) {
	return locked(ctx, s, func() (store.RunRow, error) {
		r := s.runs[id]
		if r == nil {
			return store.RunRow{}, store.ErrNotFound
		}
		return copyRun(&r.row), nil
	})
}

func (s *Store) Accepted(ctx context.Context, id, eventID string) (answer json.RawMessage, ok bool, err error) {
	err = s.locked(ctx, func() error {
		if r := s.runs[id]; r != nil {
			answer, ok = r.accepted[eventID]
		}
		return nil
	})
	return bytes.Clone(answer), ok, err
}

func (s *Store) History(ctx context.Context, id string, after int64, limit int) ([]store.HistoryRow, error) {
	return locked(ctx, s, func() ([]store.HistoryRow, error) {
		r := s.runs[id]
		if r == nil {
			return nil, nil
		}
		var rows []store.HistoryRow
		for _, h := range r.history {
			if h.Seq > after {
				h.Record = bytes.Clone(h.Record)
				rows = append(rows, h)
			}
		}
		return page(rows, limit), nil
	})
}

// page is the first limit rows; a limit of 0 or less is none.
func page[T any](rows []T, limit int) []T {
	if limit > 0 && len(rows) > limit {
		return rows[:limit]
	}
	return rows
}

// micro is t as stores keep it.
func micro(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return time.UnixMicro(t.UnixMicro()).UTC()
}

func copyRun(row *store.RunRow) store.RunRow {
	out := *row
	out.Snapshot, out.Tags = bytes.Clone(row.Snapshot), maps.Clone(row.Tags)
	return out
}

func (s *Store) awake(id string) bool { return s.runs[id].row.Awake() }

// remove takes the tasks for which gone holds out of the list.
func (s *Store) remove(gone func(*task) bool) {
	s.tasks = slices.DeleteFunc(s.tasks, gone)
}
