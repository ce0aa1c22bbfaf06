//go:build linux && cgo

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/sqlite/faultfs"
	"github.com/fsmc-dev/fsmc/runtime/store"
)

// TestFailedCalls lets the first call to the file system fail, the second, the
// third, and so on to the last, for each kind of call, once and for good. Each
// time every step that was acknowledged must be there afterwards, none by halves,
// and after a write that failed no other may be acknowledged, unless it failed for lack
// of room. Unless
// FSMC_IO_FAULTS is "all", it is a sample of the calls.
func TestFailedCalls(t *testing.T) {
	must(t, faultfs.Register())
	template := read(t, made(t))
	for _, kind := range []struct {
		name  string
		calls faultfs.Kind
		code  int
	}{
		{"read", faultfs.Read, faultfs.IOErrRead},
		{"write", faultfs.Write, faultfs.IOErrWrite},
		{"full disk", faultfs.Write, faultfs.Full},
		{"sync", faultfs.Sync, faultfs.IOErrSync},
		{"truncate", faultfs.Truncate, faultfs.IOErrResize},
	} {
		for _, forever := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/forever=%t", kind.name, forever), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "runs.db")
				total := workload(t, path, template, kind.calls, 0, false, kind.code)
				if total == 0 {
					t.Fatal("the work has no such call")
				}
				stride := 1
				if os.Getenv("FSMC_IO_FAULTS") != "all" {
					stride += total / 12
				}
				for n := 1 + rand.IntN(stride); n <= total; n += stride {
					workload(t, path, template, kind.calls, n, forever, kind.code)
				}
				t.Logf("figure: failed calls to the file system = %d", total)
			})
		}
	}
}

// workload opens a copy of a database and steps a few runs, while one call
// fails; then the file is opened without faults and looked at. It returns how
// many calls of the kind there were.
func workload(t *testing.T, path string, template []byte, kind faultfs.Kind, n int, forever bool, code int) int {
	t.Helper()
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	must(t, os.WriteFile(path, template, 0o600))
	faultfs.Fail(kind, n, forever, code)
	acknowledged, failed := stepUntilStopped(t, path)
	seen := faultfs.Seen()
	faultfs.Fail(0, 0, false, 0)
	if failed != nil && !errors.Is(failed, ErrStopped) && !errors.Is(failed, errNotOpened) && !errors.Is(failed, ErrFull) {
		t.Errorf("call %d: a write failed, and writing went on: %v", n, failed)
	}
	short, err := inspectLost(context.Background(), path, acknowledged)
	if short || err != nil {
		t.Errorf("call %d: acknowledged steps are missing: %t; %v", n, short, err)
	}
	return seen
}

var errNotOpened = errors.New("not opened")

// stepUntilStopped returns what was acknowledged, and the first error.
func stepUntilStopped(t *testing.T, path string) (acknowledged map[string]int64, failed error) {
	ctx := t.Context()
	acknowledged = map[string]int64{}
	s, err := Open(ctx, path, FileLayer(faultfs.Name))
	if err != nil {
		return acknowledged, fmt.Errorf("%w: %w", errNotOpened, err)
	}
	defer func() { _ = s.Close() }() // may fail as well: what counts is what is in the file
	shortLog(s)
	for i := range killedRuns {
		c := firstStep(fmt.Sprintf("r%d", i))
		for range 3 {
			if err := s.Commit(ctx, c); err != nil {
				failed = err
				break
			}
			acknowledged[c.Run.Run] = c.Run.Seq
			c = nextStep(c.Run)
		}
	}
	if failed != nil {
		var row store.RunRow
		if row, err = s.Load(ctx, "r"); err == nil && row.Seq != 1 {
			t.Errorf("after the failure the run reads as step %d", row.Seq)
		}
	}
	return acknowledged, failed
}
