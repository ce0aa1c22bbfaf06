//go:build cgo

package sqlite

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// shortLog has the log moved into the database, and begun anew, all the time.
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
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestLogBeginsAnew: under load that never pauses the log does not grow without
// bound, and what was in it is in the database.
func TestLogBeginsAnew(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	shortLog(s)
	before := sizeOf(t, path)
	stepRuns(t, s, 8, 250) // some 10,000 pages, 40 MB
	if size := sizeOf(t, path+"-wal"); size > 8<<20 {
		t.Errorf("the log has %d bytes", size)
	}
	if after := sizeOf(t, path); after < before+200<<10 {
		t.Errorf("the database has grown from %d bytes to %d", before, after)
	}
}

// TestReaderKeepsLog: someone who reads an old state for long keeps the log from
// beginning anew, but not others from writing; afterwards it does.
func TestReaderKeepsLog(t *testing.T) {
	path := made(t)
	s := openAt(t, path)
	shortLog(s)
	reading, err := s.readers.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var runs int
	if err := reading.QueryRow("SELECT count(*) FROM runs").Scan(&runs); err != nil {
		t.Fatal(err)
	}
	stepRuns(t, s, 4, 50)
	if err := reading.QueryRow("SELECT count(*) FROM runs").Scan(&runs); err != nil || runs != 1 {
		t.Errorf("the reader sees %d runs, %v", runs, err)
	}
	if err := reading.Rollback(); err != nil {
		t.Fatal(err)
	}
	kept := sizeOf(t, path+"-wal")
	for deadline := time.Now().Add(time.Minute); ; {
		stepRuns(t, s, 4, 100)
		if left, _, err := s.writer.wal.run("PASSIVE"); err == nil && left < 200 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the log has not begun anew")
		}
	}
	if size := sizeOf(t, path+"-wal"); size > max(2*kept, 8<<20) {
		t.Errorf("the log has grown from %d bytes to %d", kept, size)
	}
}

// TestTwoKeepLogShort: where two writers have the file open, neither keeps the
// other from shortening the log.
func TestTwoKeepLogShort(t *testing.T) {
	path := made(t)
	var wait sync.WaitGroup
	for part := range 2 {
		s := openAt(t, path) // another connection is another process to SQLite
		shortLog(s)
		wait.Go(func() {
			c := firstStep(fmt.Sprint("of ", part))
			for range 700 {
				if err := s.Commit(context.Background(), c); err != nil {
					t.Error(err)
					return
				}
				c = nextStep(c.Run)
			}
		})
	}
	wait.Wait()
	if size := sizeOf(t, path+"-wal"); size > 8<<20 {
		t.Errorf("the log has %d bytes", size)
	}
}
