//go:build cgo

package runtime_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
	"github.com/fsmc-dev/fsmc/runtime/sqlite/faultfs"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestResultOnAFullDisk: an activity ends while the disk is full, and every write fails.
// Its result is kept, and taken by the same worker and the same store once there is room.
func TestResultOnAFullDisk(t *testing.T) {
	must(t, faultfs.Register())
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "runs.db"), sqlite.FileLayer(faultfs.Name))
	must(t, err)
	defer store.Close()
	defer faultfs.Fail(0, 0, false, 0)
	var calls, refused atomic.Int32
	seen := watching{store, func(err error) {
		if errors.Is(err, sqlite.ErrFull) {
			refused.Add(1)
		}
	}}
	m := job(t, []string{"heartbeat 1m"}, retrying()...)
	w := work(t, seen, m, func(context.Context, *Attempt) (Result, error) {
		calls.Add(1)
		faultfs.Fail(faultfs.Write, 1, true, faultfs.Full)
		return found, nil
	}, WithLogger(quiet), WithLease(300*time.Millisecond), WithPoll(10*time.Millisecond))
	defer w.stop()
	begin(t, w.Engine, "r")
	for refused.Load() < 6 { // beyond the four tries that there were, and the lease
		time.Sleep(10 * time.Millisecond)
	}
	faultfs.Fail(0, 0, false, 0)
	if v := await(t, w.Engine, "r"); v.State != "Done" || calls.Load() != 1 {
		t.Errorf("after %d calls the run is in %s", calls.Load(), v.State)
	}
	wantLines(t, w.Engine, "r", "start>Idle Go>Working Found>Done")
}

// watching tells of each commit how it ended.
type watching struct {
	store.Store
	told func(error)
}

func (s watching) Commit(ctx context.Context, c *store.Commit) error {
	err := s.Store.Commit(ctx, c)
	s.told(err)
	return err
}
