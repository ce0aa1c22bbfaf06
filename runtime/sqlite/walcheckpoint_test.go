//go:build cgo

package sqlite

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// shortLog has the log moved into the database, and begun again, all the time.
func shortLog(s *Store) {
	s.writer.wal.every.Store(10)
	s.writer.wal.long.Store(20)
}

// stepRuns lets several callers step a run each.
func stepRuns(t *testing.T, s *Store, callers, steps int) {
	t.Helper()
	var wait sync.WaitGroup
	for i := range callers {
		wait.Go(func() {
			row, err := s.Load(context.Background(), fmt.Sprintf("r%d", i))
			c := nextStep(row)
			if err != nil {
				c = firstStep(fmt.Sprintf("r%d", i))
			}
			for range steps {
				if err := s.Commit(context.Background(), c); err != nil {
					t.Error(err)
					return
				}
				c = nextStep(c.Run)
			}
		})
	}
	wait.Wait()
}

func sizeOf(t *testing.T, file string) int64 {
	t.Helper()
	info, err := os.Stat(file)
	must(t, err)
	return info.Size()
}

// beginnings counts how often the log of a database has begun again, by its header
// (sqlite.org/fileformat2.html, "WAL Header").
func beginnings(t *testing.T, path string) uint32 {
	t.Helper()
	f, err := os.Open(path + "-wal")
	must(t, err)
	defer f.Close()
	var n [4]byte
	must(t, errOf(f.ReadAt(n[:], 12)))
	return binary.BigEndian.Uint32(n[:])
}

// untilMoved calls step until the log has begun again a few times, and the database
// has more than so many bytes.
func untilMoved(t *testing.T, path string, size int64, step func()) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); beginnings(t, path) < 3 || sizeOf(t, path) <= size; step() {
		if time.Now().After(deadline) {
			t.Errorf("the log has begun again %d times, and has %d bytes, the database %d",
				beginnings(t, path), sizeOf(t, path+"-wal"), sizeOf(t, path))
			return
		}
	}
}

// TestLogBeginsAgain: under load that never pauses the log does not grow without
// bound, and what was in it is in the database.
func TestLogBeginsAgain(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	shortLog(s)
	before := sizeOf(t, path)
	stepRuns(t, s, 8, 1)
	untilMoved(t, path, before, func() { stepRuns(t, s, 8, 100) })
}

// TestLogFileIsKept: a log that restarts is written over in place: its file is not
// cut off, because to grow again would slow each sync.
func TestLogFileIsKept(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	shortLog(s)
	stepRuns(t, s, 8, 1)
	most := int64(0)
	untilMoved(t, path, 0, func() {
		stepRuns(t, s, 8, 100)
		size := sizeOf(t, path+"-wal")
		if size < most {
			t.Errorf("the log had %d bytes, and now has %d", most, size)
		}
		most = max(most, size)
	})
}

// TestReaderKeepsLog: someone who reads an old state for long keeps the log from
// beginning again, but not others from writing; afterwards it does.
func TestReaderKeepsLog(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	shortLog(s)
	reading, err := s.readers.BeginTx(t.Context(), nil)
	must(t, err)
	var runs int
	must(t, reading.QueryRow("SELECT count(*) FROM runs").Scan(&runs))
	stepRuns(t, s, 4, 50)
	if err := reading.QueryRow("SELECT count(*) FROM runs").Scan(&runs); err != nil || runs != 1 {
		t.Errorf("the reader sees %d runs, %v", runs, err)
	}
	must(t, reading.Rollback())
	for deadline := time.Now().Add(time.Minute); ; {
		stepRuns(t, s, 4, 100)
		if left, _, err := s.writer.wal.run("PASSIVE"); err == nil && left < 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the log has not begun again")
		}
	}
}

// TestTwoKeepLogShort: where two writers have the file open, neither keeps the
// other from shortening the log.
func TestTwoKeepLogShort(t *testing.T) {
	path := made(t)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for part := range 2 {
		s := openAt(t, path) // another connection is another process to SQLite
		shortLog(s)
		c := firstStep(fmt.Sprint("of ", part))
		commit(t, s, c)
		wait.Go(func() {
			for ctx.Err() == nil {
				c = nextStep(c.Run)
				if err := s.Commit(context.Background(), c); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	untilMoved(t, path, 0, func() { time.Sleep(time.Millisecond) })
	cancel()
	wait.Wait()
}
