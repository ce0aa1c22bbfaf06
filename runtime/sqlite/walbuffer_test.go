//go:build linux && cgo

package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/fsmc-dev/fsmc/runtime/sqlite/faultfs"
)

// TestOneWriteForEachCommit: what a transaction appends to the log comes in one
// call, and then the sync; with synchronous=NORMAL nothing is held back, because
// nothing would let it go.
func TestOneWriteForEachCommit(t *testing.T) {
	if err := faultfs.Register(); err != nil {
		t.Fatal(err)
	}
	const commits = 20
	for name, c := range map[string]struct {
		opts []Option
		most int
	}{
		"full":    {nil, commits + 1}, // and the header of the log
		"relaxed": {[]Option{Relaxed()}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			s := openAt(t, made(t), append(c.opts, FileLayer(faultfs.Name))...)
			row := load(t, s, "r")
			faultfs.Record()
			for range commits {
				next := nextStep(row)
				commit(t, s, next)
				row = next.Run
			}
			writes, syncs := 0, 0
			for _, op := range faultfs.Recorded() {
				if !strings.HasSuffix(op.File, "-wal") {
					continue
				}
				switch op.Kind {
				case faultfs.Write:
					if len(bytes.Trim(op.Data, "\x00")) > 0 { // not laid out ahead
						writes++
					}
				case faultfs.Sync:
					syncs++
				}
			}
			if writes < commits || writes > c.most || c.opts == nil && syncs < commits || c.opts != nil && writes < 2*commits {
				t.Errorf("%d writes and %d syncs of the log for %d commits", writes, syncs, commits)
			}
		})
	}
}

// TestLogLaidOutAhead: most commits find room in the file, which does not grow
// with them.
func TestLogLaidOutAhead(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	s.writer.wal.every.Store(1 << 40) // behind a checkpoint the log may begin anew
	row := load(t, s, "r")
	const commits = 200
	grown, before := 0, int64(0)
	for range commits {
		next := nextStep(row)
		commit(t, s, next)
		row = next.Run
		if size := sizeOf(t, path+"-wal"); size != before {
			grown, before = grown+1, size
		}
	}
	pages, _, err := s.writer.wal.run("PASSIVE")
	if err != nil || pages < commits {
		t.Fatalf("the log has %d pages, %v", pages, err)
	}
	if grown > commits/4 {
		t.Errorf("the log has grown %d times in %d commits", grown, commits)
	}
}

// TestLogDescriptor: the log is synced by a descriptor of the layer's own, which
// is closed with the store.
func TestLogDescriptor(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	row := load(t, s, "r")
	commit(t, s, nextStep(row))
	if own := syncDescriptors(t, path+"-wal"); len(own) != 1 { // of the writer
		t.Errorf("descriptors %v are for syncing the log", own)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if open := descriptors(t, path); len(open) != 0 {
		t.Errorf("descriptors %v are left open", open)
	}
}

// TestLogSyncFails: an error of the descriptor's sync fails the commit, and ends
// all writing. The descriptor is made one of a pipe, which cannot be synced.
func TestLogSyncFails(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	row := load(t, s, "r")
	next := nextStep(row)
	commit(t, s, next)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	for _, fd := range syncDescriptors(t, path+"-wal") {
		if err := syscall.Dup3(int(read.Fd()), fd, syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Commit(t.Context(), nextStep(next.Run)); !errors.Is(err, ErrStopped) {
		t.Errorf("a commit whose log is not synced: %v", err)
	}
	if row, err := s.Load(t.Context(), "r"); err != nil || row.Seq != next.Run.Seq {
		t.Errorf("the run is at %d, %v", row.Seq, err)
	}
}

// syncDescriptors are those that cannot write, as SQLite's own can.
func syncDescriptors(t *testing.T, path string) []int {
	t.Helper()
	return slices.DeleteFunc(descriptors(t, path), func(fd int) bool {
		flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
		if errno != 0 {
			t.Fatal(errno)
		}
		return flags&syscall.O_ACCMODE != syscall.O_RDONLY
	})
}

// descriptors are those of this process on files whose names begin with path.
func descriptors(t *testing.T, path string) (found []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range all {
		if file, err := os.Readlink(link); err == nil && strings.HasPrefix(file, path) {
			fd, err := strconv.Atoi(filepath.Base(link))
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, fd)
		}
	}
	return found
}
